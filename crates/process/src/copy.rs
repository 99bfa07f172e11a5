//! A private copy of a folder, so that whoever works in it changes nothing that others look at.

use std::fs::{self, File, FileTimes};
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use crate::copied::{Copied, CopyError, Most};
use crate::ending;
use crate::held::Held;

/// Copies what is in a folder into another, with permissions, times and the links that stay within it. A time that was
/// lost would let a build take what is old for fresh. Sockets, pipes and devices hold nothing that could be copied.
///
/// # Errors
/// When something cannot be read or written, or is more than `most`; what was copied until then is there.
pub fn copy(folder: &Path, into: &Path, most: Most) -> Result<Copied, CopyError> {
    let root = fs::canonicalize(folder).map_err(whole)?;
    Copying::new(root.clone(), root, most).into(into)
}

/// As [`copy`], of the folder that is held. Everything is read from that very folder: whatever has taken its place at its
/// path is not looked at.
///
/// # Errors
/// As [`copy`]; [`CopyError::Replaced`] where the folder is no longer at its path, [`CopyError::Io`] where nothing is.
pub fn copy_held(folder: &Held, into: &Path, most: Most) -> Result<Copied, CopyError> {
    folder.check()?;
    let copied = Copying::new(folder.path().to_owned(), folder.way(), most).into(into)?;
    // A folder that was away in between was not still.
    folder.check()?;
    Ok(copied)
}

fn whole(error: io::Error) -> CopyError {
    CopyError::Io(PathBuf::new(), error)
}

struct Copying {
    /// The folder as it really is.
    root: PathBuf,
    /// By which way it is read.
    way: PathBuf,
    most: Most,
    entries: u64,
    bytes: u64,
    /// The links in the copy: their paths in it, and where they are.
    links: Vec<(PathBuf, PathBuf)>,
    copied: Copied,
}

impl Copying {
    fn new(root: PathBuf, way: PathBuf, most: Most) -> Self {
        Self { root, way, most, entries: 0, bytes: 0, links: Vec::new(), copied: Copied::default() }
    }

    fn into(mut self, into: &Path) -> Result<Copied, CopyError> {
        let to = fs::canonicalize(into).map_err(whole)?;
        self.survey()?;
        self.folder(&to)?;
        Ok(self.copied)
    }

    /// Asks for the number of entries, then for their sizes, before a byte is copied. What changes afterwards meets the
    /// same limits while it is copied.
    fn survey(&self) -> Result<(), CopyError> {
        let (mut entries, mut files, mut open) = (0_u64, Vec::new(), vec![PathBuf::new()]);
        while let Some(below) = open.pop() {
            let wrong = |error: io::Error| CopyError::Io(below.clone(), error);
            for entry in fs::read_dir(self.way.join(&below)).map_err(wrong)? {
                let entry = entry.map_err(wrong)?;
                if ending::is_ending() {
                    return Err(wrong(io::ErrorKind::Interrupted.into()));
                }
                entries += 1;
                if entries > self.most.entries {
                    return Err(CopyError::Entries);
                }
                let below = below.join(entry.file_name());
                let kind = entry.file_type().map_err(|error| CopyError::Io(below.clone(), error))?;
                if kind.is_dir() {
                    open.push(below);
                } else if kind.is_file() {
                    files.push(below);
                }
            }
        }
        let mut bytes = 0_u64;
        for below in files {
            // One that is gone by now is not copied either.
            let Ok(metadata) = fs::symlink_metadata(self.way.join(&below)) else { continue };
            if metadata.len() > self.most.file {
                return Err(CopyError::File(below));
            }
            bytes = bytes.saturating_add(metadata.len());
            if bytes > self.most.bytes {
                return Err(CopyError::Bytes);
            }
        }
        Ok(())
    }

    fn folder(&mut self, to: &Path) -> Result<(), CopyError> {
        // What is open is a list and not the stack, so that no depth of folders breaks it.
        let mut open = vec![(PathBuf::new(), to.to_owned())];
        let mut done = Vec::new();
        while let Some((below, into)) = open.pop() {
            let wrong = |error: io::Error| CopyError::Io(below.clone(), error);
            for entry in fs::read_dir(self.way.join(&below)).map_err(wrong)? {
                let entry = entry.map_err(wrong)?;
                let (below, into) = (below.join(entry.file_name()), into.join(entry.file_name()));
                let wrong = |error: io::Error| CopyError::Io(below.clone(), error);
                let kind = entry.file_type().map_err(wrong)?;
                if ending::is_ending() {
                    return Err(wrong(io::ErrorKind::Interrupted.into()));
                }
                self.entries += 1;
                if self.entries > self.most.entries {
                    return Err(CopyError::Entries);
                }
                if kind.is_symlink() {
                    self.link(&below, &into).map_err(wrong)?;
                } else if kind.is_dir() {
                    fs::create_dir(&into).map_err(wrong)?;
                    done.push((below.clone(), into.clone()));
                    open.push((below, into));
                } else if kind.is_file() {
                    self.file(&below, &into)?;
                }
            }
        }
        self.follow(to)?;
        for (below, into) in done.into_iter().rev() {
            let metadata = fs::metadata(self.way.join(&below)).map_err(|error| CopyError::Io(below, error))?;
            // Where a folder's time cannot be set, the copy is as new as it is.
            let _ = File::open(&into).and_then(|folder| folder.set_times(times(&metadata)));
        }
        Ok(())
    }

