//! The separator of the cells of a CSV file that says so, or that has commas nowhere it would need them.

use std::collections::HashSet;

use csv::{ByteRecord, ReaderBuilder};

/// How the CSV files of a folder are written, as far as their author says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CsvForm {
    /// The delimiter of every file; `None` where each file shows it.
    pub(crate) delimiter: Option<u8>,
    /// The texts of a cell that mean null.
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
    let comma = Delimiter { byte: b',', behind: 0 };
    let cells = |delimiter| header(body, delimiter).map_or(0, |record| record.len());
    if cells(b',') != 1 {
        return Ok(comma);
    }
    let splitting: Vec<&(u8, &str)> = OTHERS.iter().filter(|(byte, _)| cells(*byte) > 1).collect();
    let at = body.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or_default();
    match splitting.as_slice() {
        [] => Ok(comma),
        [(byte, name)] => match consistent(body, *byte) {
            true => Ok(Delimiter { byte: *byte, behind: 0 }),
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

fn header(body: &[u8], delimiter: u8) -> Option<ByteRecord> {
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(body);
    let mut record = ByteRecord::new();
    reader.read_byte_record(&mut record).ok().filter(|read| *read).map(|_| record)
}

/// Returns `true` if the header names each column once, and every record has as many cells.
fn consistent(body: &[u8], delimiter: u8) -> bool {
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(body);
    let mut record = ByteRecord::new();
    let mut columns = None;
    loop {
        match (reader.read_byte_record(&mut record), columns) {
            (Ok(true), None) => {
                let mut known = HashSet::new();
                if !record.iter().all(|name| known.insert(name)) {
                    return false;
                }
                columns = Some(record.len());
            }
            (Ok(true), Some(columns)) if record.len() != columns => return false,
            (Ok(true), Some(_)) => {}
            (Ok(false), _) => return true,
            (Err(_), _) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_separates_cells() {
        let of =
            |text: &str| delimiter(text.as_bytes()).map(|d| (char::from(d.byte), d.behind)).map_err(|(_, what)| what);
        assert_eq!(of("id,status\n1,open\n"), Ok((',', 0)));
        assert_eq!(of("id;status\n1;open\n"), Ok((';', 0)));
        assert_eq!(of("id\tstatus\n1\topen, or not\n"), Ok(('\t', 0)));
        assert_eq!(of("id|status\r\n1|open\r\n"), Ok(('|', 0)));
        assert_eq!(of("id;status\n"), Ok((';', 0)));
        assert_eq!(of("id\n1\n"), Ok((',', 0)));
        assert_eq!(of(""), Ok((',', 0)));
        assert_eq!(of("\"a;b\"\n1\n"), Ok((',', 0)));
        assert_eq!(of("sep=;\r\nid;a,b\n"), Ok((';', 7)));
        assert_eq!(of("SEP=|\nid\n"), Ok(('|', 6)));
        assert_eq!(of("sep=;,x\n"), Ok((',', 0)));
        assert!(of("id;status\n1\n").unwrap_err().contains("semicolons"));
        assert!(of("id;status\n1;2;3\n").unwrap_err().contains("too many"));
        assert!(of("id;a|b\n1;2\n").unwrap_err().contains("semicolons or by bars"));
        assert!(of("a;a\n1;2\n").is_err());
    }
}
