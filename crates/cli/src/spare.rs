//! No command writes over a file that it reads.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use candor::check::Sandbox;
use candor::check::sandbox::CAPTURE;
use candor::inner::engine::{Engine, Task};

/// The files that a command reads.
#[derive(Debug, Default)]
pub(crate) struct Reads {
    /// Files, and folders of files. In a folder, a file of more than one name is held to be read.
    files: BTreeSet<PathBuf>,
    /// The folders of parts, there or not, and of judges: a new file in one would be a new record, or judge.
    parts: BTreeSet<PathBuf>,
}

impl Reads {
    pub(crate) fn of<'p>(files: impl IntoIterator<Item = &'p PathBuf>) -> Self {
        Self { files: files.into_iter().cloned().collect(), ..Self::default() }
    }

    /// Adds the sandboxes at these paths. Where one cannot be opened, the command itself says so.
    pub(crate) fn at<'p>(self, sandboxes: impl IntoIterator<Item = &'p PathBuf>) -> Self {
        let opened = sandboxes.into_iter().filter_map(|path| Sandbox::open(path, candor::inner::checks::PARTS).ok());
        opened.fold(self, |reads, sandbox| reads.with(&sandbox))
    }

    /// Adds a sandbox and its baseline.
    pub(crate) fn with(mut self, sandbox: &Sandbox) -> Self {
        for one in [Some(sandbox), sandbox.baseline()].into_iter().flatten() {
            self.parts.extend(one.part_places());
        }
        for path in sandbox.evidence_paths() {
            let is_folder = path.is_dir();
            let folder = if is_folder { path.as_path() } else { path.parent().unwrap_or(&path) };
            self.files.extend(["sandbox.toml", CAPTURE].map(|name| folder.join(name)));
            if !is_folder {
                self.files.insert(path);
            }
        }
        self
    }

    /// Adds a task and the files that its assertions name.
    pub(crate) fn with_task(mut self, engine: &Engine, task: &Task) -> Self {
        self.files.insert(task.file().to_owned());
        let named = engine.companions(task).into_values().flatten();
        self.files.extend(named.map(|document| document.file().to_owned()));
        self
    }

    /// Adds files that judge the work, and folders of them: a new file there would judge it, too.
    pub(crate) fn judged_by(mut self, judges: impl IntoIterator<Item = PathBuf>) -> Self {
        let (folders, files): (Vec<_>, Vec<_>) = judges.into_iter().partition(|path| path.is_dir());
        self.parts.extend(folders);
        self.files.extend(files);
        self
    }

    /// Refuses to write over a file that is read, into a part of a sandbox, and two results into one file.
    ///
    /// # Errors
    /// A sentence that names the file.
    pub(crate) fn spare(&self, written: &[PathBuf]) -> Result<(), String> {
        for (number, place) in written.iter().enumerate() {
            let (path, there) = (real(place), file(place));
            let is_in =
                |folder: &Path| path.as_ref().zip(real(folder)).is_some_and(|(path, folder)| path.starts_with(folder));
            let is_read = |there: &Metadata| {
                let links = |folder: &PathBuf| there.nlink() > 1 && has(folder, there);
                // A result in a folder that is read may be that of an earlier run.
                let is_it = |read: &PathBuf| match read.is_dir() {
                    true => links(read),
                    false => file(read).is_some_and(|read| is_same(&read, there)),
                };
                self.files.iter().any(is_it) || self.parts.iter().any(|part| is_in(part) || links(part))
            };
            let shown = place.display();
            if there.as_ref().is_some_and(is_read) {
                return Err(format!(
                    "{shown}: the command reads this file, and would write over it; name another file"
                ));
            }
            if let Some(part) = self.parts.iter().find(|part| is_in(part)) {
                let part = part.display();
                return Err(format!(
                    "{shown}: it lies in `{part}`, which the command reads; name a place outside of it"
                ));
            }
            let is_twice = |other: &PathBuf| match (&there, file(other)) {
                (Some(there), Some(other)) => is_same(there, &other),
                (None, None) => !place.exists() && path == real(other),
                _ => false,
            };
            if written.iter().take(number).any(is_twice) {
                return Err(format!("{shown}: two results would be written to this file; name two files"));
            }
        }
        Ok(())
    }
}

/// A regular file; `-` is standard input.
fn file(place: &Path) -> Option<Metadata> {
    let place = if place == Path::new("-") { Path::new("/dev/stdin") } else { place };
    fs::metadata(place).ok().filter(Metadata::is_file)
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Returns `true` if a folder has this file by another name. Links are not followed.
fn has(folder: &Path, file: &Metadata) -> bool {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            match fs::symlink_metadata(&path) {
                Ok(there) if there.is_dir() => open.push(path),
                Ok(there) if is_same(&there, file) => return true,
                _ => {}
            }
        }
    }
    false
}

/// A path without links, as far as there is something. A link that leads nowhere yet is followed: what is written goes there.
pub(crate) fn real(place: &Path) -> Option<PathBuf> {
    let mut path = std::path::absolute(place).ok()?;
    // As many links as Linux follows.
    for _ in 0..40 {
        let target = |link: &Path| link.read_link().ok().filter(|_| !link.exists());
        let Some((link, target)) = path.ancestors().find_map(|link| Some((link, target(link)?))) else { break };
        let beyond = path.strip_prefix(link).ok()?;
        path = link.parent()?.join(target).join(beyond).components().collect();
    }
    path.ancestors().find_map(|above| Some(above.canonicalize().ok()?.join(path.strip_prefix(above).ok()?)))
}
