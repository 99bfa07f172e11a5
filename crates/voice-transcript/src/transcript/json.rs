//! JSON transcripts: a list of turns, alone or inside an object.

use std::ops::Range;

use candor_check::records::Reading;
use candor_check::strict_json;
use candor_json::value::RawValue;

use super::error::TranscriptError;
use super::members::Members;
use super::{Format, Turn, labelled, streams, turn, vendors};

/// Reads a JSON transcript, in the format named or the one its content shows. `base` is the offset of `text` in the
/// file.
///
/// A document that does not close is not JSON, so a document that is read is whole. With an entry per line, nothing
/// marks the last one.
pub(super) fn read(text: &str, base: usize, format: Option<Format>) -> Result<Reading<Vec<Turn>>, TranscriptError> {
    let document: RawValue<'_> = match candor_json::from_str(text) {
        Ok(document) => document,
        Err(error) => {
            let turns = by_line(text, base, format).unwrap_or_else(|| Err(broken(text, base, &error)));
            return turns.map(Reading::unknown);
        }
    };
    let turns = document_of(document, text, base, format)?;
    // a member that is in an object twice may be read as either
    strict_json::check(text).map_err(|flaw| ambiguous(flaw, base))?;
    Ok(Reading::whole(turns))
}

fn document_of(
    document: RawValue<'_>,
    text: &str,
    base: usize,
    format: Option<Format>,
) -> Result<Vec<Turn>, TranscriptError> {
    let listed = format.is_none_or(|format| {
        use Format::{AssemblyAi, Deepgram, Messages, Native, Retell, Vapi};
        matches!(format, Native | Messages | Vapi | Retell | Deepgram | AssemblyAi)
    });
    let inside = |named: bool| if named { inside(document, 0) } else { Ok(None) };
    let list = match document.get().as_bytes().first() {
        Some(b'[') if listed => document,
        Some(b'{') => match inside(listed && !matches!(format, Some(Format::Deepgram | Format::AssemblyAi)))? {
            Some(list) => list,
            None => return vendor(text, base, document, format),
        },
        Some(b'[') => return Err(TranscriptError::NotTurns { found: "a list" }),
        _ => return Err(TranscriptError::NotTurns { found: "a single value" }),
    };
    let entries: Vec<RawValue<'_>> = candor_json::from_str(list.get()).map_err(|error| broken(text, base, &error))?;
    entries_of(&entries, text, base, format)
}

