//! A private copy of a workspace: a command writes to the copy, and a later look at the workspace does not see its
//! writes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use candor_check::sandbox::{Folder, Limits, WorkspaceGuard, size_text};
use candor_check::{Obstacle, Unverifiable};
use candor_process::{Copied, CopyError, Most, Temporary, cleared};

/// A copy, removed when it is dropped.
pub(super) struct Copy {
    folder: Temporary,
    /// Links that lead out of the workspace, and are not in the copy.
    pub(super) left_out: Vec<String>,
    pub(super) files: u64,
}

impl Copy {
    /// Copies a folder within the sandbox's limits, with permissions, times and the links that stay within it. A time that
    /// was lost would let a build take what is old for fresh.
    ///
    /// # Errors
    /// When something cannot be read or written, or is more than a limit.
    pub(super) fn of(folder: &Folder, guard: &WorkspaceGuard) -> Result<Self, Unverifiable> {
        let temporary = candor_process::temporary("command").map_err(|error| failed("a copy", &error))?;
        for name in ["work", "home", "tmp"] {
            fs::create_dir(temporary.path().join(name)).map_err(|error| failed("a copy", &error))?;
        }
        let limits = folder.limits();
        let most = Most { entries: limits.max_files, file: limits.max_bytes, bytes: limits.max_total_bytes };
        let work = temporary.path().join("work");
        let copied = match folder.location() {
            Some(location) => candor_process::copy(location, &work, most),
            None => Ok(Copied::default()),
        };
        let Copied { mut files, left_out } = copied.map_err(|error| unverifiable(error, limits))?;
        if folder.is_in_memory() {
            files = written(folder, &work)?;
        }
        for cache in &guard.caches {
            cleared(&work.join(cache)).map_err(|error| failed(&name(cache), &error))?;
        }
        candor_process::renew(&work, &guard.renewed).map_err(|error| failed("the times of a copy", &error))?;
        if let Some(overlay) = &guard.overlay {
            // Whoever gave it is not who left the workspace.
            candor_process::lay_over(overlay, &work).map_err(unlaid)?;
        }
        let left_out = left_out.iter().map(|path| name(path)).collect();
        Ok(Self { folder: temporary, left_out, files })
    }

    pub(super) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// An empty folder for `HOME`.
    pub(super) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// An empty folder for `TMPDIR`.
    pub(super) fn tmp(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }
}

fn unlaid(error: CopyError) -> Unverifiable {
    let why = match error {
        CopyError::Io(path, error) => format!("{}: {error}", path.display()),
        _ => "it cannot be copied".to_owned(),
    };
    let details = format!("the overlay cannot be laid over the workspace: {why}");
    Unverifiable::new(Obstacle::SourceUnavailable, details)
}

/// Writes the files that are in memory; says how many files the folder holds in all.
fn written(folder: &Folder, work: &Path) -> Result<u64, Unverifiable> {
    let files = folder.list()?.files;
    let mut left = folder.limits().max_total_bytes;
    for file in &files {
        let too_large = || unverifiable(CopyError::Bytes, folder.limits());
        left = left.checked_sub(file.size).ok_or_else(too_large)?;
        let Some(bytes) = file.in_memory() else { continue };
        if bytes.len() as u64 > folder.limits().max_bytes {
            return Err(unverifiable(CopyError::File(Path::new(&file.path).to_owned()), folder.limits()));
        }
        let to = work.join(&file.path);
        let write = || {
            fs::create_dir_all(to.parent().unwrap_or(work))?;
            fs::write(&to, bytes)?;
            let modified = file.modified.unwrap_or_else(std::time::SystemTime::now);
            fs::File::options().append(true).open(&to)?.set_modified(modified)
        };
        write().map_err(|error| failed(&file.locator, &error))?;
    }
    Ok(files.len() as u64)
}

fn name(below: &Path) -> String {
    format!("workspace/{}", below.display())
}

fn unverifiable(error: CopyError, limits: &Limits) -> Unverifiable {
    let size = size_text;
    match error {
        CopyError::Io(path, error) => failed(&name(&path), &error),
        CopyError::Changed(path) => failed(&name(&path), &io::Error::other("it changed while it was copied")),
        CopyError::Replaced => failed("workspace/", &io::Error::other("another folder has taken its place")),
        CopyError::Entries => limit(format!("workspace/ holds more than {} files (limit max_files)", limits.max_files)),
        CopyError::File(path) => {
            limit(format!("{} is larger than {} (limit max_bytes)", name(&path), size(limits.max_bytes)))
        }
        CopyError::Bytes => {
            limit(format!("workspace/ holds more than {} (limit max_total_bytes)", size(limits.max_total_bytes)))
        }
    }
}

fn limit(details: String) -> Unverifiable {
    Unverifiable::new(Obstacle::LimitExceeded, details).by_the_work()
}

fn failed(what: &str, error: &io::Error) -> Unverifiable {
    let obstacle = match error.kind() {
        io::ErrorKind::PermissionDenied => Obstacle::SourceDenied,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Obstacle::LimitExceeded,
        _ => Obstacle::SourceUnavailable,
    };
    let why = Unverifiable::new(obstacle, format!("{what} cannot be copied to run a command in: {error}"));
    // The workspace is the cause of a file that may not be read. It is not the cause of a disk that is full or fails.
    if obstacle == Obstacle::SourceDenied { why.by_the_work() } else { why }
}
