//! Delimited rows, with any delimiter: the first damage of a text makes all of it malformed.

use std::ops::Range;

use candor_check::delimited::{Flaw, Record, records};

use super::USUAL;
use crate::content::Malformed;

pub(super) struct Read {
    pub(super) rows: Vec<Range<usize>>,
    /// The rows with fewer cells than the header, and how many they have.
    pub(super) short: Vec<(usize, usize)>,
    pub(super) header: Option<Vec<String>>,
}

/// Finds the rows of a text, the header apart. Empty lines do not count as rows.
pub(super) fn rows(text: &str, delimiter: char, has_header: bool) -> Result<Read, Malformed> {
    let mut rows = Vec::new();
    let mut short = Vec::new();
    let mut header: Option<Vec<String>> = None;
    for record in records(text.as_bytes(), 0, delimiter) {
        let at = record.span.start;
        match record.flaw {
            Some(Flaw::Unclosed(at)) => return Err(Malformed::at(at, "a quotation mark that does not close")),
            Some(Flaw::Behind(at)) => return Err(Malformed::at(at, "text behind a closing quotation mark")),
            None => {}
        }
        match &header {
            _ if !has_header => {}
            None => {
                let twice = |name: String| Malformed::at(at, format!("a header that names the column `{name}` twice"));
                header = Some(record.names().map_err(twice)?);
                continue;
            }
            Some(names) => {
                if let Some(what) = fault(text, &record, names, delimiter) {
                    return Err(Malformed::at(at, format!("line {}, {what}", line(text, at))));
                }
                if record.len < names.len() {
                    short.push((rows.len(), record.len));
                }
            }
        }
        rows.push(record.span);
    }
    // Without any row there is a header without names.
    Ok(Read { rows, short, header: header.or(has_header.then(Vec::new)) })
}

fn fault(text: &str, record: &Record<'_>, names: &[String], delimiter: char) -> Option<String> {
    if names.len() > 1 && names.iter().any(|name| !name.is_empty()) && record.repeats(names) {
        return Some("which is the header again: the file may hold several exports".to_owned());
    }
    if record.len == 1 && names.len() > 1 && is_markup(text.get(record.span.clone()).unwrap_or_default()) {
        return Some("which is HTML or XML, and no row".to_owned());
    }
    let (number, expected) = (record.len, names.len());
    if number <= expected {
        return None;
    }
    let other = match names {
        [only] => USUAL.iter().find(|other| **other != delimiter && only.contains(**other)),
        _ => None,
    };
    let seem = other.map(|other| format!("; its cells seem to be divided by {other:?}")).unwrap_or_default();
    Some(format!("whose row has {number} cells where the header has {expected}{seem}"))
}

/// Returns `true` if a line begins with a tag: what a server wrote after a fault is behind the rows.
fn is_markup(row: &str) -> bool {
    row.trim_start()
        .strip_prefix('<')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || "!?/".contains(c)))
}

/// The number of the line that begins at a byte.
fn line(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    1 + before.matches(['\n', '\r']).count() - before.matches("\r\n").count()
}
