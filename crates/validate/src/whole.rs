//! CSV, JSON and XML: files that are whole, of whatever is in them.

use std::collections::HashSet;

use candor_check::strict_json;
use candor_check::xml::{XmlFlaw, XmlFlawKind, check};

use crate::lines::Lines;
use crate::{Finding, Report, Severity, Standard};

/// Validates a file of JSON: one value, or one a line. Duplicate members are findings, as readers disagree about them.
///
/// ```
/// let report = candor_validate::json("settings.json", b"{\"a\": 1, \"a\": 2}");
/// assert_eq!(report.findings[0].code, "duplicate-member");
/// ```
#[must_use]
pub fn json(file: &str, bytes: &[u8]) -> Report {
    let mut whole = Whole::of(file, Standard::Json, bytes);
    let Some(text) = whole.text() else { return whole.report };
    let documents = documents(text);
    for (number, (start, document)) in (1..).zip(&documents) {
        whole.unit = if documents.len() == 1 { String::new() } else { format!("line {number}") };
        if documents.len() > 1 {
            let unit = whole.unit.clone();
            whole.report.read(&unit);
        }
        if let Err(flaw) = strict_json::check(document) {
            let code = match flaw.kind {
                strict_json::FlawKind::NotJson => "invalid-json",
                strict_json::FlawKind::TooDeep => "too-deep",
                strict_json::FlawKind::Ambiguous => "duplicate-member",
            };
            whole.add(code, "$readable", start + flaw.offset, "one value of JSON", Some(flaw.what));
        }
    }
    whole.report.leave_out("names and values: JSON alone says nothing of them".to_owned());
    whole.report
}

/// The documents of a file, each with where it begins: the lines, where each of several is closed on itself.
fn documents(text: &str) -> Vec<(usize, &str)> {
    let mut at = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            lines.push((at, line));
        }
        at += line.len();
    }
    let is_closed = |line: &str| line.starts_with('{') && line.trim_end().ends_with('}');
    match lines.len() > 1 && lines.iter().all(|(_, line)| is_closed(line)) {
        true => lines,
        false => vec![(0, text)],
    }
}

/// Validates a file of XML: whether it is well-formed. A document type is refused, as it may name other files.
///
/// ```
/// let report = candor_validate::xml("a.xml", b"<a><b></a>");
/// assert_eq!((report.findings[0].code.as_str(), report.findings[0].line), ("invalid-xml", Some(1)));
/// ```
#[must_use]
pub fn xml(file: &str, bytes: &[u8]) -> Report {
    let mut whole = Whole::of(file, Standard::Xml, bytes);
    let Some(text) = whole.text() else { return whole.report };
    let beyond = |flaw: &XmlFlaw| match flaw.kind {
        XmlFlawKind::Declaration => None,
        XmlFlawKind::TooDeep => Some("too-deep"),
        XmlFlawKind::TooMany => Some("limit"),
    };
    if let Err(flaw) = check(text)
        && let Some(code) = beyond(&flaw)
    {
        whole.add(code, "$readable", flaw.offset, "XML within the limits of Candor", Some(flaw.what));
    } else if let Err(error) = roxmltree::Document::parse(text) {
        let place = error.pos();
        let line = text.split_inclusive('\n').take(place.row.saturating_sub(1) as usize).map(str::len).sum::<usize>();
        let (code, expected) = match error {
            roxmltree::Error::DtdDetected => ("document-type", "XML without a document type, which is not read"),
            _ => ("invalid-xml", "well-formed XML"),
        };
        whole.add(code, "$readable", line, expected, Some(error.to_string()));
    }
    whole.report.leave_out("elements and values: no schema is read".to_owned());
    whole.report
}

/// Validates a file of CSV with a header: every row has as many cells, every quotation mark is closed.
///
/// ```
/// let report = candor_validate::csv("members.csv", b"id,name\r\n1,Ann,x\r\n");
/// assert_eq!((report.findings[0].code.as_str(), report.findings[0].line), ("row-length", Some(2)));
/// ```
#[must_use]
pub fn csv(file: &str, bytes: &[u8]) -> Report {
    let mut whole = Whole::of(file, Standard::Csv, bytes);
    let Some(text) = whole.text() else { return whole.report };
    let (delimiter, at) = delimiter(text);
    let (mut rows, mut columns) = (0_u64, 0);
    for row in (Rows { text, at, delimiter }) {
        if let Some((offset, what)) = &row.flaw {
            whole.add(
                "quotation-mark",
                "$readable",
                *offset,
                "quotation marks around a whole cell, two for one",
                Some(what.clone()),
            );
        }
        if row.cells.as_slice() == [""] {
            continue;
        }
        rows += 1;
        if rows == 1 {
            columns = row.cells.len();
            header(&mut whole, &row);
        } else if row.cells.len() != columns {
            let (expected, found) = (cells(columns), cells(row.cells.len()));
            whole.add("row-length", &format!("row {}", rows - 1), row.start, &expected, Some(found));
        }
    }
    if rows == 0 {
        whole.add("no-header", "row 0", 0, "a line of column names", None);
    } else {
        let rows = rows - 1;
        whole.report.read(&format!("{rows} {} of {}", if rows == 1 { "row" } else { "rows" }, cells(columns)));
    }
    whole.report.leave_out("values: CSV alone says nothing of them".to_owned());
    whole.report
}

