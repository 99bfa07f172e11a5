//! Rows written in CSV, by RFC 4180.

use std::borrow::Cow;

use candor_check::delimited::{Flaw, Record};
use candor_check::records::Completeness;
use candor_json::{Map, Value};

use super::delimiter::CsvForm;
use super::json::not_utf8;
use super::{Content, OverBudget, Short, Sink, named};

/// Reads records; the first one names the columns. Nothing marks the end of a file; a row that is too short shows by the
/// columns that are asked for.
pub(super) fn records(body: &[u8], form: &CsvForm, sink: &mut Sink<'_>) -> Completeness {
    rows(body, form, sink);
    Completeness::Unknown
}

fn rows(body: &[u8], form: &CsvForm, sink: &mut Sink<'_>) {
    let delimiter = match form.delimiter_of(body) {
        Ok(delimiter) => delimiter,
        Err((from, what)) => {
            sink.fault((from, body.len()), format!("the header cannot be read: {what}"));
            return;
        }
    };
    let mut records = delimiter.records(body);
    let Some(header) = records.next() else {
        sink.fault((0, body.len()), "the file is empty: not even a header names the columns".to_owned());
        return;
    };
    let names = || header.names().map_err(|twice| format!("the column {} appears twice", named(&twice)));
    let columns = match fault_in(&header, sink.start).or_else(|| other_kind(header.raw())).map_or_else(names, Err) {
        Ok(columns) => columns,
        Err(what) => {
            sink.fault((header.span.start, body.len()), format!("the header cannot be read: {what}"));
            return;
        }
    };
    sink.rows.header = columns.clone();
    let has_names = columns.iter().filter(|name| !name.is_empty()).count() > 1;
    for record in records {
        let number = sink.next();
        let span = (record.span.start, record.span.end);
        // What a server wrote after a fault is behind the rows.
        let page = || other_kind(record.raw()).filter(|_| record.len == 1 && columns.len() > 1);
        if let Some(what) = fault_in(&record, sink.start).or_else(page) {
            sink.fault(span, format!("row {number} cannot be read: {what}"));
        } else if has_names && record.repeats(&columns) {
            sink.fault(span, format!("row {number} is the header again, so the file may hold several exports"));
        } else if record.len > columns.len() {
            let (cells, columns) = (record.len, columns.len());
            sink.fault(span, format!("row {number} has {cells} cells, the header {columns} columns"));
        } else if row(&record, (&columns, &form.nulls), number, (span, body.len()), sink).is_err() {
            sink.over_budget(span.0, body.len());
            return;
        }
    }
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

/// The fault in a record's bytes, if any: quotes that RFC 4180 does not have, bytes that are not UTF-8.
fn fault_in(record: &Record<'_>, base: u64) -> Option<String> {
    let (raw, start) = (record.raw(), record.span.start);
    if let Err(error) = std::str::from_utf8(raw) {
        return Some(not_utf8(base, start + error.valid_up_to()));
    }
    if let Some(at) = raw.iter().position(|&byte| byte == 0) {
        return Some(format!("a NUL lies at byte {}, as in UTF-16 and never in text", base + (start + at) as u64));
    }
    Some(match record.flaw? {
        Flaw::Unclosed(at) => format!("the quotation mark at byte {} is never closed", base + at as u64),
        Flaw::Behind(at) => format!("text follows a closed quotation at byte {}", base + at as u64),
    })
}

fn row(
    record: &Record<'_>,
    (columns, nulls): (&[String], &[String]),
    number: u64,
    (span, length): ((usize, usize), usize),
    sink: &mut Sink<'_>,
) -> Result<(), OverBudget> {
    let cells: Vec<_> = columns.iter().zip(record.cells()).filter(|(name, _)| !name.is_empty()).collect();
    let bytes = cells.iter().map(|(name, cell)| name.len() + cell.len()).sum();
    sink.take(bytes, 1 + 2 * record.len as u64)?;
    let cell = |(name, cell): (&String, Cow<'_, str>)| {
        let value = if nulls.iter().any(|null| *null == cell) { Value::Null } else { cell.into_owned().into() };
        (name.clone(), value)
    };
    let row: Map<String, Value> = cells.into_iter().map(cell).collect();
    sink.row(number, span, Content::Text(Value::Object(row)));
    if record.len < columns.len() {
        sink.short(Short { cells: record.len, may_go_on: span.1 == length });
    }
    Ok(())
}
