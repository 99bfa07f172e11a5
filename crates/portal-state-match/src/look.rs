//! A look at a resource: every row passes through it, and it keeps those that `correlate_by` selects, with the nearest
//! of the others. Every source hands its rows to a [`Look`], so that selection, near misses and the notes on missing
//! columns are the same for all of them.

use std::borrow::Cow;

use candor_check::Obstacle;
use candor_check::evidence::{SharedText, SourceRef, quoted};
use candor_check::records::{Candidate, Fault, NearMiss, Observation, Unreadable};
use candor_check::sandbox::reads_like_an_error;
use candor_json::Value;

use crate::path::ColumnPath;
use crate::rows::{Content, Held, Short, Sought, named};
use crate::seen::{Missing, Seen};
use crate::selection::{Condition, CorrelateBy, Met};

/// The column `id` of a row, by which people know it: `id PA-1001`.
fn id_of(row: &Content) -> Option<String> {
    let (name, id) = row.columns().as_object()?.iter().find(|(name, _)| name.eq_ignore_ascii_case("id"))?;
    let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    (!id.is_empty()).then(|| format!("{name} {id}"))
}

pub(crate) struct Passing<'a> {
    pub(crate) source: SourceRef,
    pub(crate) label: String,
    pub(crate) content: &'a Content,
    /// The row with all of its columns, where the content has those alone that the look reads.
    pub(crate) whole: Option<&'a dyn Fn() -> Option<Content>>,
    /// Set where it has fewer cells than the header of its file.
    pub(crate) short: Option<Lacking<'a>>,
}

/// The missing cells of a row that has fewer cells than its header.
pub(crate) struct Lacking<'a> {
    short: Short,
    header: &'a [String],
}

impl<'a> Lacking<'a> {
    pub(crate) fn of(short: Option<Short>, header: &'a [String]) -> Option<Self> {
        short.map(|short| Self { short, header })
    }

    /// The first column that is missing and that a path reads.
    fn missing(&self, path: &ColumnPath) -> Option<&'a str> {
        self.behind(self.short.cells, path)
    }

    /// The same; a last cell that may go on does not say what it holds.
    fn unsure(&self, path: &ColumnPath) -> Option<&'a str> {
        self.behind(self.short.cells - usize::from(self.short.may_go_on && self.short.cells > 0), path)
    }

    fn behind(&self, cells: usize, path: &ColumnPath) -> Option<&'a str> {
        self.header.iter().skip(cells).map(String::as_str).find(|column| !column.is_empty() && path.reads(column))
    }

    fn described(&self, column: Option<&str>) -> String {
        let (cells, columns) = (self.short.cells, self.header.len());
        let noun = if cells == 1 { "cell" } else { "cells" };
        let lacks = column.map_or(" and no line end: the file is cut off".to_owned(), |column| {
            format!(": it ends before `{column}`")
        });
        format!("has {cells} {noun}, the header {columns} columns{lacks}")
    }
}

pub(crate) struct Look<'a> {
    conditions: &'a [Condition],
    bounded: bool,
    /// How many rows there were of which no one can tell whether they are selected.
    open: u64,
    rows: Observation<Content>,
    /// Further columns that must be there.
    needed: &'a [ColumnPath],
    /// The columns that something is asserted of, in addition to those of the conditions.
    asserted: &'a [ColumnPath],
    /// Rows of CSV may lack columns.
    short_rows: bool,
    /// By condition: in which ways it was met by rows that were selected.
    met: Vec<Vec<Met>>,
    /// By condition, then by further column: whether the column is there, in a header or in a row.
    is_there: Vec<bool>,
    known: Vec<String>,
    has_header: bool,
    near: Option<((usize, bool), NearMiss)>,
    /// Set where the nearest hides a part of what was looked for.
    masked: Option<String>,
    /// The bytes that kept rows may still take.
    left: u64,
    /// Rows went by that were not looked at.
    unseen: bool,
}

/// The most columns that are remembered for who misspelled one, the rows they are gathered from, and how long they are.
const MOST_COLUMNS: usize = 200;
const ROWS_FOR_COLUMNS: u64 = if cfg!(test) { 3 } else { 1000 };
const LONGEST_COLUMN: usize = 60;

/// The most rows that are named one by one as open.
const MOST_OPEN: u64 = 100;

