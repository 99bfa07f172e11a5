//! The sandbox: where the ground truth of one task run is read from, within limits, each source opened once.

mod bucket;
mod decryption;
mod description;
mod events;
mod folder;
mod judge;
mod limits;
mod paged;
mod remote;
mod secret;
mod server;
mod workspace;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

pub use decryption::Decryption;
pub use description::{PARTS, SandboxError};
pub use events::{Event, EventKind, Events};
pub use folder::{FileBytes, FileEntry, Folder, Listing};
pub use judge::JudgeServer;
pub(crate) use limits::duration_text;
pub use limits::{Limits, duration, size_text};
pub use paged::{PagedServer, Paging, RESOURCE};
pub use remote::Remote;
pub use secret::Secret;
pub use server::{Credentials, HttpServer, SmartClient};
pub use workspace::Workspace;

use crate::outcome::{Obstacle, Unverifiable};
use crate::work::Work;
use description::Description;

/// One part of a sandbox, opened for a check: an index over files, rows, resources. A check crate implements this for
/// what it reads; the sandbox opens it on first use and keeps it for every criterion.
pub trait Source: Sized + Send + Sync + 'static {
    /// Opens the source.
    ///
    /// # Errors
    /// Why the ground truth cannot be read: [`Obstacle::NoSource`] when the part is missing altogether.
    fn open(sandbox: &Sandbox) -> impl Future<Output = Result<Self, Unverifiable>> + Send;
}

/// The ground truth of one task run. Cheap to clone; clones share what was opened.
///
/// ```
/// use candor_check::Sandbox;
/// let folder = tempfile::tempdir()?;
/// std::fs::create_dir(folder.path().join("hl7"))?;
/// let sandbox = Sandbox::open(folder.path()).unwrap();
/// assert!(sandbox.folder("hl7").is_some());
/// assert!(sandbox.folder("fhir").is_none());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct Sandbox {
    inner: Arc<Inner>,
    work: Work,
}

type Opened = Result<Arc<dyn Any + Send + Sync>, Unverifiable>;

struct Inner {
    description: Description,
    opened: Mutex<HashMap<TypeId, Arc<OnceCell<Opened>>>>,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox").field("root", &self.inner.description.root).finish_non_exhaustive()
    }
}

impl Sandbox {
    /// Opens a sandbox: a folder, or a TOML file that describes one. Reads the description and nothing else.
    ///
    /// # Errors
    /// When there is no such folder, or the description is wrong: what was found, where, and what was expected.
    pub fn open(path: &Path) -> Result<Self, SandboxError> {
        let description = Description::read(path)?;
        Ok(Self { inner: Arc::new(Inner { description, opened: Mutex::default() }), work: Work::default() })
    }

    /// The same sandbox with another folder for its workspace: a copy of what a delegate left, taken before anything is
    /// looked at. The folder is read as it is, and is none of the [`Sandbox::evidence_paths`], for nobody but its maker can
    /// write there. Nothing that was opened is shared.
    #[must_use]
    pub fn with_workspace(&self, folder: impl Into<PathBuf>) -> Self {
        let mut description = self.inner.description.clone();
        description.handed_in = Some(folder.into());
        Self { inner: Arc::new(Inner { description, opened: Mutex::default() }), work: self.work.clone() }
    }

    /// The same sandbox, read and judged on other threads. What was opened is shared.
    #[must_use]
    pub fn with_work(&self, work: Work) -> Self {
        Self { inner: Arc::clone(&self.inner), work }
    }

    /// The threads that this sandbox is read on.
    #[must_use]
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// Whether both are clones of one sandbox, so that they share what was opened.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Drops what was opened, once nobody uses it any more. Whoever asks for a source again opens it again.
    pub fn close(&self) {
        let opened = std::mem::take(&mut *self.inner.opened.lock().unwrap_or_else(PoisonError::into_inner));
        drop(opened);
    }

    /// How the workspace is looked at; `None` when the sandbox has neither such a folder nor such a table.
    #[must_use]
    pub fn workspace(&self) -> Option<Workspace> {
        let description = &self.inner.description;
        let there = || description.folder(workspace::PART).map(|_| Workspace::default());
        description.workspace.clone().or_else(there)
    }

