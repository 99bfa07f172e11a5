//! A private copy of a workspace, so that what a command writes changes nothing that is looked at afterwards.

use std::fs::{self, File, FileTimes};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use candor_check::{Folder, Limits, Obstacle, Unverifiable, size_text};
use tempfile::TempDir;

/// A copy, removed when it is dropped.
pub(super) struct Copy {
    folder: TempDir,
    /// Links that lead out of the workspace, and are not in the copy.
    pub(super) left_out: Vec<String>,
    /// How many files there are.
    pub(super) files: u64,
}

impl Copy {
    /// Copies a folder within the sandbox's limits, with permissions, times and the links that stay within it. A time that
    /// was lost would let a build take what is old for fresh.
    ///
    /// # Errors
    /// When something cannot be read or written, or is more than a limit.
    pub(super) fn of(folder: &Folder) -> Result<Self, Unverifiable> {
        let root = fs::canonicalize(folder.location()).map_err(|error| failed("workspace/", &error))?;
        let temporary =
            tempfile::Builder::new().prefix("candor-").tempdir().map_err(|error| failed("a copy", &error))?;
        for name in ["work", "home", "tmp"] {
            fs::create_dir(temporary.path().join(name)).map_err(|error| failed("a copy", &error))?;
        }
        let mut copying =
            Copying { root, limits: folder.limits(), files: 0, entries: 0, bytes: 0, left_out: Vec::new() };
        copying.folder(Path::new(""), &temporary.path().join("work"))?;
        let Copying { left_out, files, .. } = copying;
        Ok(Self { folder: temporary, left_out, files })
    }

    /// The copied workspace.
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

struct Copying<'a> {
    root: PathBuf,
    limits: &'a Limits,
    files: u64,
    entries: u64,
    bytes: u64,
    left_out: Vec<String>,
}

impl Copying<'_> {
    fn folder(&mut self, below: &Path, into: &Path) -> Result<(), Unverifiable> {
        // What is open is a list and not the stack, so that no depth of folders breaks it.
        let mut open = vec![(below.to_owned(), into.to_owned())];
        let mut done = Vec::new();
        while let Some((below, into)) = open.pop() {
            let from = self.root.join(&below);
            for entry in fs::read_dir(&from).map_err(|error| failed(&name(&below), &error))? {
                let entry = entry.map_err(|error| failed(&name(&below), &error))?;
                let (below, into) = (below.join(entry.file_name()), into.join(entry.file_name()));
                let kind = entry.file_type().map_err(|error| failed(&name(&below), &error))?;
                self.entries += 1;
                if self.entries > self.limits.max_files {
                    return Err(limit(format!(
                        "workspace/ holds more than {} files (limit max_files)",
                        self.limits.max_files
                    )));
                }
                if kind.is_symlink() {
                    self.link(&below, &into)?;
                } else if kind.is_dir() {
                    fs::create_dir(&into).map_err(|error| failed(&name(&below), &error))?;
                    done.push((below.clone(), into.clone()));
                    open.push((below, into));
                } else if kind.is_file() {
                    self.file(&below, &into)?;
                }
                // Sockets, pipes and devices hold nothing that could be copied.
            }
        }
        for (below, into) in done.into_iter().rev() {
            let metadata = fs::metadata(self.root.join(&below)).map_err(|error| failed(&name(&below), &error))?;
            let _ = File::open(&into).and_then(|folder| folder.set_times(times(&metadata)));
        }
        Ok(())
    }

    fn file(&mut self, below: &Path, into: &Path) -> Result<(), Unverifiable> {
        let wrong = |error: &io::Error| failed(&name(below), error);
        let from = File::open(self.root.join(below)).map_err(|error| wrong(&error))?;
        let metadata = from.metadata().map_err(|error| wrong(&error))?;
        let mut to = File::create(into).map_err(|error| wrong(&error))?;
        let most = self.limits.max_bytes.min(self.limits.max_total_bytes.saturating_sub(self.bytes));
        let copied = io::copy(&mut from.take(most.saturating_add(1)), &mut to).map_err(|error| wrong(&error))?;
        if copied > self.limits.max_bytes {
            let size = size_text(self.limits.max_bytes);
            return Err(limit(format!("{} is larger than {size} (limit max_bytes)", name(below))));
        }
        if copied > most {
            let size = size_text(self.limits.max_total_bytes);
            return Err(limit(format!("workspace/ holds more than {size} (limit max_total_bytes)")));
        }
        self.bytes += copied;
        self.files += 1;
        to.set_times(times(&metadata)).map_err(|error| wrong(&error))?;
        fs::set_permissions(into, metadata.permissions()).map_err(|error| wrong(&error))
    }

    /// A link stays one where it stays within; one that leads out, or nowhere, is left out.
    fn link(&mut self, below: &Path, into: &Path) -> Result<(), Unverifiable> {
        let from = self.root.join(below);
        let target = fs::canonicalize(&from).ok().filter(|target| target.starts_with(&self.root));
        let written = fs::read_link(&from).map_err(|error| failed(&name(below), &error))?;
        match target {
            // One that is written from the root would lead into the original.
            Some(_) if written.is_relative() && stays(below, &written) => {
                std::os::unix::fs::symlink(&written, into).map_err(|error| failed(&name(below), &error))
            }
            _ => {
                self.left_out.push(name(below));
                Ok(())
            }
        }
    }
}

