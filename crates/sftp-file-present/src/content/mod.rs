//! What a file holds, by format, and the paths into it.

mod csv;
mod messages;
mod path;
mod text;

use std::borrow::Cow;
use std::ops::Range;

use candor_check::{DateForm, Selection, strict_json};
use serde_json::Value;

use crate::format::Format;

pub use self::csv::{CsvShape, Table};
pub(crate) use path::ContentPath;

/// A file's content, parsed as its format says.
#[derive(Debug)]
pub enum Content<'a> {
    /// JSON, FHIR, or the array of an NDJSON file's lines.
    Json(Value),
    /// The rows of a CSV file.
    Csv(Table),
    /// The text of a file.
    Text(Cow<'a, str>),
    /// HL7 v2 messages, as bytes that are known to parse.
    Hl7(Cow<'a, [u8]>),
    /// X12 interchanges, as bytes that are known to parse.
    X12(Cow<'a, [u8]>),
    /// Nothing that paths could select from.
    Bytes,
}

/// Where content cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The first byte that cannot be read.
    pub offset: usize,
    /// What is wrong there.
    pub what: String,
}

impl Malformed {
    fn at(offset: usize, what: impl Into<String>) -> Self {
        Self { offset, what: what.into() }
    }
}

/// Parses text as a format.
///
/// # Errors
/// The first place that is not in the format.
pub fn parse<'a>(text: Cow<'a, str>, format: Format, shape: &CsvShape) -> Result<Content<'a>, Malformed> {
    match format {
        Format::Json => json(&text).map(Content::Json),
        Format::Fhir => {
            let value = json(&text)?;
            match value.get("resourceType").and_then(Value::as_str) {
                Some(_) => Ok(Content::Json(value)),
                None => Err(Malformed::at(0, "JSON that is no FHIR resource: it has no resourceType")),
            }
        }
        Format::Ndjson => ndjson(&text).map(Content::Json),
        Format::Csv => Table::read(&text, shape).map(Content::Csv),
        Format::Text => Ok(Content::Text(text)),
        Format::Hl7 => messages::hl7(bytes(text)).map(Content::Hl7),
        Format::X12 => messages::x12(bytes(text)).map(Content::X12),
        Format::Bytes => Ok(Content::Bytes),
    }
}

/// Parses messages, which bring their own encoding, as they stand.
///
/// # Errors
/// The first place that is no message.
pub(crate) fn parse_messages(bytes: &[u8], format: Format) -> Option<Result<Content<'_>, Malformed>> {
    match format {
        Format::Hl7 => Some(messages::hl7(Cow::Borrowed(bytes)).map(Content::Hl7)),
        Format::X12 => Some(messages::x12(Cow::Borrowed(bytes)).map(Content::X12)),
        _ => None,
    }
}

fn bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

fn json(text: &str) -> Result<Value, Malformed> {
    one_reading(text, 0)?;
    serde_json::from_str(text).map_err(|error| {
        Malformed::at(offset_of(text, error.line(), error.column()), format!("what is no JSON ({error})"))
    })
}

fn ndjson(text: &str) -> Result<Value, Malformed> {
    let mut values = Vec::new();
    for (number, (span, line)) in (1..).zip(text::lines(text)) {
        if line.trim().is_empty() {
            continue;
        }
        let value = serde_json::from_str(line)
            .map_err(|error| Malformed::at(span.start, format!("line {number}, which is no JSON ({error})")))?;
        one_reading(line, span.start)?;
        values.push(value);
    }
    Ok(Value::Array(values))
}

/// Refuses JSON of which another reader would see another value: a member that stands twice.
fn one_reading(text: &str, start: usize) -> Result<(), Malformed> {
    match strict_json::check(text) {
        Err(flaw) if !flaw.what.starts_with("not JSON") => {
            Err(Malformed::at(start + flaw.offset, format!("JSON that can be read in two ways ({})", flaw.what)))
        }
        _ => Ok(()),
    }
}

/// The byte at a line and a column in bytes, both 1-based.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
    (start + column.saturating_sub(1)).min(text.len())
}

impl Content<'_> {
    /// What a path selects. Spans are those of the bytes that were parsed, and are given where `located`.
    pub(crate) fn select<'s>(&'s self, path: &'s ContentPath, located: bool) -> Selection<'s> {
        let mut selection = match self {
            Self::Json(value) => path.json.as_ref().map(|path| path.select(value)).unwrap_or_default(),
            Self::Csv(table) => path.csv.as_ref().map(|path| table.select(path)).unwrap_or_default(),
            Self::Text(text) => path.text.map(|path| text::select(text, path)).unwrap_or_default(),
            Self::Hl7(bytes) => path.hl7.as_ref().map(|path| messages::select_hl7(bytes, path)).unwrap_or_default(),
            Self::X12(bytes) => path.x12.as_ref().map(|path| messages::select_x12(bytes, path)).unwrap_or_default(),
            Self::Bytes => Selection::default(),
        };
        if !located {
            selection.values.iter_mut().for_each(|found| found.span = None);
        }
        selection
    }

    /// How many records there are: elements of an array, rows, lines, messages, transaction sets. `None` where the format
    /// has none.
    pub(crate) fn records(&self) -> Option<u64> {
        match self {
            Self::Json(Value::Array(items)) => Some(items.len() as u64),
            Self::Csv(table) => Some(table.len() as u64),
            Self::Text(text) => Some(text::lines(text).count() as u64),
            Self::Hl7(bytes) => Some(messages::count_hl7(bytes)),
            Self::X12(bytes) => Some(messages::count_x12(bytes)),
            _ => None,
        }
    }

    /// The notations in which dates are written.
    pub(crate) fn dates(&self) -> &'static [DateForm] {
        match self {
            Self::Hl7(_) => &[DateForm::Hl7],
            Self::X12(_) => &[DateForm::X12],
            // Text files come from anywhere.
            Self::Csv(_) | Self::Text(_) => &[DateForm::Iso, DateForm::Hl7],
            Self::Json(_) | Self::Bytes => &[DateForm::Iso],
        }
    }
}

fn span(range: Range<usize>) -> Option<Range<u64>> {
    Some(range.start as u64..range.end as u64)
}
