//! Private folders of this process: removed with their holder, at the end of the process, or at the start of the next one.
//!
//! All of them lie in one folder of the process, in the system's folder for temporary files. The process holds a lock on
//! that folder, which the system releases when the process is gone, however it ended.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
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

/// The folder of this process, while it holds temporary folders.
static OF_PROCESS: Mutex<Weak<OfProcess>> = Mutex::new(Weak::new());

/// True once this process makes no more of them, because it is ending.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

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
struct OfProcess {
    path: PathBuf,
    /// Open as long as the folder is used: this holds the lock.
    _lock: File,
}

impl Drop for OfProcess {
    fn drop(&mut self) {
        let _ = remove(&self.path, REMOVING);
    }
}

/// Makes a private folder. `name` says in its path what it is for.
///
/// # Errors
/// When none can be made, or this process is ending.
pub fn temporary(name: &str) -> io::Result<Temporary> {
    if IS_CLOSED.load(Ordering::SeqCst) {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let of_process = of_process()?;
    let folder = tempfile::Builder::new().prefix(&format!("{name}-")).tempdir_in(&of_process.path)?;
    Ok(Temporary { path: folder.keep(), _of_process: of_process })
}

fn of_process() -> io::Result<Arc<OfProcess>> {
    let mut shared = OF_PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(there) = shared.upgrade() {
        return Ok(there);
    }
    let made = Arc::new(locked(&std::path::absolute(std::env::temp_dir())?)?);
    *shared = Arc::downgrade(&made);
    Ok(made)
}

fn locked(parent: &Path) -> io::Result<OfProcess> {
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

fn swept(parent: &Path) {
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
    IS_CLOSED.store(true, Ordering::SeqCst);
    let shared = OF_PROCESS.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
    if let Some(shared) = shared {
        let _ = remove(&shared.path, most);
    }
}

/// Removes a folder and what is in it, whatever its modes are. Where somebody still writes it is tried again for a while.
fn remove(path: &Path, most: Duration) -> io::Result<()> {
    let end = Instant::now() + most;
    loop {
        match remove_tree(path) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(path).is_err() => {
                return Ok(());
            }
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                open_up(path);
                return fs::remove_dir_all(path);
            }
            Err(error) if Instant::now() >= end => return Err(error),
            Err(_) => std::thread::sleep(AGAIN_AFTER),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_private_and_gone_with_its_holder() {
        let (one, other) = (temporary("copy").unwrap(), temporary("copy").unwrap());
        let (path, parent) = (one.path().to_owned(), one.path().parent().unwrap().to_owned());
        assert!(one.path() != other.path() && other.path().starts_with(&parent));
        assert_eq!(fs::metadata(&parent).unwrap().mode() & 0o066, 0);
        fs::create_dir_all(path.join("a/b")).unwrap();
        fs::write(path.join("a/b/file"), "x").unwrap();
        for (folder, mode) in [("a/b", 0o000), ("a", 0o500)] {
            fs::set_permissions(path.join(folder), fs::Permissions::from_mode(mode)).unwrap();
        }
        drop(one);
        assert!(!path.exists() && other.path().is_dir());
    }

    #[test]
    fn what_nobody_holds_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        let held = locked(parent.path()).unwrap();
        fs::write(held.path.join("file"), "x").unwrap();
        for name in ["candor-run-dead/copy", "candor-other", "elsewhere"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        fs::write(at("candor-run-file"), "x").unwrap();
        std::os::unix::fs::symlink(at("elsewhere"), at("candor-run-link")).unwrap();
        swept(parent.path());
        assert!(!at("candor-run-dead").exists());
        for name in ["candor-other", "elsewhere", "candor-run-file", "candor-run-link"] {
            assert!(at(name).exists(), "{name}");
        }
        assert!(held.path.join("file").exists());
        let path = held.path.clone();
        drop(held);
        assert!(!path.exists());
    }

    #[test]
    fn what_another_process_holds_stays_until_it_ends() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("candor-run-other");
        fs::create_dir(&folder).unwrap();
        let script = "exec 9<\"$1\"; flock 9; echo held; read wait";
        let mut holder = std::process::Command::new("sh");
        holder.args(["-c", script, "sh"]).arg(&folder);
        let mut holder =
            holder.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
        let mut said = [0; 5];
        io::Read::read_exact(holder.stdout.as_mut().unwrap(), &mut said).unwrap();
        swept(parent.path());
        assert!(folder.exists());
        holder.kill().unwrap();
        holder.wait().unwrap();
        swept(parent.path());
        assert!(!folder.exists());
    }
}
