//! How a look gets the rows of a table, each of them once.
//!
//! A look gets every row of a table of at most 1000 rows, so that its notes are those for a file. From a larger one the
//! database narrows the rows down where it can, and all of them stream by where it cannot.

use std::time::Instant;

use candor_check::evidence::SourceRef;
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_json::{Map, Value};

use super::clause::{Clause, filter};
use super::engine::{Described, Engine, Read, Table};
use super::locator::{by_key, locator};
use super::trouble::{Reach, Trouble};
use crate::look::{Look, Passing};
use crate::rows::Content;

/// The row after the most that a look gets whole, whatever it seeks.
const BEYOND: &str = " LIMIT 1 OFFSET 1000";
/// The most rows that are examined for one that comes near, by the first clause alone.
const NEAR: &str = " LIMIT 100";
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
pub(crate) fn pass(
    engine: &mut dyn Engine,
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
            let passed = Pass { place: &place, table: &table, number: 0, faults: 0 }.all(engine, look);
            look.sort_since(start, |a, b| by_key(&table.key, a, b));
            passed.map(|()| Found::There)
        }
    });
    engine.done();
    passed
}

struct Pass<'a> {
    place: &'a str,
    table: &'a Table,
    number: u64,
    faults: u64,
}

impl Pass<'_> {
    fn all(&mut self, engine: &mut dyn Engine, look: &mut Look<'_>) -> Result<(), Trouble> {
        let start = look.mark();
        // A path into a column may be in any row, and so may a column that is not there.
        let conditions = if look.has_columns() { look.conditions() } else { &[] };
        let filter = filter(engine.dialect(), &self.table.columns, conditions);
        if filter.is_empty() || !self.is_large(engine)? {
            return self.rows(engine, &[], "", look);
        }
        match self.rows(engine, &filter, "", look) {
            // A row that the database cannot compare may be the one.
            Err(trouble) if trouble.reach == Reach::Statement && self.number == 0 => {
                return self.rows(engine, &[], "", look);
            }
            passed => passed?,
        }
        look.selected_by(self.place.to_owned());
        // The rows that come near only make the failure plainer.
        if let [first, _, ..] = filter.as_slice()
            && !look.kept_since(start)
        {
            let _ = self.rows(engine, std::slice::from_ref(first), NEAR, look);
        }
        Ok(())
    }

    fn is_large(&self, engine: &mut dyn Engine) -> Result<bool, Trouble> {
        let mut is_large = false;
        let beyond = engine.rows(self.table, &[], BEYOND, &mut |_| {
            is_large = true;
            true
        });
        match beyond {
            // The rows before the damage count.
            Err(trouble) if trouble.fault == Fault::Recording => Ok(false),
            beyond => beyond.map(|()| is_large),
        }
    }

    fn rows(
        &mut self,
        engine: &mut dyn Engine,
        filter: &[Clause],
        part: &str,
        look: &mut Look<'_>,
    ) -> Result<(), Trouble> {
        let (table, zero_one) = (self.table, engine.dialect().zero_one);
        engine.rows(table, filter, part, &mut |row| {
            self.number += 1;
            match row {
                Ok(row) => self.row(row, zero_one, look),
                Err(what) => {
                    self.fault(what, look);
                    true
                }
            }
        })
    }

    /// Returns `false` when a row had no room, so that no further row is wanted.
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
