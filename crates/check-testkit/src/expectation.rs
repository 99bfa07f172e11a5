//! Comparison of an outcome with the expected one.

use candor_check::{Evidence, Status};
use candor_json::Value;

use crate::vector::Expected;

pub(crate) fn differences(expected: &Expected, evidence: &Evidence, key: &str) -> Vec<String> {
    let mut out = Vec::new();
    let reason = evidence.reason().map(candor_check::Reason::name);
    if evidence.status().name() != expected.status {
        out.push(format!("status is {}, expected {}", evidence.status().name(), expected.status));
    }
    if reason != expected.reason.as_deref() {
        out.push(format!("reason is {reason:?}, expected {:?}", expected.reason));
    }
    let score = if evidence.status() == Status::Passed { 1.0 } else { 0.0 };
    let share = expected.share.as_ref().or(expected.score.as_ref());
    for (name, found, wanted) in [("score", score, expected.score.as_ref()), ("share", as_f64(evidence.share()), share)]
    {
        let Some(wanted) = wanted.map(|number| number.as_f64().unwrap_or(f64::NAN)) else { continue };
        if (found - wanted).abs() > 1e-15 {
            out.push(format!("{name} is {found}, expected {wanted}"));
        }
    }
    for text in &expected.details {
        if !evidence.details().contains(text.as_str()) {
            out.push(format!("details do not hold {text:?}"));
        }
    }
    if let Some(part) = &expected.evidence {
        holds("evidence", part, &evidence.to_value(key), &mut out);
    }
    out
}

fn as_f64(share: &candor_check::Share) -> f64 {
    let term = |digits: String| digits.parse::<f64>().unwrap_or(f64::NAN);
    term(share.numerator()) / term(share.denominator())
}

fn holds(place: &str, expected: &Value, actual: &Value, out: &mut Vec<String>) {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            for (name, value) in expected {
                match actual.get(name) {
                    Some(actual) => holds(&format!("{place}.{name}"), value, actual, out),
                    None => out.push(format!("{place} has no member {name}, expected {value}")),
                }
            }
        }
        (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
            for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                holds(&format!("{place}[{index}]"), expected, actual, out);
            }
        }
        _ if expected == actual => {}
        _ => out.push(format!("{place} is {actual}, expected {expected}")),
    }
}
