//! A folder that stays the same one, whatever takes its place at its path.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};

use crate::copied::CopyError;

/// A folder that is open, with the path at which it was found.
///
/// ```
/// # let parent = tempfile::tempdir()?;
/// let work = parent.path().join("work");
/// std::fs::create_dir(&work)?;
/// let held = candor_process::Held::of(&work)?;
/// assert!(held.check().is_ok());
/// std::fs::rename(&work, parent.path().join("away"))?;
/// std::os::unix::fs::symlink("away", &work)?;
/// assert!(held.check().is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Held {
    path: PathBuf,
    folder: File,
}

impl Held {
    /// Holds the folder at a path. Links on the way are followed now, and never again.
    ///
    /// # Errors
    /// When there is no folder.
    pub fn of(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = File::from(openat(CWD, &path, flags, Mode::empty())?);
        Ok(Self { path, folder })
    }

    /// Where it was found.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the folder is still at its path.
    ///
    /// # Errors
    /// [`CopyError::Replaced`], or [`CopyError::Io`] where nothing is there.
    pub fn check(&self) -> Result<(), CopyError> {
        let failed = |error| CopyError::Io(PathBuf::new(), error);
        let there = fs::symlink_metadata(&self.path).map_err(failed)?;
        let held = self.folder.metadata().map_err(failed)?;
        let is_real = fs::canonicalize(&self.path).is_ok_and(|real| real == self.path);
        match there.is_dir() && is_real && (there.dev(), there.ino()) == (held.dev(), held.ino()) {
            true => Ok(()),
            false => Err(CopyError::Replaced),
        }
    }

    /// Lets the folder's owner list it, write to it and pass through it, whatever its mode was.
    ///
    /// # Errors
    /// When it belongs to somebody else.
    pub fn open_to_owner(&self) -> io::Result<()> {
        let mut permissions = self.folder.metadata()?.permissions();
        permissions.set_mode(permissions.mode() | 0o700);
        self.folder.set_permissions(permissions)
    }

    /// The folder, opened once more.
    pub(crate) fn descriptor(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(openat(&self.folder, ".", flags, Mode::empty())?)
    }
}
