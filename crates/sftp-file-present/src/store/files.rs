//! The interface behind which files lie.

use std::io::Read;

use candor_check::Unverifiable;
use candor_check::sandbox::Limits;
use jiff::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredFile {
    /// Relative to the store's prefix, `/` between its parts.
    pub(crate) path: String,
    /// The path as evidence and messages name it: with the store before it.
    pub(crate) locator: String,
    /// Its size in bytes.
    pub(crate) size: u64,
    /// When it was last modified, where the store says.
    pub(crate) modified: Option<Timestamp>,
    /// A text that changes whenever the content does, where the store gives such a thing: an ETag, a generation.
    pub(crate) version: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    /// The files, in order of path.
    pub(crate) files: Vec<StoredFile>,
    /// Links that lead out of the store, or nowhere: not followed, matching nothing, named in `details`.
    pub(crate) outside_links: Vec<String>,
    pub(crate) unreadable: Vec<(String, Unverifiable)>,
    /// Pipes, sockets and devices of a folder, which are not read.
    pub(crate) special: Vec<(String, Unverifiable)>,
}

/// A place that files are read from, within the sandbox's limits. It only ever reads.
pub(crate) trait Store: Send + Sync {
    /// The name of the store in messages: `files/`, `sftp://user@host/drop/`. It ends with a slash and holds no secret.
    fn name(&self) -> &str;

    fn limits(&self) -> &Limits;

    /// Every file below a folder, sub-folders included, and nothing next to it; `""` is the whole store. A folder that is
    /// not there holds no files, a *store* that is not there is an error: nothing was observed.
    ///
    /// # Errors
    /// When it cannot be listed, or holds more files than `max_files`.
    fn list(&self, below: &str) -> Result<Listing, Unverifiable>;

    /// The names of the folders in a folder, as far as they are cheap to know (one listing, at most): where a folder that
    /// was asked for is not there, one of nearly its name is what an author wants to hear of. Nothing depends on it.
    fn folders(&self, _within: &str) -> Vec<String> {
        Vec::new()
    }

    /// Returns `true` if a path is a link that leads to nothing, so that nothing is known of its file.
    fn leads_nowhere(&self, _path: &str) -> bool {
        false
    }

    /// A file as it is now; `None` if no file has that path.
    ///
    /// # Errors
    /// When that cannot be found out.
    fn stat(&self, path: &str) -> Result<Option<StoredFile>, Unverifiable>;

    /// A file's bytes, from the first on, as a stream. An error while it is read should hold an [`Unverifiable`]
    /// (`io::Error::other`), so that its reason is not lost.
    ///
    /// # Errors
    /// When it cannot be opened.
    fn open(&self, file: &StoredFile) -> Result<Box<dyn Read + '_>, Unverifiable>;
}
