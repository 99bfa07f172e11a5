//! Codes with their systems: CodeableConcept, Coding, `code`.
//!
//! A concept is any of its codings; display, text, version and `userSelected` say nothing.
//! Source: FHIR R4, Datatypes, 2.24.0.5 (Coding), 2.24.0.6 (CodeableConcept); Terminologies, 4.1.0.

use candor_json::Value;

use super::value::any;
use super::{Comparison, Datum, MatchMode, Rule, applied};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Code<'a> {
    system: System<'a>,
    code: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System<'a> {
    Is(&'a str),
    /// The data states that the code has no system, or a Coding does not have one.
    None,
    /// Not stated: an expectation that leaves it open, or an element of type `code`, whose system its definition has.
    Open,
}

/// Why the rule `code` can never compare something with this; nothing where it can.
pub(crate) fn problem(expected: &Value) -> Option<&'static str> {
    let fits = match expected {
        Value::Null => true,
        Value::Array(items) => items.iter().all(|item| problem(item).is_none()),
        Value::String(_) | Value::Object(_) => !codes(expected, true).is_empty(),
        _ => false,
    };
    (!fits).then_some("a code, `system|code`, a Coding or a CodeableConcept with a code")
}

pub(super) fn equal(datum: &Datum<'_>, expected: &Value, manner: &MatchMode<'_>) -> Comparison {
    let expected_codes = codes(expected, true);
    if expected_codes.is_empty() {
        return Comparison::TypeMismatch;
    }
    let text;
    let actual = match datum {
        Datum::Json(value) => match value.as_ref() {
            Value::String(code) => vec![Code { system: System::Open, code }],
            Value::Object(_) => codes(value, false),
            _ => return Comparison::TypeMismatch,
        },
        Datum::Text(code) => {
            text = code;
            vec![Code { system: System::Open, code: text }]
        }
    };
    let others: Vec<Rule> = manner.rules.iter().copied().filter(|rule| *rule != Rule::Code).collect();
    let manner = MatchMode { rules: &others, ..manner.clone() };
    let pairs = actual.iter().flat_map(|a| expected_codes.iter().map(|e| same(*a, *e, &manner)));
    any(pairs)
}

fn same(actual: Code<'_>, expected: Code<'_>, manner: &MatchMode<'_>) -> Comparison {
    let applied = |text| applied(manner.rules, text, manner.references);
    if applied(actual.code) != applied(expected.code) {
        return Comparison::Fails;
    }
    match (actual.system, expected.system) {
        (_, System::Open) => Comparison::Holds,
        // The element's definition has the system, and it is not here.
        (System::Open, _) => Comparison::Undecidable,
        (actual, expected) => (actual == expected).into(),
    }
}

fn codes(value: &Value, expectation: bool) -> Vec<Code<'_>> {
    match value {
        Value::String(text) => token(text).into_iter().collect(),
        Value::Object(members) => match members.get("coding") {
            Some(Value::Array(codings)) => {
                codings.iter().filter_map(|coding| self::coding(coding, expectation)).collect()
            }
            Some(_) => Vec::new(),
            None => coding(value, expectation).into_iter().collect(),
        },
        _ => Vec::new(),
    }
}

fn coding(value: &Value, expectation: bool) -> Option<Code<'_>> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let system = match text("system") {
        Some(system) => System::Is(system),
        None if expectation => System::Open,
        None => System::None,
    };
    Some(Code { system, code: text("code")? })
}

/// `code`, `system|code`, or `|code` for one without a system, as in a search.
fn token(text: &str) -> Option<Code<'_>> {
    let (system, code) = match text.rsplit_once('|') {
        Some(("", code)) => (System::None, code),
        Some((system, code)) => (System::Is(system), code),
        None => (System::Open, text),
    };
    (!code.is_empty()).then_some(Code { system, code })
}
