//! The abilities that a database must have.

use std::time::{Duration, Instant};

use candor_json::{Number, Value};

use super::Trouble;
pub(crate) use super::clause::Column;
use super::clause::{Clause, Dialect};

pub(crate) struct Table {
    /// The statement for all of its rows.
    pub(crate) select: String,
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) key: Vec<String>,
}

pub(crate) enum Described {
    There(Table),
    /// Nothing; these there are.
    Missing {
        names: Vec<String>,
        /// True if no table holds a row, as far as the database can say.
        no_rows: bool,
    },
}

/// A row, or what is wrong with it as the end of a sentence; then whether the next one is wanted.
pub(crate) type Each<'a> = dyn FnMut(Result<Read, String>) -> bool + 'a;

pub(crate) struct Read {
    /// The database's own number of the row, where it has no key.
    pub(crate) number: Option<i64>,
    pub(crate) values: Vec<Value>,
}

/// A connection to a database, in the middle of a transaction that only reads.
pub(crate) trait Engine: Send {
    fn dialect(&self) -> &'static Dialect;

    /// Looks a resource up. Everything until the next call has to be over by the deadline.
    fn describe(&mut self, resource: &str, deadline: Instant) -> Result<Described, Trouble>;

    /// Hands rows over until there are no more or one is not wanted. `part` is the end of the statement: ` LIMIT 100`.
    fn rows(&mut self, table: &Table, filter: &[Clause], part: &str, each: &mut Each<'_>) -> Result<(), Trouble>;

    fn done(&mut self);
}

/// The time that statements have: a little less than the read as a whole, so that what took too long can be named.
pub(crate) fn within(timeout: Duration) -> Duration {
    timeout.saturating_sub((timeout / 10).min(Duration::from_millis(500)))
}

/// A number as the database writes it, digits as they are; other text (`NaN`, `Infinity`) stays text.
pub(super) fn number(text: &str) -> Value {
    match candor_json::from_str::<Number>(text) {
        Ok(number) => Value::Number(number),
        Err(_) => Value::String(text.to_owned()),
    }
}

pub(super) fn real(value: f64) -> Value {
    let text = || Value::String(value.to_string().replace("inf", "Infinity"));
    Number::from_f64(value).map_or_else(text, Value::Number)
}
