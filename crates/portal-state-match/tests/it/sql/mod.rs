//! The modules on databases that are tested by themselves. None of them opens a database.
#![allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]

mod units;

use std::time::Instant;

use candor_check::Obstacle;
use candor_check::sandbox::Limits;

use crate::look::Look;
pub(crate) use engine::{Engine, within};
pub(crate) use file::{SqliteFile, is_sqlite};
use trouble::Reach;
pub(crate) use trouble::Trouble;

#[cfg(feature = "sqlite")]
#[path = "../../../src/sql/sqlite/beside.rs"]
mod beside;
#[path = "../../../src/sql/clause.rs"]
mod clause;
#[path = "../../../src/sql/engine.rs"]
mod engine;
#[path = "../../../src/sql/file.rs"]
mod file;
#[cfg(feature = "sqlite")]
#[path = "../../../src/sql/sqlite/journal.rs"]
mod journal;
#[path = "../../../src/sql/locator.rs"]
mod locator;
#[cfg(feature = "databases")]
#[path = "../../../src/sql/mysql/kind.rs"]
mod mysql_kind;
#[cfg(feature = "databases")]
#[path = "../../../src/sql/postgres/kind.rs"]
mod postgres_kind;
#[cfg(feature = "databases")]
#[path = "../../../src/sql/tls.rs"]
mod tls;
#[path = "../../../src/sql/trouble.rs"]
mod trouble;

/// In place of a SQLite file, which the folders of these tests do not have.
pub(crate) enum Sqlite {}

impl Sqlite {
    pub(crate) fn open(_: SqliteFile<'_>, _: &Limits, _: Instant) -> Result<Box<dyn Engine>, Trouble> {
        Err(Trouble::new(Obstacle::NoSource, Reach::Connection, "is not read in this test"))
    }
}

pub(crate) enum Found {
    There,
    Missing { names: Vec<String>, no_rows: bool },
}

pub(crate) fn pass(_: &mut dyn Engine, _: &str, _: &str, _: &mut Look<'_>, _: Instant) -> Result<Found, Trouble> {
    Ok(Found::There)
}
