//! Rows written in CSV, by RFC 4180: records split by the `csv` crate, and held to what it lets pass.

use std::collections::HashSet;

use candor_check::records::Completeness;
use candor_json::{Map, Value};
use csv::{ByteRecord, ReaderBuilder};

use super::delimiter::{CsvForm, Delimiter};
use super::json::not_utf8;
use super::{Content, OverBudget, Short, Sink, named};

/// Reads records; the first one names the columns. Nothing marks the end of a file; a row that is too short shows by the
/// columns that are asked for.
pub(super) fn records(body: &[u8], form: &CsvForm, sink: &mut Sink<'_>) -> Completeness {
    rows(body, form, sink);
    Completeness::Unknown
}

fn rows(body: &[u8], form: &CsvForm, sink: &mut Sink<'_>) {
    let Delimiter { byte: delimiter, behind } = match form.delimiter_of(body) {
        Ok(delimiter) => delimiter,
        Err((from, what)) => {
            sink.fault((from, body.len()), format!("the header cannot be read: {what}"));
            return;
        }
    };
    let records = body.get(behind..).unwrap_or_default();
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(records);
    let mut record = ByteRecord::new();
    let mut header: Option<Vec<String>> = None;
    loop {
        let before = behind as u64 + reader.position().byte();
        match reader.read_byte_record(&mut record) {
            Ok(true) => {}
            Ok(false) if header.is_none() => {
                sink.fault((0, body.len()), "the file is empty: not even a header names the columns".to_owned());
                return;
            }
            Ok(false) => return,
            Err(error) => {
                let at = usize::try_from(before).unwrap_or_default();
                sink.fault((at, body.len()), format!("no CSV from byte {} on: {error}", sink.start + before));
                return;
            }
        }
        let (start, raw) = written(body, before, behind as u64 + reader.position().byte());
        let span = (start, start + raw.len());
        let fault = fault_in(raw, start, sink.start, delimiter);
        let Some(columns) = &header else {
            match fault.or_else(|| other_kind(raw)).map_or_else(|| columns(&record), Err) {
                Ok(columns) => {
                    sink.rows.header = columns.clone();
                    header = Some(columns);
                }
                Err(what) => {
                    sink.fault((start, body.len()), format!("the header cannot be read: {what}"));
                    return;
                }
            }
            continue;
        };
        let number = sink.next();
        // What a server wrote after a fault is behind the rows.
        let page = || other_kind(raw).filter(|_| record.len() == 1 && columns.len() > 1);
        if let Some(what) = fault.or_else(page) {
            sink.fault(span, format!("row {number} cannot be read: {what}"));
        } else if is_header(&record, columns) {
            sink.fault(span, format!("row {number} is the header again, so the file may hold several exports"));
        } else if record.len() > columns.len() {
            let (cells, columns) = (record.len(), columns.len());
            sink.fault(span, format!("row {number} has {cells} cells, the header {columns} columns"));
        } else if row(&record, (columns, &form.nulls), number, (span, body.len()), sink).is_err() {
            sink.over_budget(start, body.len());
            return;
        }
    }
}

/// Returns `true` if a record holds the names of the columns, of which there are several.
fn is_header(record: &ByteRecord, columns: &[String]) -> bool {
    record.len() == columns.len()
        && columns.iter().filter(|name| !name.is_empty()).count() > 1
        && record.iter().zip(columns).all(|(cell, name)| cell.eq_ignore_ascii_case(name.as_bytes()))
}

/// A page of an error, stored under the name of what was to be exported, is not a header of columns.
fn other_kind(raw: &[u8]) -> Option<String> {
    let kind = match raw.trim_ascii_start().first()? {
        b'<' => "HTML or XML",
        b'{' | b'[' => "JSON",
        _ => return None,
    };
    Some(format!("it is {kind}, and no CSV"))
}

/// A record as it is written, without the line ends around it.
fn written(body: &[u8], before: u64, after: u64) -> (usize, &[u8]) {
    let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX).min(body.len());
    let (before, after) = (at(before), at(after));
    let record = body.get(before..after).unwrap_or_default();
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let start = record.iter().position(|byte| !is_end(byte)).unwrap_or(record.len());
    let end = record.iter().rposition(|byte| !is_end(byte)).map_or(start, |last| last + 1);
    (before + start, record.get(start..end).unwrap_or_default())
}

/// The fault in a record's bytes, if any: quotes that RFC 4180 does not have, bytes that are not UTF-8.
fn fault_in(raw: &[u8], start: usize, base: u64, delimiter: u8) -> Option<String> {
    let byte = |at: usize| base + (start + at) as u64;
    if let Err(error) = std::str::from_utf8(raw) {
        return Some(not_utf8(base, start + error.valid_up_to()));
    }
    if let Some(at) = raw.iter().position(|&byte| byte == 0) {
        return Some(format!("a NUL lies at byte {}, as in UTF-16 and never in text", byte(at)));
    }
    let mut bytes = raw.iter().enumerate().peekable();
    let mut at_start = true;
    while let Some((at, &found)) = bytes.next() {
        if found != b'"' || !at_start {
            at_start = found == delimiter;
            continue;
        }
        loop {
            match bytes.next() {
                None => return Some(format!("the quotation mark at byte {} is never closed", byte(at))),
                Some((_, b'"')) if bytes.next_if(|(_, next)| **next == b'"').is_none() => break,
                Some(_) => {}
            }
        }
        match bytes.next() {
            None => return None,
            Some((_, next)) if *next == delimiter => {}
            Some((at, _)) => return Some(format!("text follows a closed quotation at byte {}", byte(at))),
        }
    }
    None
}

/// The names of the columns. A column without a name can be there, and cannot be asked for.
fn columns(record: &ByteRecord) -> Result<Vec<String>, String> {
    let names: Vec<String> = record.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let mut known = HashSet::new();
    match names.iter().find(|name| !name.is_empty() && !known.insert(name.as_str())) {
        Some(twice) => Err(format!("the column {} appears twice", named(twice))),
        None => Ok(names),
    }
}

fn row(
    record: &ByteRecord,
    (columns, nulls): (&[String], &[String]),
    number: u64,
    (span, length): ((usize, usize), usize),
    sink: &mut Sink<'_>,
) -> Result<(), OverBudget> {
    let cells = || columns.iter().zip(record.iter()).filter(|(name, _)| !name.is_empty());
    let bytes = cells().map(|(name, cell)| name.len() + cell.len()).sum();
    sink.take(bytes, 1 + 2 * record.len() as u64)?;
    let cell = |(name, cell): (&String, &[u8])| {
        let is_null = nulls.iter().any(|null| null.as_bytes() == cell);
        let value = if is_null { Value::Null } else { String::from_utf8_lossy(cell).into_owned().into() };
        (name.clone(), value)
    };
    let row: Map<String, Value> = cells().map(cell).collect();
    sink.row(number, span, Content::Text(Value::Object(row)));
    if record.len() < columns.len() {
        sink.short(Short { cells: record.len(), may_go_on: span.1 == length });
    }
    Ok(())
}
