//! Sandboxes that somebody else keeps.

use candor::check::PartType;
use candor_json::json;

use crate::outside::{allowed_hosts, described, open};

#[test]
fn a_url_is_that_of_a_fhir_server() {
    let parts: Vec<PartType> = candor::parts().collect();
    for (url, is_allowed) in [
        ("https://fhir.example.org/r4", true),
        ("http://fhir.example.org:8080/a\"b", true),
        ("http://10.0.0.1/\"\n[portal]\nurl = \"postgres://fhir.example.org/x", false),
        ("https://10.0.0.1/r4", false),
    ] {
        let description = described(&json!(url)).unwrap();
        let text = description["toml"].as_str().unwrap();
        assert_eq!(text.parse::<toml::Table>().unwrap()["fhir"]["url"].as_str(), Some(url));
        let opened = open(&description, &["fhir.example.org".to_owned()], &parts);
        assert_eq!(opened.err().is_none_or(|error| !error.contains("`10.0.0.1` is not allowed")), is_allowed, "{url}");
    }
    assert_eq!(described(&json!("/srv/box")), Some(json!({"path": "/srv/box"})));
    assert_eq!(described(&json!({"fhir": []})), None);
}

#[test]
fn only_allowed_hosts_are_asked() {
    let allowed = ["fhir.example.org".to_owned(), "::1".to_owned()];
    for (text, refused) in [
        ("[fhir]\nurl = \"https://fhir.example.org/r4\"", None),
        ("[fhir]\nurl = \"https://FHIR.example.org:8443/r4\"", None),
        ("[fhir]\nurl = \"http://[::1]:80/r4\"", None),
        ("[portal]\nurl = \"postgres://u:p@db.internal:5432/x\"", Some("db.internal")),
        ("[fhir]\nurl = \"http://fhir.example.org@169.254.169.254/\"", Some("169.254.169.254")),
        ("[fhir]\nurl = \"http://fhir.example.org\\\\.evil.example/\"", None),
        ("[fhir]\nurl = \"http://evil.example#@fhir.example.org/\"", Some("evil.example")),
    ] {
        let found = allowed_hosts(text, &allowed);
        assert_eq!(found.is_err(), refused.is_some(), "{text}: {found:?}");
        assert!(refused.is_none_or(|host| found.unwrap_err().contains(host)), "{text}");
    }
}