fn cells(count: usize) -> String {
    format!("{count} {}", if count == 1 { "cell" } else { "cells" })
}

fn header(whole: &mut Whole<'_>, row: &Row<'_>) {
    let mut seen = HashSet::new();
    for (number, name) in (1..).zip(&row.cells) {
        let name = name.trim_matches('"').trim();
        let path = format!("column {number}");
        if name.is_empty() {
            whole.add("no-column-name", &path, row.start, "a column name", None);
        } else if !seen.insert(name) {
            whole.add("duplicate-column", &path, row.start, "a name that no other column has", Some(name.to_owned()));
        }
    }
}

/// The delimiter, and where the header begins: what a first line `sep=;` names, else what makes the most cells of the header;
/// a comma if nothing does.
fn delimiter(text: &str) -> (u8, usize) {
    let first = text.lines().next().unwrap_or_default();
    if let Some(&[byte]) = first.strip_prefix("sep=").map(str::as_bytes) {
        return (byte, text.find('\n').map_or(text.len(), |end| end + 1));
    }
    let cells = |delimiter: u8| Rows { text, at: 0, delimiter }.next().map_or(0, |row| row.cells.len());
    // The last one of equals is taken.
    ([b'|', b'\t', b';', b','].into_iter().max_by_key(|byte| cells(*byte)).unwrap_or(b','), 0)
}

struct Rows<'t> {
    text: &'t str,
    at: usize,
    delimiter: u8,
}

struct Row<'t> {
    start: usize,
    cells: Vec<&'t str>,
    /// Where a quotation mark is wrong, and what is there.
    flaw: Option<(usize, String)>,
}

impl<'t> Iterator for Rows<'t> {
    type Item = Row<'t>;

    fn next(&mut self) -> Option<Row<'t>> {
        let bytes = self.text.as_bytes();
        if self.at >= bytes.len() {
            return None;
        }
        let mut row = Row { start: self.at, cells: Vec::new(), flaw: None };
        let (mut cell, mut at, mut quoted) = (self.at, self.at, false);
        let end = loop {
            match bytes.get(at) {
                None => {
                    if quoted {
                        row.flaw.get_or_insert((cell, "a quotation mark that is not closed".to_owned()));
                    }
                    break at;
                }
                Some(b'"') if quoted && bytes.get(at + 1) == Some(&b'"') => at += 1,
                Some(b'"') if quoted => {
                    quoted = false;
                    let after = bytes.get(at + 1);
                    if after.is_some_and(|&next| next != self.delimiter && !matches!(next, b'\r' | b'\n')) {
                        row.flaw.get_or_insert((at + 1, "text behind the closing quotation mark".to_owned()));
                    }
                }
                Some(b'"') if at == cell => quoted = true,
                Some(b'"') => {
                    row.flaw.get_or_insert((at, "a quotation mark within a cell".to_owned()));
                }
                Some(&byte) if byte == self.delimiter && !quoted => {
                    row.cells.push(self.text.get(cell..at).unwrap_or_default());
                    cell = at + 1;
                }
                Some(b'\r' | b'\n') if !quoted => break at,
                Some(_) => {}
            }
            at += 1;
        };
        row.cells.push(self.text.get(cell..end).unwrap_or_default());
        let is_crlf = bytes.get(end) == Some(&b'\r') && bytes.get(end + 1) == Some(&b'\n');
        self.at = end + if is_crlf { 2 } else { 1 };
        Some(row)
    }
}

struct Whole<'b> {
    report: Report,
    lines: Lines,
    bytes: &'b [u8],
    /// The bytes before the text: a byte order mark.
    before: usize,
    unit: String,
}

impl<'b> Whole<'b> {
    fn of(file: &str, standard: Standard, bytes: &'b [u8]) -> Self {
        let before = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        let (report, lines) = (Report::of(file, standard), Lines::of(bytes));
        Self { report, lines, bytes, before, unit: String::new() }
    }

    /// The text; what is not UTF-8 is a finding.
    fn text(&mut self) -> Option<&'b str> {
        let bytes = self.bytes.get(self.before..).unwrap_or_default();
        match std::str::from_utf8(bytes) {
            Ok(text) => Some(text),
            Err(error) => {
                let at = error.valid_up_to();
                let found = bytes.get(at).map(|byte| format!("the byte {byte:#04x}"));
                self.add("encoding", "$readable", at, "text in UTF-8", found);
                None
            }
        }
    }

    fn add(&mut self, code: &str, path: &str, offset: usize, expected: &str, found: Option<String>) {
        let offset = (self.before + offset) as u64;
        self.report.add(Finding {
            code: code.to_owned(),
            rule: "reading".to_owned(),
            // RFC 4180 asks for no names of columns.
            severity: match code {
                "no-column-name" | "duplicate-column" => Severity::Warning,
                _ => Severity::Error,
            },
            unit: self.unit.clone(),
            path: path.to_owned(),
            line: Some(self.lines.line(offset)),
            offset: Some(offset),
            expected: expected.to_owned(),
            found,
        });
    }
}
