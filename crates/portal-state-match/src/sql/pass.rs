//! How a look gets the rows of a table.
//!
//! A look gets every row of a table of at most [`SMALL`] rows, so that its notes are those for a file. From a larger
//! one the database narrows the rows down where it can, and all of them stream by where it cannot.

use std::time::Instant;

use candor_check::evidence::SourceRef;
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_json::{Map, Value};

use super::clause::Clause;
use super::engine::{Described, Engine, Read, Table};
use super::filter::filter;
use super::locator::{by_key, locator};
use super::trouble::{Reach, Trouble};
use crate::look::{Look, Mark, Passing};
use crate::rows::Content;

/// The most rows of a table that a look gets whole, whatever it seeks.
const SMALL: u64 = 1000;
/// The most rows that are examined for one that comes near, by the first condition alone.
const NEAR: u64 = 100;
/// The most faulty rows that are listed one by one.
const MOST_FAULTS: u64 = 100;

pub(crate) enum Found {
    There,
    /// There is no such table or view; these there are, and whether no table holds a row.
    Missing {
        names: Vec<String>,
        no_rows: bool,
    },
}

/// Hands the rows of a resource to a look. `place` is the database in locators.
///
/// # Errors
/// The obstacle to reading them; the look keeps the rows that it got before.
pub(crate) fn pass<E: Engine>(
    engine: &mut E,
    place: &str,
    resource: &str,
    look: &mut Look<'_>,
    deadline: Instant,
) -> Result<Found, Trouble> {
    let passed = engine.describe(resource, deadline).and_then(|described| match described {
        Described::Missing { names, no_rows } => Ok(Found::Missing { names, no_rows }),
        Described::There(table) => {
            look.header(table.columns.iter().map(|column| column.name.as_str()));
            let start = look.mark();
            let place = format!("{place}#{}", table.name);
            let mut passing = Pass { place: &place, table: &table, number: 0, faults: 0, full: false };
            let passed = all(engine, &mut passing, look, &start);
            look.sort_since(&start, |a, b| by_key(&table.key, a, b));
            passed.map(|()| Found::There)
        }
    });
    engine.done();
    passed
}

fn all<E: Engine>(
    engine: &mut E,
    passing: &mut Pass<'_, E::Id>,
    look: &mut Look<'_>,
    start: &Mark,
) -> Result<(), Trouble> {
    let filter = filter(&E::DIALECT, &passing.table.columns, look.conditions());
    let is_large = !filter.is_empty() && engine.exceeds(passing.table, SMALL);
    if !is_large {
        let most = (!filter.is_empty()).then_some(SMALL + 1);
        passing.rows(engine, &[], most, look)?;
        if most.is_none() || passing.number <= SMALL && !passing.full {
            return Ok(());
        }
        passing.rewind(look, start);
    }
    match passing.rows(engine, &filter, None, look) {
        // A row that the database cannot compare may be the one.
        Err(trouble) if trouble.reach == Reach::Statement => {
            passing.rewind(look, start);
            return passing.rows(engine, &[], None, look);
        }
        passed => passed?,
    }
    look.selected_by(passing.place.to_owned());
    if look.kept_since(start) {
        return Ok(());
    }
    // The rows that come near only make the failure plainer; but a table that cannot be read proves nothing.
    if is_large {
        let selected = look.mark();
        passing.rows(engine, &[], Some(SMALL + 1), look)?;
        passing.rewind(look, &selected);
    }
    if let [first, _, ..] = filter.as_slice() {
        let _ = passing.rows(engine, std::slice::from_ref(first), Some(NEAR), look);
    }
    Ok(())
}

struct Pass<'a, I> {
    place: &'a str,
    table: &'a Table<I>,
    number: u64,
    faults: u64,
    /// Set when a row had no room, so that no further row is wanted.
    full: bool,
}

impl<I> Pass<'_, I> {
    fn rewind(&mut self, look: &mut Look<'_>, to: &Mark) {
        look.rewind(to);
        (self.number, self.faults, self.full) = (0, 0, false);
    }

    fn rows<E: Engine<Id = I>>(
        &mut self,
        engine: &mut E,
        filter: &[Clause],
        most: Option<u64>,
        look: &mut Look<'_>,
    ) -> Result<(), Trouble> {
        let table = self.table;
        engine.rows(table, filter, most, &mut |row| {
            self.number += 1;
            match row {
                Ok(row) => self.full = !self.row(row, E::DIALECT.zero_one, look),
                Err(what) => self.fault(what, look),
            }
            !self.full
        })
    }

    fn row(&self, row: Read, zero_one: bool, look: &mut Look<'_>) -> bool {
        let by_number = row.number.map(Value::from);
        let columns: Map<String, Value> =
            self.table.columns.iter().map(|column| column.name.clone()).zip(row.values).collect();
        let mut key: Vec<(&str, &Value)> =
            self.table.key.iter().filter_map(|name| Some((name.as_str(), columns.get(name)?))).collect();
        if key.is_empty() {
            key.extend(by_number.as_ref().map(|number| ("rowid", number)));
        }
        let label = locator(self.place, &key, self.number);
        let source = SourceRef { locator: label.as_str().into(), sha256: None, span: None, record: None };
        let columns = Value::Object(columns);
        let content = &if zero_one { Content::ZeroOne(columns) } else { Content::Typed(columns) };
        look.row(Passing { source, label, content, whole: None, short: None })
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
