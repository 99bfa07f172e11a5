//! Where the files of a sandbox are: a folder of this machine, or memory. Knows paths and bytes, no part.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::setting_file::SettingFile;

#[derive(Clone)]
pub(super) struct MemoryFile {
    pub(super) bytes: Arc<[u8]>,
    pub(super) modified: Option<SystemTime>,
}

impl std::fmt::Debug for MemoryFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MemoryFile({} bytes)", self.bytes.len())
    }
}

/// Files by their paths, `/` between the parts of a path.
pub(super) type MemoryFiles = BTreeMap<String, MemoryFile>;

/// The replacements of files, by their paths: another file, or none.
pub(super) type Overlay = BTreeMap<String, Option<MemoryFile>>;

/// The files and empty folders of a sandbox that has no folder on this machine.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) files: MemoryFiles,
    /// Folders that are there whether files lie in them or not; no slash at the end.
    pub(super) folders: BTreeSet<String>,
}

impl Memory {
    /// The files below a folder, by their paths in the sandbox; `""` is the sandbox itself.
    pub(super) fn below<'m>(&'m self, folder: &str) -> impl Iterator<Item = (&'m String, &'m MemoryFile)> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let from = self.files.range(prefix.clone()..);
        from.take_while(move |(path, _)| path.starts_with(&prefix))
    }

    pub(super) fn file_in(&self, folder: &str, path: &str) -> Option<&MemoryFile> {
        match folder {
            "" => self.files.get(path),
            folder => self.files.get(&format!("{folder}/{path}")),
        }
    }

    pub(super) fn sandbox_in(&self, folder: &str) -> Self {
        let files =
            self.below(folder).filter_map(|(path, file)| Some((relative(path, folder)?.to_owned(), file.clone())));
        let folders = self.folders.iter().filter_map(|path| relative(path, folder).map(str::to_owned));
        Self { files: files.collect(), folders: folders.collect() }
    }

    pub(super) fn is_folder(&self, path: &str) -> bool {
        self.folders.contains(path)
            || self.folders.range(format!("{path}/")..).next().is_some_and(|f| f.starts_with(&format!("{path}/")))
            || self.below(path).next().is_some()
    }
}

#[derive(Clone, Debug)]
pub(super) enum Root {
    Disk(PathBuf),
    Memory(Arc<Memory>),
}

impl Root {
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Disk(path) => Some(path),
            Self::Memory(_) => None,
        }
    }

    pub(super) fn is_folder(&self, path: &str) -> bool {
        match self {
            Self::Disk(root) => root.join(path).is_dir(),
            Self::Memory(_) if Path::new(path).is_absolute() => Path::new(path).is_dir(),
            Self::Memory(memory) => in_sandbox(path).is_some_and(|path| path.is_empty() || memory.is_folder(&path)),
        }
    }

    /// The file that a setting names.
    ///
    /// # Errors
    /// The path where there is no file.
    pub(super) fn setting_file(&self, text: &str) -> Result<SettingFile, PathBuf> {
        if let (Self::Memory(memory), false) = (self, Path::new(text).is_absolute()) {
            let file = plain(text).and_then(|path| memory.files.get(&path));
            let file = file.map(|file| SettingFile::in_sandbox(text.into(), Arc::clone(&file.bytes)));
            return file.ok_or_else(|| text.into());
        }
        let path = self.path().unwrap_or(Path::new("")).join(text);
        if path.is_file() { Ok(path.into()) } else { Err(path) }
    }
}

/// A path without `./`, doubled slashes and a slash at its end; `None` where it leads out of the sandbox or names nothing.
pub(super) fn plain(path: &str) -> Option<String> {
    let steps: Vec<&str> = path.split('/').filter(|step| !step.is_empty() && *step != ".").collect();
    let leads_out = path.starts_with('/') || path.contains('\0') || steps.contains(&"..");
    (!leads_out && !steps.is_empty()).then(|| steps.join("/"))
}

/// As [`plain`], with `""` for the sandbox itself (`.`, `./`).
pub(super) fn in_sandbox(path: &str) -> Option<String> {
    let is_itself = !path.starts_with('/') && path.split('/').all(|step| step.is_empty() || step == ".");
    if is_itself { Some(String::new()) } else { plain(path) }
}

/// A path as it is written from a folder; `None` where it does not lie below the folder.
pub(super) fn relative<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}
