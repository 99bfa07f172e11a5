//! Databases: SQLite files, PostgreSQL, MySQL and MariaDB. Each is an [`Engine`]: it knows a resource's columns and key,
//! hands rows over as JSON values, and takes conditions that narrow the rows down. What it leaves to the database can only
//! select more rows than the assertion does, never fewer: [`Look`](crate::look::Look) selects, by the same comparison for
//! every source.

mod database;
mod engine;
mod filter;
mod locator;
mod mysql;
mod numbers;
mod pass;
mod postgres;
pub(crate) mod sqlite;
mod tls;
mod trouble;

pub(crate) use database::{Database, within};
pub(crate) use pass::{Found, pass};
pub(crate) use trouble::{Reach, Trouble};
