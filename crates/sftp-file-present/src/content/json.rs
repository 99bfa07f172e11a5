//! JSON, FHIR resources, and JSON a line.

use candor_check::records::{Completeness, Cut, Reading};
use candor_check::strict_json::{self, Flaw, FlawKind};
use candor_json::Value;

use super::{Malformed, text};

pub(super) fn one(text: &str) -> Result<Reading<Value>, Malformed> {
    one_reading(text, 0)?;
    match candor_json::from_str(text) {
        // A number has no end of its own.
        Ok(Value::Number(number)) => Ok(Reading::unknown(Value::Number(number))),
        Ok(value) => Ok(Reading::whole(value)),
        Err(error) => {
            let offset = offset_of(text, error.line(), error.column());
            let what = format!("not JSON ({error})");
            match error.is_eof() {
                true => Ok(Reading::new(Value::Null, Completeness::Cut(Cut::new(offset as u64, what)))),
                false => Err(Malformed::at(offset, what)),
            }
        }
    }
}

pub(super) fn resource(text: &str) -> Result<Reading<Value>, Malformed> {
    let value = super::uncut(one(text)?)?;
    match value.get("resourceType").and_then(Value::as_str) {
        Some(_) => Ok(Reading::whole(value)),
        None => Err(Malformed::at(0, "JSON that is not a FHIR resource: it has no resourceType")),
    }
}

/// A cut between two lines does not show; a line that is cut is not JSON.
pub(super) fn lines(text: &str) -> Result<Reading<Value>, Malformed> {
    let mut values = Vec::new();
    for (number, (span, line)) in (1..).zip(text::lines(text)) {
        if line.trim().is_empty() {
            continue;
        }
        one_reading(line, span.start)?;
        let value = candor_json::from_str(line)
            .map_err(|error| Malformed::at(span.start, format!("line {number}, which is not JSON ({error})")))?;
        values.push(value);
    }
    Ok(Reading::unknown(Value::Array(values)))
}

/// Refuses JSON in which another reader would see another value, because a member appears twice. It also refuses JSON
/// that is nested deeper than Candor reads, which is not a fault of its author.
fn one_reading(text: &str, start: usize) -> Result<(), Malformed> {
    match strict_json::check(text) {
        Err(Flaw { kind: FlawKind::TooDeep, offset, what }) => {
            Err(Malformed::beyond(start + offset, format!("JSON that is {what}, which is more than is read")))
        }
        Err(Flaw { kind: FlawKind::Ambiguous, offset, what }) => {
            Err(Malformed::at(start + offset, format!("JSON that can be read in two ways ({what})")))
        }
        _ => Ok(()),
    }
}

/// The byte at a line and a column in bytes, both 1-based.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
    (start + column.saturating_sub(1)).min(text.len())
}
