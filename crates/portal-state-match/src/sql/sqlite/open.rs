//! Opening a SQLite file so that nothing is written next to it and no committed row is lost.
//!
//! | what lies there | how it is read |
//! | --- | --- |
//! | a database with a rollback journal, or none | read-only, under a shared lock for as long as a look takes |
//! | a database in WAL mode whose log is empty | as what never changes: no lock and no shared memory file |
//! | one whose log holds something, and whose shared memory file is there | read-only, through both as they are |
//! | one whose log holds something, alone; or whose last transaction was broken off (a hot journal) | a copy elsewhere, in which SQLite puts the log in or rolls the transaction back |
//!
//! A copy lies in a private folder in which SQLite finds the copy's own files and no others. A journal that names
//! another file, and a link in the place of a file next to the database, are refused before.
//!
//! Sources: <https://sqlite.org/wal.html>, section 6; <https://sqlite.org/fileformat2.html>, sections 1.3 and 3.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use candor_check::Obstacle;
use candor_check::sandbox::size_text;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};
use tempfile::TempDir;

use super::beside::{JOURNAL, LOG, SHARED_MEMORY, beside, opened, refuse_others};
use super::bounds::Bounds;
use super::journal;
use crate::sql::trouble::{Reach, Trouble};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    Locked,
    /// Without locks: it is seen whether it changed.
    Still,
    /// Through a log that others may be adding to.
    Logged,
    Copied,
}

pub(super) struct Opened {
    pub(super) connection: Connection,
    pub(super) manner: Manner,
    path: PathBuf,
    stamps: Stamps,
    _copy: Option<TempDir>,
}

impl Opened {
    /// True if the file has not changed since it was opened. A lock, a log or a copy guarantees it, except for a file
    /// opened as [`Manner::Still`].
    pub(super) fn is_unchanged(&self) -> bool {
        self.manner != Manner::Still || Stamps::of(&self.path).is_ok_and(|stamps| stamps == self.stamps)
    }
}

/// Length and time of the last change of a database, its log and its journal; of those that are there.
#[derive(Clone, Debug, PartialEq)]
struct Stamps([Option<(u64, Option<SystemTime>)>; 3]);

