//! Worlds: the folders in which an agent begins, and their copies.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, lchown};
use std::path::{Path, PathBuf};

use candor_verification::confine::User;
use candor_verification::process::{CopyError, Most, Temporary, copy, free_bytes, temporary};
use sha2::{Digest as _, Sha256};

/// The most that a world may hold.
const MOST: Most = Most { entries: 200_000, file: 8 << 30, bytes: 8 << 30 };
/// The folder of a world that the agent works in.
pub(super) const WORKSPACE: &str = "workspace";

/// The digest of a folder with everything in it, or of a file, and its bytes.
///
/// # Errors
/// The first file that cannot be read, in a sentence.
pub(super) fn digest(world: &Path) -> Result<(String, u64), String> {
    let (mut digest, mut bytes, mut open) = (Sha256::new(), 0_u64, vec![PathBuf::new()]);
    let wrong = |below: &Path, error: io::Error| format!("{}: it cannot be read: {error}", world.join(below).display());
    if world.is_file() {
        open.clear();
        let file = fs::read(world).map_err(|error| format!("{}: it cannot be read: {error}", world.display()))?;
        digest.update(file);
    }
    while let Some(folder) = open.pop() {
        let listed = fs::read_dir(world.join(&folder)).and_then(|all| all.collect::<io::Result<Vec<_>>>());
        let mut names: Vec<PathBuf> =
            listed.map_err(|error| wrong(&folder, error))?.iter().map(|entry| folder.join(entry.file_name())).collect();
        names.sort();
        for below in names {
            bytes += add(&mut digest, world, &below).map_err(|error| wrong(&below, error))?;
            if fs::symlink_metadata(world.join(&below)).is_ok_and(|there| there.is_dir()) {
                open.push(below);
            }
        }
    }
    Ok((digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect(), bytes))
}

/// Adds an entry of a world to its digest: its path, its kind and its content. Returns its bytes.
fn add(digest: &mut Sha256, world: &Path, below: &Path) -> io::Result<u64> {
    let path = world.join(below);
    let there = fs::symlink_metadata(&path)?;
    digest.update(below.as_os_str().as_bytes());
    if there.is_symlink() {
        digest.update(b"\0link\0");
        digest.update(fs::read_link(&path)?.as_os_str().as_bytes());
    } else if there.is_file() {
        digest.update(b"\0file\0");
        digest.update(there.len().to_le_bytes());
        let (mut file, mut buffer) = (File::open(&path)?, vec![0; 64 << 10]);
        while let read @ 1.. = file.read(&mut buffer)? {
            digest.update(buffer.get(..read).unwrap_or_default());
        }
        return Ok(there.len());
    } else {
        digest.update(b"\0folder\0");
    }
    Ok(0)
}

/// Refuses copies for which the disk has no room.
///
/// # Errors
/// A sentence that names the folder for temporary files, its free bytes and those that are needed.
pub(super) fn has_room(needed: u64) -> Result<(), String> {
    let folder = std::env::temp_dir();
    let wrong = |what: String| Err(format!("{}: {what}; set TMPDIR to a folder with more room", folder.display()));
    match free_bytes(&folder) {
        Ok(free) if free >= needed => Ok(()),
        Ok(free) => wrong(format!("{free} bytes are free, and the copies of the worlds take {needed}")),
        Err(error) => wrong(format!("the world cannot be copied there: {error}")),
    }
}

/// A copy of a world, removed when this is dropped.
pub(super) struct World {
    pub(super) path: PathBuf,
    _folder: Temporary,
}

impl World {
    /// Copies a world. The parts that the agent may write are there in the copy, and so is a workspace. `user` is who runs
    /// the agent.
    ///
    /// # Errors
    /// When there is no room for it, or it cannot be copied, in a sentence.
    pub(super) async fn copied(
        world: &Path,
        bytes: u64,
        granted: &[String],
        user: Option<User>,
    ) -> Result<Self, String> {
        let (world, granted) = (world.to_owned(), granted.to_vec());
        let made = tokio::task::spawn_blocking(move || Self::made(&world, bytes, &granted, user));
        made.await.unwrap_or_else(|error| Err(format!("the copy of the world was lost: {error}")))
    }

