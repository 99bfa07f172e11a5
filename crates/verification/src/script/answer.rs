//! Reads a program's answer. Nothing is guessed: an answer that is not of the expected form is a broken verifier.

use candor_json::value::RawValue;
use candor_json::{Number, Value};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::protocol::Returned;
use crate::claim::Claim;
use crate::hook::HookAnswer;
use crate::plain;
use crate::verifier::VerifierVerdict;

/// The most characters of a reason; the rest is cut off.
pub(super) const MOST_REASON: usize = 4000;

const NO_REASON: &str = "the script says that the work is not done, and not why";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Verified {
    verified: bool,
    #[serde(default)]
    reason: String,
}

/// Reads the return value of `run` as a verdict.
///
/// # Errors
/// When it is neither a bare bool nor a text of `{"verified": bool, "reason": str}`.
pub(crate) fn verdict(returned: Returned) -> Result<VerifierVerdict, String> {
    const FORM: &str = "return json.encode({\"verified\": …, \"reason\": …}), True or False";
    let verified = match returned {
        Returned::Bool(verified) => Verified { verified, reason: String::new() },
        Returned::Text(text) => {
            object(&text).map_err(|error| format!("`run` returned a text that says no verdict ({error}); {FORM}"))?
        }
        Returned::Dict(_) => return Err(format!("`run` returned a dict; {FORM}")),
        Returned::Unread(why) => return Ok(VerifierVerdict::Failed { reason: reason(&why) }),
        Returned::Other(kind) => return Err(format!("`run` returned a value of type {kind}; {FORM}")),
    };
    Ok(match verified.verified {
        true => VerifierVerdict::Passed,
        false => {
            let reason = reason(&verified.reason);
            VerifierVerdict::Failed { reason: if reason.is_empty() { NO_REASON.to_owned() } else { reason } }
        }
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members<'a> {
    action: String,
    reason: Option<String>,
    /// Read apart: what is nested as deep as a reader of JSON takes would be too deep in here.
    #[serde(borrow)]
    result: Option<RawValue<'a>>,
    #[serde(borrow)]
    payload: Option<RawValue<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Modified {
    response: String,
    tool_calls: Vec<Value>,
    tool_results: Vec<Value>,
}

/// A result, or the payload that a hook was called with, which holds the result twice.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a dictionary")]
struct Given {
    response: String,
    tool_calls: Vec<Value>,
    tool_results: Vec<Value>,
    result: Option<Modified>,
    #[serde(rename = "verdict")]
    _verdict: Option<IgnoredAny>,
    #[serde(rename = "iteration")]
    _iteration: Option<IgnoredAny>,
}

/// The result that a hook left. In a payload it may have changed either copy of it.
fn modified(given: Given, before: &Claim) -> Result<Claim, String> {
    let claim = |modified: Modified| Claim {
        response: modified.response,
        tool_calls: unchanged(&before.tool_calls, modified.tool_calls),
        tool_results: unchanged(&before.tool_results, modified.tool_results),
        outputs: before.outputs.clone(),
        criteria: before.criteria.clone(),
    };
    let Given { response, tool_calls, tool_results, result, .. } = given;
    let top = claim(Modified { response, tool_calls, tool_results });
    match result.map(claim) {
        None => Ok(top),
        Some(inner) if inner == top || inner == *before => Ok(top),
        Some(inner) if top == *before => Ok(inner),
        Some(_) => Err("`handle` modified the payload and its `result` to different results; change one".to_owned()),
    }
}

/// Reads the return value of `handle` as an answer about a result.
///
/// # Errors
/// When it is not one of the three actions.
pub(super) fn action(returned: Returned, before: &Claim) -> Result<HookAnswer, String> {
    const FORM: &str = "return allow(), block(reason) or modify(result)";
    let text = match returned {
        Returned::Dict(text) => text,
        Returned::Bool(_) => return Err(format!("`handle` returned a bool; {FORM}")),
        Returned::Unread(why) => return Ok(HookAnswer::Block { reason: reason(&why) }),
        Returned::Text(_) => return Err(format!("`handle` returned a text; {FORM}")),
        Returned::Other(kind) => return Err(format!("`handle` returned a value of type {kind}; {FORM}")),
    };
    let wrong = |error: candor_json::Error| format!("`handle` returned no action that there is ({error}); {FORM}");
    let members: Members = object(&text).map_err(wrong)?;
    if members.result.is_some() && members.payload.is_some() {
        return Err(format!("`handle` returned both a result and a payload; {FORM}"));
    }
    match (members.action.as_str(), members.reason, members.result.xor(members.payload)) {
        ("allow", None, None) => Ok(HookAnswer::Allow),
        ("block", Some(reason), None) => match self::reason(&reason) {
            empty if empty.is_empty() => Err("`handle` blocked the result, and its reason says nothing".to_owned()),
            reason => Ok(HookAnswer::Block { reason }),
        },
        ("modify", None, Some(result)) => {
            let given: Given = object(result.get()).map_err(|error| {
                format!(
                    "`handle` modified the result to something else ({error}); give all of response, tool_calls and \
                     tool_results"
                )
            })?;
            modified(given, before).map(HookAnswer::Modify)
        }
        ("block", None, None) => Err(format!("`handle` returned `block` without its `reason`; {FORM}")),
        ("modify", None, None) => Err(format!("`handle` returned `modify` without its `result`; {FORM}")),
        ("allow" | "block" | "modify", ..) => {
            Err(format!("`handle` returned `{}` with members that do not belong to it; {FORM}", members.action))
        }
        (other, ..) => Err(format!("`handle` returned the action `{}`, which there is not; {FORM}", plain(other))),
    }
}

/// Members by their names: a list of them in their order would be read as well.
fn object<'a, T: Deserialize<'a>>(text: &'a str) -> candor_json::Result<T> {
    if text.trim_start().starts_with('[') {
        return Err(serde::de::Error::custom("it is a list"));
    }
    candor_json::from_str(text)
}

/// A reason as data: nothing in it steers a terminal, and it is no longer than [`MOST_REASON`].
fn reason(text: &str) -> String {
    let text = plain(text.trim());
    match text.char_indices().nth(MOST_REASON) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// The values after a hook, where those that it did not change keep their spelling: a program's numbers have no `1.10`
/// and no more digits than it computes with.
fn unchanged(before: &[Value], after: Vec<Value>) -> Vec<Value> {
    let mut before = before.iter();
    after.into_iter().map(|value| before.next().map_or(value.clone(), |before| kept(before, value))).collect()
}

fn kept(before: &Value, after: Value) -> Value {
    match (before, after) {
        (Value::Number(before), Value::Number(after)) => {
            let whole = before.is_i64() || before.is_u64();
            let seen = before.as_f64().filter(|_| !whole).and_then(Number::from_f64);
            let same = seen.is_some_and(|seen| seen.to_string() == after.to_string());
            Value::Number(if same { before.clone() } else { after })
        }
        // A number that a program cannot hold is given to it as its text.
        (Value::Number(before), Value::String(after)) if before.to_string() == after => Value::Number(before.clone()),
        (Value::Array(before), Value::Array(after)) => Value::Array(unchanged(before, after)),
        (Value::Object(before), Value::Object(after)) => Value::Object(
            after
                .into_iter()
                .map(|(name, value)| match before.get(&name) {
                    Some(before) => (name, kept(before, value)),
                    None => (name, value),
                })
                .collect(),
        ),
        (_, after) => after,
    }
}

#[cfg(test)]
mod tests {
    use candor_json::json;
    use proptest::prelude::*;

    use super::*;

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
        for wrong in [Returned::Bool(true), Returned::Text("allow".to_owned()), Returned::Other("NoneType".to_owned())]
        {
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
            assert_eq!(kept(&before(was), before(returned)).to_string(), is);
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
}
