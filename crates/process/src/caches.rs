//! Caches that tools write, by a table.

use std::path::Path;

/// Name and source, a row each.
const TABLE: &str = include_str!("caches.txt");

fn rows() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter(|row| !row.starts_with('#')).filter_map(|row| row.split_whitespace().next())
}

/// True if a relative path is a cache that a tool writes, or lies in one.
///
/// ```
/// use std::path::Path;
/// use candor_process::is_cache;
/// assert!(is_cache(Path::new("tests/__pycache__/a.cpython-312.pyc")) && is_cache(Path::new("node_modules/.cache/x")));
/// assert!(!is_cache(Path::new("tests/test_target.py")) && !is_cache(Path::new("node_modules/x")));
/// ```
#[must_use]
pub fn is_cache(path: &Path) -> bool {
    path.ancestors().any(|path| {
        rows().any(|row| match row.strip_prefix('*') {
            Some(end) => path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(end)),
            None => path.ends_with(row),
        })
    })
}
