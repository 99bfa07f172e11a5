//! SQLite files, as far as every build knows them.

use std::path::Path;

/// Where a SQLite file is.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "sqlite"), expect(dead_code, reason = "a build without `sqlite` opens none"))]
pub(crate) enum SqliteFile<'a> {
    /// On this machine.
    Disk(&'a Path),
    /// In memory: the whole file.
    Memory(&'a [u8]),
}

/// The extensions of SQLite files.
const EXTENSIONS: &[&str] = &["db", "sqlite", "sqlite3"];

/// Whether a file's extension says that it is a SQLite file.
pub(crate) fn is_sqlite(extension: &str) -> bool {
    EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}
