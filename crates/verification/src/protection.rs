//! Files of the workspace that the delegate may not change.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use candor_check::sandbox::WorkspaceGuard;
use candor_glob::Glob;
use candor_process::{is_cache, plain};
use sha2::{Digest as _, Sha256};

/// Digests of protected files, by their paths in the workspace.
pub type FileDigests = BTreeMap<String, String>;

/// So many files of caches, and so many bytes of them, are known by their digests. A cache of more is one that was not there.
const MOST_CACHED: (usize, u64) = (5_000, 1 << 30);

/// Globs over the workspace, and the files that they matched before attempt 0, with those of caches.
#[derive(Clone, Debug)]
pub struct Protection {
    globs: Vec<Glob>,
    before: FileDigests,
}

/// The changes to the protected files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// A sentence part for each: `tests/test_a.py was changed`.
    pub said: Vec<String>,
    /// Caches that were not there before attempt 0, or are not as they were, anywhere in the workspace. Tools may write them,
    /// and a runner may take them for fresh.
    pub caches: Vec<PathBuf>,
}

/// Reads the globs of `protect`.
///
/// # Errors
/// The first text that is not a glob, and why.
pub fn protect_globs(texts: &[String]) -> Result<Vec<Glob>, String> {
    texts
        .iter()
        .map(|text| match Glob::parse(text) {
            Ok(glob) if glob.names_members() => Err(format!("`protect`: `{text}` names members of an archive")),
            Ok(glob) => Ok(glob),
            Err(error) => Err(format!("`protect`: {error}")),
        })
        .collect()
}

/// True if a path, relative to the workspace, is protected: a glob matches it or a folder that it is in. `*` and `**`
/// match hidden names too, because a file that a delegate hides in a protected folder is read all the same.
///
/// ```
/// use candor_verification::{is_protected, protect_globs};
/// let globs = protect_globs(&["tests/**".to_owned(), ".cargo".to_owned()]).unwrap();
/// assert!(is_protected(&globs, "tests/.hidden/a.py") && is_protected(&globs, ".cargo/config.toml"));
/// assert!(!is_protected(&globs, "src/tests.rs") && !is_protected(&globs, "cargo/config.toml"));
/// ```
#[must_use]
pub fn is_protected(globs: &[Glob], path: &str) -> bool {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    let above: Vec<&str> = ends.filter_map(|at| path.get(..at)).collect();
    globs.iter().any(|glob| above.iter().any(|path| glob.matches(path) || shown(path).any(|path| glob.matches(&path))))
}

/// A path with the dots of hidden names left out, from each name on to the end.
fn shown(path: &str) -> impl Iterator<Item = String> {
    let names: Vec<&str> = path.split('/').collect();
    let hidden: Vec<usize> = (0..names.len()).filter(|&at| names.get(at).is_some_and(|n| n.starts_with('.'))).collect();
    hidden.into_iter().map(move |from| {
        let bare = |(at, name): (usize, &&str)| match at >= from {
            true => name.trim_start_matches('.').to_owned(),
            false => (*name).to_owned(),
        };
        names.iter().enumerate().map(bare).collect::<Vec<_>>().join("/")
    })
}

impl Protection {
    /// Protects the files that the globs match, against the digests that [`Protection::digests`] took.
    #[must_use]
    pub fn new(globs: Vec<Glob>, before: FileDigests) -> Self {
        Self { globs, before }
    }

    /// The globs.
    #[must_use]
    pub fn globs(&self) -> &[Glob] {
        &self.globs
    }

    /// The digests of what globs match in a folder, and of what is in caches. Links are not followed: a link is where it leads
    /// to.
    ///
    /// # Errors
    /// When a folder or a file cannot be read.
    pub fn digests(globs: &[Glob], folder: &Path) -> io::Result<FileDigests> {
        let (mut digests, mut cached, mut bytes) = (FileDigests::new(), 0, 0_u64);
        walked(folder, &mut |below, path, kind| {
            let protected = is_protected(globs, path);
            if !protected && is_cache(below) {
                cached += 1;
                bytes = bytes.saturating_add(fs::symlink_metadata(folder.join(below))?.len());
            }
            if protected || is_cache(below) && cached <= MOST_CACHED.0 && bytes <= MOST_CACHED.1 {
                digests.insert(path.to_owned(), digest(&folder.join(below), kind)?);
            }
            Ok(())
        })?;
        Ok(digests)
    }

