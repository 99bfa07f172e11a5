//! The target of a request.

use crate::store::changes::Target;
use crate::store::request::target;

#[test]
fn what_a_url_is_about() {
    let one = |id: &str| Target::One { resource_type: "Task".to_owned(), id: id.to_owned() };
    for (url, expected, base) in [
        ("Task/1", one("1"), None),
        ("/Task/1/", one("1"), None),
        ("Task/1?_format=json", one("1"), None),
        ("Task/1/_history/2", one("1"), None),
        ("Task/1/$apply", one("1"), None),
        ("https://a.example/r4/Task/1", one("1"), Some("https://a.example/r4")),
    ] {
        let (found, on) = target(url).unwrap();
        assert_eq!(found.name(), expected.name(), "{url}");
        assert_eq!(on.as_deref(), base, "{url}");
    }
    for (url, searched) in [
        ("Task", false),
        ("Task?status=ready", true),
        ("https://a.example/r4/Task?identifier=a%7C1", true),
        ("Task?nothing=1", false),
        ("Task?patient.name=x", false),
        ("Task/$run", false),
    ] {
        let Some((Target::Type { resource_type, query }, _)) = target(url) else { panic!("{url}") };
        assert_eq!((resource_type.as_str(), query.is_some()), ("Task", searched), "{url}");
    }
    for url in ["", "$run", "?a=b", "Nothing/1", "Nothing?a=b", "metadata"] {
        assert!(target(url).is_none(), "{url}");
    }
}