    /// The limits within which everything is read.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.inner.description.limits
    }

    /// The folder of a part (`fhir`, `hl7`, …); `None` when the sandbox has no such part.
    #[must_use]
    pub fn folder(&self, part: &'static str) -> Option<Folder> {
        let root = self.inner.description.folder(part)?;
        Some(Folder::new(part, root, self.limits().clone()))
    }

    /// The server that a part is read from; `None` when it is read from a folder, or is not there.
    #[must_use]
    pub fn server(&self, part: &str) -> Option<&HttpServer> {
        self.inner.description.server(part)
    }

    /// The server that a part's rows are read from, page by page; `None` when it is read from elsewhere, or is not there.
    #[must_use]
    pub fn paged(&self, part: &str) -> Option<&PagedServer> {
        self.inner.description.paged(part)
    }

    /// The file server, bucket or database that a part is read from; `None` when it is read from elsewhere, or is not
    /// there.
    #[must_use]
    pub fn remote(&self, part: &str) -> Option<&Remote> {
        self.inner.description.remote(part)
    }

    /// What the encrypted files of a part are decrypted with; `None` where nothing is given.
    #[must_use]
    pub fn decryption(&self, part: &str) -> Option<&Decryption> {
        self.inner.description.decryption(part)
    }

    /// Whether a part is read from something that goes on living while it is looked at: a server or a database, not a
    /// folder that was recorded.
    #[must_use]
    pub fn is_live(&self, part: &str) -> bool {
        self.server(part).is_some() || self.paged(part).is_some() || self.remote(part).is_some()
    }

    /// Everything on this machine that ground truth is read from: whoever can write there can write evidence.
    #[must_use]
    pub fn evidence_paths(&self) -> Vec<PathBuf> {
        self.inner.description.evidence_paths()
    }

    /// The judge of what calls mean; `None` when the operator configured none.
    #[must_use]
    pub fn judge(&self) -> Option<&JudgeServer> {
        self.inner.description.judge.as_ref()
    }

    /// The events that the sandbox recorded, of one kind. `None` when there is no `events.ndjson`, or none of that kind
    /// in it: a log of other things does not say that nothing of this kind happened.
    ///
    /// # Errors
    /// When the file cannot be read within the limits. Lines that are no events are in [`Events::unreadable`].
    pub async fn events(&self, kind: EventKind) -> Result<Option<Events>, Unverifiable> {
        let path = self.inner.description.root.join(events::FILE);
        let limits = self.limits().clone();
        let events = self.blocking("events.ndjson", move || events::read(&path, kind, &limits)).await?;
        Ok(events.filter(|events| !events.events.is_empty() || !events.unreadable.is_empty()))
    }

    /// What every check says when a part is missing altogether.
    #[must_use]
    pub fn no_source(&self, part: &str) -> Unverifiable {
        Unverifiable::new(
            Obstacle::NoSource,
            format!(
                "the sandbox has no `{part}/` folder (nor a [{part}] table in sandbox.toml), so nothing could be read"
            ),
        )
    }

    /// A source, opened on first use and kept for the others.
    ///
    /// # Errors
    /// What [`Source::open`] returned; every asker gets the same answer.
    pub async fn source<S: Source>(&self) -> Result<Arc<S>, Unverifiable> {
        let cell = {
            let mut opened = self.inner.opened.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(opened.entry(TypeId::of::<S>()).or_default())
        };
        let open = || async {
            let source = S::open(self).await?;
            Ok::<Arc<dyn Any + Send + Sync>, Unverifiable>(Arc::new(source))
        };
        let opened = cell.get_or_init(open).await.clone()?;
        opened.downcast::<S>().map_err(|_| {
            Unverifiable::new(Obstacle::SourceUnavailable, "another source was opened in this one's place")
        })
    }

    /// Runs blocking reads of a folder within the sandbox's time limit, on a thread of its [`Work`]. Waiting for a thread
    /// is not part of that time.
    ///
    /// # Errors
    /// What `read` returns, and [`Obstacle::Timeout`] when it takes longer.
    pub async fn blocking<T: Send + 'static>(
        &self,
        what: &str,
        read: impl FnOnce() -> Result<T, Unverifiable> + Send + 'static,
    ) -> Result<T, Unverifiable> {
        self.work.read(self.limits().timeout, what, read).await
    }

    /// As [`Sandbox::blocking`], for what waits for a server or a database rather than for this machine.
    ///
    /// # Errors
    /// As [`Sandbox::blocking`].
    pub async fn asking<T: Send + 'static>(
        &self,
        what: &str,
        ask: impl FnOnce() -> Result<T, Unverifiable> + Send + 'static,
    ) -> Result<T, Unverifiable> {
        self.work.ask(self.limits().timeout, what, ask).await
    }
}

/// A path as locators write it: relative, with `/` between its parts.
fn locator(path: &Path) -> String {
    let mut text = String::with_capacity(path.as_os_str().len());
    for part in path.components() {
        if !text.is_empty() {
            text.push('/');
        }
        text.push_str(&part.as_os_str().to_string_lossy());
    }
    text
}

/// A path to be read, on a base.
fn on(base: &Path, path: &str) -> PathBuf {
    base.join(path)
}
