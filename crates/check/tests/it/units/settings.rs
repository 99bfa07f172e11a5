//! Settings that are read with their places.

use candor_check::settings::{Cardinality, nearest, read_settings};
use candor_json::json;
use serde::Deserialize;

#[test]
fn counts_are_whole_and_in_order() {
    for (text, right, wrong) in [("2", 2, 1), ("2.0", 2, 3), (r#"{"min":1}"#, 9, 0), (r#"{"max":1}"#, 0, 2)] {
        let count: Cardinality = candor_json::from_str(text).unwrap();
        assert!(count.allows(right) && !count.allows(wrong), "{text}");
    }
    for text in ["-1", "1.5", "\"1\"", "{}", "[]", r#"{"min":2,"max":1}"#, r#"{"least":1}"#, "null", "true", "1e99"] {
        assert!(candor_json::from_str::<Cardinality>(text).is_err(), "{text}");
    }
}

#[test]
fn a_slip_is_named_with_what_was_meant() {
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[allow(dead_code, reason = "only its name matters here")]
        expected: u8,
    }
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        #[allow(dead_code, reason = "only its name matters here")]
        fields: Vec<Inner>,
    }
    let error = read_settings::<Outer>(json!({"fields": [{"expected": 1}, {"expectd": 1}]})).unwrap_err();
    assert_eq!(error.place, "fields[1].expectd");
    assert!(error.message.ends_with("did you mean `expected`?"), "{error}");
    assert_eq!(nearest("zzz", &["expected"]), None);
    // Members have names: a list of their values is not an object.
    for (value, place) in [(json!([[{"expected": 1}]]), ""), (json!({"fields": [{"expected": 1}, [2]]}), "fields[1]")] {
        let error = read_settings::<Outer>(value).unwrap_err();
        assert_eq!((error.place.as_str(), error.message.as_str()), (place, "expected an object, found a list"));
    }
    for number in ["1.10", "1e400"] {
        let value = candor_json::from_str(&format!(r#"{{"fields": [{number}]}}"#)).unwrap();
        let error = read_settings::<Outer>(value).unwrap_err();
        assert_eq!(error.to_string(), "fields[0]: expected an object, found a number");
    }
}

#[test]
fn a_value_of_no_expected_form_is_shown() {
    #[derive(Debug, Deserialize)]
    #[serde(untagged, expecting = "expected a text, or an array of texts")]
    enum Texts {
        One(#[allow(dead_code, reason = "only its type matters here")] String),
        Several(#[allow(dead_code, reason = "only its type matters here")] Vec<String>),
    }
    #[derive(Debug, Deserialize)]
    struct Settings {
        #[allow(dead_code, reason = "only its name matters here")]
        texts: Vec<Texts>,
    }
    let value = candor_json::from_str(r#"{"texts": ["a", 1.10]}"#).unwrap();
    let error = read_settings::<Settings>(value).unwrap_err();
    assert_eq!(error.to_string(), "texts[1]: expected a text, or an array of texts, found `1.10`");
}
