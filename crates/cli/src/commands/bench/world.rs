//! Worlds: the folders in which an agent begins, and their copies.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown};
use std::path::{Component, Path, PathBuf};

use candor::check::sandbox::{CAPTURE, EVENTS};
use candor::inner::engine::Plan;
use candor::verification::confine::User;
use candor::verification::process::{CopyError, Most, Temporary, copy, free_bytes, temporary};
use sha2::{Digest as _, Sha256};

use crate::commands::harden::opened;
use crate::output::complain;
use crate::spare::real;

const MOST: Most = Most { entries: 200_000, file: 8 << 30, bytes: 8 << 30 };
/// The most characters that a folder has of an entry's id: the name of a file has at most 255 bytes.
const NAME: usize = 56;
pub(super) const WORKSPACE: &str = "workspace";

/// By which a file of a world is known.
#[derive(Clone, Copy)]
pub(super) enum By {
    Content,
    /// The content, a link by that of the file that it leads to: an overlay lays that file.
    Followed,
    /// When it was changed last. It is not read.
    Time,
}

/// The digest of a folder with everything in it, or of a file, and its bytes.
///
/// # Errors
/// The first file that cannot be read, in a sentence.
pub(super) fn digest(world: &Path, by: By) -> Result<(String, u64), String> {
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
            bytes += add(&mut digest, world, &below, by).map_err(|error| wrong(&below, error))?;
            if fs::symlink_metadata(world.join(&below)).is_ok_and(|there| there.is_dir()) {
                open.push(below);
            }
        }
    }
    Ok((digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect(), bytes))
}

