//! Rows of fixed width: columns by where they start and how long they are.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;

use crate::content::{Malformed, text};

/// A column of fixed width, as record layouts give it. Characters are counted after decoding, which in the one-byte
/// encodings that such files are written in is to count bytes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name in paths.
    pub name: String,
    /// Its first character, from 1 on.
    pub start: usize,
    /// How many characters it has.
    pub length: usize,
    /// The side of the column where its text lies: padding on the other side is not part of the value.
    #[serde(default)]
    pub align: Align,
}

/// The side of its column that a text is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// Padded behind.
    #[default]
    Left,
    /// Padded before.
    Right,
}

const MOST_COLUMNS: usize = 10_000;
/// The longest record of a layout, in characters.
pub(crate) const LONGEST_RECORD: usize = 1 << 20;
/// The padding of a column: blanks, and the low values of older systems.
const PADDING: [char; 2] = [' ', '\0'];

impl Column {
    pub(crate) fn problem(columns: &[Self]) -> Option<String> {
        if columns.is_empty() || columns.len() > MOST_COLUMNS {
            return Some(format!("`columns` has {} columns; expected 1 to {MOST_COLUMNS}", columns.len()));
        }
        let mut names = std::collections::HashSet::new();
        columns.iter().enumerate().find_map(|(at, column)| {
            let what = match column {
                Self { name, .. } if name.is_empty() => "has no name".to_owned(),
                Self { name, .. } if !names.insert(name) => format!("is called `{name}`, as another one is"),
                Self { start: 0, .. } => "starts at 0; columns count from 1".to_owned(),
                Self { length: 0, .. } => "has no length".to_owned(),
                Self { start, length, .. } if start.saturating_add(*length) > LONGEST_RECORD => {
                    format!("ends behind character {LONGEST_RECORD}, which no record has")
                }
                _ => return None,
            };
            Some(format!("columns[{at}] {what}"))
        })
    }
}

pub(super) fn lines(text: &str) -> Vec<Range<usize>> {
    text::lines(text).map(|(range, _)| range).filter(|range| !range.is_empty()).collect()
}

/// The records of a text, each of as many characters. Line ends may divide them: all, if one follows the first record.
pub(super) fn records(text: &str, length: usize) -> Result<Vec<Range<usize>>, Malformed> {
    if text.chars().nth(length).is_some_and(|next| matches!(next, '\r' | '\n')) {
        let rows = lines(super::without_padding(text));
        let characters = |row: &Range<usize>| text.get(row.clone()).unwrap_or_default().chars().count();
        return match rows.iter().find(|row| characters(row) != length) {
            Some(row) => {
                let found = characters(row);
                Err(Malformed::at(row.start, format!("a line of {found} characters where a record has {length}")))
            }
            None => Ok(rows),
        };
    }
    // The last block may be filled up with NUL and Ctrl-Z; what of that completes a record is the record's own.
    let mut kept = super::without_padding(text).chars().count();
    kept += (length - kept % length) % length;
    let mut records = Vec::new();
    let mut start = 0;
    let mut read = 0;
    for (at, character) in text.char_indices().take(kept) {
        read += 1;
        if read == length {
            records.push(start..at + character.len_utf8());
            start = at + character.len_utf8();
            read = 0;
        }
    }
    if read > 0 {
        return Err(Malformed::at(start, format!("a last record of {read} characters where a record has {length}")));
    }
    Ok(records)
}

/// A column of a row; nothing where the row ends before it begins.
pub(super) fn cell<'a>(text: &'a str, row: &Range<usize>, column: &Column) -> Option<(Cow<'a, str>, Range<usize>)> {
    let line = text.get(row.clone())?;
    let start = byte_of(line, column.start - 1)?;
    let rest = line.get(start..).filter(|rest| !rest.is_empty())?;
    let whole = rest.get(..byte_of(rest, column.length).unwrap_or(rest.len()))?;
    let (value, before) = match column.align {
        Align::Left => (whole.trim_end_matches(PADDING), 0),
        Align::Right => {
            let value = whole.trim_start_matches(PADDING);
            (value, whole.len() - value.len())
        }
    };
    let from = row.start + start + before;
    Some((Cow::Borrowed(value), from..from + value.len()))
}