    fn made(world: &Path, bytes: u64, granted: &[String], user: Option<User>) -> Result<Self, String> {
        has_room(bytes)?;
        let wrong = |error: io::Error| format!("{}: the world cannot be copied: {error}", world.display());
        let folder = temporary("world").map_err(wrong)?;
        let path = folder.path().canonicalize().map_err(wrong)?;
        copy(world, &path, MOST).map_err(|error| uncopied(world, error))?;
        let writable = granted.iter().map(String::as_str).chain([WORKSPACE]);
        for folder in writable.map(|name| path.join(name)) {
            fs::create_dir_all(&folder).map_err(wrong)?;
            if let Some(user) = user {
                given(&folder, user).map_err(wrong)?;
            }
        }
        if user.is_some() {
            // To be passed through, and not to be listed.
            fs::set_permissions(&path, fs::Permissions::from_mode(0o711)).map_err(wrong)?;
        }
        Ok(Self { path, _folder: folder })
    }

    /// The folder that the agent works in.
    pub(super) fn workspace(&self) -> PathBuf {
        self.path.join(WORKSPACE)
    }

    /// Copies it, as the agent left it, to a new folder in another one, and returns the new folder.
    ///
    /// # Errors
    /// When it cannot be copied, in a sentence.
    pub(super) async fn kept_in(&self, folder: &Path, name: &str) -> Result<PathBuf, String> {
        let (from, folder, name) = (self.path.clone(), folder.to_owned(), name.replace(['/', '\\'], "-"));
        let made = tokio::task::spawn_blocking(move || kept(&from, &folder, &name));
        made.await.unwrap_or_else(|error| Err(format!("the copy of the world was lost: {error}")))
    }
}

/// Copies a world to a new folder in another one, and returns the new folder.
fn kept(world: &Path, folder: &Path, name: &str) -> Result<PathBuf, String> {
    let wrong = |error: io::Error| format!("{}: the world of {name} cannot be kept there: {error}", folder.display());
    let names = std::iter::once(name.to_owned()).chain((2_u32..).map(|number| format!("{name}.{number}")));
    for into in names.map(|name| folder.join(name)) {
        match fs::create_dir(&into) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => {
                made.map_err(wrong)?;
                return match copy(world, &into, MOST) {
                    Ok(_) => Ok(into),
                    Err(CopyError::Io(_, error)) => Err(wrong(error)),
                    Err(error) => Err(uncopied(world, error)),
                };
            }
        }
    }
    Err(wrong(io::ErrorKind::AlreadyExists.into()))
}

/// Hands a folder over, with what is in it.
fn given(folder: &Path, user: User) -> io::Result<()> {
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        lchown(&path, Some(user.uid), Some(user.gid))?;
        if fs::symlink_metadata(&path)?.is_dir() {
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        }
    }
    Ok(())
}

fn uncopied(world: &Path, error: CopyError) -> String {
    let named = |below: PathBuf| match below.as_os_str().is_empty() {
        true => world.display().to_string(),
        false => world.join(below).display().to_string(),
    };
    match error {
        CopyError::Io(below, error) => format!("{}: the world cannot be copied: {error}", named(below)),
        CopyError::Changed(below) => format!("{}: it changed while the world was copied", named(below)),
        CopyError::Entries => format!("{}: the world holds more than {} files", world.display(), MOST.entries),
        CopyError::File(below) => format!("{}: it is larger than {} bytes", named(below), MOST.file),
        CopyError::Bytes => format!("{}: the world holds more than {} bytes", world.display(), MOST.bytes),
        CopyError::Replaced => format!("{}: another folder took the place of the world", world.display()),
    }
}