impl<'a> Look<'a> {
    /// Nothing has gone by. At most about `budget` bytes of rows are kept.
    pub(crate) fn new(correlate_by: &'a CorrelateBy, budget: u64) -> Self {
        let conditions = correlate_by.conditions.as_slice();
        Self {
            conditions,
            bounded: correlate_by.bounded,
            open: 0,
            rows: Observation::default(),
            needed: &correlate_by.needed,
            asserted: &correlate_by.asserted,
            short_rows: correlate_by.short_rows,
            met: vec![Vec::new(); conditions.len()],
            is_there: vec![false; conditions.len() + correlate_by.needed.len()],
            known: Vec::new(),
            has_header: false,
            near: None,
            masked: None,
            left: budget,
            unseen: false,
        }
    }

    /// The columns that a source names apart from its rows: they are there even when no row is.
    pub(crate) fn header<'b>(&mut self, columns: impl IntoIterator<Item = &'b str>) {
        for column in columns {
            self.has_header = true;
            let columns = self.conditions.iter().map(|condition| &condition.path).chain(self.needed);
            for (is_there, path) in self.is_there.iter_mut().zip(columns) {
                *is_there |= path.as_str() == column;
            }
            self.remember(column);
        }
    }

    /// Takes the next row. `false` if it was to be kept and there is no room for it; it then counts as unreadable, and
    /// no row may follow it.
    pub(crate) fn row(&mut self, row: Passing<'_>) -> bool {
        self.rows.considered += 1;
        if self.rows.considered <= ROWS_FOR_COLUMNS
            && let Some(columns) = row.content.columns().as_object()
        {
            columns.keys().for_each(|column| self.remember(column));
        }
        let columns = self.conditions.iter().map(|condition| &condition.path).chain(self.needed);
        for (is_there, path) in self.is_there.iter_mut().zip(columns) {
            *is_there = *is_there || path.is_in(row.content);
        }
        let met: Vec<Met> = self.conditions.iter().map(|condition| self.met(condition, &row)).collect();
        if let Some((what, is_unread)) = self.lacks(&row, &met) {
            let place = row.source.place();
            self.unreadable(Unreadable { place, what, fault: Fault::Recording });
            if is_unread {
                return true;
            }
        }
        if met.iter().any(|met| matches!(met, Met::No | Met::Open)) {
            if let Some(why) = self.open(&row, &met) {
                self.leave_open(row, why);
            } else {
                self.pass_by(&row, &met);
            }
            return true;
        }
        let whole = row.whole.and_then(|whole| whole());
        let content = whole.as_ref().unwrap_or(row.content);
        let Some(left) = self.left.checked_sub(content.cost()) else {
            self.rows.unreadable.push(Unreadable {
                place: row.source.place(),
                what: "the rows selected from here on take more memory than is allowed (limit max_total_bytes)".into(),
                fault: Fault::Obstacle(Obstacle::LimitExceeded),
            });
            return false;
        };
        self.left = left;
        for (seen, met) in self.met.iter_mut().zip(met) {
            if !seen.contains(&met) {
                seen.push(met);
            }
        }
        // The place of a row of a database names its key already.
        let id = row.source.span.and_then(|_| id_of(content));
        let record = id.map(Into::into).or(row.source.record);
        let source = SourceRef { record, ..row.source };
        let content = whole.unwrap_or_else(|| row.content.clone());
        let candidate = Candidate { source, label: row.label.into(), content };
        self.rows.candidates.push(candidate.shared_with(self.rows.candidates.last()));
        true
    }

    /// The rows of a file that may be selected; nothing where every row may.
    pub(crate) fn sought(&self, rows: &Held) -> Option<Sought> {
        self.conditions.iter().find_map(|condition| condition.sought(rows))
    }

    /// Skips rows that are surely not selected, and moves `from` past them. Returns `false` if it skips nothing: the first row
    /// is always seen, because it may be the nearest one.
    pub(crate) fn unseen(&mut self, sought: &Sought, from: &mut usize) -> bool {
        let is_first = self.near.is_none() && self.rows.candidates.is_empty();
        let others = if is_first { 0 } else { sought.others(*from) };
        *from += others;
        self.rows.considered += others as u64;
        self.unseen |= others > 0;
        others > 0
    }

    /// If skipped rows could change the result: a column may be in them alone, and a row that does not meet one condition
    /// may be the nearest by another one or by its form.
    pub(crate) fn missed_some(&self) -> bool {
        let by_others = self.conditions.len() > 1 || self.conditions.iter().any(Condition::has_rules);
        self.unseen && (by_others && self.rows.candidates.is_empty() || !self.has_columns())
    }

    pub(crate) fn reads(&self, column: &str) -> bool {
        let mut paths = self.conditions.iter().map(|condition| &condition.path).chain(self.needed);
        self.rows.considered < ROWS_FOR_COLUMNS || paths.any(|path| path.reads(column))
    }

    fn met(&self, condition: &Condition, row: &Passing<'_>) -> Met {
        let short = row.short.as_ref().filter(|_| !self.short_rows);
        match short.and_then(|short| short.unsure(&condition.path)) {
            Some(_) => Met::Lacking,
            None => condition.met_by(row.content),
        }
    }

    /// The columns that a row lacks, as a sentence, and `true` if the row itself cannot be read: a column that something is read from,
    /// where the row may be selected; else the end of its file.
    fn lacks(&self, row: &Passing<'_>, met: &[Met]) -> Option<(String, bool)> {
        let short = row.short.as_ref().filter(|_| !self.short_rows)?;
        let conditions = self.conditions.iter().zip(met).filter(|(_, met)| **met == Met::Lacking);
        let unsure = conditions.filter_map(|(condition, _)| short.unsure(&condition.path));
        let mut columns = unsure.chain(self.asserted.iter().filter_map(|path| short.missing(path)));
        let column = if met.contains(&Met::No) { None } else { columns.next() };
        let place = format!(" of {}", row.source.locator);
        let label = row.label.strip_suffix(place.as_str()).unwrap_or(&row.label);
        let lacks = || (format!("{label} {}", short.described(column)), column.is_some());
        (column.is_some() || short.short.may_go_on).then(lacks)
    }

    /// Why a file is not a table of what is asked for: it does not have the columns, and reads like the text of an error that
    /// was stored under its name.
    pub(crate) fn foreign(&self, rows: &Held) -> Option<String> {
        let mut names: Vec<Cow<'_, str>> = Vec::new();
        for name in rows.names() {
            let mut asked = self.conditions.iter().map(|condition| &condition.path).chain(self.asserted);
            if asked.any(|path| path.reads(&name)) {
                return None;
            }
            if names.len() < 2 && !names.contains(&name) {
                names.push(name);
            }
        }
        let first = names.first()?;
        let (asks, is_empty) = (!self.conditions.is_empty() || !self.asserted.is_empty(), rows.len() == 0);
        let is_error = || is_empty && reads_like_an_error(first);
        let alone = names.len() == 1 && (asks || first.contains(' ') || is_error());
        let is_message =
            alone || first.contains(": ") || asks && is_empty && names.iter().any(|name| name.contains(' '));
        is_message.then(|| match asks {
            true => format!("the file does not have the columns asked for; it begins with {}", named(first)),
            false => format!("the file is not a table; it begins with {}", named(first)),
        })
    }

    /// Why no one can tell whether a row is selected; nothing where it surely is not.
    fn open(&self, row: &Passing<'_>, met: &[Met]) -> Option<String> {
        let mut why = None;
        for (condition, met) in self.conditions.iter().zip(met) {
            let column = condition.path.as_str();
            match met {
                Met::No if self.bounded => {
                    let masked = quoted(&Value::String(condition.masked_in(row.content)?));
                    why = Some(format!("hides a part of `{column}` ({masked})"));
                }
                Met::No => return None,
                Met::Open => why = Some(format!("does not say in one way only what `{column}` is")),
                Met::Yes | Met::AsText | Met::ByRules | Met::BySynonym | Met::Lacking => {}
            }
        }
        why
    }

    fn leave_open(&mut self, row: Passing<'_>, why: String) {
        self.open += 1;
        let what = match self.open {
            ..MOST_OPEN => format!("{} {why}, so Candor cannot tell whether it is selected", row.label),
            MOST_OPEN => format!("{} and rows after it leave open whether they are selected", row.label),
            _ => return,
        };
        let place = row.source.place();
        self.unreadable(Unreadable { place, what, fault: Fault::Obstacle(Obstacle::Undecidable) });
    }

    pub(crate) fn conditions(&self) -> &'a [Condition] {
        self.conditions
    }

    /// True if every column that is asked of is known to be there.
    pub(crate) fn has_columns(&self) -> bool {
        !self.is_there.contains(&false)
    }

    /// How many rows are kept so far.
    pub(crate) fn mark(&self) -> usize {
        self.rows.candidates.len()
    }

    pub(crate) fn kept_since(&self, mark: usize) -> bool {
        self.rows.candidates.len() > mark
    }

    /// Puts what was kept since into an order; equals stay as they came.
    pub(crate) fn sort_since(&mut self, mark: usize, order: impl Fn(&Value, &Value) -> std::cmp::Ordering) {
        if let Some(candidates) = self.rows.candidates.get_mut(mark..) {
            candidates.sort_by(|a, b| order(a.content.columns(), b.content.columns()));
        }
    }

    /// Says of what was kept since that it is of a file with this hash.
    pub(crate) fn hash_since(&mut self, mark: usize, sha256: &str) {
        let sha256 = SharedText::from(sha256);
        for candidate in self.rows.candidates.iter_mut().skip(mark) {
            candidate.source.sha256 = Some(sha256.clone());
        }
    }

    /// Something selected the rows before they went by, so that there may be more of them.
    pub(crate) fn selected_by(&mut self, server: String) {
        self.rows.server = Some(server);
    }

    pub(crate) fn unreadable(&mut self, unreadable: Unreadable) {
        self.rows.unreadable.push(unreadable);
    }

    pub(crate) fn note(&mut self, note: String) {
        self.rows.notes.push(note);
    }

    /// Of the rows the one that meets most conditions; of equals the one whose value differs in its form only, then the
    /// first.
    fn pass_by(&mut self, row: &Passing<'_>, met: &[Met]) {
        if !self.rows.candidates.is_empty() {
            return;
        }
        let number = met.iter().filter(|met| **met != Met::No).count();
        let first = self.conditions.iter().zip(met).find(|(_, met)| **met == Met::No);
        let Some((condition, _)) = first else { return };
        let rank = (number, condition.nearly_met_by(row.content));
        if self.near.as_ref().is_some_and(|(so_far, _)| rank <= *so_far) {
            return;
        }
        let near = NearMiss {
            place: row.source.place(),
            label: row.label.clone(),
            path: condition.path.as_str().to_owned(),
            expected: condition.expected(),
            actual: condition.actual(row.content),
            matched: (number, met.len()),
        };
        self.masked = condition.masked_in(row.content).map(|masked| {
            let (label, column) = (&row.label, condition.path.as_str());
            let masked = quoted(&Value::String(masked));
            format!("{label} hides a part of `{column}` ({masked}), so that it is not known to be the one.")
        });
        self.near = Some((rank, near));
    }

    fn remember(&mut self, column: &str) {
        if self.known.len() < MOST_COLUMNS
            && column.chars().take(LONGEST_COLUMN + 1).count() <= LONGEST_COLUMN
            && !self.known.iter().any(|known| known == column)
        {
            self.known.push(column.to_owned());
        }
    }

    pub(crate) fn finish(mut self) -> Seen {
        for how in [Met::AsText, Met::ByRules, Met::BySynonym] {
            let met = self.conditions.iter().zip(&self.met).filter(|(_, met)| met.contains(&how));
            let columns: Vec<String> = met.map(|(condition, _)| format!("`{}`", condition.path.as_str())).collect();
            if let Some(said) = how.how().filter(|_| !columns.is_empty()) {
                self.rows.notes.insert(0, format!("{} {said}.", columns.join(" and ")));
            }
        }
        let mut seen = Seen { rows: self.rows, missing: None, ..Seen::default() };
        if seen.rows.considered > 0 || self.has_header {
            // In rows that lack a column altogether nothing says that it is null there, and not that its name is another.
            let none = seen.rows.candidates.is_empty();
            let counts = |condition: &Condition| none || condition.wants_null();
            let conditions = self.conditions.iter().map(|condition| (&condition.path, counts(condition)));
            let needed = self.needed.iter().map(|path| (path, true));
            let mut all = conditions.chain(needed).zip(&self.is_there);
            let missing = all.find(|((_, counts), is_there)| *counts && !**is_there);
            seen.missing = missing
                .map(|((path, _), _)| Missing::Column(path.as_str().to_owned(), std::mem::take(&mut self.known)));
        }
        if seen.missing.is_some() {
            seen.rows.candidates.clear();
        }
        if seen.rows.candidates.is_empty() {
            seen.rows.near = self.near.map(|(_, near)| near);
            seen.rows.notes.extend(self.masked);
        }
        seen
    }
}
