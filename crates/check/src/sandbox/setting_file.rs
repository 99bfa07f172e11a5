//! A file that a setting of `sandbox.toml` names, on disk or in memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that a setting names: a key, a certificate.
#[derive(Clone)]
pub struct SettingFile {
    path: PathBuf,
    bytes: Option<Arc<[u8]>>,
}

impl std::fmt::Debug for SettingFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SettingFile").field(&self.path).finish()
    }
}

impl From<PathBuf> for SettingFile {
    fn from(path: PathBuf) -> Self {
        Self { path, bytes: None }
    }
}

impl SettingFile {
    pub(super) fn in_sandbox(path: PathBuf, bytes: Arc<[u8]>) -> Self {
        Self { path, bytes: Some(bytes) }
    }

    /// The file's path, for messages and for readers that open files themselves. A file in memory does not exist on
    /// disk.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The content of a file in memory; `None` for one on disk.
    #[must_use]
    pub fn in_memory(&self) -> Option<&Arc<[u8]>> {
        self.bytes.as_ref()
    }

    /// The file's content.
    ///
    /// # Errors
    /// When the file on disk cannot be read.
    pub fn read(&self) -> std::io::Result<Vec<u8>> {
        match &self.bytes {
            Some(bytes) => Ok(bytes.to_vec()),
            None => std::fs::read(&self.path),
        }
    }
}
