//! Bounds on what a connection may do and how much it may take. All of them hold before the first statement that reads
//! the file: its bytes, the schema among them, are those of whoever wrote the database.
//!
//! Source: <https://sqlite.org/security.html>.

use std::time::{Duration, Instant};

use candor_check::sandbox::Limits;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;

use super::Clock;

const SWITCHES: &[(DbConfig, bool)] = &[
    (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
    (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    (DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, false),
    (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
];
/// The longest statement, those of the schema included, in bytes.
const LONGEST_STATEMENT: i32 = 1 << 20;
/// The most instructions of one statement. A view of a hundred tables has some thousands.
const MOST_INSTRUCTIONS: i32 = 250_000;
/// 8 MiB of pages are held. None are mapped, because a file that is cut while it is mapped ends the process.
const PRAGMAS: &str =
    "PRAGMA query_only = ON; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA cache_size = -8192;";

pub(super) struct Bounds<'a> {
    pub(super) limits: &'a Limits,
    pub(super) deadline: Instant,
    pub(super) clock: &'a Clock,
}

impl Bounds<'_> {
    /// Holds a connection within the bounds, and reads the schema, so that trouble with the file shows here. No other
    /// database can be attached then, no extension be loaded, and no function with effects be called by the schema.
    pub(super) fn hold(&self, connection: &Connection) -> rusqlite::Result<()> {
        for (switch, on) in SWITCHES {
            connection.set_db_config(*switch, *on)?;
        }
        let longest = i32::try_from(self.limits.max_bytes).unwrap_or(i32::MAX);
        for (limit, most) in [
            // No value of a database may be longer, but the schema's own texts may be.
            (Limit::SQLITE_LIMIT_LENGTH, longest.max(LONGEST_STATEMENT)),
            (Limit::SQLITE_LIMIT_SQL_LENGTH, LONGEST_STATEMENT),
            (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
            (Limit::SQLITE_LIMIT_VDBE_OP, MOST_INSTRUCTIONS),
            (Limit::SQLITE_LIMIT_ATTACHED, 0),
            (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
        ] {
            connection.set_limit(limit, most)?;
        }
        let clock = self.clock.clone();
        connection.progress_handler(1000, Some(move || clock.is_over()))?;
        let left = self.deadline.saturating_duration_since(Instant::now());
        connection.busy_timeout(left.min(Duration::from_secs(5)))?;
        connection.execute_batch(PRAGMAS)?;
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, longest)?;
        Ok(())
    }
}
