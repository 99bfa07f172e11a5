//! A copy of the folder that a delegate works in: what it left, as it was when it said that it is done.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The most files and folders of a workspace, and the most bytes in them. A workspace beyond that is not copied in part:
/// what is not there could be what is asked for.
pub(crate) const MOST_ENTRIES: u64 = 200_000;
/// See [`MOST_ENTRIES`].
pub(crate) const MOST_BYTES: u64 = 8 << 30;

/// A private copy of a folder, gone with this. Nobody but its maker writes to it.
#[derive(Debug)]
pub struct Snapshot {
    folder: TempDir,
}

impl Snapshot {
    /// Copies a folder: its files, its folders, and links that stay within it. Links that lead out of it, sockets, pipes
    /// and devices are left out.
    ///
    /// # Errors
    /// When something in it cannot be read, or it is too large: a sentence that names the place.
    pub fn of(folder: &Path) -> Result<Self, String> {
        let source = folder.canonicalize().map_err(|error| unread(folder, &error))?;
        let made = tempfile::Builder::new().prefix("candor-snapshot-").tempdir();
        let made = made.map_err(|error| format!("no temporary folder can be made: {error}"))?;
        let mut left = Left { entries: MOST_ENTRIES, bytes: MOST_BYTES };
        copy(&source, made.path(), &mut left)?;
        Ok(Self { folder: made })
    }

    /// As [`Snapshot::of`], in which nothing may be written: for whoever is to look and not to change. Who runs as root
    /// can nonetheless, and changes a copy.
    ///
    /// # Errors
    /// As [`Snapshot::of`].
    pub fn read_only(folder: &Path) -> Result<Self, String> {
        let snapshot = Self::of(folder)?;
        set_writable(snapshot.path(), false).map_err(|error| unread(folder, &error))?;
        Ok(snapshot)
    }

    /// Where the copy is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        // A folder that may not be written to cannot be emptied. What is left then lies in the temporary folder.
        let _ = set_writable(self.folder.path(), true);
    }
}

/// What there may still be.
struct Left {
    entries: u64,
    bytes: u64,
}

fn unread(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be copied: {error}", path.display())
}

fn copy(source: &Path, target: &Path, left: &mut Left) -> Result<(), String> {
    let mut open: Vec<(PathBuf, PathBuf)> = vec![(source.to_owned(), target.to_owned())];
    while let Some((from, to)) = open.pop() {
        for entry in fs::read_dir(&from).map_err(|error| unread(&from, &error))? {
            let entry = entry.map_err(|error| unread(&from, &error))?;
            let (path, copied) = (entry.path(), to.join(entry.file_name()));
            let kind = entry.file_type().map_err(|error| unread(&path, &error))?;
            left.entries = left
                .entries
                .checked_sub(1)
                .ok_or_else(|| format!("{} holds more than {MOST_ENTRIES} files", source.display()))?;
            if kind.is_dir() {
                fs::create_dir(&copied).map_err(|error| unread(&path, &error))?;
                open.push((path, copied));
            } else if kind.is_symlink() {
                link(source, &path, &copied)?;
            } else if kind.is_file() {
                let size = entry.metadata().map_err(|error| unread(&path, &error))?.len();
                left.bytes = left
                    .bytes
                    .checked_sub(size)
                    .ok_or_else(|| format!("{} holds more than {MOST_BYTES} bytes", source.display()))?;
                fs::copy(&path, &copied).map_err(|error| unread(&path, &error))?;
                let times = entry.metadata().and_then(|m| Ok((m.accessed()?, m.modified()?)));
                if let Ok((accessed, modified)) = times {
                    let times = fs::FileTimes::new().set_accessed(accessed).set_modified(modified);
                    // Where times cannot be set, a copy is as new as it is.
                    let _ = fs::File::options().write(true).open(&copied).and_then(|file| file.set_times(times));
                }
            }
        }
    }
    Ok(())
}

/// Makes a link again where it leads to something in the folder; to the copy of that.
fn link(source: &Path, path: &Path, copied: &Path) -> Result<(), String> {
    let Ok(real) = path.canonicalize() else { return Ok(()) };
    let Ok(inside) = real.strip_prefix(source) else { return Ok(()) };
    let above = path.strip_prefix(source).map_or(0, |relative| relative.components().count().saturating_sub(1));
    let target: PathBuf = std::iter::repeat_n(Path::new(".."), above).collect::<PathBuf>().join(inside);
    let target = if target.as_os_str().is_empty() { PathBuf::from(".") } else { target };
    std::os::unix::fs::symlink(target, copied).map_err(|error| unread(path, &error))
}

fn set_writable(folder: &Path, writable: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        let metadata = fs::symlink_metadata(&path)?;
        if metadata.file_type().is_symlink() {
            continue;
        }
        let mode = metadata.permissions().mode();
        let changed = if writable { mode | 0o700 } else { mode & !0o222 };
        if metadata.is_dir() {
            if writable {
                fs::set_permissions(&path, fs::Permissions::from_mode(changed))?;
            }
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        }
        if !writable {
            fs::set_permissions(&path, fs::Permissions::from_mode(changed))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_holds_what_was_there_and_nothing_from_elsewhere() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "s").unwrap();
        let work = tempfile::tempdir().unwrap();
        let at = |path: &str| work.path().join(path);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::write(at("a/b/file"), "one").unwrap();
        let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, at(name)).unwrap();
        link("b/file", "a/inside");
        link("../a", "a/folder");
        link(outside.path().join("secret").to_str().unwrap(), "out");
        link("nowhere", "dangling");
        let snapshot = Snapshot::read_only(work.path()).unwrap();
        let copy = snapshot.path().to_owned();
        fs::write(at("a/b/file"), "two").unwrap();
        for path in ["a/b/file", "a/inside", "a/folder/b/file"] {
            assert_eq!(fs::read_to_string(copy.join(path)).unwrap(), "one", "{path}");
        }
        assert!(!copy.join("out").exists() && fs::symlink_metadata(copy.join("dangling")).is_err());
        assert!(copy.join("a/folder").canonicalize().unwrap().starts_with(copy.canonicalize().unwrap()));
        assert!(fs::metadata(copy.join("a/b/file")).unwrap().permissions().readonly());
        drop(snapshot);
        assert!(!copy.exists());
    }

    #[test]
    fn what_cannot_be_copied_is_an_error_and_not_left_out() {
        assert!(Snapshot::of(Path::new("/nowhere/at/all")).unwrap_err().contains("cannot be copied"));
    }
}