impl Stamps {
    fn of(path: &Path) -> io::Result<Self> {
        let stamp = |path: PathBuf| match fs::symlink_metadata(path) {
            Ok(metadata) => Ok(Some((metadata.len(), metadata.modified().ok()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        Ok(Self([stamp(path.to_owned())?, stamp(beside(path, LOG))?, stamp(beside(path, JOURNAL))?]))
    }
}

const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// How often a file that changes while it is copied is copied again.
const COPIES: usize = 3;
/// How often a journal is examined that names another file, and how long the next look waits. A writer who commits to
/// several databases at once leaves such a journal for a moment.
const LOOKS: usize = 3;
const COMMIT: Duration = Duration::from_millis(50);

pub(super) fn open(path: &Path, bounds: &Bounds<'_>) -> Result<Opened, Trouble> {
    // SQLite names the files next to a database by what a link leads to.
    let path = &fs::canonicalize(path).map_err(|error| unreadable(&error))?;
    refuse_others(path)?;
    let stamps = Stamps::of(path).map_err(|error| unreadable(&error))?;
    let log = fs::symlink_metadata(beside(path, LOG)).map_or(0, |metadata| metadata.len());
    let logs = header(path)?;
    refuse_names(path)?;
    let opened =
        |connection, manner| Opened { connection, manner, path: path.clone(), stamps: stamps.clone(), _copy: None };
    match (logs, log > 0, beside(path, SHARED_MEMORY).exists()) {
        (true, false, _) => probed(path, "mode=ro&immutable=1", bounds)
            .map(|connection| opened(connection, Manner::Still))
            .map_err(into),
        (true, true, true) => match probed(path, "mode=ro&readonly_shm=1", bounds) {
            Ok(connection) => Ok(opened(connection, Manner::Logged)),
            Err(error) if may_be_copied(&error) => copied(path, bounds),
            Err(error) => Err(into(error)),
        },
        (_, true, _) => copied(path, bounds),
        (false, false, _) => match probed(path, "mode=ro", bounds) {
            Ok(connection) => Ok(opened(connection, Manner::Locked)),
            Err(error) if may_be_copied(&error) => copied(path, bounds),
            Err(error) => Err(into(error)),
        },
    }
}

fn refuse_names(path: &Path) -> Result<(), Trouble> {
    for _ in 0..LOOKS {
        // What cannot be read now is examined again in the copy, which alone is ever rolled back.
        if !journal::of_database_has_name(path).unwrap_or(false) {
            return Ok(());
        }
        std::thread::sleep(COMMIT);
    }
    Err(names_another())
}

fn names_another() -> Trouble {
    let what = "has a journal (`-journal`) that names a super-journal, a file that SQLite would open and delete; expected \
                the journal of this database alone";
    Trouble::malformed(Reach::Connection, what)
}

/// Opens a database that is in memory, by a copy that SQLite keeps. Whatever its log held must be in it already:
/// `has_log` says that there is one, and `journal` is the rollback journal among them.
pub(super) fn open_bytes(
    bytes: &[u8],
    journal: Option<&[u8]>,
    has_log: bool,
    bounds: &Bounds<'_>,
) -> Result<Opened, Trouble> {
    if journal.is_some_and(journal::has_name) {
        return Err(names_another());
    }
    if has_log {
        let what = "has changes in a log next to it, which are not read in memory: checkpoint it before";
        return Err(Trouble::new(Obstacle::SourceUnavailable, Reach::Connection, what));
    }
    let most = bounds.limits.max_bytes;
    if bytes.len() as u64 > most {
        let what = format!("is larger than {} (limit max_bytes)", size_text(most));
        return Err(Trouble::new(Obstacle::LimitExceeded, Reach::Connection, what));
    }
    let mut bytes = bytes.to_vec();
    if header_of(&bytes)? {
        // Both versions of the format say "with a log", which a database in memory cannot have.
        bytes.iter_mut().skip(18).take(2).for_each(|version| *version = 1);
    }
    let mut connection = Connection::open_in_memory().map_err(into)?;
    let length = bytes.len();
    connection.deserialize_read_exact("main", bytes.as_slice(), length, true).map_err(into)?;
    // Putting the bytes in reads nothing of them.
    bounds.hold(&connection).map_err(into)?;
    let stamps = Stamps([None, None, None]);
    Ok(Opened { connection, manner: Manner::Copied, path: PathBuf::new(), stamps, _copy: None })
}

/// Returns `true` if the database is in WAL mode.
fn header(path: &Path) -> Result<bool, Trouble> {
    let mut start = Vec::with_capacity(100);
    let file = opened(path).map_err(|error| unreadable(&error))?;
    let file = file.ok_or_else(|| Trouble::new(Obstacle::SourceUnavailable, Reach::Connection, "is no file"))?;
    file.take(100).read_to_end(&mut start).map_err(|error| unreadable(&error))?;
    header_of(&start)
}

fn header_of(start: &[u8]) -> Result<bool, Trouble> {
    // SQLite opens 0 bytes as a database without tables, and a copy that failed has them, too.
    if start.is_empty() {
        return Err(Trouble::malformed(Reach::Connection, "has 0 bytes: a SQLite database begins with a header"));
    }
    if !start.starts_with(MAGIC) {
        let what = "is not a SQLite database, or is encrypted";
        return Err(Trouble::malformed(Reach::Connection, what));
    }
    Ok(start.get(19) == Some(&2))
}

/// Opens a file within its bounds and reads its schema, so that trouble shows here.
fn probed(path: &Path, how: &str, bounds: &Bounds<'_>) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri(path, how), flags)?;
    bounds.hold(&connection)?;
    Ok(connection)
}

/// Returns `true` if an error says that something would have to be written for the file to be read.
fn may_be_copied(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| {
        let code = error.extended_code & 0xff;
        code == ffi::SQLITE_READONLY || code == ffi::SQLITE_CANTOPEN || error.extended_code == ffi::SQLITE_PROTOCOL
    })
}

fn copied(path: &Path, bounds: &Bounds<'_>) -> Result<Opened, Trouble> {
    let most = bounds.limits.max_bytes;
    for _ in 0..COPIES {
        refuse_others(path)?;
        let before = Stamps::of(path).map_err(|error| unreadable(&error))?;
        let total: u64 = before.0.iter().flatten().map(|(length, _)| length).sum();
        if total > most {
            let limit = size_text(most);
            let what = format!(
                "has to be copied to be read, as its last changes are in files next to it, and is larger with them \
                 than {limit} (limit max_bytes)"
            );
            return Err(Trouble::new(Obstacle::LimitExceeded, Reach::Connection, what));
        }
        let folder = tempfile::tempdir().map_err(|error| no_copy(&error))?;
        let copy = folder.path().join("copy.db");
        for suffix in ["", LOG, JOURNAL] {
            match opened(&beside(path, suffix)) {
                Ok(Some(from)) => {
                    let mut to = File::create(beside(&copy, suffix)).map_err(|error| no_copy(&error))?;
                    // What grows while it is copied is seen below.
                    io::copy(&mut from.take(most), &mut to).map_err(|error| no_copy(&error))?;
                }
                Ok(None) => return Err(unreadable(&io::Error::other("it is no longer a file"))),
                Err(error) if error.kind() == io::ErrorKind::NotFound && !suffix.is_empty() => {}
                Err(error) => return Err(unreadable(&error)),
            }
        }
        if Stamps::of(path).is_ok_and(|after| after == before) {
            // The journal that SQLite will play back is this one, whatever has become of the other.
            if journal::of_database_has_name(&copy).map_err(|error| no_copy(&error))? {
                return Err(names_another());
            }
            let connection = written(&copy, bounds).map_err(into)?;
            let (path, stamps) = (path.to_owned(), before);
            return Ok(Opened { connection, manner: Manner::Copied, path, stamps, _copy: Some(folder) });
        }
    }
    let what = "is written to all the time, and not in a way that others can read it meanwhile";
    Err(Trouble::new(Obstacle::SourceUnavailable, Reach::Connection, what))
}

/// Opens a copy, which may be written to, within its bounds.
fn written(copy: &Path, bounds: &Bounds<'_>) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri(copy, "mode=rw"), flags)?;
    bounds.hold(&connection)?;
    Ok(connection)
}

/// A path as a URI that SQLite reads. Source: <https://sqlite.org/uri.html>, section 3.1.
fn uri(path: &Path, how: &str) -> String {
    let mut uri = String::from("file://");
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    format!("{uri}?{how}")
}

fn unreadable(error: &io::Error) -> Trouble {
    let obstacle = match error.kind() {
        io::ErrorKind::PermissionDenied => Obstacle::SourceDenied,
        _ => Obstacle::SourceUnavailable,
    };
    Trouble::new(obstacle, Reach::Connection, format!("cannot be read: {error}"))
}

fn no_copy(error: &io::Error) -> Trouble {
    let what = format!("has to be copied to be read, and cannot be: {error}");
    Trouble::new(Obstacle::SourceUnavailable, Reach::Connection, what)
}

fn into(error: rusqlite::Error) -> Trouble {
    trouble(&error)
}

/// The trouble behind an error of SQLite. Its own text is left out where it may hold values.
pub(super) fn trouble(error: &rusqlite::Error) -> Trouble {
    let rusqlite::Error::SqliteFailure(failure, message) = error else {
        return Trouble::new(Obstacle::SourceUnavailable, Reach::Statement, format!("cannot be read: {error}"));
    };
    let broken = |what: String| Trouble::malformed(Reach::Resource, what);
    let refused = |obstacle, what: &str| Trouble::new(obstacle, Reach::Resource, what);
    match failure.code {
        ErrorCode::NotADatabase => broken("is not a SQLite database, or is encrypted".to_owned()),
        ErrorCode::DatabaseCorrupt => broken("is damaged: SQLite cannot make sense of a page of it".to_owned()),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            refused(Obstacle::Timeout, "is locked by another process, and was not set free in time")
        }
        ErrorCode::OperationInterrupted => {
            refused(Obstacle::Timeout, "did not answer in time: a statement was broken off")
        }
        ErrorCode::TooBig => refused(Obstacle::LimitExceeded, "holds a value larger than is allowed (limit max_bytes)"),
        ErrorCode::OutOfMemory => refused(Obstacle::LimitExceeded, "takes more memory than there is"),
        ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied => {
            refused(Obstacle::SourceDenied, "may not be read")
        }
        ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::ReadOnly => {
            let what = format!("cannot be read: SQLite reports error {}", failure.extended_code);
            refused(Obstacle::SourceUnavailable, &what)
        }
        _ => {
            let said = message.as_deref().unwrap_or("an error without a text");
            let said: String = said.chars().take(120).collect();
            Trouble::new(Obstacle::SourceUnavailable, Reach::Statement, format!("cannot be read: {said}"))
        }
    }
}
