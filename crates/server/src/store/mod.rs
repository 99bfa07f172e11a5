//! The database: SQL and nothing else. SQLite and PostgreSQL run the same statements.
//!
//! Every change of a task run begins with an `UPDATE` of its row, which locks it: on PostgreSQL until the transaction ends,
//! on SQLite because one transaction writes at a time.

mod answers;
mod definitions;
mod keys;
mod records;
mod runs;
mod writes;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::any::{AnyArguments, AnyConnectOptions, AnyPoolOptions, AnyRow};
use sqlx::{Any, AnyPool, AssertSqlSafe, ConnectOptions as _, Connection as _, Row as _, Transaction};
use tokio::sync::{Mutex, OwnedMutexGuard};

pub(crate) use answers::{Claimed, StoredAnswer};
pub(crate) use definitions::DefinitionKind;
pub(crate) use keys::{Key, Session, Share};
pub(crate) use records::Graded;
pub(crate) use runs::{NewTaskRun, Run, TaskRun};
pub(crate) use writes::{NewWrite, Write};

const SCHEMA: &str = include_str!("schema.sql");
/// Raised with every change of the schema.
const VERSION: i64 = 1;

#[derive(Debug)]
pub(crate) struct StoreError(sqlx::Error);

impl StoreError {
    pub(crate) fn is_outage(&self) -> bool {
        use sqlx::Error::{Io, PoolClosed, PoolTimedOut, Protocol, Tls, WorkerCrashed};
        matches!(self.0, Io(_) | PoolClosed | PoolTimedOut | Protocol(_) | Tls(_) | WorkerCrashed)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Self(error)
    }
}

type Result<T> = std::result::Result<T, StoreError>;
/// With the values that are bound to it.
type Statement<'q> = sqlx::query::Query<'q, Any, AnyArguments>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backend {
    Sqlite,
    Postgres,
}

#[derive(Clone, Debug)]
pub(crate) struct Store {
    pool: AnyPool,
    backend: Backend,
    /// On SQLite, whose turn it is to write: a queue that is fair, unlike waiting for the file's lock.
    turn: Arc<Mutex<()>>,
}

/// A transaction that may write.
pub(crate) struct Writing {
    tx: Transaction<'static, Any>,
    _turn: Option<OwnedMutexGuard<()>>,
}

impl Writing {
    pub(crate) async fn commit(self) -> Result<()> {
        Ok(self.tx.commit().await?)
    }

    /// Runs a statement, and returns if it changed one row.
    async fn execute(&mut self, statement: Statement<'_>) -> Result<bool> {
        Ok(statement.execute(&mut *self.tx).await?.rows_affected() == 1)
    }
}

impl Store {
    /// Opens the SQLite database of a folder, which is made if it is not there, and brings it up to date.
    pub(crate) async fn sqlite(folder: &Path) -> std::result::Result<Self, String> {
        let shown = folder.display();
        std::fs::create_dir_all(folder).map_err(|e| format!("{shown}: the folder cannot be made: {e}"))?;
        let file = folder.join("candor.db");
        let path = file.to_str().ok_or_else(|| format!("{shown}: the path is not UTF-8"))?;
        let escaped = path.replace('%', "%25").replace('?', "%3F").replace('#', "%23");
        let url = format!("sqlite://{escaped}?mode=rwc");
        private(folder, &file).map_err(|e| format!("{}: cannot be written: {e}", file.display()))?;
        Self::open(&url, Backend::Sqlite, 8)
            .await
            .map_err(|e| format!("{}: the database cannot be opened: {e}", file.display()))
    }

    pub(crate) async fn postgres(url: &str) -> std::result::Result<Self, String> {
        if !(url.starts_with("postgres://") || url.starts_with("postgresql://")) {
            return Err("--database: expected postgres://USER:PASSWORD@HOST:PORT/NAME".to_owned());
        }
        // The URL holds a password and is not repeated.
        Self::open(url, Backend::Postgres, 16)
            .await
            .map_err(|e| format!("--database: the database cannot be opened: {e}"))
    }

