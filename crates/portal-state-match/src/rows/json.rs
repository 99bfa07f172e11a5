//! Rows written in JSON: the elements of one array, or one object a line.

use std::io::BufRead as _;

use candor_check::records::{Completeness, Cut};
use candor_json::text::{Flaw, MAX_DEPTH, Survey, span, survey, unquoted};
use candor_json::value::RawValue;
use candor_json::{Deserializer, Value};
use serde::de::{DeserializeSeed, Error as _, SeqAccess, Visitor};

use super::{Content, OverBudget, Sink, named};

/// Reads an array of rows. Rows before a place that cannot be read are read.
pub(super) fn array(body: &[u8], sink: &mut Sink<'_>) -> Completeness {
    let (text, invalid) = valid_text(body);
    let first = text.trim_start_matches([' ', '\t', '\r', '\n']);
    let found = kind(first);
    if let Some(found) = found.filter(|&found| found != "an array") {
        let at = text.len() - first.len();
        sink.fault((at, body.len()), format!("the file holds {found}, expected an array of rows: [{{…}}, {{…}}]"));
        return Completeness::Unknown;
    }
    let mut over_budget = None;
    let mut end = 0;
    let mut reader = Deserializer::from_str(text);
    let elements = Elements { text, sink: &mut *sink, end: &mut end, over_budget: &mut over_budget };
    let read = elements.deserialize(&mut reader).and_then(|()| reader.end());
    match (over_budget, invalid, read) {
        (Some(from), _, _) => sink.over_budget(from, body.len()),
        (None, Some(at), _) => sink.fault((end, body.len()), not_utf8(sink.start, at)),
        (None, None, Err(error)) => {
            let at = offset(text, &error);
            let what = format!("no array of rows from byte {} on: {}", sink.start + at as u64, cause(&error));
            if error.is_eof() {
                return Completeness::Cut(Cut::new(end as u64, what));
            }
            sink.fault((end, body.len()), what);
        }
        (None, None, Ok(())) => return Completeness::Whole,
    }
    Completeness::Unknown
}

/// Reads a row from every line that is not blank. A line that is cut is not an object; a cut between two lines does not
/// show.
pub(super) fn lines(body: &[u8], first: u64, sink: &mut Sink<'_>) -> Completeness {
    let (mut next, mut rest) = (0, body);
    let lines = std::iter::from_fn(|| {
        let from = rest;
        let length = rest.skip_until(b'\n').ok()?;
        from.get(..length).filter(|line| !line.is_empty())
    });
    for (line_number, line) in (first..).zip(lines) {
        let start = next;
        next += line.len();
        let line = line.trim_ascii_end();
        let start = start + (line.len() - line.trim_ascii_start().len());
        let line = line.trim_ascii_start();
        if line.is_empty() {
            continue;
        }
        let span = (start, start + line.len());
        let number = sink.next();
        let (text, invalid) = valid_text(line);
        if let Some(at) = invalid {
            sink.fault(span, format!("{} (line {line_number})", not_utf8(sink.start, start + at)));
            continue;
        }
        let found = survey(text);
        let read = match &found.error {
            None => row(text, &found, number, span, sink),
            Some(error) => {
                let at = sink.start + (start + error.column().saturating_sub(1)) as u64;
                sink.fault(span, format!("line {line_number} is not a JSON object, at byte {at}: {}", cause(error)));
                Ok(())
            }
        };
        if read.is_err() {
            sink.over_budget(start, body.len());
            break;
        }
    }
    Completeness::Unknown
}

/// The bytes up to the first that is not UTF-8, and where that is.
fn valid_text(bytes: &[u8]) -> (&str, Option<usize>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let at = error.valid_up_to();
            (bytes.get(..at).and_then(|valid| std::str::from_utf8(valid).ok()).unwrap_or_default(), Some(at))
        }
    }
}

pub(super) fn not_utf8(start: u64, at: usize) -> String {
    format!("byte {} is not UTF-8", start + at as u64)
}

struct Elements<'a, 's, 'b> {
    text: &'a str,
    sink: &'s mut Sink<'b>,
    /// The byte after the last element that was read.
    end: &'s mut usize,
    over_budget: &'s mut Option<usize>,
}

impl<'a> DeserializeSeed<'a> for Elements<'a, '_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'a> Visitor<'a> for Elements<'a, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array of rows")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element::<RawValue<'a>>()? {
            let json = element.get();
            let place = span(self.text, json);
            let number = self.sink.next();
            if row(json, &survey(json), number, (place.start, place.end), self.sink).is_err() {
                *self.over_budget = Some(place.start);
                return Err(A::Error::custom("the budget is spent"));
            }
            *self.end = place.end;
        }
        Ok(())
    }
}

fn row(
    json: &str,
    found: &Survey<'_>,
    number: u64,
    span: (usize, usize),
    sink: &mut Sink<'_>,
) -> Result<(), OverBudget> {
    if let Some(found) = kind(json).filter(|&found| found != "an object") {
        sink.fault(span, format!("row {number} is {found}, expected an object"));
        return Ok(());
    }
    if let Some(&(at, flaw)) = found.flaws.iter().min_by_key(|(at, _)| *at) {
        // The budget may be spent before the flaw is met.
        if survey(json.get(..at).unwrap_or_default()).values > sink.values_left() {
            return Err(OverBudget);
        }
        match flaw {
            Flaw::Repeated(key) => {
                let written = key.get(1..key.len().saturating_sub(1)).unwrap_or_default();
                let name = named(&unquoted(key).unwrap_or(written.into()));
                sink.fault(span, format!("row {number} has the member {name} twice in one object"));
            }
            Flaw::TooDeep => {
                let what = format!("row {number} is nested deeper than {MAX_DEPTH} levels, which is more than is read");
                sink.beyond(span, what);
            }
        }
        return Ok(());
    }
    sink.take(json.len(), found.values)?;
    if !found.has_surrogates && sink.keep(number, span) {
        return Ok(());
    }
    match candor_json::from_str::<Value>(json) {
        Ok(_) if sink.keep(number, span) => {}
        Ok(value) => sink.row(number, span, Content::Typed(value)),
        Err(error) => sink.fault(span, format!("row {number} is not valid JSON: {}", cause(&error))),
    }
    Ok(())
}

/// The kind of a JSON text, by how it begins; `None` when it is nothing that begins so.
fn kind(json: &str) -> Option<&'static str> {
    Some(match json.bytes().next()? {
        b'{' => "an object",
        b'[' => "an array",
        b'"' => "a string",
        b'-' | b'0'..=b'9' => "a number",
        b't' | b'f' => "true or false",
        b'n' => "null",
        _ => return None,
    })
}

/// The message of an error without its place: the caller gives the place as a byte of the file.
fn cause(error: &candor_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(cause, _)| cause.to_owned())
}

fn offset(text: &str, error: &candor_json::Error) -> usize {
    let line = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    (line + error.column().saturating_sub(1)).min(text.len())
}
