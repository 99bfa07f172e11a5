//! The limits of a copy, and its result.

use std::io;
use std::path::{Path, PathBuf};

/// The most that is copied. A folder that holds more is not copied in part: what is not there could be what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most {
    /// Files, folders and links.
    pub entries: u64,
    /// Bytes of a file.
    pub file: u64,
    /// Bytes of all files.
    pub bytes: u64,
}

/// The result of copying a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// How many files.
    pub files: u64,
    /// Links that lead out of the folder, or nowhere, and are not in the copy: by their paths in it.
    pub left_out: Vec<PathBuf>,
}

/// Why a folder was not copied.
#[derive(Debug)]
pub enum CopyError {
    /// Something in it cannot be read, or cannot be written again: its path in the folder, which is empty for the folder.
    Io(PathBuf, io::Error),
    /// This file, folder or link was taken away, or became something else, while it was copied.
    Changed(PathBuf),
    /// There are more files, folders and links.
    Entries,
    /// This file is larger.
    File(PathBuf),
    /// All files are larger together.
    Bytes,
    /// Another folder, or a link, has taken the folder's place.
    Replaced,
}

/// The bytes that this user can still write where a path is.
///
/// # Errors
/// When nothing is at the path, or the file system does not say.
///
/// ```
/// assert!(candor_process::free_bytes(&std::env::temp_dir())? > 0);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let free = rustix::fs::statvfs(path)?;
    Ok(free.f_bavail.saturating_mul(free.f_frsize))
}
