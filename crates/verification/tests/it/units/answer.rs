//! The answers of programs.

use candor_json::{Value, json};
use candor_verification::{Claim, HookAnswer, VerifierVerdict};
use proptest::prelude::*;

use crate::answer::{MOST_REASON, action, verdict};
use crate::protocol::Returned;

const NO_REASON: &str = "the script says that the work is not done, and not why";

fn text(text: &str) -> Result<VerifierVerdict, String> {
    verdict(Returned::Text(text.to_owned()))
}

fn failed(reason: &str) -> VerifierVerdict {
    VerifierVerdict::Failed { reason: reason.to_owned() }
}

#[test]
fn a_verdict_is_a_bool_or_a_text_of_the_form() {
    assert_eq!(verdict(Returned::Bool(true)), Ok(VerifierVerdict::Passed));
    assert_eq!(verdict(Returned::Bool(false)), Ok(failed(NO_REASON)));
    assert_eq!(text(r#"{"verified": true, "reason": "fine"}"#), Ok(VerifierVerdict::Passed));
    assert_eq!(text(r#"{"verified": false, "reason": " no\u001b[2J row "}"#), Ok(failed("no[2J row")));
    assert_eq!(text(r#"{"verified": false}"#), Ok(failed(NO_REASON)));
    assert_eq!(text(r#"{"verified": false, "reason": " \n"}"#), Ok(failed(NO_REASON)));
}

#[test]
fn nothing_else_is_a_verdict() {
    for wrong in [
        "",
        "true",
        "True",
        "[true]",
        "{}",
        r#"{"verified": 1}"#,
        r#"{"verified": "true"}"#,
        r#"{"verified": null}"#,
        r#"{"reason": "fine"}"#,
        r#"{"verified": true, "reason": 1}"#,
        r#"{"verified": true, "reason": null}"#,
        r#"{"verified": true, "score": 1}"#,
        r#"{"verified": true, "verified": false}"#,
        r#"{"verified": true} {"verified": true}"#,
    ] {
        assert!(text(wrong).is_err(), "{wrong}");
    }
    assert!(verdict(Returned::Dict(r#"{"verified": true}"#.to_owned())).is_err());
    assert!(verdict(Returned::Other("NoneType".to_owned())).unwrap_err().contains("NoneType"));
}

#[test]
fn a_reason_is_cut_and_stays_text() {
    let long = json!({ "verified": false, "reason": "é".repeat(9000) }).to_string();
    let VerifierVerdict::Failed { reason } = text(&long).unwrap() else { panic!("it passed") };
    assert_eq!(reason.chars().count(), MOST_REASON + 1);
    assert!(reason.ends_with("é…"));
}

#[test]
fn actions_are_three_and_strict() {
    let read = |value: Value| action(Returned::Dict(value.to_string()), &Claim::default());
    assert_eq!(read(json!({"action": "allow"})), Ok(HookAnswer::Allow));
    let blocked = HookAnswer::Block { reason: "it names a patient".to_owned() };
    assert_eq!(read(json!({"action": "block", "reason": "it names a patient"})), Ok(blocked));
    let result = json!({"response": "ok", "tool_calls": [], "tool_results": [1]});
    let modified = Claim { response: "ok".to_owned(), tool_results: vec![json!(1)], ..Claim::default() };
    assert_eq!(read(json!({"action": "modify", "result": result})), Ok(HookAnswer::Modify(modified)));
    for wrong in [
        json!({}),
        json!({"action": "pass"}),
        json!({"action": "Allow"}),
        json!({"action": "allow", "reason": "x"}),
        json!({"action": "block"}),
        json!({"action": "block", "reason": " "}),
        json!({"action": "block", "reason": 1}),
        json!({"action": "modify"}),
        json!({"action": "modify", "result": {"response": "x"}}),
        json!({"action": "modify", "result": {"response": 1, "tool_calls": [], "tool_results": []}}),
        json!({"action": "modify", "result": {"response": "", "tool_calls": [], "tool_results": [], "verified": true}}),
        json!({"action": "modify", "result": result, "more": 1}),
        json!({"action": "modify", "result": result, "payload": result}),
        json!({"action": "allow", "result": result, "payload": result}),
        json!({"action": "allow", "payload": result}),
        json!({"action": "modify", "payload": {"response": "x"}}),
    ] {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
    for wrong in [Returned::Bool(true), Returned::Text("allow".to_owned()), Returned::Other("NoneType".to_owned())] {
        assert!(action(wrong, &Claim::default()).is_err());
    }
}

#[test]
fn a_member_that_is_missing_and_one_too_many_have_their_own_sentences() {
    for (returned, sentence) in [
        (json!({"action": "block"}), "`handle` returned `block` without its `reason`; "),
        (json!({"action": "modify"}), "`handle` returned `modify` without its `result`; "),
        (
            json!({"action": "allow", "reason": "x"}),
            "`handle` returned `allow` with members that do not belong to it; ",
        ),
    ] {
        let error = action(Returned::Dict(returned.to_string()), &Claim::default()).unwrap_err();
        assert!(error.starts_with(sentence), "{error}");
    }
}

#[test]
fn a_payload_that_was_changed_is_a_result() {
    let before = Claim { response: "a".to_owned(), outputs: vec![json!("x")], ..Claim::default() };
    let result = |text: &str| json!({"response": text, "tool_calls": [], "tool_results": []});
    let payload = |top: &str, inner: &str| {
        let mut payload = result(top);
        payload["result"] = result(inner);
        payload["verdict"] = json!({"outcome": "passed", "reason": null});
        payload["iteration"] = json!(1);
        payload
    };
    for (given, is) in [
        (result("b"), "b"),
        (payload("b", "a"), "b"),
        (payload("a", "b"), "b"),
        (payload("b", "b"), "b"),
        (payload("a", "a"), "a"),
    ] {
        for name in ["result", "payload"] {
            let modified = HookAnswer::Modify(Claim { response: is.to_owned(), ..before.clone() });
            let returned = json!({"action": "modify", name: given});
            assert_eq!(action(Returned::Dict(returned.to_string()), &before), Ok(modified));
        }
    }
    let returned = json!({"action": "modify", "payload": payload("b", "c")});
    assert!(action(Returned::Dict(returned.to_string()), &before).unwrap_err().contains("different results"));
}

#[test]
fn what_a_hook_left_alone_keeps_its_digits() {
    let before = |text: &str| candor_json::from_str::<Value>(text).unwrap();
    for (was, returned, is) in [
        ("1.10", "1.1", "1.10"),
        ("1.10", "1.2", "1.2"),
        ("9007199254740993", "9007199254740992", "9007199254740992"),
        (r#"{"a":[1.10,2]}"#, r#"{"a":[1.1,3]}"#, r#"{"a":[1.10,3]}"#),
        ("1e+999", "\"1e+999\"", "1e+999"),
    ] {
        let claim = Claim { tool_results: vec![before(was)], ..Claim::default() };
        let result = format!(r#"{{"response": "", "tool_calls": [], "tool_results": [{returned}]}}"#);
        let returned = Returned::Dict(format!(r#"{{"action": "modify", "result": {result}}}"#));
        match action(returned, &claim) {
            Ok(HookAnswer::Modify(after)) => assert_eq!(after.tool_results[0].to_string(), is),
            other => panic!("{other:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(candor_test_size::cases(300)) })]

    #[test]
    fn no_text_passes_by_chance(said in "\\PC{0,40}") {
        prop_assert!(text(&said).is_err());
    }

    #[test]
    fn a_verdict_says_what_the_text_says(verified: bool, reason in "\\PC{0,40}") {
        let said = json!({ "verified": verified, "reason": reason }).to_string();
        prop_assert_eq!(text(&said).unwrap() == VerifierVerdict::Passed, verified);
    }
}