    fn file(&mut self, below: &Path, into: &Path) -> Result<(), CopyError> {
        let wrong = |error: io::Error| CopyError::Io(below.to_owned(), error);
        let from = open(&self.way.join(below)).map_err(wrong)?;
        let metadata = from.metadata().map_err(wrong)?;
        let mut to = File::create(into).map_err(wrong)?;
        let most = self.most.file.min(self.most.bytes.saturating_sub(self.bytes));
        let copied = io::copy(&mut from.take(most.saturating_add(1)), &mut to).map_err(wrong)?;
        if copied > self.most.file {
            return Err(CopyError::File(below.to_owned()));
        }
        if copied > most {
            return Err(CopyError::Bytes);
        }
        self.bytes += copied;
        self.copied.files += 1;
        to.set_times(times(&metadata)).map_err(wrong)?;
        fs::set_permissions(into, metadata.permissions()).map_err(wrong)
    }

    /// A link stays one where it leads to somewhere within, written anew where it is written from the root or by a way
    /// outside; one that leads out, or nowhere, is left out.
    fn link(&mut self, below: &Path, into: &Path) -> io::Result<()> {
        let from = self.way.join(below);
        let written = fs::read_link(&from)?;
        let target = fs::canonicalize(&from).ok();
        let Some(target) = target.as_deref().and_then(|target| target.strip_prefix(&self.root).ok()) else {
            self.copied.left_out.push(below.to_owned());
            return Ok(());
        };
        let written = if written.is_relative() && stays(below, &written) { written } else { within(below, target) };
        std::os::unix::fs::symlink(written, into)?;
        self.links.push((below.to_owned(), into.to_owned()));
        Ok(())
    }

    /// Follows all links when everything is there, and takes out those that lead out of the copy or nowhere: behind a link
    /// to a folder, `..` is elsewhere than the names say. Until there is none: one may have led by way of another.
    fn follow(&mut self, to: &Path) -> Result<(), CopyError> {
        loop {
            let leads = |link: &Path| fs::canonicalize(link).is_ok_and(|target| target.starts_with(to));
            let (stay, go): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.links).into_iter().partition(|(_, link)| leads(link));
            self.links = stay;
            if go.is_empty() {
                return Ok(());
            }
            for (below, link) in go {
                fs::remove_file(link).map_err(|error| CopyError::Io(below.clone(), error))?;
                self.copied.left_out.push(below);
            }
        }
    }
}

/// Opens a file that was one a moment ago: a link or a pipe that has taken its place is neither followed nor waited for.
fn open(file: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(CWD, file, flags, Mode::empty())?);
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is no longer a file")),
    }
}

/// A link at a place in the folder to another place in it, both without links on the way.
fn within(below: &Path, target: &Path) -> PathBuf {
    let up = below.components().skip(1).map(|_| Component::ParentDir.as_os_str());
    let way: PathBuf = up.chain(target.iter()).collect();
    if way.as_os_str().is_empty() { PathBuf::from(".") } else { way }
}

/// Whether a relative link, read name by name, never leaves the folder: what it really leads to may do so by another way
/// in the copy than in the original.
fn stays(below: &Path, written: &Path) -> bool {
    let mut depth = below.components().count().saturating_sub(1);
    written.components().all(|part| match part {
        Component::ParentDir => match depth.checked_sub(1) {
            Some(less) => {
                depth = less;
                true
            }
            None => false,
        },
        Component::Normal(_) => {
            depth += 1;
            true
        }
        Component::CurDir => true,
        _ => false,
    })
}

