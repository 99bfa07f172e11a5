//! Text files.

use std::borrow::Cow;
use std::ops::Range;

use candor_check::compare::Datum;
use candor_check::field::{Found, Selection};

use super::span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextPath {
    Text,
    Lines,
    Pages,
}

impl TextPath {
    pub(super) fn parse(written: &str) -> Option<Self> {
        match written {
            "$text" => Some(Self::Text),
            "$lines" => Some(Self::Lines),
            "$pages" => Some(Self::Pages),
            _ => None,
        }
    }
}

/// The lines of a text, ended by LF, CR LF or CR; the end of the last one makes no further line.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let line = (start..start + length, rest.get(..length).unwrap_or_default());
        let end = rest.get(length..).unwrap_or_default();
        start += length + if end.starts_with("\r\n") { 2 } else { end.len().min(1) };
        Some(line)
    })
}

pub(super) fn select(text: &str, path: TextPath) -> Selection<'_> {
    let found = |range: Range<usize>, text| Found { datum: Datum::Text(Cow::Borrowed(text)), span: span(range) };
    Selection::texts(match path {
        TextPath::Text => vec![found(0..text.len(), text)],
        // A text does not have pages.
        TextPath::Pages => Vec::new(),
        TextPath::Lines => lines(text).map(|(range, line)| found(range, line)).collect(),
    })
}
