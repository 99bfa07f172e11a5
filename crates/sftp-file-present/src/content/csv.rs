//! CSV files, by RFC 4180, with any delimiter.

use std::borrow::Cow;
use std::ops::Range;

use candor_check::{Datum, Found, Selection};
use csv::ReaderBuilder;

use super::{Malformed, span};

/// How a CSV file is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvShape {
    /// The byte between two cells.
    pub delimiter: u8,
    /// Whether the first row names the columns.
    pub header: bool,
}

impl Default for CsvShape {
    fn default() -> Self {
        Self { delimiter: b',', header: true }
    }
}

/// A path into a CSV file: a column, of every row or of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CsvPath {
    whole: String,
    /// A row, from 1 on, and what stands behind it.
    row: Option<(usize, String)>,
}

impl CsvPath {
    pub(super) fn parse(written: &str) -> Option<Self> {
        if written.is_empty() {
            return None;
        }
        let row = written.split_once('.').and_then(|(row, column)| {
            let digits = !row.is_empty() && row.bytes().all(|b| b.is_ascii_digit());
            (digits && !column.is_empty()).then(|| Some((row.parse().ok()?, column.to_owned())))?
        });
        // A row 0 can never be.
        (row.as_ref().is_none_or(|(row, _)| *row > 0)).then(|| Self { whole: written.to_owned(), row })
    }
}

/// The rows of a CSV file.
#[derive(Debug)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<(Range<usize>, Vec<String>)>,
}

impl Table {
    pub(super) fn read(text: &str, shape: &CsvShape) -> Result<Self, Malformed> {
        quotes_close(text.as_bytes(), shape.delimiter)?;
        let mut reader = ReaderBuilder::new()
            .delimiter(shape.delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let mut table = Self { columns: Vec::new(), rows: Vec::new() };
        let mut record = csv::StringRecord::new();
        let mut named = !shape.header;
        let at = |position: &csv::Position| usize::try_from(position.byte()).unwrap_or(usize::MAX);
        loop {
            let start = at(reader.position());
            let line = reader.position().line();
            match reader.read_record(&mut record) {
                Ok(true) => {}
                Ok(false) => return Ok(table),
                Err(error) => return Err(Malformed::at(start, format!("line {line}, which is no CSV ({error})"))),
            }
            let cells: Vec<String> = record.iter().map(str::to_owned).collect();
            if !named {
                named = true;
                let twice = cells
                    .iter()
                    .enumerate()
                    .find(|(i, name)| !name.is_empty() && cells.iter().take(*i).any(|n| n == *name));
                if let Some((_, name)) = twice {
                    return Err(Malformed::at(start, format!("a header that names the column `{name}` twice")));
                }
                table.columns = cells;
                continue;
            }
            if shape.header && cells.len() > table.columns.len() {
                let (found, expected) = (cells.len(), table.columns.len());
                return Err(Malformed::at(
                    start,
                    format!("line {line}, whose row has {found} cells where the header has {expected}"),
                ));
            }
            table.rows.push((start..at(reader.position()), cells));
        }
    }

    /// How many rows there are, the header aside.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn select(&self, path: &CsvPath) -> Selection<'_> {
        let index = |name: &str| match self.columns.is_empty() {
            false => self.columns.iter().position(|column| column == name),
            true => name.parse::<usize>().ok().and_then(|n| n.checked_sub(1)),
        };
        let (rows, column) = match (index(&path.whole), &path.row) {
            (Some(column), _) => (self.rows.as_slice(), column),
            (None, Some((row, name))) => match index(name) {
                Some(column) => (self.rows.get(row - 1..*row).unwrap_or_default(), column),
                None => return Selection::default(),
            },
            (None, None) => return Selection::default(),
        };
        let found = |(range, cells): &'_ (Range<usize>, Vec<String>)| {
            let cell = cells.get(column)?.clone();
            Some(Found { datum: Datum::Text(Cow::Owned(cell)), span: span(range.clone()) })
        };
        Selection::texts(rows.iter().filter_map(found).collect())
    }
}

