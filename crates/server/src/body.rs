//! The JSON of bodies. Of two members with one name a reader keeps the first or the last; here the body is refused.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use candor_json::Value;
use candor_json::text::{Flaw, members, span, survey, unquoted};

use crate::error::ApiError;

/// The text of a body, which is JSON. Its objects may have a member twice.
///
/// # Errors
/// 400 with the place where it is not JSON.
pub(crate) fn text(body: &[u8]) -> Result<&str, ApiError> {
    let text = std::str::from_utf8(body).map_err(|error| not_json(place(body, error.valid_up_to())))?;
    survey(text).error.map_or(Ok(text), |error| Err(not_json((error.line(), error.column()))))
}

/// Reads a body in which no object has a member twice.
///
/// # Errors
/// 400 with the name and the place of the second member.
pub(crate) fn strict(body: &str) -> Result<Value, ApiError> {
    read(body, body, &[])
}

/// A body, or a part of one, as a request to grade. Records with a member twice become the base64 of their text, as a file
/// is given: the check that reads it says what is wrong.
///
/// # Errors
/// As [`strict`], for everything around records.
pub(crate) fn to_grade(body: &str, request: &str) -> Result<Value, ApiError> {
    let flawed = records(request.trim_ascii()).into_iter().filter(|records| has_repeated(records));
    let files: Vec<_> = flawed.map(|records| (records, format!("\"{}\"", STANDARD.encode(records)))).collect();
    read(body, request, &files)
}

/// The text of each entry of a batch, by its key.
pub(crate) type Entries<'b> = Vec<(Cow<'b, str>, &'b str)>;

/// A body with `null` in the place of each entry, and the entries.
///
/// # Errors
/// As [`strict`], for everything around entries.
pub(crate) fn batch(body: &str) -> Result<(Value, Entries<'_>), ApiError> {
    let named = members(body.trim_ascii()).filter(|(name, _)| name == "entries");
    let entries: Entries<'_> = named.flat_map(|(_, entries)| members(entries)).collect();
    let nulls: Vec<_> = entries.iter().map(|(_, entry)| (*entry, "null".to_owned())).collect();
    Ok((read(body, body, &nulls)?, entries))
}

/// True if an object has a member twice.
pub(crate) fn has_repeated(text: &str) -> bool {
    survey(text).flaws.iter().any(|(_, flaw)| matches!(flaw, Flaw::Repeated(_)))
}

/// The texts that a check reads from a file: in the sandbox and the baseline of a request, or of its `candor`.
fn records(request: &str) -> Vec<&str> {
    let named = members(request).flat_map(|(name, value)| match name == "candor" {
        true => members(value).collect(),
        false => vec![(name, value)],
    });
    let sandboxes = named.filter(|(name, _)| name == "sandbox" || name == "baseline");
    let parts = sandboxes.flat_map(|(_, sandbox)| members(sandbox));
    let records = parts.flat_map(|(part, value)| match &*part {
        "fhir" => vec![value],
        "portal" | "voice" => members(value).map(|(_, records)| records).collect(),
        _ => Vec::new(),
    });
    records.collect()
}

/// Reads a part of a body with other texts in the place of some of its own, which are in order.
fn read(body: &str, part: &str, others: &[(&str, String)]) -> Result<Value, ApiError> {
    let (mut text, mut from) = (String::with_capacity(part.len()), 0);
    // Bytes of `text`, each with the byte of `part` that it is.
    let mut starts = vec![(0, 0)];
    for (own, other) in others {
        let range = span(part, own);
        text.push_str(part.get(from..range.start).unwrap_or_default());
        text.push_str(other);
        from = range.end;
        starts.push((text.len(), from));
    }
    text.push_str(part.get(from..).unwrap_or_default());
    let place = |at: usize| {
        let (start, own) = starts.iter().rev().find(|(start, _)| *start <= at).copied().unwrap_or_default();
        place(body.as_bytes(), span(body, part).start + own + at - start)
    };
    for (at, flaw) in survey(&text).flaws {
        if let Flaw::Repeated(name) = flaw {
            return Err(repeated(name, place(at)));
        }
    }
    candor_json::from_str(&text).map_err(|error| {
        let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
        not_json(place(lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1)))
    })
}

/// The line and the column of a byte, both from 1.
fn place(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = bytes.get(..at).unwrap_or(bytes);
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    (before.iter().filter(|byte| **byte == b'\n').count() + 1, column)
}

fn not_json((line, column): (usize, usize)) -> ApiError {
    ApiError::bad_request("malformed_json", format!("The body is not JSON, line {line}, column {column}."))
}

/// The error for a name as it is written.
fn repeated(name: &str, (line, column): (usize, usize)) -> ApiError {
    let name: String = unquoted(name).unwrap_or(Cow::Borrowed(name)).chars().take(40).collect();
    let message = format!("An object has the member `{name}` twice, line {line}, column {column}; send it once.");
    ApiError::bad_request("repeated_member", message)
}
