//! `portal-state-match` on databases: SQLite files, PostgreSQL and MariaDB, as they are and as they break.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

mod alike;
mod faults;
mod grade;
mod large;
mod sqlite;
mod types;
mod waiting;