/// The byte of the n-th character, from 0 on; nothing behind the end.
fn byte_of(text: &str, n: usize) -> Option<usize> {
    if text.is_ascii() {
        return (n <= text.len()).then_some(n);
    }
    text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(n)
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::*;
    use proptest::prelude::*;

    fn shape(columns: &str, record_length: Option<usize>) -> Shape {
        let columns: Vec<Column> = candor_json::from_str(columns).unwrap();
        assert_eq!(Column::problem(&columns), None);
        Shape { columns, record_length, ..Shape::default() }
    }

    fn values(text: &str, path: &str, shape: &Shape) -> Vec<String> {
        let table = Table::fixed(text, shape).unwrap();
        let selected = table.select(&RowPath::parse(path).unwrap());
        for found in &selected.values {
            let span = found.span.clone().unwrap();
            assert_eq!(text.get(span.start as usize..span.end as usize), found.datum.string());
        }
        selected.values.iter().map(|f| f.datum.string().unwrap().to_owned()).collect()
    }

    const COLUMNS: &str = r#"[{"name": "type", "start": 1, "length": 3}, {"name": "id", "start": 4, "length": 5},
        {"name": "amount", "start": 9, "length": 6, "align": "right"}, {"name": "all", "start": 1, "length": 14}]"#;

    #[test]
    fn columns_are_cut_out_and_their_padding_is_dropped() {
        let shape = shape(COLUMNS, None);
        let text = "HDR2026 \r\nCLMA1    10.50\n\nCLMÄ2   112.00\rTRL\0\0\n\u{1a}\0\0";
        assert_eq!(values(text, "type", &shape), ["HDR", "CLM", "CLM", "TRL"]);
        assert_eq!(values(text, "id", &shape), ["2026", "A1", "Ä2", ""]);
        assert_eq!(
            values(text, "amount", &shape),
            ["10.50", "112.00"],
            "a line that ends before it has no such column"
        );
        assert_eq!(values(text, "row[type=CLM].amount", &shape), ["10.50", "112.00"]);
        assert_eq!(values(text, "row[type=CLM][2].all", &shape), ["CLMÄ2   112.00"]);
        assert_eq!(values(text, "1.id", &shape), ["2026"]);
        assert!(values(text, "nothing", &shape).is_empty() && values("", "id", &shape).is_empty());
    }

    #[test]
    fn records_need_no_line_ends() {
        let shape = shape(COLUMNS, Some(14));
        let text = "HDR2026       CLMA1    10.50TRL           ";
        assert_eq!(values(text, "type", &shape), ["HDR", "CLM", "TRL"]);
        assert_eq!(values(&format!("{text}\u{1a}\0\0\0"), "amount", &shape), ["", "10.50", ""]);
        assert_eq!(values("HDR2026\0\0\0\0\0\0\0\0\0\0", "id", &shape), ["2026"]);
        let error = Table::fixed("HDR2026       CLM", &shape).unwrap_err();
        assert!(error.offset == 14 && error.what.contains("3 characters where a record has 14"), "{error:?}");
    }

    #[test]
    fn layouts_that_cannot_be_are_refused() {
        for (columns, problem) in [
            ("[]", "0 columns"),
            (r#"[{"name": "", "start": 1, "length": 1}]"#, "columns[0] has no name"),
            (r#"[{"name": "a", "start": 0, "length": 1}]"#, "count from 1"),
            (r#"[{"name": "a", "start": 1, "length": 0}]"#, "no length"),
            (r#"[{"name": "a", "start": 1, "length": 18446744073709551615}]"#, "no record has"),
            (
                r#"[{"name": "a", "start": 1, "length": 1}, {"name": "a", "start": 2, "length": 1}]"#,
                "as another one is",
            ),
        ] {
            let columns: Vec<Column> = candor_json::from_str(columns).unwrap();
            assert!(Column::problem(&columns).unwrap().contains(problem), "{columns:?}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in "[aé \0\n\r\u{1a}]{0,40}", start in 1usize..9, length in 1usize..9, record in prop::option::of(1usize..9)) {
            let columns = vec![Column { name: "a".to_owned(), start, length, align: Align::Right }];
            let shape = Shape { columns, record_length: record, ..Shape::default() };
            if let Ok(table) = Table::fixed(&text, &shape) {
                for path in ["a", "row[a=a].a", "2.a"] {
                    for found in table.select(&RowPath::parse(path).unwrap()).values {
                        prop_assert!(found.datum.string().unwrap().chars().count() <= length);
                    }
                }
            }
        }

        #[test]
        fn what_is_laid_out_is_read(rows in prop::collection::vec(("[a-zé]{0,5}", "[a-z]{1,4}"), 1..5)) {
            let text: String = rows.iter().map(|(a, b)| format!("{a:<5}{b:>4}\n")).collect();
            let shape = shape(r#"[{"name": "a", "start": 1, "length": 5}, {"name": "b", "start": 6, "length": 4, "align": "right"}]"#, None);
            prop_assert_eq!(values(&text, "a", &shape), rows.iter().map(|(a, _)| a.clone()).collect::<Vec<_>>());
            prop_assert_eq!(values(&text, "b", &shape), rows.iter().map(|(_, b)| b.clone()).collect::<Vec<_>>());
        }
    }
}