fn times(metadata: &fs::Metadata) -> FileTimes {
    match metadata.modified() {
        Ok(modified) => FileTimes::new().set_modified(modified),
        Err(_) => FileTimes::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
    use std::time::{Duration, SystemTime};

    use super::*;

    const ALL: Most = Most { entries: 100, file: 1000, bytes: 10_000 };

    #[test]
    fn a_copy_is_the_same_and_apart() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join("work").join(name);
        fs::create_dir_all(at("deep/er")).unwrap();
        fs::write(at("deep/er/run.sh"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(at("deep/er/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        File::options().append(true).open(at("deep/er/run.sh")).unwrap().set_modified(then).unwrap();
        fs::write(root.path().join("secret"), "s").unwrap();
        symlink("er/run.sh", at("deep/inside")).unwrap();
        for (target, link) in [("../secret", "out"), ("nowhere", "dead"), (at("deep").to_str().unwrap(), "absolute")] {
            symlink(target, at(link)).unwrap();
        }
        // Within by another way: it leads out of the folder and in again.
        symlink("../work/deep", at("around")).unwrap();
        let into = root.path().join("copy");
        fs::create_dir(&into).unwrap();
        let mut copied = copy(&at(""), &into, ALL).unwrap();
        let metadata = fs::metadata(into.join("deep/inside")).unwrap();
        assert_eq!((metadata.mode() & 0o777, metadata.modified().unwrap()), (0o755, then));
        copied.left_out.sort();
        let left_out = ["dead", "out"].map(PathBuf::from).to_vec();
        assert_eq!(copied, Copied { files: 1, left_out });
        for link in ["absolute", "around"] {
            let led = fs::canonicalize(into.join(link)).unwrap();
            assert_eq!(led, fs::canonicalize(into.join("deep")).unwrap(), "{link}");
        }
        fs::write(into.join("deep/er/run.sh"), "changed").unwrap();
        assert_eq!(fs::read(at("deep/er/run.sh")).unwrap(), b"#!/bin/sh\n");
    }

    #[test]
    fn no_link_of_a_copy_leads_to_the_original() {
        let root = tempfile::tempdir().unwrap();
        let work = root.path().join("work");
        let at = |name: &str| work.join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::write(at("f"), "one").unwrap();
        symlink("../..", at("a/b/s")).unwrap();
        // `a/b/s` is the folder, so that `..` after it is outside: name by name it never gets there.
        let tricky = PathBuf::from("a/b/s/..").join("work/f");
        symlink(&tricky, at("tricky")).unwrap();
        symlink("tricky", at("after")).unwrap();
        symlink(at("f"), at("a/b/absolute")).unwrap();
        symlink(&work, at("self")).unwrap();
        let into = root.path().join("copy");
        fs::create_dir(&into).unwrap();
        let mut copied = copy(&work, &into, ALL).unwrap();
        copied.left_out.sort();
        assert_eq!(copied.left_out, ["after", "tricky"].map(PathBuf::from));
        assert!(fs::symlink_metadata(into.join("tricky")).is_err());
        fs::write(at("f"), "two").unwrap();
        for link in ["a/b/absolute", "a/b/s/f", "self/f"] {
            assert_eq!(fs::read_to_string(into.join(link)).unwrap(), "one", "{link}");
        }
    }

    #[test]
    fn there_is_a_most_of_everything() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["from/sub", "to"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        for name in ["a", "sub/b"] {
            fs::write(root.path().join("from").join(name), "x".repeat(20)).unwrap();
        }
        let with = |most: Most| {
            let into = tempfile::tempdir_in(root.path().join("to")).unwrap();
            copy(&root.path().join("from"), into.path(), most)
        };
        assert_eq!(with(Most { entries: 3, file: 20, bytes: 40 }).unwrap().files, 2);
        assert!(matches!(with(Most { entries: 2, ..ALL }), Err(CopyError::Entries)));
        assert!(matches!(with(Most { file: 19, ..ALL }), Err(CopyError::File(_))));
        assert!(matches!(with(Most { bytes: 39, ..ALL }), Err(CopyError::Bytes)));
        // Lengths and numbers are asked for before anything is written.
        let sparse = root.path().join("from/sparse");
        File::create(&sparse).unwrap().set_len(1 << 40).unwrap();
        let into = tempfile::tempdir_in(root.path().join("to")).unwrap();
        let all = |most: Most| copy(&root.path().join("from"), into.path(), most);
        assert!(matches!(all(Most { file: 8 << 30, bytes: 8 << 30, ..ALL }), Err(CopyError::File(_))));
        assert!(matches!(all(Most { entries: 2, ..ALL }), Err(CopyError::Entries)));
        assert_eq!(fs::read_dir(into.path()).unwrap().count(), 0);
        fs::remove_file(sparse).unwrap();
        let gone = copy(&root.path().join("not"), &root.path().join("to"), ALL);
        assert!(matches!(gone, Err(CopyError::Io(path, _)) if path.as_os_str().is_empty()));
    }
}
