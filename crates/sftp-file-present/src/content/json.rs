//! JSON, FHIR resources, and JSON a line.

use candor_check::strict_json;
use serde_json::Value;

use super::{Malformed, text};

pub(super) fn one(text: &str) -> Result<Value, Malformed> {
    one_reading(text, 0)?;
    serde_json::from_str(text).map_err(|error| {
        Malformed::at(offset_of(text, error.line(), error.column()), format!("what is no JSON ({error})"))
    })
}

pub(super) fn resource(text: &str) -> Result<Value, Malformed> {
    let value = one(text)?;
    match value.get("resourceType").and_then(Value::as_str) {
        Some(_) => Ok(value),
        None => Err(Malformed::at(0, "JSON that is no FHIR resource: it has no resourceType")),
    }
}

pub(super) fn lines(text: &str) -> Result<Value, Malformed> {
    let mut values = Vec::new();
    for (number, (span, line)) in (1..).zip(text::lines(text)) {
        if line.trim().is_empty() {
            continue;
        }
        one_reading(line, span.start)?;
        let value = serde_json::from_str(line)
            .map_err(|error| Malformed::at(span.start, format!("line {number}, which is no JSON ({error})")))?;
        values.push(value);
    }
    Ok(Value::Array(values))
}

/// Refuses JSON of which another reader would see another value, for a member stands twice, and JSON that is nested deeper
/// than this one goes, which is no fault of who wrote it.
fn one_reading(text: &str, start: usize) -> Result<(), Malformed> {
    match strict_json::check(text) {
        Err(flaw) if flaw.what.starts_with("nested deeper") && closes(text) => Err(Malformed::beyond(
            start + flaw.offset,
            format!("JSON that is {}, which is more than is read", flaw.what),
        )),
        Err(flaw) if !flaw.what.starts_with("not JSON") => {
            Err(Malformed::at(start + flaw.offset, format!("JSON that can be read in two ways ({})", flaw.what)))
        }
        _ => Ok(()),
    }
}

/// Whether every bracket is closed again: what is cut off in the depth is no JSON, whatever the depth that is read.
fn closes(text: &str) -> bool {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => depth += 1,
            b']' | b'}' if !quoted => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            _ => {}
        }
    }
    depth == 0 && !quoted
}

/// The byte at a line and a column in bytes, both 1-based.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
    (start + column.saturating_sub(1)).min(text.len())
}
