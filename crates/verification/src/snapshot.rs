//! A copy of the folder that a delegate works in, taken when the delegate says that it is done.

use std::cell::OnceCell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candor_confine::Programs;
use candor_process::{Copied, CopyError, Held, Most, Temporary, plain, temporary};

use crate::verifier::VerifierVerdict;

const MOST: Most = Most { entries: 200_000, file: 8 << 30, bytes: 8 << 30 };

/// The target of a copied link that leads nowhere: no path below `/dev/null` ever exists.
const NOWHERE: &str = "/dev/null/nowhere";
/// The target of a copied link that leads out of the folder: out of the copy as well, and to nothing that could be
/// read.
const OUTSIDE: &str = "/dev/null";

/// A private copy of a folder, removed when this is dropped. Only its maker writes to it.
#[derive(Debug)]
pub struct Snapshot {
    folder: Temporary,
    left_out: Vec<PathBuf>,
}

impl Snapshot {
    /// Copies a folder: its files, its folders, and links that stay within it. Links that lead out of it, sockets, pipes
    /// and devices are left out.
    ///
    /// # Errors
    /// When something in it cannot be read, or it is too large: a sentence that names the place.
    pub fn of(folder: &Path) -> Result<Self, String> {
        Self::made(folder).map_err(|untaken| untaken.reason)
    }

    fn made(folder: &Path) -> Result<Self, Untaken> {
        Self::copied(folder, |into| candor_process::copy(folder, into, MOST))
    }

    fn copied(folder: &Path, copy: impl FnOnce(&Path) -> Result<Copied, CopyError>) -> Result<Self, Untaken> {
        let made = temporary("snapshot")
            .map_err(|error| Untaken::here(format!("no temporary folder can be made: {error}")))?;
        let copied = copy(made.path()).map_err(|error| unread(folder, error))?;
        let mut left_out = copied.left_out;
        left_out.sort();
        Ok(Self { folder: made, left_out })
    }

    /// As [`Snapshot::of`], without blocking other tasks; `None` without a workspace. A link that was left out has a
    /// replacement: a link to a program of the system or of a toolchain leads there from the copy, and every other one
    /// that leads out of the folder leads to `/dev/null`, because a reader of the copy may read more than the author of
    /// the link. The verifier still sees that a link leads out, or nowhere.
    ///
    /// # Errors
    /// The verdict that is given without one: failed where it is what was left in the folder that cannot be copied, whoever
    /// tries, else unverifiable.
    pub async fn taken(folder: &Path) -> Result<Option<Self>, VerifierVerdict> {
        if folder.as_os_str().is_empty() {
            return Ok(None);
        }
        let folder = folder.to_owned();
        let take = move || Self::made(&folder)?.with_links(&folder).map(Some).map_err(Untaken::here);
        let taken = tokio::task::spawn_blocking(take).await;
        taken
            .unwrap_or_else(|error| Err(Untaken::here(format!("the copy was lost: {error}"))))
            .map_err(Untaken::verdict)
    }

    /// As [`Snapshot::taken`], of the folder that is held. Another folder or a link in its place is not looked at, and the
    /// verdict then is failed.
    ///
    /// # Errors
    /// As [`Snapshot::taken`].
    pub async fn of_held(folder: Arc<Held>) -> Result<Self, VerifierVerdict> {
        let take = move || {
            let path = folder.path();
            Self::copied(path, |into| candor_process::copy_held(&folder, into, MOST))?
                .with_links(path)
                .map_err(Untaken::here)
        };
        let taken = tokio::task::spawn_blocking(take).await;
        taken
            .unwrap_or_else(|error| Err(Untaken::here(format!("the copy was lost: {error}"))))
            .map_err(Untaken::verdict)
    }

    fn with_links(self, folder: &Path) -> Result<Self, String> {
        let programs = OnceCell::new();
        for link in &self.left_out {
            let target = match folder.join(link).canonicalize() {
                Ok(target) if programs.get_or_init(Programs::of_environment).hold(&target) => target,
                Ok(_) => OUTSIDE.into(),
                Err(_) => NOWHERE.into(),
            };
            let made = std::os::unix::fs::symlink(target, self.path().join(link));
            made.map_err(|error| format!("{} cannot be copied: {error}", folder.join(link).display()))?;
        }
        Ok(self)
    }

