//! MySQL and MariaDB: one transaction that only reads, at one snapshot of the tables that keep snapshots (InnoDB's).

mod catalog;
mod kind;
mod open;

use std::time::Instant;

use candor_check::Obstacle;
use candor_check::sandbox::Remote;
use mysql::prelude::Queryable as _;
use mysql::{Conn, Params};

use super::clause::{Bound, Clause, Dialect, narrowed};
use super::engine::{Column, Described, Each, Engine, Read, Table};
use super::trouble::{Reach, Trouble};

pub(crate) struct Mysql {
    /// Taken when it can be used no more.
    connection: Option<Conn>,
    is_mariadb: bool,
    deadline: Instant,
}

impl Mysql {
    /// Connects and begins the transaction.
    pub(super) fn open(remote: &Remote, deadline: Instant) -> Result<Box<dyn Engine>, Trouble> {
        let (connection, is_mariadb) = open::open(remote, deadline)?;
        Ok(Box::new(Self { connection: Some(connection), is_mariadb, deadline }))
    }

    fn connection(&mut self) -> Result<&mut Conn, Trouble> {
        let lost = || Trouble::new(Obstacle::SourceUnavailable, Reach::Connection, "was connected to, and is no more");
        self.connection.as_mut().ok_or_else(lost)
    }

    /// Tells the server how long a statement may take.
    fn limit(&mut self) -> Result<(), Trouble> {
        let left = self.deadline.saturating_duration_since(Instant::now()).as_millis();
        let left = left.saturating_sub((left / 10).min(200)).clamp(1, 1 << 30);
        // Locks are waited for in whole seconds.
        let lock = (left / 2000).max(1);
        let statement = match self.is_mariadb {
            true => format!("max_statement_time = {}.{:03}", left / 1000, left % 1000),
            false => format!("max_execution_time = {left}"),
        };
        let sql = format!("SET SESSION {statement}, lock_wait_timeout = {lock}");
        self.connection()?.query_drop(sql).map_err(|error| open::trouble(&error))
    }

    fn read(&mut self, sql: &str, filter: &[Clause], columns: &[Column], each: &mut Each<'_>) -> Result<(), Trouble> {
        self.limit()?;
        let deadline = self.deadline;
        let values: Vec<mysql::Value> = filter.iter().flat_map(|clause| &clause.values).map(bound).collect();
        let values = if values.is_empty() { Params::Empty } else { Params::Positional(values) };
        let mut rows = self.connection()?.exec_iter(sql, values).map_err(|error| open::trouble(&error))?;
        let mut end = Ok(());
        let mut is_whole = true;
        for row in rows.by_ref() {
            let row = match row {
                Ok(row) => read(row, columns),
                Err(error) => {
                    end = Err(open::trouble(&error));
                    is_whole = !matches!(error, mysql::Error::IoError(_) | mysql::Error::CodecError(_));
                    break;
                }
            };
            if Instant::now() >= deadline {
                end = Err(Trouble::new(Obstacle::Timeout, Reach::Connection, "did not send everything in time"));
                is_whole = false;
                break;
            }
            if !each(row) {
                is_whole = false;
                break;
            }
        }
        if !is_whole {
            // Rows that no one wants would all have to be read before the next statement, and are at the result's end.
            std::mem::forget(rows);
            self.connection = None;
        }
        end
    }
}

fn read(row: mysql::Row, columns: &[Column]) -> Result<Read, String> {
    let mut values = Vec::with_capacity(columns.len());
    for (column, value) in columns.iter().zip(row.unwrap()) {
        let value = kind::value(&column.kind, value).ok_or_else(|| {
            format!("column `{}` holds text that is not UTF-8", column.name.chars().take(60).collect::<String>())
        })?;
        values.push(value);
    }
    Ok(Read { number: None, values })
}

fn bound(bound: &Bound) -> mysql::Value {
    match bound {
        Bound::Text(text) => mysql::Value::Bytes(text.as_bytes().to_vec()),
        Bound::Integer(number) => mysql::Value::Int(*number),
        Bound::Real(number) => mysql::Value::Double(*number),
    }
}

impl Engine for Mysql {
    fn dialect(&self) -> &'static Dialect {
        &kind::DIALECT
    }

    fn describe(&mut self, resource: &str, deadline: Instant) -> Result<Described, Trouble> {
        self.deadline = deadline;
        self.limit()?;
        self.described(resource)
    }

    fn rows(&mut self, table: &Table, filter: &[Clause], part: &str, each: &mut Each<'_>) -> Result<(), Trouble> {
        let sql = narrowed(&table.select, filter, part, |_| "?".to_owned());
        self.read(&sql, filter, &table.columns, each)
    }

    fn done(&mut self) {}
}
