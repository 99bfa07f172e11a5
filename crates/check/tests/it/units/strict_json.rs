//! JSON that can be read in one way.

use candor_check::strict_json::{Flaw, FlawKind, MAX_DEPTH, check};

fn flaw(text: &str) -> Flaw {
    check(text).unwrap_err()
}

#[test]
fn plain_json_is_fine() {
    for text in
        ["{}", "[]", "1", r#"{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"a\"a"}"#, " {\"a\" : 1 , \"b\":\"{\\\"\"} "]
    {
        assert_eq!(check(text), Ok(()), "{text}");
    }
}

#[test]
fn a_member_given_twice_is_found_at_its_second_place() {
    let found = flaw(r#"{"status":"booked","b":{},"status":"cancelled"}"#);
    assert_eq!(found.offset, 26);
    assert!(found.what.contains("`status` twice"));
}

#[test]
fn a_member_is_the_same_when_it_is_escaped() {
    assert!(flaw(r#"{"a":1,"\u0061":2}"#).what.contains("`a` twice"));
}

#[test]
fn no_name_is_taken_for_a_number_or_unread_text() {
    for name in ["$serde_json::private::RawValue", "$serde_json::private::Number", "$candor_json::Exact"] {
        let text = format!(r#"{{"x":{{"{name}":"1"}}}}"#);
        assert_eq!(check(&text), Ok(()));
        assert_eq!(candor_json::from_str::<candor_json::Value>(&text).unwrap().to_string(), text);
    }
    assert!(flaw(r#"{"$serde_json::private":1,"$serde_json::privat\u0065":2}"#).what.contains("twice"));
}

#[test]
fn depth_is_limited_and_costs_no_stack() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert_eq!(check(&nested(MAX_DEPTH)), Ok(()));
    assert!(candor_json::from_str::<candor_json::Value>(&nested(MAX_DEPTH)).is_ok());
    assert!(flaw(&nested(MAX_DEPTH + 1)).what.contains("nested deeper"));
    assert!(flaw(&nested(1_000_000)).what.contains("nested deeper"));
    assert_eq!(flaw(&nested(1_000_000)).kind, FlawKind::TooDeep);
    assert_eq!(flaw(&"[".repeat(1_000_000)).kind, FlawKind::NotJson);
}

#[test]
fn what_is_not_json_is_placed() {
    let found = flaw("{\"a\": 1,\n \"b\": tru }");
    assert_eq!((found.offset, found.what.starts_with("not JSON: ")), (18, true), "{found:?}");
    assert!(flaw("").what.contains("EOF"));
    assert!(flaw("{} {}").what.contains("trailing"));
}