/// Adds an entry of a world to its digest: its path, its kind and its content. Returns its bytes.
fn add(digest: &mut Sha256, world: &Path, below: &Path, by: By) -> io::Result<u64> {
    let path = world.join(below);
    let there = if matches!(by, By::Followed) { fs::metadata(&path)? } else { fs::symlink_metadata(&path)? };
    digest.update(below.as_os_str().as_bytes());
    if there.is_symlink() {
        digest.update(b"\0link\0");
        digest.update(fs::read_link(&path)?.as_os_str().as_bytes());
    } else if there.is_file() {
        digest.update(b"\0file\0");
        digest.update(there.len().to_le_bytes());
        if matches!(by, By::Time) {
            digest.update(format!("{}.{}", there.ctime(), there.ctime_nsec()));
            return Ok(there.len());
        }
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

/// Refuses a place in a world: what is written there would be in the world that the next agent finds.
///
/// # Errors
/// A sentence that names both.
pub(super) fn refuse_within(place: &Path, worlds: impl IntoIterator<Item: AsRef<Path>>) -> Result<(), String> {
    let real = real(place);
    let holds = |world: &Path| {
        real.as_ref().zip(world.canonicalize().ok()).is_some_and(|(real, world)| real.starts_with(world))
    };
    match worlds.into_iter().find(|world| holds(world.as_ref())) {
        Some(world) => Err(format!(
            "{}: it lies in the world `{}`, and the next agent would find it; name a place outside of every world",
            place.display(),
            world.as_ref().display()
        )),
        None => Ok(()),
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
        refuse_outside(world, &path, granted)?;
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

    pub(super) fn workspace(&self) -> PathBuf {
        self.path.join(WORKSPACE)
    }

    /// Copies it, as the agent left it, to a new folder in another one, and returns the new folder. A world that the agent left
    /// in a state that cannot be copied is named and not kept. The benchmark goes on.
    ///
    /// # Errors
    /// When nothing can be written there, in a sentence.
    pub(super) async fn kept_in(&self, folder: &Path, entry: &str, epoch: u32) -> Result<Option<PathBuf>, String> {
        let plain = |c: char| if c.is_control() || "/\\".contains(c) { '-' } else { c };
        let entry: String = entry.chars().take(NAME).map(plain).collect();
        let (from, folder, name) = (self.path.clone(), folder.to_owned(), format!("{entry}-{epoch}"));
        let made = tokio::task::spawn_blocking(move || kept(&from, &folder, &name));
        made.await.unwrap_or_else(|error| Err(format!("the copy of the world was lost: {error}")))
    }
}

/// Refuses a part that the agent may write and that is not in the copy: the agent would write to the original, or find nothing.
fn refuse_outside(world: &Path, copied: &Path, granted: &[String]) -> Result<(), String> {
    let part = |name: &String| name.split('/').next().unwrap_or_default().to_owned();
    let parts: Vec<String> = granted.iter().map(part).chain([WORKSPACE.to_owned()]).collect();
    let leads_out = |name: &&String| world.join(name).is_dir() && !copied.join(name).is_dir();
    if let Some(name) = parts.iter().find(leads_out) {
        let link = world.join(name);
        return Err(format!("{}: it leads out of the world, and is not copied; put the folder there", link.display()));
    }
    let is_outside = |(name, folder): &(&str, PathBuf)| {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        parts.iter().any(|part| part == name) && !real.starts_with(copied)
    };
    match opened(copied, None)?.part_folders().into_iter().find(is_outside) {
        Some((name, folder)) => Err(format!(
            "{}: it has the part `{name}` at `{}`, which is not copied; name a folder in the world, by a relative path",
            world.join("sandbox.toml").display(),
            folder.display()
        )),
        None => Ok(()),
    }
}

/// Refuses a world whose copy would lack something that is judged: nothing would say that it was there. Refuses also
/// a part outside of it that is compared with the world: both would be the same folder.
///
/// # Errors
/// A sentence that names the path.
pub(super) fn refuse_left_out(
    world: &Path,
    plan: &Plan,
    mut is_new: impl FnMut(&'static str) -> bool,
) -> Result<(), String> {
    let real = world.canonicalize().map_err(|error| format!("{}: it cannot be read: {error}", world.display()))?;
    let is_copied = |folder: &Path| {
        let below = folder.strip_prefix(world);
        below.is_ok_and(|below| below.components().all(|name| matches!(name, Component::Normal(_))))
    };
    let mut open = Vec::new();
    for (part, folder) in opened(world, None)?.part_folders().into_iter().filter(|(part, _)| *part != WORKSPACE) {
        match is_copied(&folder) {
            true if (plan.reads(part) || plan.compares(part)) && is_new(part) => open.push(folder),
            false if plan.compares(part) => {
                return Err(format!(
                    "{}: it has the part `{part}` at `{}`, which is not copied, so `state-unchanged` would compare it with \
                     itself; name a folder in the world, by a relative path, or the parts to compare in `parts`",
                    world.join("sandbox.toml").display(),
                    folder.display()
                ));
            }
            _ => {}
        }
    }
    open.extend(["sandbox.toml", CAPTURE, EVENTS].map(|name| world.join(name)));
    while let Some(path) = open.pop() {
        let Ok(there) = fs::symlink_metadata(&path) else { continue };
        let wrong = |what: &str| Err(format!("{}: {what}", path.display()));
        if there.is_dir() {
            // Of a folder that cannot be listed the copy says so.
            open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if there.is_symlink() && !path.canonicalize().is_ok_and(|target| target.starts_with(&real)) {
            return wrong("it leads out of the world, or nowhere, and is not copied; put what it leads to there");
        } else if !path.is_file() && !path.is_dir() {
            return wrong("it is a pipe, a socket or a device, and is not copied; remove it");
        }
    }
    Ok(())
}

/// Copies a world to a new folder in another one, and returns the new folder, unless the world is at fault.
fn kept(world: &Path, folder: &Path, name: &str) -> Result<Option<PathBuf>, String> {
    let wrong = |error: io::Error| format!("{}: the world of {name} cannot be kept there: {error}", folder.display());
    let names = std::iter::once(name.to_owned()).chain((2_u32..).map(|number| format!("{name}.{number}")));
    for into in names.map(|name| folder.join(name)) {
        match fs::create_dir(&into) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => {
                made.map_err(wrong)?;
                let Err(error) = copy(world, &into, MOST) else { return Ok(Some(into)) };
                // A part of a world would be taken for all of it.
                let _ = fs::remove_dir_all(&into);
                return match error {
                    CopyError::Io(below, error) if below.as_os_str().is_empty() || !is_of_the_world(&error) => {
                        Err(wrong(error))
                    }
                    error => {
                        complain(&format!("the world of {name} is not kept: {}", uncopied(world, error)));
                        Ok(None)
                    }
                };
            }
        }
    }
    Err(wrong(io::ErrorKind::AlreadyExists.into()))
}

/// If the reason lies in what is copied: a file or folder that is closed, or a path that is too long.
fn is_of_the_world(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidFilename)
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
