//! A sandbox in memory: the same files, the same code, no folder.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;

use super::description::{Description, SandboxError};
use super::memory::{Memory, MemoryFile, plain};
use super::part::PartType;
use super::{EVENTS, Sandbox};

/// Collects the files of a sandbox in memory. It means the same as a folder with the same files; nothing touches a disk.
///
/// ```
/// use candor_check::Sandbox;
/// let sandbox = Sandbox::builder()
///     .file("hl7/out.hl7", *b"MSH|^~\\&|A|B|C|D|20261122||ADT^A01|1|P|2.5.1")
///     .settings("[limits]\ntimeout = \"5s\"")
///     .build(&[])?;
/// assert_eq!(sandbox.folder("hl7").unwrap().list()?.files.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct SandboxBuilder {
    memory: Memory,
    settings: String,
    baseline: Option<Sandbox>,
    /// The first path that is not one of a file in a sandbox.
    wrong: Option<String>,
}

impl std::fmt::Debug for SandboxBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SandboxBuilder").field("files", &self.memory.files).finish_non_exhaustive()
    }
}

impl SandboxBuilder {
    /// Adds a file, by its path in the sandbox: `x12/271.edi`. A file of the same path is replaced. Its time of
    /// modification is now, as that of a file just written.
    #[must_use]
    pub fn file(self, path: impl AsRef<str>, bytes: impl Into<Arc<[u8]>>) -> Self {
        self.file_of(path, bytes, SystemTime::now())
    }

    /// As [`SandboxBuilder::file`], with a time of modification.
    #[must_use]
    pub fn file_of(mut self, path: impl AsRef<str>, bytes: impl Into<Arc<[u8]>>, modified: SystemTime) -> Self {
        let path = path.as_ref();
        match plain(path).filter(|_| !path.ends_with('/')) {
            Some(path) => {
                self.memory.files.insert(path, MemoryFile { bytes: bytes.into(), modified: Some(modified) });
            }
            None => self.refuse(path),
        }
        self
    }

    /// Adds a folder that may be empty, by its path in the sandbox: a part that is there and holds nothing.
    #[must_use]
    pub fn folder(mut self, path: impl AsRef<str>) -> Self {
        match plain(path.as_ref()) {
            Some(path) => {
                self.memory.folders.insert(path);
            }
            None => self.refuse(path.as_ref()),
        }
        self
    }

    /// The text of `sandbox.toml`.
    #[must_use]
    pub fn settings(mut self, toml: impl Into<String>) -> Self {
        self.settings = toml.into();
        self
    }

    /// The content of `events.ndjson`: what a service recorded as it happened.
    #[must_use]
    pub fn events(self, ndjson: impl Into<Arc<[u8]>>) -> Self {
        self.file(EVENTS, ndjson)
    }

    /// The sandbox before the work was done.
    #[must_use]
    pub fn baseline(mut self, before: Sandbox) -> Self {
        self.baseline = Some(before);
        self
    }

    /// Builds the sandbox, its tables read by these parts.
    ///
    /// # Errors
    /// A path that leads out of the sandbox, a path that is both a file and a folder, or settings that are wrong.
    pub fn build(self, parts: &[PartType]) -> Result<Sandbox, SandboxError> {
        let problem = |message: String| SandboxError { path: "sandbox in memory".into(), position: None, message };
        if let Some(path) = self.wrong {
            return Err(problem(format!("{path:?} is not the path of a file in a sandbox, as in \"x12/271.edi\"")));
        }
        let folders: BTreeSet<&str> = self.memory.files.keys().flat_map(|path| parents(path)).collect();
        let is_folder = |path: &&String| folders.contains(path.as_str()) || self.memory.folders.contains(*path);
        if let Some(path) = self.memory.files.keys().find(is_folder) {
            return Err(problem(format!("{path:?} is the path of a file and of a folder")));
        }
        let mut description = Description::in_memory(self.memory, &self.settings, parts)?;
        description.baseline = self.baseline.or(description.baseline);
        Ok(Sandbox::of(description))
    }

    fn refuse(&mut self, path: &str) {
        self.wrong.get_or_insert_with(|| path.to_owned());
    }
}

fn parents(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').filter_map(|(at, _)| path.get(..at))
}
