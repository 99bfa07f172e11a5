//! Databases: SQLite files, PostgreSQL, MySQL and MariaDB. Each is an [`Engine`]: it knows a resource's columns and key,
//! hands rows over as JSON values, and takes conditions that narrow the rows down. What it leaves to the database can only
//! select more rows than the assertion does, never fewer: [`Look`](crate::look::Look) selects, by the same comparison for
//! every source.

#[cfg(not(all(feature = "sqlite", feature = "databases")))]
mod absent;
mod clause;
mod database;
mod engine;
mod file;
mod locator;
#[cfg(feature = "databases")]
mod mysql;
mod pass;
#[cfg(feature = "databases")]
mod postgres;
mod record;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "databases")]
mod tls;
mod trouble;

#[cfg(not(feature = "sqlite"))]
pub(crate) use absent::Sqlite;
pub(crate) use database::Database;
pub(crate) use engine::{Engine, within};
pub(crate) use file::{SqliteFile, is_sqlite};
pub(crate) use pass::{Found, pass};
pub(crate) use record::record;
#[cfg(feature = "sqlite")]
pub(crate) use sqlite::Sqlite;
pub(crate) use trouble::Trouble;
