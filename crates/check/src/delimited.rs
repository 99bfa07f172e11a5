//! Delimited text by RFC 4180, with any delimiter: records and their cells. Damage is a [`Flaw`] of its record, and the
//! next record can be read.

use std::borrow::Cow;
use std::collections::HashSet;
use std::iter::{from_fn, successors};
use std::ops::Range;

/// Damage of quotation marks, and its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// The quotation mark at this byte is never closed: its record takes the rest of the text.
    Unclosed(usize),
    /// Text follows a closing quotation mark.
    Behind(usize),
}

/// A record: a line, or several if line ends are quoted.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    bytes: &'a [u8],
    delimiter: char,
    /// Its bytes, without a line end.
    pub span: Range<usize>,
    /// The number of its cells, at least one.
    pub len: usize,
    /// The first flaw of its cells.
    pub flaw: Option<Flaw>,
}

impl<'a> Record<'a> {
    /// Its bytes as they are written.
    #[must_use]
    pub fn raw(&self) -> &'a [u8] {
        self.bytes.get(self.span.clone()).unwrap_or_default()
    }

    /// The texts of its cells. Bytes that are not UTF-8 are replaced.
    pub fn cells(&self) -> impl Iterator<Item = Cow<'a, str>> {
        let bytes = self.bytes;
        cells(bytes, self.span.start, self.delimiter).map(move |cell| cell.text(bytes))
    }

    /// The names of the columns, if this is a header. Several columns can be without a name.
    ///
    /// # Errors
    /// A name that two columns have.
    pub fn names(&self) -> Result<Vec<String>, String> {
        let names: Vec<String> = self.cells().map(Cow::into_owned).collect();
        let mut known = HashSet::new();
        match names.iter().find(|name| !name.is_empty() && !known.insert(name.as_str())) {
            Some(twice) => Err(twice.clone()),
            None => Ok(names),
        }
    }

    /// Returns `true` if its cells are these names, ignoring ASCII case.
    #[must_use]
    pub fn repeats(&self, names: &[String]) -> bool {
        self.len == names.len() && self.cells().zip(names).all(|(cell, name)| cell.eq_ignore_ascii_case(name))
    }
}

/// The records from a byte on. Empty lines are skipped.
pub fn records(bytes: &[u8], from: usize, delimiter: char) -> impl Iterator<Item = Record<'_>> {
    let mut at = from;
    from_fn(move || {
        let start = at + bytes.get(at..)?.iter().position(|byte| !matches!(byte, b'\r' | b'\n'))?;
        let (mut len, mut flaw) = (0, None);
        for cell in cells(bytes, start, delimiter) {
            len += 1;
            flaw = flaw.or(cell.flaw);
            at = cell.end;
        }
        Some(Record { bytes, delimiter, span: start..at, len, flaw })
    })
}

/// The text of one cell and its bytes, in the record that begins at `start`; columns count from 0.
#[must_use]
pub fn cell(bytes: &[u8], start: usize, delimiter: char, column: usize) -> Option<(Cow<'_, str>, Range<usize>)> {
    let cell = cells(bytes, start, delimiter).nth(column)?;
    Some((cell.text(bytes), cell.range))
}

struct Cell {
    /// Without the quotation marks around it.
    range: Range<usize>,
    quoted: bool,
    flaw: Option<Flaw>,
    end: usize,
    /// The start of the next cell of its record.
    next: Option<usize>,
}

impl Cell {
    fn text<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        let inside = String::from_utf8_lossy(bytes.get(self.range.clone()).unwrap_or_default());
        if self.quoted && inside.contains('"') { Cow::Owned(inside.replace("\"\"", "\"")) } else { inside }
    }
}

fn cells(bytes: &[u8], start: usize, delimiter: char) -> impl Iterator<Item = Cell> {
    let first = read(bytes, start, delimiter);
    successors(Some(first), move |cell| Some(read(bytes, cell.next?, delimiter)))
}

fn read(bytes: &[u8], start: usize, delimiter: char) -> Cell {
    let mut buffer = [0; 4];
    let delimiter = delimiter.encode_utf8(&mut buffer).as_bytes();
    let rest = |at: usize| bytes.get(at..).unwrap_or_default();
    let ends = |at: &usize| match rest(*at).first() {
        Some(b'\r' | b'\n') => true,
        byte => byte == delimiter.first() && rest(*at).starts_with(delimiter),
    };
    let end_of = |from: usize| (from..bytes.len()).find(ends).unwrap_or(bytes.len());
    let quoted = bytes.get(start) == Some(&b'"');
    let close = if quoted { closing(bytes, start) } else { None };
    let (end, flaw) = match close {
        Some(close) => {
            let end = end_of(close + 1);
            (end, (end > close + 1).then_some(Flaw::Behind(close + 1)))
        }
        None if quoted => {
            let last = bytes.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(start);
            (last + 1, Some(Flaw::Unclosed(start)))
        }
        None => (end_of(start), None),
    };
    let range = start + usize::from(quoted)..end - usize::from(quoted && flaw.is_none());
    let next = rest(end).starts_with(delimiter).then_some(end + delimiter.len());
    Cell { range, quoted, flaw, end, next }
}

/// The quotation mark that closes the one at `start`.
fn closing(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == b'"')?;
        if bytes.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}
