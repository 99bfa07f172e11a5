//! The separator of the cells of a CSV file that says so, or that has commas nowhere it would need them.

use std::collections::HashSet;

use candor_check::delimited::{Record, records};

/// How the CSV files of a folder are written, as far as their author says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CsvForm {
    /// The delimiter of every file; `None` where each file shows it.
    pub(crate) delimiter: Option<u8>,
    pub(crate) nulls: Vec<String>,
}

impl Default for CsvForm {
    /// Null is `\N`, as PostgreSQL's COPY and MySQL's SELECT INTO OUTFILE write it.
    fn default() -> Self {
        Self { delimiter: None, nulls: vec![r"\N".to_owned()] }
    }
}

impl CsvForm {
    /// The delimiter of a file: a first line `sep=;` counts most, then what the author says.
    pub(super) fn delimiter_of(&self, body: &[u8]) -> Result<Delimiter, (usize, String)> {
        match self.delimiter.filter(|_| named(body).is_none()) {
            Some(byte) => Ok(Delimiter { byte, behind: 0 }),
            None => delimiter(body),
        }
    }
}

/// Returns `true` if a byte can separate cells: an ASCII character that is not a letter, a digit, a quotation mark or part
/// of a line end.
pub(crate) fn separates(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, 0 | b'"' | b'\r' | b'\n')
}

/// The separator of a file's cells, and where its records begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delimiter {
    pub(crate) byte: u8,
    /// The bytes before the records: the line `sep=;`.
    pub(crate) behind: usize,
}

impl Delimiter {
    /// The records of a file. A byte order mark in front of them is not part of a cell.
    pub(crate) fn records(self, body: &[u8]) -> impl Iterator<Item = Record<'_>> {
        let is_marked = body.get(self.behind..).is_some_and(|rest| rest.starts_with(b"\xEF\xBB\xBF"));
        records(body, self.behind + if is_marked { 3 } else { 0 }, char::from(self.byte))
    }
}

/// Delimiters in addition to the comma, with their names.
const OTHERS: &[(u8, &str)] = &[(b';', "semicolons"), (b'\t', "tabs"), (b'|', "bars")];

/// The delimiter of a file: the one that a first line `sep=;` names, as Excel writes and reads it; else the comma, unless
/// it leaves the header whole and one other delimiter splits the header and every record alike.
///
/// # Errors
/// Where the header begins and what is wrong, when several delimiters or none can be meant.
pub(crate) fn delimiter(body: &[u8]) -> Result<Delimiter, (usize, String)> {
    if let Some(named) = named(body) {
        return Ok(named);
    }
    let by = |byte| Delimiter { byte, behind: 0 };
    let cells = |byte| by(byte).records(body).next().map_or(0, |record| record.len);
    if cells(b',') != 1 {
        return Ok(by(b','));
    }
    let splitting: Vec<&(u8, &str)> = OTHERS.iter().filter(|(byte, _)| cells(*byte) > 1).collect();
    let at = body.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or_default();
    match splitting.as_slice() {
        [] => Ok(by(b',')),
        [(byte, name)] => match consistent(by(*byte).records(body)) {
            true => Ok(by(*byte)),
            false => {
                Err((at, format!("its columns are separated by {name}, the cells of some row are not, or by too many")))
            }
        },
        [(_, first), (_, second), ..] => Err((
            at,
            format!(
                "its columns may be separated by {first} or by {second}; a first line `sep=;`, or `delimiter` in sandbox.toml, says it"
            ),
        )),
    }
}

/// A first line `sep=X`.
fn named(body: &[u8]) -> Option<Delimiter> {
    let rest = body.get(..4).filter(|start| start.eq_ignore_ascii_case(b"sep=")).and_then(|_| body.get(4..))?;
    let (&byte, rest) = rest.split_first()?;
    let line_end = match rest {
        [] => 0,
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => return None,
    };
    separates(byte).then_some(Delimiter { byte, behind: 5 + line_end })
}

/// Returns `true` if the header names each column once, and every record has as many cells.
fn consistent<'a>(mut records: impl Iterator<Item = Record<'a>>) -> bool {
    let Some(header) = records.next() else { return true };
    let mut known = HashSet::new();
    // Two names of another encoding may be one when they are read as UTF-8.
    let is_named = std::str::from_utf8(header.raw()).is_err() || header.cells().all(|name| known.insert(name));
    is_named && records.all(|record| record.len == header.len)
}
