//! How the rows of a table go by a look.
//!
//! A table of no more than [`SMALL`] rows goes by whole, so that what is said of it is what would be said of a file. From
//! a larger one the database narrows the rows down where it can, and all of them stream by where it cannot.

use std::time::Instant;

use candor_check::evidence::SourceRef;
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use serde_json::{Map, Value};

use super::engine::{Column, Described, Engine, Read, Table};
use super::filter::Filter;
use super::locator::{by_key, locator};
use super::trouble::{Reach, Trouble};
use crate::look::{Look, Passing};
use crate::rows::Content;

/// The most rows of a table that go by whole whatever is looked for.
const SMALL: u64 = 1000;
/// The most rows that are looked at for one that comes near, by the first condition alone.
const NEAR: u64 = 100;
/// The most faulty rows that are told one by one.
const MOST_FAULTS: u64 = 100;

pub(crate) enum Found {
    There,
    /// There is no such table or view; these there are, and whether no table holds a row.
    Missing {
        names: Vec<String>,
        no_rows: bool,
    },
}

/// Lets the rows of a resource go by. `place` is the database in locators.
///
/// # Errors
/// What kept them from being read; rows that went by before stay.
pub(crate) fn pass<E: Engine>(
    engine: &mut E,
    place: &str,
    resource: &str,
    look: &mut Look<'_>,
    deadline: Instant,
) -> Result<Found, Trouble> {
    let passed = described(engine, place, resource, look, deadline);
    engine.done();
    passed
}

fn described<E: Engine>(
    engine: &mut E,
    place: &str,
    resource: &str,
    look: &mut Look<'_>,
    deadline: Instant,
) -> Result<Found, Trouble> {
    let table = match engine.describe(resource, deadline)? {
        Described::There(table) => table,
        Described::Missing { names, no_rows } => return Ok(Found::Missing { names, no_rows }),
    };
    look.header(table.columns.iter().map(|column| column.name.as_str()));
    let start = look.mark();
    let place = format!("{place}#{}", table.name);
    let mut passing = Pass { place: &place, table: &table, number: 0, faults: 0, full: false };
    let passed = all(engine, &mut passing, look);
    look.sort_since(&start, |a, b| by_key(&table.key, a, b));
    passed.map(|()| Found::There)
}

fn all<E: Engine>(engine: &mut E, passing: &mut Pass<'_, E::Id>, look: &mut Look<'_>) -> Result<(), Trouble> {
    let table = passing.table;
    let Some(filter) = filter::<E>(&table.columns, look) else {
        return passing.rows(engine, &Filter::default(), None, look);
    };
    let start = look.mark();
    if engine.exceeds(table, SMALL) {
        let passed = passing.rows(engine, &filter, None, look);
        if passed.is_ok() && look.kept_since(&start) {
            look.selected_by(passing.place.to_owned());
            return Ok(());
        }
        look.rewind(&start);
        passing.restart();
    }
    passing.rows(engine, &Filter::default(), Some(SMALL + 1), look)?;
    if passing.number <= SMALL && !passing.full {
        return Ok(());
    }
    look.rewind(&start);
    passing.restart();
    match passing.rows(engine, &filter, None, look) {
        // What the database cannot compare may stand in any row.
        Err(trouble) if trouble.reach == Reach::Statement => {
            look.rewind(&start);
            passing.restart();
            return passing.rows(engine, &Filter::default(), None, look);
        }
        passed => passed?,
    }
    look.selected_by(passing.place.to_owned());
    if !look.kept_since(&start)
        && let [first, _, ..] = filter.clauses.as_slice()
    {
        let near = Filter { clauses: vec![first.clone()] };
        // It only makes a failure plainer.
        let _ = passing.rows(engine, &near, Some(NEAR), look);
    }
    Ok(())
}

/// What the database can narrow the rows down by: nothing unless every condition is on a column, as a path into one may be
/// in any row.
fn filter<E: Engine>(columns: &[Column], look: &Look<'_>) -> Option<Filter> {
    let mut filter = Filter::default();
    for condition in look.conditions() {
        let column = columns.iter().find(|column| column.name == condition.path.as_str())?;
        // What rules and synonyms make the same is for the look to find.
        filter.clauses.extend(condition.plain().and_then(|wanted| E::clause(column, wanted)));
    }
    (!filter.clauses.is_empty()).then_some(filter)
}

struct Pass<'a, I> {
    place: &'a str,
    table: &'a Table<I>,
    number: u64,
    faults: u64,
    /// Whether a row had no room, so that nothing more is wanted.
    full: bool,
}

impl<I> Pass<'_, I> {
    fn restart(&mut self) {
        (self.number, self.faults, self.full) = (0, 0, false);
    }

    fn rows<E: Engine<Id = I>>(
        &mut self,
        engine: &mut E,
        filter: &Filter,
        most: Option<u64>,
        look: &mut Look<'_>,
    ) -> Result<(), Trouble> {
        let table = self.table;
        engine.rows(table, filter, most, &mut |row| {
            self.number += 1;
            match row {
                Ok(row) => self.full = !look.row(self.passing(row, E::ZERO_ONE).borrowed()),
                Err(what) => self.fault(what, look),
            }
            !self.full
        })
    }

    fn passing(&self, row: Read, zero_one: bool) -> Row {
        let number = row.number;
        let columns: Map<String, Value> =
            self.table.columns.iter().map(|column| column.name.clone()).zip(row.values).collect();
        let key: Vec<(&str, &Value)> =
            self.table.key.iter().filter_map(|name| Some((name.as_str(), columns.get(name)?))).collect();
        let by_number = number.map(Value::from);
        let locator = match (&by_number, key.is_empty()) {
            (Some(number), true) => locator(self.place, &[("rowid", number)], self.number),
            _ => locator(self.place, &key, self.number),
        };
        let columns = Value::Object(columns);
        Row { locator, content: if zero_one { Content::ZeroOne(columns) } else { Content::Typed(columns) } }
    }

    fn fault(&mut self, what: String, look: &mut Look<'_>) {
        self.faults += 1;
        let what = match self.faults {
            ..MOST_FAULTS => what,
            MOST_FAULTS => "the rows after it cannot all be read either".to_owned(),
            _ => return,
        };
        let place = Location::whole(locator(self.place, &[], self.number));
        look.unreadable(Unreadable { place, what, fault: Fault::Recording });
    }
}

struct Row {
    locator: String,
    content: Content,
}

impl Row {
    fn borrowed(&self) -> Passing<'_> {
        Passing {
            source: SourceRef { locator: self.locator.clone(), sha256: None, span: None, record: None },
            label: self.locator.clone(),
            content: &self.content,
            short: None,
        }
    }
}
