//! The rows of a file that is held for several criteria. Those of JSON stay as they are written, and are made when they are
//! asked for: of most rows nothing but a key is ever compared.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use candor_check::compare::{Rule, normalized};
use candor_check::sandbox::FileBytes;
use candor_check::strict_json::members;
use candor_check::work::cancelled;
use candor_json::{Map, Value};

use super::{Content, CsvForm, Format, Place, Row, RowFault, Rows, read_into};
use crate::mask::{bare, is_masked};

/// A mark for each row.
pub(crate) type Marks = Arc<Vec<u32>>;

pub(crate) struct Held {
    /// The rows of other formats than JSON, and what is known of all rows.
    pub(crate) read: Rows,
    /// The bytes of rows of JSON; of a file of another format nothing but the hash.
    pub(crate) file: FileBytes,
    pub(crate) places: Vec<Place>,
    pub(crate) zero_one: bool,
    /// By column and rules.
    pub(crate) marks: Mutex<BTreeMap<(String, Vec<Rule>), Marks>>,
}

impl Held {
    /// Reads the rows of a file, and what of it could not be read; see [`read`](super::read). `zero_one` is set if 0 and 1
    /// are truth values.
    pub(crate) fn read(
        format: Format,
        csv: &CsvForm,
        file: FileBytes,
        budget: &mut u64,
        zero_one: bool,
    ) -> (Self, Vec<RowFault>) {
        let (mut read, places) = read_into(Some(Vec::new()), format, csv, &file.bytes, budget);
        let faults = std::mem::take(&mut read.faults);
        let file = if places.is_empty() { file.without_bytes() } else { file };
        (Self { read, file, places, zero_one, marks: Mutex::default() }, faults)
    }

    pub(crate) fn len(&self) -> usize {
        self.read.rows.len() + self.places.len()
    }

    /// A row, with the columns that `reads` names alone where it is one of JSON.
    pub(crate) fn row(&self, at: usize, reads: &dyn Fn(&str) -> bool) -> Option<Cow<'_, Row>> {
        if let Some(row) = self.read.rows.get(at) {
            return Some(Cow::Borrowed(row));
        }
        let &(number, span) = self.places.get(at)?;
        let columns = self.members(at).filter(|(name, _)| reads(name));
        let columns = columns.filter_map(|(name, value)| Some((name.into_owned(), candor_json::from_str(value).ok()?)));
        let mut content = Content::Typed(Value::Object(columns.collect::<Map<_, _>>()));
        if self.zero_one {
            content.make_zero_one();
        }
        Some(Cow::Owned(Row { number, span, content, short: None }))
    }

    /// The names of the columns: those of the header, then row by row.
    pub(crate) fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let rows = self.read.rows.iter().filter_map(|row| row.content.columns().as_object());
        let read = self.read.header.iter().chain(rows.flat_map(Map::keys)).map(|name| Cow::Borrowed(name.as_str()));
        read.chain((0..self.places.len()).flat_map(|at| self.members(at).map(|(name, _)| name)))
    }

    /// The mark of a column in each row of JSON; see [`mark`].
    pub(crate) fn marks(&self, column: &str, rules: &[Rule]) -> Marks {
        let key = (column.to_owned(), rules.to_vec());
        let mut known = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(marks) = known.get(&key) {
            return Arc::clone(marks);
        }
        let of_row = |at| {
            let found = self.members(at).find(|(name, _)| name == column);
            found.map_or(NOTHING, |(_, value)| mark_of_json(value, rules))
        };
        let rows = (0..self.places.len()).take_while(|_| !cancelled());
        let marks = Arc::new(rows.map(of_row).collect::<Vec<_>>());
        // What was broken off is not kept for the others.
        if !cancelled() {
            known.insert(key, Arc::clone(&marks));
        }
        marks
    }

    fn members(&self, at: usize) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        let bytes = self.places.get(at).and_then(|(_, (from, to))| self.file.bytes.get(place(*from)..place(*to)));
        members(bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default())
    }
}

/// Marks of rows, and those of what is wanted.
pub(crate) struct Sought {
    pub(crate) marks: Marks,
    pub(crate) wanted: Vec<u32>,
}

impl Sought {
    /// How many rows from one on are surely not wanted.
    pub(crate) fn others(&self, from: usize) -> usize {
        /// So many are compared without a branch, several at once.
        const STRETCH: usize = 64;
        let rows = self.marks.get(from..).unwrap_or_default();
        let sought = || self.wanted.iter().chain([&ANYTHING]);
        let lacks = |rows: &&[u32]| !sought().any(|one| rows.iter().fold(false, |found, mark| found | (mark == one)));
        let others: usize = rows.chunks(STRETCH).take_while(lacks).map(<[u32]>::len).sum();
        let rest = rows.get(others..).unwrap_or_default();
        others + rest.iter().take_while(|mark| !sought().any(|one| one == *mark)).count()
    }
}

/// The mark of what has to be looked at whatever is wanted: it may be written in several ways, hide a part of itself, or be
/// more than one value.
const ANYTHING: u32 = 0;
/// The mark of what is null or not there.
const NOTHING: u32 = 1;

/// The mark of a text and of all that equal it by these rules; without rules, of all that differ from it in form only.
/// Others may have it, too.
pub(crate) fn mark(text: &str, rules: &[Rule]) -> u32 {
    bare(&normalized(rules, text)).fold(2_166_136_261, |mark: u32, c| (mark ^ u32::from(c)).wrapping_mul(16_777_619))
}

fn mark_of_json(value: &str, rules: &[Rule]) -> u32 {
    match value.as_bytes() {
        [b'n', ..] => NOTHING,
        [b'"', ..] => {
            let plain = value.get(1..value.len().saturating_sub(1)).filter(|text| !text.contains('\\'));
            let text = plain.map(Cow::Borrowed).or_else(|| candor_json::from_str(value).ok().map(Cow::Owned));
            text.filter(|text: &Cow<'_, str>| !is_masked(text)).map_or(ANYTHING, |text| mark(&text, rules))
        }
        number if number.iter().all(u8::is_ascii_digit) => mark(value, rules),
        _ => ANYTHING,
    }
}
