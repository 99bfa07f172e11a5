//! The files that SQLite keeps next to a database. They are examined before SQLite opens any of them: a link there would
//! lead to a file that the sandbox does not name, and a pipe would be waited for.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::sql::trouble::{Reach, Trouble};

pub(super) const LOG: &str = "-wal";
/// The file that the users of a log share.
pub(super) const SHARED_MEMORY: &str = "-shm";
pub(super) const JOURNAL: &str = "-journal";

pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Refuses a database that has something else than files where SQLite keeps files.
///
/// # Errors
/// The first that is not a file.
pub(super) fn refuse_others(path: &Path) -> Result<(), Trouble> {
    for suffix in [LOG, SHARED_MEMORY, JOURNAL] {
        // What is not there is not opened, and what cannot be looked at is refused when it is.
        let Ok(metadata) = fs::symlink_metadata(beside(path, suffix)) else { continue };
        let found = match metadata.is_symlink() {
            _ if metadata.is_file() => continue,
            true => "a link next to it",
            false => "something next to it that is not a file",
        };
        let what = format!("has {found} (`{suffix}`), which was not opened; expected a file that SQLite wrote");
        return Err(Trouble::malformed(Reach::Connection, what));
    }
    Ok(())
}

/// Opens a file to be read; nothing where it is not a file. A link is not followed, and a pipe is not waited for.
pub(super) fn opened(path: &Path) -> io::Result<Option<File>> {
    let file = unfollowed(path)?;
    let is_file = file.metadata()?.is_file();
    Ok(is_file.then_some(file))
}

#[cfg(unix)]
fn unfollowed(path: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(openat(CWD, path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn unfollowed(path: &Path) -> io::Result<File> {
    File::open(path)
}