    async fn open(url: &str, backend: Backend, connections: u32) -> Result<Self> {
        sqlx::any::install_default_drivers();
        let options: AnyConnectOptions = url.parse()?;
        let options = options.disable_statement_logging();
        let pool = AnyPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(Duration::from_secs(20))
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    if backend == Backend::Sqlite {
                        sqlx::query("PRAGMA busy_timeout = 20000").execute(&mut *connection).await?;
                        sqlx::query("PRAGMA journal_mode = WAL").execute(&mut *connection).await?;
                        // A commit is on the disk before anybody is answered.
                        sqlx::query("PRAGMA synchronous = FULL").execute(&mut *connection).await?;
                        // A deleted record is overwritten, not only unlinked.
                        sqlx::query("PRAGMA secure_delete = ON").execute(&mut *connection).await?;
                    }
                    Ok(())
                })
            })
            .connect_with(options)
            .await?;
        let store = Self { pool, backend, turn: Arc::default() };
        store.migrate().await?;
        Ok(store)
    }

    pub(crate) fn backend(&self) -> Backend {
        self.backend
    }

    pub(crate) async fn write(&self) -> Result<Writing> {
        match self.backend {
            Backend::Sqlite => {
                let turn = Arc::clone(&self.turn).lock_owned().await;
                Ok(Writing { tx: self.pool.begin_with("BEGIN IMMEDIATE").await?, _turn: Some(turn) })
            }
            Backend::Postgres => Ok(Writing { tx: self.pool.begin().await?, _turn: None }),
        }
    }

    /// As [`Writing::execute`], in a transaction of its own.
    async fn execute(&self, statement: Statement<'_>) -> Result<bool> {
        let mut writing = self.write().await?;
        let changed = writing.execute(statement).await?;
        writing.commit().await?;
        Ok(changed)
    }

    async fn migrate(&self) -> Result<()> {
        let mut writing = self.write().await?;
        let tx = &mut *writing.tx;
        if self.backend == Backend::Postgres {
            // One server at a time: the others wait here and find the work done.
            sqlx::query("SELECT pg_advisory_xact_lock(4715001)").execute(&mut *tx).await?;
        }
        sqlx::query("CREATE TABLE IF NOT EXISTS candor_schema (version BIGINT NOT NULL)").execute(&mut *tx).await?;
        let found = sqlx::query("SELECT MAX(version) AS version FROM candor_schema").fetch_one(&mut *tx).await?;
        let found: Option<i64> = found.try_get("version")?;
        match found {
            Some(found) if found > VERSION => {
                let message =
                    format!("it was written by a newer version of candor (schema {found}, this one knows {VERSION})");
                return Err(sqlx::Error::Configuration(message.into()).into());
            }
            Some(_) => {}
            None => {
                let blob = if self.backend == Backend::Postgres { "BYTEA" } else { "BLOB" };
                for statement in SCHEMA.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
                    let statement = statement.replace(" BLOB", &format!(" {blob}"));
                    sqlx::query(AssertSqlSafe(statement)).execute(&mut *tx).await?;
                }
                sqlx::query("INSERT INTO candor_schema (version) VALUES ($1)").bind(VERSION).execute(&mut *tx).await?;
            }
        }
        writing.commit().await
    }

    pub(crate) async fn ping(&self) -> Result<()> {
        sqlx::query("SELECT 1 AS one").fetch_one(&self.pool).await?;
        Ok(())
    }

    /// Empties SQLite's write-ahead log, which has records that were deleted meanwhile. With readers in the way, or after an error,
    /// it is left to the next call.
    pub(crate) async fn empty_log(&self) {
        // A reader is done within milliseconds, mostly.
        for _ in 0..5 {
            match self.checkpoint().await {
                Ok(true) => return,
                Ok(false) => tokio::time::sleep(Duration::from_millis(20)).await,
                Err(error) => {
                    tracing::warn!(error = %error, "the log of the database could not be emptied");
                    return;
                }
            }
        }
    }

    /// Empties the log unless somebody reads, for whom it does not wait; whether it is empty now.
    async fn checkpoint(&self) -> Result<bool> {
        if self.backend == Backend::Postgres {
            return Ok(true);
        }
        let _turn = self.turn.lock().await;
        // A connection that is not returned to the pool, for the others have a timeout.
        let mut connection = self.pool.connect_options().connect().await?;
        sqlx::query("PRAGMA busy_timeout = 0").execute(&mut connection).await?;
        let row = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut connection).await?;
        let is_busy = flag(&row, "busy")?;
        connection.close().await?;
        Ok(!is_busy)
    }

    /// Writes a copy of a SQLite database, while it is in use, to a file that must be new.
    pub(crate) async fn backup(&self, file: &str) -> Result<()> {
        sqlx::query("VACUUM INTO $1").bind(file).execute(&self.pool).await?;
        Ok(())
    }

    pub(crate) async fn count_by_phase(&self) -> Result<Vec<(String, i64)>> {
        let rows = sqlx::query("SELECT phase, COUNT(*) AS number FROM candor_task_runs GROUP BY phase ORDER BY phase");
        let rows = rows.fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok((text(row, "phase")?, number(row, "number")?))).collect()
    }
}

/// Makes the database's file readable by its owner alone: it holds patients' data.
fn private(folder: &Path, file: &Path) -> std::io::Result<()> {
    let opened = std::fs::OpenOptions::new().create(true).append(true).open(file)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        opened.set_permissions(std::fs::Permissions::from_mode(0o600))?;
        let is_ours = std::fs::read_dir(folder)?.count() <= 1;
        if is_ours {
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
        }
    }
    #[cfg(not(unix))]
    let _ = (opened, folder);
    Ok(())
}

fn text(row: &AnyRow, column: &str) -> Result<String> {
    Ok(row.try_get(column)?)
}

fn maybe(row: &AnyRow, column: &str) -> Result<Option<String>> {
    Ok(row.try_get(column)?)
}

fn number(row: &AnyRow, column: &str) -> Result<i64> {
    Ok(row.try_get(column)?)
}

fn flag(row: &AnyRow, column: &str) -> Result<bool> {
    Ok(number(row, column)? != 0)
}

fn blob(row: &AnyRow, column: &str) -> Result<Vec<u8>> {
    Ok(row.try_get(column)?)
}
