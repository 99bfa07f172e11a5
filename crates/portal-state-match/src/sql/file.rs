//! SQLite files, as far as every build knows them.

use std::path::Path;

use super::clause::{Compared, Dialect};

#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "sqlite"), expect(dead_code, reason = "a build without `sqlite` opens none"))]
pub(crate) enum SqliteFile<'a> {
    Disk(&'a Path),
    Memory {
        bytes: &'a [u8],
        /// Its rollback journal, where that is in memory, too.
        journal: Option<&'a [u8]>,
        /// True if a file next to it holds changes that are not in it yet.
        has_log: bool,
    },
}

pub(crate) const SQLITE: Dialect = Dialect { zero_one: true, quote: '"', compared: |_| Some(Compared::Any) };

const EXTENSIONS: &[&str] = &["db", "sqlite", "sqlite3"];

pub(crate) fn is_sqlite(extension: &str) -> bool {
    EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}
