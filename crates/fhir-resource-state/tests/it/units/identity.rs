//! The base of a `fullUrl`.

use crate::store::identity::base_of;

#[test]
fn the_base_is_the_full_url_less_type_and_id() {
    for (url, base) in [
        ("https://a.example/r4/Patient/1", Some("https://a.example/r4")),
        ("https://a.example/r4/Patient/1/", Some("https://a.example/r4")),
        ("https://a.example/r4/Patient/1/_history/4", Some("https://a.example/r4")),
        ("https://a.example/r4//Patient/1", Some("https://a.example/r4")),
        ("urn:uuid:1", None),
        ("Patient/1", None),
        ("https://a.example/r4/Patient/11", None),
        ("https://a.example/r4/XPatient/1", None),
        ("1", None),
    ] {
        assert_eq!(base_of(url, "Patient", "1"), base, "{url}");
    }
}
