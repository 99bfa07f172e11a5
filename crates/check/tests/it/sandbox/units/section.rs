//! Settings of a part, by their kinds.

use std::path::Path;

use candor_check::sandbox::{Section, SectionError};

#[test]
fn a_base_url_is_no_more_than_that() {
    let base_url =
        |text: &str| Section::from_toml("fhir", &format!("url = \"{text}\""), Path::new("")).unwrap().base_url("url");
    for (text, expected) in [
        ("https://u:hunter2@a.example/r4", "holds credentials"),
        ("https://a.example/r4?key=hunter2", "has a query"),
        ("https:///r4", "names no host"),
        ("ftp://a.example", "is not an http:// or https:// URL"),
        ("https://a.example/r 4", "a URL cannot contain"),
    ] {
        let error = base_url(text).unwrap_err().message;
        assert!(error.contains(expected) && !error.contains("hunter2"), "{text}: {error}");
    }
    assert_eq!(base_url("HTTP://127.0.0.1:8080").unwrap().as_deref(), Some("http://127.0.0.1:8080"));
}

#[test]
fn a_value_of_the_wrong_kind_is_named() {
    let section = |text: &str| Section::from_toml("hl8", text, Path::new("")).unwrap();
    let message = |error: SectionError| format!("{}: {}", error.key, error.message);
    assert_eq!(message(section("a = 1").text("a").unwrap_err()), "a: `a` is 1; expected a string");
    assert_eq!(message(section("a = \"\"").name("a").unwrap_err()), "a: `a` is empty");
    assert_eq!(message(section("a = \"x\"").flag("a").unwrap_err()), "a: `a` is \"x\"; expected true or false");
    assert!(message(section("a = \"soon\"").duration("a").unwrap_err()).contains("`soon` is not a duration"));
    assert!(message(section("a = -1").whole("a").unwrap_err()).contains("expected a whole number of 0 or more"));
    assert!(message(section("a = [1]").texts("a").unwrap_err()).contains("expected an array of strings"));
    assert!(message(section("a = 1").table("a", "a = {}").unwrap_err()).contains("is not a table; write a = {}"));
    let secret = message(section("a = [\"hunter2\"]").secret("a").unwrap_err());
    assert!(secret.contains("is not a string") && !secret.contains("hunter2"), "{secret}");
    let secret = message(section("a = \"hunter2\"").secret("a").unwrap_err());
    assert!(secret.contains("is written out") && !secret.contains("hunter2"), "{secret}");
    assert!(message(section("a = \"none\"").file("a").unwrap_err()).contains("there is no file none"));
    let unknown = section("paht = \"x\"").only(&["path"]).unwrap_err();
    assert_eq!(message(unknown), "paht: unknown setting `paht`; did you mean `path`?");
}
