//! A database that `sandbox.toml` names: one connection and one snapshot for all criteria of a run, a new one for every
//! look of a criterion that waits.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use candor_check::sandbox::{Limits, Recorded};
use candor_check::work::cancelled;
use candor_check::{Obstacle, Sandbox, Unverifiable};
use tokio::sync::Mutex;

#[cfg(not(feature = "databases"))]
use super::absent::{Mysql, Postgres};
use super::engine::{Engine, within};
#[cfg(feature = "databases")]
use super::mysql::Mysql;
use super::pass::{Found, pass};
#[cfg(feature = "databases")]
use super::postgres::Postgres;
use super::record::record;
use super::trouble::{Reach, Trouble};
use super::{Sqlite, SqliteFile};
use crate::look::Look;
use crate::seen::{Missing, Seen};
use crate::selection::CorrelateBy;
use crate::source::DatabaseAt;
use crate::source::facts::Facts;

/// A database, opened when it is first asked.
pub(crate) struct Database {
    at: DatabaseAt,
    limits: Limits,
    shared: Arc<Mutex<Shared>>,
}

enum Shared {
    Closed,
    Open(Box<dyn Engine>),
    /// It was lost, and with it the snapshot: another one would show another state.
    Lost(Trouble),
}

impl Database {
    pub(crate) fn new(at: &DatabaseAt, limits: &Limits) -> Self {
        Self { at: at.clone(), limits: limits.clone(), shared: Arc::new(Mutex::new(Shared::Closed)) }
    }

    /// Writes the tables into a folder, all from one snapshot.
    ///
    /// # Errors
    /// Why the database could not be read, or a file not be written.
    pub(crate) fn record(&self, into: &Path) -> Result<Recorded, Unverifiable> {
        let place = &self.at.remote.url;
        let timeout = self.limits.timeout;
        let tables = self.at.tables.as_deref();
        let (mut recorded, mut facts) = (Recorded::default(), Facts::default());
        let opened = open(&self.at, &self.limits, Instant::now() + within(timeout));
        let mut engine = opened.map_err(|trouble| trouble.of(place))?;
        let done = record(engine.as_mut(), tables, timeout, into, &mut recorded, &mut facts);
        done.map_err(|failed| failed.of(place))?;
        recorded.facts = facts.to_value();
        Ok(recorded)
    }

    /// The view of a resource; from a snapshot of this moment where `anew` is set.
    pub(crate) async fn look(
        &self,
        sandbox: &Sandbox,
        correlate_by: &CorrelateBy,
        anew: bool,
    ) -> Result<Seen, Unverifiable> {
        let shared = match anew {
            true => Arc::new(Mutex::new(Shared::Closed)),
            false => Arc::clone(&self.shared),
        };
        // Waiting for another criterion's look is not time of this one's.
        let mut shared = shared.lock_owned().await;
        let (at, limits, correlate_by) = (self.at.clone(), self.limits.clone(), correlate_by.clone());
        sandbox
            .asking(&self.at.remote.url, move || {
                let deadline = Instant::now() + within(limits.timeout);
                look(&mut shared, &at, &limits, &correlate_by, deadline).map_err(|trouble| trouble.of(&at.remote.url))
            })
            .await
    }
}

fn look(
    shared: &mut Shared,
    at: &DatabaseAt,
    limits: &Limits,
    correlate_by: &CorrelateBy,
    deadline: Instant,
) -> Result<Seen, Trouble> {
    if let Shared::Closed = shared {
        *shared = match open(at, limits, deadline) {
            Ok(engine) => Shared::Open(engine),
            // The caller may have stopped waiting, which is not a fault of the database.
            Err(trouble) if cancelled() => return Err(trouble),
            Err(trouble) => Shared::Lost(trouble),
        };
    }
    let engine = match shared {
        Shared::Open(engine) => engine,
        Shared::Lost(trouble) => return Err(trouble.clone()),
        Shared::Closed => return Err(Trouble::new(Obstacle::SourceUnavailable, Reach::Connection, "is closed")),
    };
    let mut look = Look::new(correlate_by, limits.max_total_bytes);
    let remote = &at.remote;
    let name = correlate_by.resource.as_str();
    let passed = pass(engine.as_mut(), &remote.url, name, &mut look, deadline);
    if let Err(trouble) = &passed
        && trouble.reach == Reach::Connection
        && !cancelled()
    {
        *shared = Shared::Lost(trouble.clone());
    }
    let missing = match passed? {
        Found::There => None,
        Found::Missing { names, no_rows: false } => Some(Missing::Resource(names)),
        Found::Missing { no_rows: true, .. } => {
            look.note(format!("There is no table or view `{name}`, and no rows in any other."));
            None
        }
    };
    let seen = look.finish();
    Ok(Seen { missing: missing.or(seen.missing), rows: seen.rows, place: remote.url.clone(), observed_at: None })
}

fn open(at: &DatabaseAt, limits: &Limits, deadline: Instant) -> Result<Box<dyn Engine>, Trouble> {
    match at.remote.scheme {
        "postgres" => Postgres::open(&at.remote, deadline),
        "mysql" => Mysql::open(&at.remote, deadline),
        _ => {
            let file = match at.file.in_memory() {
                Some(bytes) => SqliteFile::Memory { bytes, journal: None, has_log: false },
                None => SqliteFile::Disk(at.file.path()),
            };
            Sqlite::open(file, limits, deadline)
        }
    }
}
