//! The URLs of pages.

use proptest::prelude::*;

use crate::http::address::{first, linked, with};

const TEMPLATE: &str = "https://a.example/api/{resource}?v=1";

#[test]
fn names_stay_where_they_are() {
    let first = |name: &str| first(TEMPLATE, name, None);
    assert_eq!(first("claims").as_deref(), Some("https://a.example/api/claims?v=1"));
    assert_eq!(first("a b?c#d&e/f").as_deref(), Some("https://a.example/api/a%20b%3Fc%23d%26e%2Ff?v=1"));
    assert_eq!(first("%2e%2e").as_deref(), Some("https://a.example/api/%252e%252e?v=1"));
    for name in ["..", ".", "../admin", "a/../../b", "a\\..\\b"] {
        assert_eq!(first(name), None, "{name}");
    }
    let sized = crate::http::address::first(TEMPLATE, "x", Some(&("limit".to_owned(), 50)));
    assert_eq!(sized.as_deref(), Some("https://a.example/api/x?v=1&limit=50"));
    assert_eq!(with("https://a/x?offset=5&v=1", "offset", "10"), "https://a/x?v=1&offset=10");
}

#[test]
fn links() {
    let asked = "https://a.example/api/claims?page=1";
    for (link, leads) in [
        ("?page=2", "https://a.example/api/claims?page=2"),
        ("claims?page=2", "https://a.example/api/claims?page=2"),
        ("/api/claims?page=2", "https://a.example/api/claims?page=2"),
        ("https://b.example/", "https://b.example/"),
    ] {
        assert_eq!(linked(asked, link).as_deref(), Some(leads));
    }
    assert_eq!(linked(asked, "//b.example/"), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: candor_test_size::cases(200), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_name_leaves_the_path(name in "\\PC{0,12}|[./\\\\?#%]{0,8}") {
        if let Some(url) = first(TEMPLATE, &name, None) {
            let name = url.strip_prefix("https://a.example/api/").and_then(|rest| rest.strip_suffix("?v=1")).unwrap();
            prop_assert!(!name.contains(['/', '?', '#', '\\', '&']) && name != "." && name != "..");
        }
    }
}
