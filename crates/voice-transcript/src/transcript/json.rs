//! JSON transcripts: a list of turns, alone or inside an object.

use serde_json::value::RawValue;

use super::error::TranscriptError;
use super::members::Members;
use super::recognise::vendor;
use super::{Turn, turn};

/// Reads a JSON transcript. `base` is the offset of `text` in the file.
pub(super) fn read(text: &str, base: usize) -> Result<Vec<Turn>, TranscriptError> {
    let document: &RawValue = serde_json::from_str(text).map_err(|error| broken(text, base, &error))?;
    let list = match document.get().as_bytes().first() {
        Some(b'[') => document,
        Some(b'{') => inside(document)?,
        _ => return Err(TranscriptError::NotTurns { found: "a single value" }),
    };
    let entries: Vec<&RawValue> = serde_json::from_str(list.get()).map_err(|error| broken(text, base, &error))?;
    let mut turns = Vec::with_capacity(entries.len());
    for (index, entry) in entries.into_iter().enumerate() {
        let start = offset_in(text, entry.get()).saturating_add(base);
        let span = start..start.saturating_add(entry.get().len());
        let read =
            turn::read(entry, span).map_err(|problem| TranscriptError::Turn { index, offset: start, problem })?;
        turns.extend(read);
    }
    Ok(turns)
}

/// The list of turns in an object.
fn inside(document: &RawValue) -> Result<&RawValue, TranscriptError> {
    let Some(members) = Members::read(document) else {
        return Err(TranscriptError::NotTurns { found: "an object that cannot be read" });
    };
    let (turns, messages) = match (members.get("turns"), members.get("messages")) {
        (Ok(turns), Ok(messages)) => (turns, messages),
        _ => return Err(TranscriptError::TwoLists),
    };
    let list = match (turns, messages) {
        (Some(_), Some(_)) => return Err(TranscriptError::TwoLists),
        (Some(list), None) | (None, Some(list)) => list,
        (None, None) => {
            return Err(match vendor(&members) {
                Some(format) => TranscriptError::OtherFormat { format },
                None => TranscriptError::NotTurns { found: "an object without `turns` or `messages`" },
            });
        }
    };
    if list.get().starts_with('[') {
        Ok(list)
    } else {
        Err(TranscriptError::NotTurns { found: "an object whose `turns` or `messages` is no list" })
    }
}

/// The offset of a slice within the text it was cut from.
fn offset_in(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

fn broken(text: &str, base: usize, error: &serde_json::Error) -> TranscriptError {
    let line_start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let offset = base + (line_start + error.column().saturating_sub(1)).min(text.len());
    let problem = error.to_string();
    // the parser's words end in its own place, which has no meaning inside a larger file
    let problem = problem.split(" at line ").next().unwrap_or_default().to_owned();
    TranscriptError::Json { problem, offset }
}
