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
