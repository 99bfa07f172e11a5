//! The issues that a server reports in an OperationOutcome. Source: FHIR R4, OperationOutcome, and its issue types.

use candor_check::Obstacle;
use candor_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Issue {
    /// Why nothing can be concluded; nothing where the issue changes nothing.
    pub(crate) obstacle: Option<Obstacle>,
    pub(crate) parameter: Option<String>,
    pub(crate) error: bool,
    pub(crate) code: String,
    pub(crate) text: String,
}

/// The issue codes that say that something was kept back.
const WITHHELD: &[&str] = &["forbidden", "login", "security", "session", "expired", "unknown", "suppressed"];
/// The codes of a warning that say that the answer is not what was asked for, or not all of it.
const IN_PART: &[&str] = &["incomplete", "not-supported", "throttled", "timeout", "too-costly", "transient"];

/// The issues of an OperationOutcome, those that stop the reading first. `parameters` are the names that were searched by.
pub(crate) fn issues(outcome: &Value, parameters: &[&str]) -> Vec<Issue> {
    let all = outcome.get("issue").and_then(Value::as_array);
    let mut issues: Vec<Issue> = all.into_iter().flatten().map(|one| issue(one, parameters)).collect();
    issues.sort_by_key(|issue| issue.obstacle.is_none());
    issues
}

pub(crate) fn is_outcome(value: &Value) -> bool {
    value.get("resourceType").and_then(Value::as_str) == Some("OperationOutcome")
}

fn issue(value: &Value, parameters: &[&str]) -> Issue {
    let text_of = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let details = value.get("details");
    let spoken = details.and_then(|details| details.get("text")).and_then(Value::as_str);
    let said = spoken.filter(|text| !text.is_empty()).unwrap_or(text_of("diagnostics"));
    let code = text_of("code");
    let places = ["expression", "location"].iter().filter_map(|name| value.get(*name)).filter_map(Value::as_array);
    let places = places.flatten().filter_map(Value::as_str);
    let everything: Vec<&str> = places.chain([said, text_of("diagnostics")]).collect();
    let named = |parameter: &&&str| everything.iter().any(|text| holds_word(text, base(parameter)));
    let parameter = parameters.iter().find(named).map(|name| (*name).to_owned());
    let obstacle = match text_of("severity") {
        "error" | "fatal" if WITHHELD.contains(&code) => Some(Obstacle::SourceDenied),
        "error" | "fatal" => Some(Obstacle::SourceUnavailable),
        _ if code == "suppressed" || code == "forbidden" || code == "security" => Some(Obstacle::SourceDenied),
        "warning" if parameter.is_some() || IN_PART.contains(&code) => Some(Obstacle::Undecidable),
        "information" if parameter.is_some() && code == "not-supported" => Some(Obstacle::Undecidable),
        _ => None,
    };
    let text = if said.is_empty() { code } else { said };
    let error = matches!(text_of("severity"), "error" | "fatal");
    Issue { obstacle, parameter, error, code: code.to_owned(), text: text.to_owned() }
}

/// A parameter's name without its modifier and without what it is chained to.
pub(crate) fn base(parameter: &str) -> &str {
    parameter.split([':', '.']).next().unwrap_or(parameter)
}

fn holds_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}