    /// Compares the folder with what was there before.
    ///
    /// # Errors
    /// When a folder or a file cannot be read.
    pub fn changes(&self, folder: &Path) -> io::Result<Changes> {
        let (mut said, mut caches) = (Vec::new(), Vec::new());
        let mut left: BTreeSet<&str> = self.before.keys().map(String::as_str).collect();
        walked(folder, &mut |below, path, kind| {
            let before = self.before.get(path);
            left.remove(path);
            let same = match before {
                Some(before) => *before == digest(&folder.join(below), kind)?,
                None => false,
            };
            match (same, before.is_some() || !is_cache(below), is_protected(&self.globs, path)) {
                (true, ..) => {}
                (false, true, true) => {
                    let how = if before.is_some() { "was changed" } else { "is new" };
                    said.push(format!("{} {how}", plain(path)));
                }
                (false, ..) if is_cache(below) => caches.push(below.to_owned()),
                (false, ..) => {}
            }
            Ok(())
        })?;
        let gone = left.into_iter().filter(|path| is_protected(&self.globs, path));
        said.extend(gone.map(|path| format!("{} was removed", plain(path))));
        said.sort();
        caches.sort();
        Ok(Changes { said, caches })
    }

    /// The files of [`WorkspaceGuard::renewed`].
    fn renewed(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let now = SystemTime::now();
        let (mut ahead, mut protected) = (Vec::new(), Vec::new());
        walked(folder, &mut |below, path, kind| {
            if kind.is_file() && is_protected(&self.globs, path) {
                protected.push(below.to_owned());
            } else if kind.is_file() && fs::symlink_metadata(folder.join(below))?.modified()? > now {
                ahead.push(below.to_owned());
            }
            Ok(())
        })?;
        ahead.append(&mut protected);
        Ok(ahead)
    }
}

pub(crate) fn guard(
    protection: Option<&Protection>,
    overlay: Option<&Path>,
    workspace: &Path,
) -> io::Result<WorkspaceGuard> {
    let mut guard = WorkspaceGuard { overlay: overlay.map(Path::to_owned), ..WorkspaceGuard::default() };
    if let Some(protection) = protection {
        let changes = protection.changes(workspace)?;
        guard = WorkspaceGuard {
            protects: !protection.globs.is_empty(),
            changes: changes.said,
            caches: changes.caches,
            renewed: protection.renewed(workspace)?,
            ..guard
        };
    }
    Ok(guard)
}

/// Shows every entry that is not a folder: its path below the folder, the same as text, and its kind.
fn walked(folder: &Path, show: &mut dyn FnMut(&Path, &str, fs::FileType) -> io::Result<()>) -> io::Result<()> {
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        for entry in fs::read_dir(folder.join(&below))? {
            let entry = entry?;
            let below = below.join(entry.file_name());
            let kind = entry.file_type()?;
            match kind.is_dir() {
                true => open.push(below),
                false => show(&below, &below.to_string_lossy(), kind)?,
            }
        }
    }
    Ok(())
}

fn digest(path: &Path, kind: fs::FileType) -> io::Result<String> {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::PermissionsExt as _;
    let mut hash = Sha256::new();
    if kind.is_symlink() {
        hash.update(b"link ");
        hash.update(fs::read_link(path)?.as_os_str().as_bytes());
    } else if kind.is_file() {
        let mut file = File::open(path)?;
        // A script that is no longer executable is another one.
        let executable = file.metadata()?.permissions().mode() & 0o111 != 0;
        hash.update([b'f', u8::from(executable)]);
        let mut buffer = vec![0; 64 << 10];
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                read => hash.update(buffer.get(..read).unwrap_or_default()),
            }
        }
    } else {
        // A pipe or a socket is not opened.
        hash.update(b"other");
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