fn entries_of(
    entries: &[RawValue<'_>],
    text: &str,
    base: usize,
    format: Option<Format>,
) -> Result<Vec<Turn>, TranscriptError> {
    let placed: Vec<(RawValue<'_>, Range<usize>)> = entries
        .iter()
        .map(|entry| {
            let start = offset_in(text, entry.get()).saturating_add(base);
            (*entry, start..start.saturating_add(entry.get().len()))
        })
        .collect();
    let streamed = matches!(format, None | Some(Format::Deepgram | Format::AssemblyAi));
    if let Some((name, read)) = streams::read(&placed).filter(|_| streamed) {
        let offset = placed.first().map_or(base, |(_, span)| span.start);
        return read.map_err(|problem| TranscriptError::Format { format: name, problem, offset });
    }
    if matches!(format, Some(Format::Deepgram | Format::AssemblyAi)) {
        return Err(TranscriptError::NotTurns { found: "a list" });
    }
    let mut turns = Vec::with_capacity(entries.len());
    for (index, (entry, span)) in placed.into_iter().enumerate() {
        let offset = span.start;
        let wrong = |problem| TranscriptError::Turn { index, offset, problem };
        turns.extend(turn::read(entry, span, format).map_err(wrong)?);
    }
    Ok(turns)
}

/// Reads an entry per line. `None` for anything else: the first line is not an object, or there is only one line.
fn by_line(text: &str, base: usize, format: Option<Format>) -> Option<Result<Vec<Turn>, TranscriptError>> {
    let mut entries: Vec<RawValue<'_>> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let offset = base + offset_in(text, line);
        match candor_json::from_str(line) {
            Ok(entry) if line.starts_with('{') => match strict_json::check(line) {
                Ok(()) => entries.push(entry),
                Err(flaw) => return Some(Err(ambiguous(flaw, offset))),
            },
            _ if entries.is_empty() => return None,
            Ok(_) => return Some(Err(TranscriptError::NotTurns { found: "lines that are not all objects" })),
            Err(error) => {
                let offset = offset + error.column().saturating_sub(1);
                let problem = "one of its lines is not well-formed".to_owned();
                return Some(Err(TranscriptError::Json { problem, offset }));
            }
        }
    }
    Some(entries_of(&entries, text, base, format))
}

fn ambiguous(flaw: strict_json::Flaw, base: usize) -> TranscriptError {
    TranscriptError::Ambiguous { problem: flaw.what, offset: base.saturating_add(flaw.offset) }
}

/// The most levels that a call's record may lie inside the message that holds it.
const DEEPEST: usize = 3;

/// The list of turns in an object; `None` when no member of it is one by name.
fn inside(document: RawValue<'_>, depth: usize) -> Result<Option<RawValue<'_>>, TranscriptError> {
    let Some(members) = Members::read(document) else {
        return Err(TranscriptError::NotTurns { found: "an object that cannot be read" });
    };
    // records of voice platforms hold the call once more as text
    let listed = |key: &str| members.get(key).ok().flatten().filter(|list| list.get().starts_with('['));
    let record = ["transcript_object", "transcript", "transcripts"].iter().find_map(|key| listed(key));
    // the items of a session, each with its role
    let record = record.or_else(|| listed("items").filter(|list| list.get().contains("\"role\"")));
    let list = match (members.get("turns"), members.get("messages")) {
        (Ok(Some(list)), Ok(None)) | (Ok(None), Ok(Some(list))) => list,
        (Ok(None), Ok(None)) if record.is_some() => return Ok(record),
        // what is sent at the end of a call holds its record
        (Ok(None), Ok(None)) => {
            let inner =
                ["message", "data", "call", "artifact"].iter().filter_map(|key| members.get(key).ok().flatten());
            let records = inner.filter(|record| record.get().starts_with('{'));
            for record in records.filter(|_| depth < DEEPEST) {
                if let Some(list) = inside(record, depth + 1)? {
                    return Ok(Some(list));
                }
            }
            return Ok(None);
        }
        _ => return Err(TranscriptError::TwoLists),
    };
    if list.get().starts_with('[') {
        Ok(Some(list))
    } else {
        Err(TranscriptError::NotTurns { found: "an object whose `turns` or `messages` is not a list" })
    }
}

fn vendor(
    text: &str,
    base: usize,
    document: RawValue<'_>,
    format: Option<Format>,
) -> Result<Vec<Turn>, TranscriptError> {
    let start = offset_in(text, document.get()).saturating_add(base);
    let span = start..start.saturating_add(document.get().len());
    let value: candor_json::Value = candor_json::from_str(text).map_err(|error| broken(text, base, &error))?;
    let told = match format {
        None => vendors::read(&value, &span),
        Some(format) => vendors::read_as(format, &value, &span).map(|read| (format.name(), read)),
    };
    if let Some((format, read)) = told {
        return read.map_err(|problem| TranscriptError::Format { format, problem, offset: start });
    }
    if matches!(format, Some(Format::Native | Format::Messages)) {
        return Err(TranscriptError::NotTurns { found: "an object without `turns` or `messages`" });
    }
    let value = value.get("message").or_else(|| value.get("data")).filter(|inner| inner.is_object()).unwrap_or(&value);
    let nested = value.get("artifact").or_else(|| value.get("call")).unwrap_or(value);
    if let Some(lines) = nested.get("transcript").and_then(candor_json::Value::as_str) {
        return Ok(labelled(lines, 0)?.into_iter().map(|turn| Turn { span: span.clone(), ..turn }).collect());
    }
    Err(TranscriptError::NotTurns { found: "an object without `turns` or `messages`" })
}

/// The offset of a slice within the text it was cut from.
fn offset_in(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

fn broken(text: &str, base: usize, error: &candor_json::Error) -> TranscriptError {
    let line_start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let offset = base + (line_start + error.column().saturating_sub(1)).min(text.len());
    let problem = error.to_string();
    // the parser's words end in its own place, which has no meaning inside a larger file
    let problem = problem.split(" at line ").next().unwrap_or_default().to_owned();
    TranscriptError::Json { problem, offset }
}
