//! Private folders of this process: removed with their holder, at the end of the process, or at the start of the next one.
//!
//! All of them lie in one folder of the process, in the system's folder for temporary files. The process holds a lock on
//! that folder, which the system releases when the process is gone, however it ended.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::removal::remove_tree;

/// How the names of the folders of processes begin.
const PREFIX: &str = "candor-run-";
/// Other users cannot list it. Commands that run as another user pass through it to the folder that they are given.
const MODE: u32 = 0o711;
/// How often a folder is made anew that another process took for an abandoned one.
const TRIES: usize = 8;
/// How long the removal of a folder is tried again in which somebody still writes.
const REMOVING: Duration = Duration::from_secs(1);
const AGAIN_AFTER: Duration = Duration::from_millis(10);

static SHARED: Mutex<Shared> = Mutex::new(Shared { folder: Weak::new(), made: Vec::new(), is_closed: false });

pub(crate) struct Shared {
    /// The folder of this process, while it holds temporary folders.
    folder: Weak<OfProcess>,
    /// Every such folder that may still be there, also where its holder could not remove it.
    pub(crate) made: Vec<PathBuf>,
    /// True once this process makes no more of them, because it is ending.
    is_closed: bool,
}

pub(crate) fn shared() -> MutexGuard<'static, Shared> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A private folder, removed with all that is in it when this is dropped.
#[derive(Debug)]
pub struct Temporary {
    path: PathBuf,
    /// Removed with the last of its folders, so this comes after them.
    _of_process: Arc<OfProcess>,
}

impl Temporary {
    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // What cannot be removed now is removed at the next start.
        let _ = remove(&self.path, REMOVING);
    }
}

#[derive(Debug)]
pub(crate) struct OfProcess {
    pub(crate) path: PathBuf,
    /// Open as long as the folder is used: this holds the lock.
    _lock: File,
}

impl Drop for OfProcess {
    fn drop(&mut self) {
        if remove(&self.path, REMOVING).is_ok() {
            shared().made.retain(|path| *path != self.path);
        }
    }
}

/// Makes a private folder. `name` says in its path what it is for.
///
/// # Errors
/// When none can be made, or this process is ending.
pub fn temporary(name: &str) -> io::Result<Temporary> {
    let of_process = of_process(&std::env::temp_dir())?;
    let folder = tempfile::Builder::new().prefix(&format!("{name}-")).tempdir_in(&of_process.path)?;
    Ok(Temporary { path: folder.keep(), _of_process: of_process })
}

fn of_process(parent: &Path) -> io::Result<Arc<OfProcess>> {
    let mut shared = shared();
    if shared.is_closed {
        return Err(io::ErrorKind::Interrupted.into());
    }
    if let Some(there) = shared.folder.upgrade() {
        return Ok(there);
    }
    let made = listed(&mut shared, parent)?;
    shared.folder = Arc::downgrade(&made);
    Ok(made)
}

pub(crate) fn listed(shared: &mut Shared, parent: &Path) -> io::Result<Arc<OfProcess>> {
    let made = locked(&std::path::absolute(parent)?)?;
    shared.made.push(made.path.clone());
    Ok(Arc::new(made))
}

pub(crate) fn locked(parent: &Path) -> io::Result<OfProcess> {
    for _ in 0..TRIES {
        let mut folder = tempfile::Builder::new();
        let path = folder.prefix(PREFIX).permissions(fs::Permissions::from_mode(MODE)).tempdir_in(parent)?.keep();
        // Before it is locked, another process may take it for an abandoned one.
        if let Ok(lock) = File::open(&path)
            && !matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock))
            && is_same(&lock, &path)
        {
            return Ok(OfProcess { path, _lock: lock });
        }
    }
    Err(io::Error::other("every temporary folder was removed by somebody else"))
}

/// True if a folder that was opened is still the one at its path.
fn is_same(opened: &File, path: &Path) -> bool {
    match (opened.metadata(), fs::symlink_metadata(path)) {
        (Ok(opened), Ok(there)) => there.is_dir() && (opened.dev(), opened.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// Removes what processes of this user left that ended without removing it. Folders of processes that still run, and of
/// other users, are left alone.
pub fn sweep() {
    swept(&std::env::temp_dir());
}

pub(crate) fn swept(parent: &Path) {
    let own = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with(PREFIX)
            && fs::symlink_metadata(&path).is_ok_and(|there| there.is_dir() && there.uid() == own)
            && let Ok(lock) = File::open(&path)
            && lock.try_lock().is_ok()
            && is_same(&lock, &path)
        {
            // What cannot be removed stays for the next start.
            let _ = remove(&path, Duration::ZERO);
        }
    }
}

/// Removes every temporary folder of this process, which makes no more of them. Tries for so long where somebody writes.
pub fn remove_all(most: Duration) {
    let made = {
        let mut shared = shared();
        shared.is_closed = true;
        // Whoever drops one meanwhile takes it off the list.
        shared.made.clone()
    };
    for path in made {
        let _ = remove(&path, most);
    }
}

/// Removes a folder and what is in it, whatever its modes are. Where somebody still writes it is tried again for a while.
fn remove(path: &Path, most: Duration) -> io::Result<()> {
    again(most, || match remove_tree(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(path).is_err() => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(path);
            fs::remove_dir_all(path)
        }
        removed => removed,
    })
}

/// Tries for so long, and once more after that: on a slow disk one try outlasts the time, and fails if somebody still
/// wrote when it began.
pub(crate) fn again(most: Duration, mut once: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    let end = Instant::now() + most;
    let mut is_last = most.is_zero();
    loop {
        match once() {
            Err(_) if !is_last => {
                std::thread::sleep(AGAIN_AFTER);
                is_last = Instant::now() >= end;
            }
            done => return done,
        }
    }
}

/// Lets the owner list and empty every folder.
fn open_up(path: &Path) {
    let mut open = vec![path.to_owned()];
    while let Some(folder) = open.pop() {
        let _ = fs::set_permissions(&folder, fs::Permissions::from_mode(0o700));
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        // A link is not a folder by its own type.
        open.extend(
            entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()),
        );
    }
}