    /// Puts a link that leads nowhere in the place of something that the copy lacks: its reader sees that something was
    /// there.
    ///
    /// # Errors
    /// The verdict that is given without it.
    pub(crate) fn with_gap(&self, below: &str) -> Result<(), VerifierVerdict> {
        let place = self.path().join(below);
        if fs::symlink_metadata(&place).is_ok() {
            return Ok(());
        }
        let made = std::os::unix::fs::symlink(NOWHERE, place);
        made.map_err(|error| Untaken::here(format!("{below} cannot be copied: {error}")).verdict())
    }

    /// As [`Snapshot::of`], in which nothing may be written: for whoever is to look and not to change. Who runs as root
    /// can nonetheless, and changes a copy.
    ///
    /// # Errors
    /// As [`Snapshot::of`].
    pub fn read_only(folder: &Path) -> Result<Self, String> {
        let snapshot = Self::of(folder)?;
        close(snapshot.path())
            .map_err(|error| format!("the copy of {} cannot be closed: {error}", folder.display()))?;
        Ok(snapshot)
    }

    /// The links that are not in the copy since they lead out of the folder, or nowhere: by their paths in it.
    #[must_use]
    pub fn left_out(&self) -> &[PathBuf] {
        &self.left_out
    }

    /// Where the copy is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

struct Untaken {
    reason: String,
    /// True if the cause lies in the folder's content, so that no process could copy it.
    left: bool,
}

impl Untaken {
    fn here(reason: String) -> Self {
        Self { reason, left: false }
    }

    fn verdict(self) -> VerifierVerdict {
        match self {
            Self { reason, left: true } => VerifierVerdict::Failed { reason },
            Self { reason, left: false } => VerifierVerdict::Unverifiable { reason },
        }
    }
}

fn unread(folder: &Path, error: CopyError) -> Untaken {
    if let CopyError::Io(path, error) = &error
        && error.kind() == io::ErrorKind::InvalidFilename
    {
        let first = path.components().next().map(|name| name.as_os_str().to_string_lossy().into_owned());
        let within = first.map(|name| format!(" in {}", plain(&name))).unwrap_or_default();
        let reason =
            format!("the workspace holds folders{within} so deep that they cannot be read; leave none of them");
        return Untaken { reason, left: true };
    }
    // A process that may write to the folder removed it, closed a part of it, or filled it. A failing disk is not the
    // delegate's doing.
    let left = match &error {
        CopyError::Io(path, error) => {
            matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::WouldBlock)
                || path.as_os_str().is_empty()
                    && matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        }
        CopyError::Changed(_) | CopyError::Entries | CopyError::File(_) | CopyError::Bytes | CopyError::Replaced => {
            true
        }
    };
    // The delegate knows its folder by name, and must not learn its place.
    let shown = folder.file_name().filter(|_| left).map_or(folder, Path::new);
    Untaken { reason: uncopied(shown, error), left }
}

fn uncopied(folder: &Path, error: CopyError) -> String {
    let whole = || folder.file_name().map_or_else(|| folder.display(), |name| Path::new(name).display()).to_string();
    let named = |path: PathBuf| match path.as_os_str().is_empty() {
        true => folder.display().to_string(),
        false => path.display().to_string(),
    };
    match error {
        CopyError::Io(path, error) => format!("{} cannot be copied: {error}", named(path)),
        CopyError::Changed(path) => format!("{} changed while it was copied; be done when you say so", named(path)),
        CopyError::Entries => format!("{} holds more than {} files; leave fewer", whole(), MOST.entries),
        CopyError::File(path) => format!("{} is larger than {} bytes; remove it", named(path), MOST.file),
        CopyError::Bytes => format!("{} holds more than {} bytes; leave less", whole(), MOST.bytes),
        CopyError::Replaced => format!(
            "another folder, or a link, is in the place of {}, and is not looked at; work in the folder that you were given",
            whole()
        ),
    }
}

fn close(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        let metadata = fs::symlink_metadata(&path)?;
        if metadata.file_type().is_symlink() {
            continue;
        }
        if metadata.is_dir() {
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(metadata.permissions().mode() & !0o222))?;
    }
    Ok(())
}
