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
