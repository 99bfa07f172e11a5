//! SQLite files. Nothing is ever written next to one: see [`open`].

mod beside;
mod bounds;
mod journal;
mod open;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use candor_check::Obstacle;
use candor_check::sandbox::Limits;
use candor_check::work::cancelled;
use candor_json::{Value, json};
use rusqlite::types::ValueRef;
use rusqlite::{OptionalExtension as _, params_from_iter};

use super::clause::{Bound, Clause, Dialect, narrowed, quoted};
use super::engine::{Column, Described, Each, Engine, Read, Table, real};
use super::file::{SQLITE, SqliteFile};
use super::trouble::{Reach, Trouble};
use bounds::Bounds;
use open::{Manner, Opened};

/// The most names of tables that are remembered.
const MOST_NAMES: usize = 500;

pub(crate) struct Sqlite {
    opened: Opened,
    clock: Clock,
}

/// When the statement that runs has to be over; shared with the handler that SQLite calls while it runs.
#[derive(Clone)]
struct Clock {
    start: Instant,
    /// Milliseconds after `start`.
    end: Arc<AtomicU64>,
}

impl Clock {
    fn new() -> Self {
        Self { start: Instant::now(), end: Arc::new(AtomicU64::new(u64::MAX)) }
    }

    fn set(&self, deadline: Instant) {
        let end = deadline.saturating_duration_since(self.start).as_millis();
        self.end.store(u64::try_from(end).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        // SQLite asks on the thread of the statement.
        cancelled() || self.start.elapsed().as_millis() >= u128::from(self.end.load(Ordering::Relaxed))
    }
}

impl Sqlite {
    /// Opens a file. Nothing is read but its header.
    pub(crate) fn open(file: SqliteFile<'_>, limits: &Limits, deadline: Instant) -> Result<Box<dyn Engine>, Trouble> {
        let clock = Clock::new();
        clock.set(deadline);
        let bounds = Bounds { limits, deadline, clock: &clock };
        let opened = match file {
            SqliteFile::Disk(path) => open::open(path, &bounds)?,
            SqliteFile::Memory { bytes, journal, has_log } => open::open_bytes(bytes, journal, has_log, &bounds)?,
        };
        Ok(Box::new(Self { opened, clock }))
    }

    /// Begins a read transaction unless one is open: the snapshot of all that follows.
    fn begin(&self) -> rusqlite::Result<()> {
        match self.opened.connection.is_autocommit() {
            true => self.opened.connection.execute_batch("BEGIN"),
            false => Ok(()),
        }
    }

