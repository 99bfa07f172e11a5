//! The delegates that come with this crate: a command, run once per attempt or kept running, and an HTTP endpoint.

#[cfg(not(feature = "http"))]
mod absent;
#[cfg(feature = "http")]
mod http;
mod lines;
mod once;

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use candor_json::Value;

use crate::claim::Claim;
use crate::delegate::DelegateError;
use crate::process::Limited;

#[cfg(not(feature = "http"))]
pub use absent::HttpEndpoint;
#[cfg(feature = "http")]
pub use http::HttpEndpoint;
pub use lines::LinesCommand;
pub use once::CommandPerAttempt;

/// The most bytes of an answer. A longer one is of no use to a reader.
const MOST: usize = 8 << 20;
/// The deepest that an answer may be nested: well below what a reader of the record takes. The record nests it deeper.
const DEEPEST: usize = 64;

/// Why a command was not started. One that ran before, and lies where the delegate may write, is as the delegate left it.
fn not_started(command: &[OsString], limited: &Limited, has_run: bool, why: String) -> DelegateError {
    let boundary = limited.boundary.as_ref().filter(|_| has_run);
    match boundary.zip(command.first()).is_some_and(|(boundary, program)| boundary.may_write(Path::new(program))) {
        true => DelegateError::Broke(why),
        false => DelegateError::Unreachable(why),
    }
}

fn out_of_time(time: Duration) -> String {
    format!("it was ended after {} s, the time limit of an attempt", time.as_secs_f32())
}

/// An answer as JSON: `{"response", "tool_calls", "tool_results", "outputs", "criteria"}`, all but the first optional;
/// other members are let pass.
fn claim(json: &[u8]) -> Result<Claim, String> {
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
fn text_claim(text: &str) -> Claim {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_and_nothing_is_guessed() {
        let read = claim(br#"{"response": "Done.", "tool_calls": [{"name": "book"}], "usage": 3}"#).unwrap();
        assert_eq!((read.response.as_str(), read.tool_calls.len()), ("Done.", 1));
        for broken in ["", "Done.", "{}", r#"{"response": 1}"#, r#"{"response": "x", "tool_calls": 1}"#, "[]"] {
            assert!(claim(broken.as_bytes()).is_err(), "{broken}");
        }
    }

    #[test]
    fn outputs_are_kept_as_they_were_written() {
        let outputs = |json: &str| claim(json.as_bytes()).unwrap().outputs;
        let one = candor_json::json!({"path": "report.md", "what": "the letter"});
        assert_eq!(
            outputs(r#"{"response": "x", "outputs": [{"path": "report.md", "what": "the letter"}]}"#),
            std::slice::from_ref(&one)
        );
        assert_eq!(outputs(r#"{"response": "x", "outputs": "report.md"}"#), [candor_json::json!("report.md")]);
        assert!(outputs(r#"{"response": "x", "outputs": null}"#).is_empty());
        let whole = text_claim(r#"{"response": "Done.", "outputs": [{"path": "report.md", "what": "the letter"}]}"#);
        assert_eq!((whole.response.as_str(), &whole.outputs[..]), ("Done.", std::slice::from_ref(&one)));
        let last = text_claim("Done.\n\n{\"outputs\": [{\"path\": \"report.md\", \"what\": \"the letter\"}]}");
        assert_eq!((last.response.as_str(), &last.outputs[..]), ("Done.", std::slice::from_ref(&one)));
        for text in [
            "",
            "Done.",
            "{\"outputs\": [1]}\nDone.",
            "Done.\n{\"outputs\": [1], \"more\": 2}",
            "Done. {\"outputs\": [1]}",
            "{}",
            "{\"status\": \"x\"}",
            "{\"response\": \"x\", \"status\": 1}",
            "{\"response\": 1, \"outputs\": []}",
        ] {
            assert_eq!(text_claim(text), Claim { response: text.to_owned(), ..Claim::default() });
        }
    }

    #[test]
    fn one_answer_is_the_same_over_every_road() {
        let members = [
            r#""tool_calls": [{"name": "book"}]"#,
            r#""tool_results": ["booked"]"#,
            r#""outputs": [{"path": "a.md"}]"#,
            r#""attempt": 0"#,
            r#""session": "s""#,
        ];
        for chosen in 0..1 << members.len() {
            let named = members.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, member)| *member);
            let text =
                format!("{{{}}}", [r#""response": "Done.""#].into_iter().chain(named).collect::<Vec<_>>().join(", "));
            let read = claim(text.as_bytes()).unwrap();
            assert_eq!(read.response, "Done.", "{text}");
            assert_eq!(text_claim(&text), read, "{text}");
        }
    }

    #[test]
    fn an_answer_can_be_read_back_from_the_record() {
        let nested = |deep: usize| {
            format!(r#"{{"response": "x", "tool_calls": [{}{}]}}"#, "[".repeat(deep), "]".repeat(deep)).into_bytes()
        };
        // The answer and its `tool_calls` are two of them.
        assert!(claim(&nested(62)).is_ok());
        for deep in [63, 100, 120] {
            let error = claim(&nested(deep)).unwrap_err();
            assert!(error.contains("nested deeper than 64"), "{error}");
        }
    }
}
