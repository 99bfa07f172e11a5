//! A folder of this machine as a store.

use std::io::Read;

use candor_check::sandbox::{FileEntry, Folder, Limits};
use candor_check::{Obstacle, Unverifiable};
use jiff::Timestamp;

use super::{Listing, Store, StoredFile};

/// The sandbox's `files/`.
pub(crate) struct FolderStore {
    folder: Folder,
    name: String,
}

impl FolderStore {
    pub(crate) fn new(folder: Folder, part: &str) -> Self {
        Self { folder, name: format!("{part}/") }
    }

    /// The entry of a path, as the folder lists it; `None` for a link that leads out of the folder.
    fn entry(&self, path: &str) -> Result<Option<FileEntry>, Unverifiable> {
        self.folder.entry(path)
    }
}

fn stored(entry: FileEntry) -> StoredFile {
    StoredFile {
        path: entry.path,
        locator: entry.locator,
        size: entry.size,
        modified: entry.modified.and_then(|time| Timestamp::try_from(time).ok()),
        version: None,
    }
}

impl Store for FolderStore {
    fn name(&self) -> &str {
        &self.name
    }

    fn limits(&self) -> &Limits {
        self.folder.limits()
    }

    fn list(&self, below: &str) -> Result<Listing, Unverifiable> {
        let listing = self.folder.list_below(below)?;
        Ok(Listing {
            files: listing.files.into_iter().map(stored).collect(),
            outside_links: listing.outside_links,
            unreadable: listing.unreadable,
            special: listing.special,
        })
    }

    fn folders(&self, within: &str) -> Vec<String> {
        self.folder.folders_in(within)
    }

    fn leads_nowhere(&self, path: &str) -> bool {
        self.folder.leads_nowhere(path)
    }

    fn stat(&self, path: &str) -> Result<Option<StoredFile>, Unverifiable> {
        Ok(self.entry(path)?.map(stored))
    }

    fn open(&self, file: &StoredFile) -> Result<Box<dyn Read + '_>, Unverifiable> {
        let gone = || Unverifiable::new(Obstacle::SourceUnavailable, format!("{} is no longer there", file.locator));
        let entry = self.entry(&file.path)?.ok_or_else(gone)?;
        Ok(Box::new(self.folder.open(&entry)?))
    }
}