/// The `csv` crate reads past a quotation mark that stands wrong; what it would swallow is found here first.
fn quotes_close(bytes: &[u8], delimiter: u8) -> Result<(), Malformed> {
    let mut at = 0;
    let mut cell_begins = true;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' && cell_begins {
            let opened = at;
            at += 1;
            loop {
                match (bytes.get(at), bytes.get(at + 1)) {
                    (None, _) => return Err(Malformed::at(opened, "a quotation mark that does not close")),
                    (Some(b'"'), Some(b'"')) => at += 2,
                    (Some(b'"'), next) => {
                        if next.is_some_and(|&b| b != delimiter && b != b'\n' && b != b'\r') {
                            return Err(Malformed::at(at + 1, "text behind a closing quotation mark"));
                        }
                        at += 1;
                        break;
                    }
                    _ => at += 1,
                }
            }
            cell_begins = false;
            continue;
        }
        cell_begins = byte == delimiter || byte == b'\n' || byte == b'\r';
        at += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(text: &str, path: &str, shape: &CsvShape) -> Vec<String> {
        let table = Table::read(text, shape).unwrap();
        let path = CsvPath::parse(path).unwrap();
        table.select(&path).values.iter().map(|f| f.datum.string().unwrap().to_owned()).collect()
    }

    #[test]
    fn reads_rows_as_rfc_4180_writes_them() {
        let shape = CsvShape::default();
        let text = "id,name,n.o\r\n1,\"a,\"\"b\"\"\nc\",x\r\n2,,\r\n3\r\n";
        assert_eq!(values(text, "id", &shape), ["1", "2", "3"]);
        assert_eq!(values(text, "name", &shape), ["a,\"b\"\nc", ""]);
        assert_eq!(values(text, "2.id", &shape), ["2"]);
        assert_eq!(values(text, "n.o", &shape), ["x", ""]);
        assert!(values(text, "9.id", &shape).is_empty());
        assert!(values(text, "nothing", &shape).is_empty());
        let bare = CsvShape { delimiter: b'|', header: false };
        assert_eq!(values("a|b\nc|d", "2", &bare), ["b", "d"]);
        assert_eq!(values("a|b\nc|d", "2.1", &bare), ["c"]);
        assert_eq!(CsvPath::parse("0.id"), None);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let shape = CsvShape::default();
        for (text, offset, what) in [
            ("a,b\n1,2,3\n", 4, "3 cells where the header has 2"),
            ("a,a\n", 0, "column `a` twice"),
            ("a\n\"b", 2, "does not close"),
            ("a\n\"b\"c\n", 5, "behind a closing quotation mark"),
        ] {
            let error = Table::read(text, &shape).unwrap_err();
            assert_eq!(error.offset, offset, "{text}: {}", error.what);
            assert!(error.what.contains(what), "{text}: {}", error.what);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(rows in prop::collection::vec(prop::collection::vec("[a\"',\n\ré]{0,4}", 2), 1..6)) {
            let quoted = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
            let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
            let text: String = rows.iter().map(line).collect();
            let shape = CsvShape { header: false, ..CsvShape::default() };
            let expected: Vec<String> = rows.iter().map(|row| row[1].clone()).collect();
            prop_assert_eq!(values(&text, "2", &shape), expected);
        }

        #[test]
        fn never_panics(text in "[a\",\n\r|é]{0,40}", header in any::<bool>()) {
            if let Ok(table) = Table::read(&text, &CsvShape { delimiter: b',', header }) {
                for path in ["a", "1", "2.1", "9.a"] {
                    for found in table.select(&CsvPath::parse(path).unwrap()).values {
                        prop_assert!(found.span.unwrap().end as usize <= text.len());
                    }
                }
            }
        }
    }
}