    fn table(&self, resource: &str) -> rusqlite::Result<Option<Table>> {
        let connection = &self.opened.connection;
        let sql = "SELECT type, coalesce(sql, '') FROM sqlite_schema WHERE name = ?1 AND type IN ('table', 'view')";
        let found = connection.query_row(sql, [resource], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let Some((kind, definition)): Option<(String, String)> = found else { return Ok(None) };
        if is_own(resource) {
            return Ok(None);
        }
        let statement = connection.prepare(&format!("SELECT * FROM {} LIMIT 0", quoted(resource, '"')))?;
        let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
        let mut keys = connection.prepare("SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk")?;
        let key = keys.query_map([resource], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
        let is_plain = kind == "table" && !definition.trim_start().to_ascii_uppercase().starts_with("CREATE VIRTUAL");
        // The number of a row comes first, where it has one and no key.
        let has_number = is_plain && key.is_empty();
        let is_free = |name: &&&str| has_number && !names.iter().any(|column| column.eq_ignore_ascii_case(name));
        let number = ["rowid", "_rowid_", "oid"].iter().find(is_free).map(|name| format!("{name}, "));
        let number = number.unwrap_or_default();
        Ok(Some(Table {
            select: format!("SELECT {number}* FROM {}", quoted(resource, '"')),
            name: resource.to_owned(),
            columns: names.into_iter().map(|name| Column { name, kind: String::new() }).collect(),
            key,
        }))
    }

    /// The tables and views there are, and whether no table holds a row.
    fn others(&self) -> rusqlite::Result<(Vec<String>, bool)> {
        let connection = &self.opened.connection;
        let sql = "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name";
        let mut statement = connection.prepare(sql)?;
        let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let found = found.collect::<rusqlite::Result<Vec<(String, String)>>>()?;
        let tables: Vec<(String, String)> = found.into_iter().filter(|(name, _)| !is_own(name)).collect();
        let no_rows = tables.iter().all(|(name, _)| {
            let sql = format!("SELECT 1 FROM {} LIMIT 1", quoted(name, '"'));
            // What cannot be read may hold rows.
            connection.query_row(&sql, [], |_| Ok(())).optional().is_ok_and(|row| row.is_none())
        });
        Ok((tables.into_iter().map(|(name, _)| name).take(MOST_NAMES).collect(), no_rows))
    }

    fn read(&self, table: &Table, filter: &[Clause], part: &str, each: &mut Each<'_>) -> rusqlite::Result<()> {
        let sql = narrowed(&table.select, filter, part, |_| "?".to_owned());
        let mut statement = self.opened.connection.prepare(&sql)?;
        let skipped = statement.column_count().saturating_sub(table.columns.len());
        let mut rows =
            statement.query(params_from_iter(filter.iter().flat_map(|clause| &clause.values).map(to_sql)))?;
        while let Some(row) = rows.next()? {
            let number = if skipped == 1 { row.get(0).ok() } else { None };
            let mut values = Vec::with_capacity(table.columns.len());
            let mut fault = None;
            for (index, column) in table.columns.iter().enumerate() {
                match value(row.get_ref(index + skipped)?) {
                    Some(value) => values.push(value),
                    None => fault = Some(format!("the text in column {} is not UTF-8", named(&column.name))),
                }
            }
            if !each(fault.map_or(Ok(Read { number, values }), Err)) {
                break;
            }
        }
        Ok(())
    }

    /// Says if what was read is what the file still holds; another process may have written where no lock was held.
    fn unchanged(&self) -> Result<(), Trouble> {
        match self.opened.is_unchanged() {
            true => Ok(()),
            false => Err(Trouble::new(
                Obstacle::SourceUnavailable,
                Reach::Connection,
                "was written to while it was read, without a log of what was; look again when it is at rest",
            )),
        }
    }
}

impl Engine for Sqlite {
    fn dialect(&self) -> &'static Dialect {
        &SQLITE
    }

    fn describe(&mut self, resource: &str, deadline: Instant) -> Result<Described, Trouble> {
        self.clock.set(deadline);
        let described = self.begin().and_then(|()| match self.table(resource)? {
            Some(table) => Ok(Described::There(table)),
            None => self.others().map(|(names, no_rows)| Described::Missing { names, no_rows }),
        });
        let described = described.map_err(|error| open::trouble(&error))?;
        self.unchanged()?;
        Ok(described)
    }

    fn rows(&mut self, table: &Table, filter: &[Clause], part: &str, each: &mut Each<'_>) -> Result<(), Trouble> {
        self.read(table, filter, part, each).map_err(|error| open::trouble(&error))?;
        self.unchanged()
    }

    fn done(&mut self) {
        // A lock that is held keeps others from writing: there the snapshot is that of one look.
        if self.opened.manner == Manner::Locked && !self.opened.connection.is_autocommit() {
            let _ = self.opened.connection.execute_batch("ROLLBACK");
        }
    }
}

fn is_own(name: &str) -> bool {
    name.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("sqlite_"))
}

fn named(name: &str) -> String {
    format!("`{}`", name.chars().take(60).collect::<String>())
}

fn to_sql(bound: &Bound) -> rusqlite::types::Value {
    match bound {
        Bound::Text(text) => rusqlite::types::Value::Text(text.clone()),
        Bound::Integer(number) => rusqlite::types::Value::Integer(*number),
        Bound::Real(number) => rusqlite::types::Value::Real(*number),
    }
}

/// A value as JSON; `None` for a text that is not UTF-8.
fn value(value: ValueRef<'_>) -> Option<Value> {
    Some(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => json!(number),
        ValueRef::Real(number) => real(number),
        ValueRef::Text(bytes) => Value::String(std::str::from_utf8(bytes).ok()?.to_owned()),
        ValueRef::Blob(bytes) => json!({"base64": BASE64_STANDARD.encode(bytes)}),
    })
}
