//! Reads what a delegate answered.

use candor_json::Value;

use crate::claim::Claim;

/// The deepest that an answer may be nested: well below what a reader of the record takes. The record nests it deeper.
const DEEPEST: usize = 64;

/// An answer as JSON: `{"response", "tool_calls", "tool_results", "outputs", "criteria"}`, all but the first optional;
/// other members are let pass.
pub(super) fn claim(json: &[u8]) -> Result<Claim, String> {
    let value: Value =
        candor_json::from_slice(json).map_err(|error| format!("it answered with text that is not JSON ({error})"))?;
    if !is_within(&value, DEEPEST) {
        return Err(format!("its answer is nested deeper than {DEEPEST} levels"));
    }
    match value.get("response") {
        Some(Value::String(_)) => {}
        _ => return Err("its answer has no `response` that is a text".to_owned()),
    }
    candor_json::from_value(value).map_err(|error| format!("its answer is not of the form asked for ({error})"))
}

/// The members of an answer that is an object.
const MEMBERS: [&str; 7] = ["response", "tool_calls", "tool_results", "outputs", "criteria", "attempt", "session"];
/// Those that a text may end in, as an object in its last line.
const LAST: [&str; 2] = ["outputs", "criteria"];

/// An answer of a command that is run once: a text. It may be an object as [`claim`] reads it, if that names `outputs`
/// or `criteria`, or has only members that an answer has. It may also end in a line of its own,
/// `{"outputs": […], "criteria": […]}`. Everything else stays as the command wrote it.
pub(super) fn text_claim(text: &str) -> Claim {
    let is_answer = candor_json::from_str::<Value>(text).is_ok_and(|value| {
        value.as_object().is_some_and(|all| all.keys().all(|name| MEMBERS.contains(&name.as_str())))
    });
    let names_outputs = |text: &str| {
        let value = candor_json::from_str::<Value>(text).ok().filter(|value| is_within(value, DEEPEST));
        value.filter(|value| LAST.iter().any(|name| value.get(name).is_some()))
    };
    let as_text = Claim { response: text.to_owned(), ..Claim::default() };
    if is_answer || names_outputs(text).is_some_and(|value| value.get("response").is_some()) {
        return claim(text.as_bytes()).unwrap_or(as_text);
    }
    let (before, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let only = names_outputs(last).filter(|value| {
        value.as_object().is_some_and(|members| members.keys().all(|name| LAST.contains(&name.as_str())))
    });
    match only.and_then(|value| candor_json::from_value::<Claim>(value).ok()) {
        Some(named) => Claim { response: before.trim_end().to_owned(), ..named },
        None => as_text,
    }
}

/// True if lists and objects are nested at most `deepest` levels. The reader bounds the depth before this.
fn is_within(value: &Value, deepest: usize) -> bool {
    let mut below: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => return true,
    };
    deepest.checked_sub(1).is_some_and(|deepest| below.all(|value| is_within(value, deepest)))
}
