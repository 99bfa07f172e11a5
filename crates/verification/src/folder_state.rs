//! Detects whether a folder has been written to.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The most entries that are compared. A larger folder counts as changed.
const MOST: usize = 10_000;

/// The entries of a folder, each with what the system changes at every write: inode, length, and the time of the change,
/// which no program sets. `None` if it could not be read whole.
#[derive(Debug)]
pub(crate) struct FolderState(Option<BTreeMap<PathBuf, (u64, u64, i64, i64)>>);

impl FolderState {
    /// The state of a folder now. A folder that does not exist has no entries.
    pub(crate) fn of(folder: &Path) -> Self {
        let mut entries = BTreeMap::new();
        let mut open = vec![folder.to_owned()];
        while let Some(path) = open.pop() {
            let there = match std::fs::symlink_metadata(&path) {
                Ok(there) => there,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && entries.is_empty() => break,
                Err(_) => return Self(None),
            };
            if there.is_dir() {
                let Ok(listed) = std::fs::read_dir(&path) else { return Self(None) };
                for entry in listed {
                    let Ok(entry) = entry else { return Self(None) };
                    open.push(entry.path());
                }
            }
            entries.insert(path, (there.ino(), there.len(), there.ctime(), there.ctime_nsec()));
            if entries.len() + open.len() > MOST {
                return Self(None);
            }
        }
        Self(Some(entries))
    }

    /// Returns `true` if both could be read and are the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        matches!((&self.0, &other.0), (Some(one), Some(other)) if one == other)
    }
}