/// Whether a relative link, read name by name, never leaves the folder: what it really leads to may do so by another way
/// in the copy than in the original.
fn stays(below: &Path, written: &Path) -> bool {
    let mut depth = below.components().count().saturating_sub(1);
    written.components().all(|part| match part {
        std::path::Component::ParentDir => match depth.checked_sub(1) {
            Some(less) => {
                depth = less;
                true
            }
            None => false,
        },
        std::path::Component::Normal(_) => {
            depth += 1;
            true
        }
        std::path::Component::CurDir => true,
        _ => false,
    })
}

fn times(metadata: &fs::Metadata) -> FileTimes {
    match metadata.modified() {
        Ok(modified) => FileTimes::new().set_modified(modified),
        Err(_) => FileTimes::new(),
    }
}

fn name(below: &Path) -> String {
    format!("workspace/{}", below.display())
}

fn limit(details: String) -> Unverifiable {
    Unverifiable::new(Obstacle::LimitExceeded, details)
}

fn failed(what: &str, error: &io::Error) -> Unverifiable {
    let obstacle = match error.kind() {
        io::ErrorKind::PermissionDenied => Obstacle::SourceDenied,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Obstacle::LimitExceeded,
        _ => Obstacle::SourceUnavailable,
    };
    Unverifiable::new(obstacle, format!("{what} cannot be copied to run a command in: {error}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
    use std::time::{Duration, SystemTime};

    use candor_check::Sandbox;

    use super::*;

    fn sandbox(limits: &str) -> (TempDir, Folder) {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("workspace/deep/er")).unwrap();
        fs::write(root.path().join("sandbox.toml"), limits).unwrap();
        let sandbox = Sandbox::open(root.path()).unwrap();
        (root, sandbox.folder("workspace").unwrap())
    }

    #[test]
    fn a_copy_is_the_same_and_apart() {
        let (root, folder) = sandbox("");
        let at = |name: &str| root.path().join("workspace").join(name);
        fs::write(at("deep/er/run.sh"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(at("deep/er/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        File::options().append(true).open(at("deep/er/run.sh")).unwrap().set_modified(then).unwrap();
        fs::write(root.path().join("secret"), "s").unwrap();
        symlink("er/run.sh", at("deep/inside")).unwrap();
        for (target, link) in [("../secret", "out"), ("nowhere", "dead"), (at("deep").to_str().unwrap(), "absolute")] {
            symlink(target, at(link)).unwrap();
        }
        // Within by another way: it leads out of the workspace and in again.
        symlink("../workspace/deep", at("around")).unwrap();
        let copy = Copy::of(&folder).unwrap();
        let metadata = fs::metadata(copy.work().join("deep/inside")).unwrap();
        assert_eq!((metadata.mode() & 0o777, metadata.modified().unwrap()), (0o755, then));
        let mut left_out = copy.left_out.clone();
        left_out.sort();
        assert_eq!(left_out, ["workspace/absolute", "workspace/around", "workspace/dead", "workspace/out"]);
        assert_eq!((copy.files, fs::read_dir(copy.work()).unwrap().count()), (1, 1));
        fs::write(copy.work().join("deep/er/run.sh"), "changed").unwrap();
        assert_eq!(fs::read(at("deep/er/run.sh")).unwrap(), b"#!/bin/sh\n");
        let gone = copy.work();
        drop(copy);
        assert!(!gone.exists());
    }

    #[test]
    fn limits_are_kept() {
        for (limits, named) in [
            ("[limits]\nmax_bytes = \"10B\"", "is larger than 10 bytes (limit max_bytes)"),
            ("[limits]\nmax_total_bytes = \"30B\"", "holds more than 30 bytes (limit max_total_bytes)"),
            ("[limits]\nmax_files = 3", "holds more than 3 files (limit max_files)"),
        ] {
            let (root, folder) = sandbox(limits);
            for name in ["a", "b"] {
                fs::write(root.path().join("workspace").join(name), "x".repeat(20)).unwrap();
            }
            let Err(why) = Copy::of(&folder) else { panic!("{limits}") };
            assert_eq!(why.obstacle, Obstacle::LimitExceeded);
            assert!(why.details.contains(named), "{}", why.details);
        }
    }
}
