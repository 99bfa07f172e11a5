//! The abilities that a database must have.

use std::time::{Duration, Instant};

use candor_json::Value;

use super::Trouble;
use super::clause::{Clause, Dialect};

pub(crate) struct Table<I> {
    pub(crate) id: I,
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) key: Vec<String>,
}

pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: String,
}

pub(crate) enum Described<I> {
    There(Table<I>),
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
    type Id;
    const DIALECT: Dialect;

    /// Looks a resource up. Everything until the next call has to be over by the deadline.
    fn describe(&mut self, resource: &str, deadline: Instant) -> Result<Described<Self::Id>, Trouble>;

    /// True if a table is known to have more rows than that, where the database tells it sooner than by handing them over.
    fn exceeds(&mut self, _table: &Table<Self::Id>, _number: u64) -> bool {
        false
    }

    /// Hands rows over until there are no more, as many as `most` were, or one is not wanted.
    fn rows(
        &mut self,
        table: &Table<Self::Id>,
        filter: &[Clause],
        most: Option<u64>,
        each: &mut Each<'_>,
    ) -> Result<(), Trouble>;

    fn done(&mut self);
}

/// The time that statements have: a little less than the read as a whole, so that what took too long can be named.
pub(crate) fn within(timeout: Duration) -> Duration {
    timeout.saturating_sub((timeout / 10).min(Duration::from_millis(500)))
}
