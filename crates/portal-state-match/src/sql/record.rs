//! A database to files: every table that is asked for, row by row.

use std::path::Path;
use std::time::{Duration, Instant};

use candor_check::Unverifiable;
use candor_check::field::Location;
use candor_check::records::Unreadable;
use candor_check::sandbox::Recorded;
use candor_json::{Map, Value};

use super::engine::{Described, Engine, within};
use super::trouble::{Reach, Trouble};
use crate::source::PART;
use crate::source::facts::{Facts, TableFacts};
use crate::source::ndjson::{RowWriter, gap};

/// The most names of tables that an engine lists.
const MOST_LISTED: usize = 500;

/// Writes the tables into a folder: those that are named, else all that there are. Each has `timeout` to be read. What could
/// not be read is a gap at the file of its table.
pub(crate) fn record(
    engine: &mut dyn Engine,
    tables: Option<&[String]>,
    timeout: Duration,
    into: &Path,
    recorded: &mut Recorded,
    facts: &mut Facts,
) -> Result<(), Failed> {
    let deadline = || Instant::now() + within(timeout);
    let names = match tables {
        Some(names) => names.to_vec(),
        None => {
            // Where no table has an empty name, as none should, this lists the others.
            let others = engine.describe("", deadline());
            engine.done();
            match others? {
                Described::Missing { names, .. } => names,
                Described::There(_) => {
                    let what = "a table has an empty name, so that the others are not listed; name them in `tables`";
                    recorded.gaps.push(of_all(what));
                    Vec::new()
                }
            }
        }
    };
    if tables.is_none() && names.len() >= MOST_LISTED {
        let what = format!("there may be more tables than the {MOST_LISTED} that are listed; name them in `tables`");
        recorded.gaps.push(of_all(what));
    }
    for name in &names {
        let written = table(engine, name, deadline(), into, recorded, facts);
        engine.done();
        match written {
            Ok(()) => {}
            Err(Failed::Database(trouble)) if trouble.reach != Reach::Connection => {
                recorded.gaps.push(gap(name, trouble.what));
            }
            Err(failed) => return Err(failed),
        }
    }
    recorded.only = tables.map(<[String]>::to_vec);
    Ok(())
}

/// Something that may have kept any table from being captured.
fn of_all(what: impl Into<String>) -> Unreadable {
    Unreadable { place: Location::whole(format!("{PART}/")), ..gap("", what) }
}

pub(crate) enum Failed {
    Database(Trouble),
    File(Unverifiable),
}

impl From<Trouble> for Failed {
    fn from(trouble: Trouble) -> Self {
        Self::Database(trouble)
    }
}

impl Failed {
    pub(crate) fn of(self, place: &str) -> Unverifiable {
        match self {
            Self::Database(trouble) => trouble.of(place),
            Self::File(why) => why,
        }
    }
}

fn table(
    engine: &mut dyn Engine,
    name: &str,
    deadline: Instant,
    into: &Path,
    recorded: &mut Recorded,
    facts: &mut Facts,
) -> Result<(), Failed> {
    let table = match engine.describe(name, deadline)? {
        Described::There(table) => table,
        Described::Missing { .. } => {
            recorded.gaps.push(gap(name, "there is no such table or view"));
            return Ok(());
        }
    };
    let mut file = RowWriter::new(into, name).map_err(Failed::File)?;
    let mut unread = 0u64;
    let passed = engine.rows(&table, &[], "", &mut |row| match row {
        Ok(row) => {
            let columns = table.columns.iter().map(|column| column.name.clone()).zip(row.values);
            file.row(&Value::Object(columns.collect::<Map<String, Value>>()))
        }
        Err(what) => {
            unread += 1;
            if unread == 1 {
                recorded.gaps.push(gap(name, what));
            }
            true
        }
    });
    file.finish().map_err(Failed::File)?;
    passed?;
    let columns = table.columns.into_iter().map(|column| (column.name, column.kind)).collect();
    facts.tables.insert(name.to_owned(), TableFacts { columns, key: table.key, zero_one: engine.dialect().zero_one });
    Ok(())
}
