//! PostgreSQL 13 and later: one transaction that only reads, at one snapshot. Every value is asked for as the text that
//! the server makes of it, so that no digit is lost on the way.

mod catalog;
mod kind;
mod open;

use std::future::Future;
use std::time::{Duration, Instant};

use candor_check::Obstacle;
use candor_check::sandbox::Remote;
use tokio::runtime::Runtime;
use tokio_postgres::types::{FromSql, ToSql, Type};
use tokio_postgres::{Client, Row};

use super::clause::{Bound, Clause, Dialect, narrowed};
use super::engine::{Column, Described, Each, Engine, Read, Table};
use super::trouble::{Reach, Trouble};

/// A connection, with the runtime that moves its bytes while somebody waits for them.
pub(crate) struct Postgres {
    /// Taken only when it is dropped.
    runtime: Option<Runtime>,
    client: Client,
    deadline: Instant,
    looking: bool,
}

/// The bytes of rows that are fetched at a time, about, and the most rows.
const FETCH_BYTES: usize = 4 << 20;
const FETCH_ROWS: usize = 2000;
/// The time that must be left for another fetch.
const MARGIN: Duration = Duration::from_millis(20);

impl Postgres {
    /// Connects and begins the transaction.
    pub(super) fn open(remote: &Remote, deadline: Instant) -> Result<Box<dyn Engine>, Trouble> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
            Trouble::new(Obstacle::SourceUnavailable, Reach::Connection, format!("cannot be connected to: {error}"))
        })?;
        let client = runtime.block_on(open::open(remote, deadline))?;
        Ok(Box::new(Self { runtime: Some(runtime), client, deadline, looking: false }))
    }

    /// Waits for an answer, no longer than the deadline.
    fn wait<T>(&self, answer: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T, Trouble> {
        let Some(runtime) = &self.runtime else { return Err(late()) };
        let deadline = tokio::time::Instant::from_std(self.deadline);
        match runtime.block_on(async { tokio::time::timeout_at(deadline, answer).await }) {
            Ok(answer) => answer.map_err(|error| open::trouble(&error)),
            Err(_) => Err(late()),
        }
    }

    fn begin(&mut self) -> Result<(), Trouble> {
        self.wait(self.client.batch_execute(&format!("SAVEPOINT candor; {}", self.limits())))?;
        self.looking = true;
        Ok(())
    }

    /// The time limits set on the server: a little less than the time that is left, so that the server is the one that
    /// reports what took too long; and less for a lock than for an answer, so that it names what it waited for.
    fn limits(&self) -> String {
        let left = self.deadline.saturating_duration_since(Instant::now()).as_millis();
        let left = left.saturating_sub((left / 10).min(200)).clamp(1, 1 << 30);
        format!("SET LOCAL statement_timeout = {left}; SET LOCAL lock_timeout = {}", (left / 2).max(1))
    }

    fn read(&self, sql: &str, filter: &[Clause], columns: &[Column], each: &mut Each<'_>) -> Result<(), Trouble> {
        self.wait(self.client.batch_execute(&self.limits()))?;
        let values: Vec<String> = filter.iter().flat_map(|clause| &clause.values).map(text).collect();
        let values: Vec<(&(dyn ToSql + Sync), Type)> =
            values.iter().map(|value| (value as &(dyn ToSql + Sync), Type::TEXT)).collect();
        self.wait(self.client.execute_typed(&format!("DECLARE candor NO SCROLL CURSOR FOR {sql}"), &values))?;
        let mut number = 16;
        loop {
            if Instant::now() + MARGIN >= self.deadline {
                return Err(Trouble { reach: Reach::Resource, ..late() });
            }
            let rows = self.wait(self.client.query_typed(&format!("FETCH {number} FROM candor"), &[]))?;
            let mut bytes = 0;
            for row in &rows {
                if !each(read(row, columns, &mut bytes)) {
                    return self.wait(self.client.batch_execute("CLOSE candor"));
                }
            }
            if rows.len() < number {
                break;
            }
            let average = (bytes / rows.len().max(1)).max(1);
            number = (FETCH_BYTES / average).clamp(1, FETCH_ROWS).min(number * 8);
        }
        self.wait(self.client.batch_execute("CLOSE candor"))
    }
}

fn late() -> Trouble {
    Trouble::new(Obstacle::Timeout, Reach::Connection, "did not answer in time")
}

fn text_of(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(behind) = source {
        text = format!("{text}: {behind}");
        source = behind.source();
    }
    text.chars().take(200).collect()
}

fn text(bound: &Bound) -> String {
    match bound {
        Bound::Text(text) => text.clone(),
        Bound::Integer(number) => number.to_string(),
        Bound::Real(number) => number.to_string(),
    }
}

fn read(row: &Row, columns: &[Column], total: &mut usize) -> Result<Read, String> {
    let mut values = Vec::with_capacity(columns.len());
    for (index, column) in columns.iter().enumerate() {
        let unreadable = |what: &str| format!("column `{}` {what}", column.name.chars().take(60).collect::<String>());
        let bytes: Option<Bytes<'_>> = row.try_get(index).map_err(|_| unreadable("cannot be read"))?;
        *total += 16 + bytes.as_ref().map_or(0, |bytes| bytes.0.len());
        let text = match bytes.map(|bytes| std::str::from_utf8(bytes.0)) {
            None => None,
            Some(Ok(text)) => Some(text),
            Some(Err(_)) => return Err(unreadable("holds text that is not UTF-8")),
        };
        values.push(kind::value(&column.kind, text));
    }
    Ok(Read { number: None, values })
}

struct Bytes<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Bytes<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl Engine for Postgres {
    fn dialect(&self) -> &'static Dialect {
        &kind::DIALECT
    }

    fn describe(&mut self, resource: &str, deadline: Instant) -> Result<Described, Trouble> {
        self.deadline = deadline;
        self.begin()?;
        self.wait_described(resource)
    }

    fn rows(&mut self, table: &Table, filter: &[Clause], part: &str, each: &mut Each<'_>) -> Result<(), Trouble> {
        let sql = narrowed(&table.select, filter, part, |number| format!("${number}"));
        let passed = self.read(&sql, filter, &table.columns, each);
        if let Err(trouble) = &passed
            && trouble.reach != Reach::Connection
        {
            // The transaction takes no more statements until what failed is rolled back.
            self.done();
            self.begin()?;
        }
        passed
    }

    fn done(&mut self) {
        if self.looking && !self.client.is_closed() {
            self.looking = false;
            // Where it cannot be done the next look finds the connection as it is.
            let _ = self.wait(self.client.batch_execute("ROLLBACK TO SAVEPOINT candor; RELEASE SAVEPOINT candor"));
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // A runtime must not be waited for where others are run.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
