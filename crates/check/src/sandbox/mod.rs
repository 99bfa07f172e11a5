//! The sandbox: where the ground truth of one task run is read from, within limits, each source opened once.

mod builder;
mod captured;
mod description;
mod environment;
mod events;
mod folder;
mod guard;
mod limits;
mod memory;
mod part;
mod password;
mod scheme;
mod secret;
mod section;
mod setting_file;
mod shared;
mod unread;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use tokio::sync::OnceCell;

pub use builder::SandboxBuilder;
pub use captured::{CAPTURE, Captured, CapturedPart, Gap};
pub use description::SandboxError;
pub use environment::Environment;
pub use events::{Event, EventKind, Events};
pub use folder::{Above, EachLine, FileBytes, FileEntry, Folder, Listing};
pub use guard::WorkspaceGuard;
pub use limits::{Limits, duration, duration_text, size_text};
pub use part::{Gaps, OpenedPart, Part, PartRecord, PartType, RecordKey, Recorded, keys_of_both, not_supported};
pub use scheme::{Remote, Scheme, SettingKind};
pub use secret::Secret;
pub use section::{Section, SectionError};
pub use setting_file::SettingFile;
pub use shared::SharedReading;
pub use unread::{is_packed, not_followed, not_read, reads_like_an_error};

use crate::outcome::{Obstacle, Unverifiable};
use crate::work::Work;
use description::Description;
use memory::MemoryFile;

/// The name in [`Source::READS`] of a sandbox's recorded events, and the name of their file.
pub const EVENTS: &str = description::EVENTS;

/// A part of a sandbox, opened for a check: an index over files, rows, resources. A check crate implements this for
/// what it reads; the sandbox opens it on first use and keeps it for every criterion.
pub trait Source: Sized + Send + Sync + 'static {
    /// The names of what the source reads: parts, and [`EVENTS`] if it reads recorded events. A file laid over the
    /// sandbox ([`Sandbox::with_file`]) outdates the sources that read its part, and no others.
    const READS: &'static [&'static str];

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
/// let sandbox = Sandbox::open(folder.path(), &[]).unwrap();
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

#[derive(Clone)]
struct Kept {
    reads: &'static [&'static str],
    cell: Arc<OnceCell<Opened>>,
}

struct Inner {
    description: Description,
    opened: Mutex<HashMap<TypeId, Kept>>,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox").field("root", &self.inner.description.root.path()).finish_non_exhaustive()
    }
}

impl Sandbox {
    /// Opens a sandbox: a folder, or a TOML file that describes one. Reads the description and nothing else; each table of
    /// `sandbox.toml` is read by its part.
    ///
    /// # Errors
    /// When there is no such folder, or the description is wrong: what was found, where, and what was expected.
    pub fn open(path: &Path, parts: &[PartType]) -> Result<Self, SandboxError> {
        Description::read(path, parts).map(Self::of)
    }

    /// Collects the files of a sandbox in memory.
    #[must_use]
    pub fn builder() -> SandboxBuilder {
        SandboxBuilder::default()
    }

    fn of(description: Description) -> Self {
        Self { inner: Arc::new(Inner { description, opened: Mutex::default() }), work: Work::default() }
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

    /// Returns `true` if both are clones of one sandbox, so that they share what was opened.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Drops what was opened, once no one uses it any more. Whoever asks for a source again opens it again.
    pub fn close(&self) {
        let opened = std::mem::take(&mut *self.inner.opened.lock().unwrap_or_else(PoisonError::into_inner));
        drop(opened);
    }

    /// The same sandbox with another file, by its locator: the part's name, `/`, the path in the part's folder
    /// (`x12/271.edi`), or `events.ndjson`. It takes the place of a file of the same locator. Sources that do not read this
    /// part are shared with this sandbox, parsed as they are. A part that is read from a server has no files to
    /// replace: it ends unverifiable. A path outside of every part adds nothing, as in a folder.
    ///
    /// ```
    /// use candor_check::Sandbox;
    /// let before = Sandbox::builder().file("x12/271.edi", *b"ISA*00*").build(&[])?;
    /// let after = before.with_file("x12/277.edi", *b"ISA*00*");
    /// assert_eq!(before.folder("x12").unwrap().list()?.files.len(), 1);
    /// assert_eq!(after.folder("x12").unwrap().list()?.files.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_file(&self, path: &str, bytes: impl Into<Arc<[u8]>>) -> Self {
        self.overlaid(path, Some(MemoryFile { bytes: bytes.into(), modified: Some(SystemTime::now()) }))
    }

    /// The same sandbox without a file, by its locator, as [`Sandbox::with_file`] is the same with another one. Without one of
    /// `events.ndjson` nothing was recorded. What is not there is not there afterwards either.
    ///
    /// ```
    /// use candor_check::Sandbox;
    /// let before = Sandbox::builder().file("x12/271.edi", *b"ISA*00*").build(&[])?;
    /// let after = before.without_file("x12/271.edi");
    /// assert_eq!(before.folder("x12").unwrap().list()?.files.len(), 1);
    /// assert!(after.folder("x12").unwrap().list()?.files.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn without_file(&self, path: &str) -> Self {
        self.overlaid(path, None)
    }

    fn overlaid(&self, path: &str, file: Option<MemoryFile>) -> Self {
        let path = memory::plain(path).unwrap_or_default();
        let (part, below) = path.split_once('/').unwrap_or((&path, ""));
        let mut description = self.inner.description.clone();
        description.lay_over(part, below, file);
        let opened = self.inner.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let unchanged = opened.iter().filter(|(_, kept)| !kept.reads.contains(&part));
        let opened = unchanged.map(|(id, kept)| (*id, kept.clone())).collect();
        Self { inner: Arc::new(Inner { description, opened: Mutex::new(opened) }), work: self.work.clone() }
    }

    /// The same sandbox with another folder for a part: a copy of what a delegate left, taken before anything is examined.
    /// The folder is not among the [`Sandbox::evidence_paths`], because only its maker can write there. Nothing that was
    /// opened is shared.
    #[must_use]
    pub fn with_folder(&self, part: &'static str, folder: impl Into<PathBuf>) -> Self {
        let mut description = self.inner.description.clone();
        description.hand_in(part, folder.into());
        Self::of(description).with_work(self.work.clone())
    }

    /// The same sandbox, with what holds for commands over its workspace. Nothing that was opened is shared.
    #[must_use]
    pub fn with_workspace_guard(&self, guard: WorkspaceGuard) -> Self {
        let mut description = self.inner.description.clone();
        description.guard = Arc::new(guard);
        Self::of(description).with_work(self.work.clone())
    }

    /// The rules for commands over the workspace.
    #[must_use]
    pub fn workspace_guard(&self) -> &WorkspaceGuard {
        &self.inner.description.guard
    }

    /// The same sandbox with nothing opened: its description is not read again, and everything in its parts is.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self::of(self.inner.description.clone()).with_work(self.work.clone())
    }

    /// The folders of this machine that the parts are read from, by the parts' names. A folder that was handed in is not
    /// among them.
    #[must_use]
    pub fn part_folders(&self) -> Vec<(&'static str, PathBuf)> {
        self.inner.description.part_folders()
    }

    /// The folders of this machine that the parts are read from, and those that they would be read from if they were there.
    #[must_use]
    pub fn part_places(&self) -> Vec<PathBuf> {
        self.inner.description.part_places()
    }

    /// The sandbox before the work was done, where whoever opened this one gave it.
    #[must_use]
    pub fn baseline(&self) -> Option<&Self> {
        self.inner.description.baseline.as_ref()
    }

    /// The same sandbox with another one from before the work was done.
    #[must_use]
    pub fn with_baseline(&self, before: Self) -> Self {
        let mut description = self.inner.description.clone();
        description.baseline = Some(before);
        let opened = self.inner.opened.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self { inner: Arc::new(Inner { description, opened: Mutex::new(opened) }), work: self.work.clone() }
    }

    /// The parts that the sandbox was opened with, whether it has them or not.
    #[must_use]
    pub fn parts(&self) -> &[PartType] {
        &self.inner.description.parts
    }

    /// Returns `true` if a part is there: a folder, or a table that names something else to read it from.
    #[must_use]
    pub fn has(&self, part: &'static str) -> bool {
        self.folder(part).is_some() || self.section(part).leads_elsewhere()
    }

    /// The sandbox's own description where it was captured.
    #[must_use]
    pub fn captured(&self) -> Option<&Captured> {
        self.inner.description.captured.as_deref()
    }

    /// The text of `sandbox.toml` for a copy of this sandbox: environment, limits, and the settings of each part's
    /// table that its [`Part::KEPT`] names, with files by their paths on this machine.
    #[must_use]
    pub fn kept_settings(&self) -> String {
        self.inner.description.kept_settings()
    }

    /// The recorded events as they are, where there are any.
    ///
    /// # Errors
    /// When the file cannot be read within the limits.
    pub fn recorded_events(&self) -> Result<Option<Vec<u8>>, Unverifiable> {
        events::bytes(&self.inner.description, self.limits())
    }

    /// The environment of the sandbox: `environment` at the top of `sandbox.toml`.
    #[must_use]
    pub fn environment(&self) -> Environment {
        self.inner.description.environment
    }

    /// The table of a part in `sandbox.toml`; empty if the file does not have it.
    #[must_use]
    pub fn section(&self, part: &str) -> Section {
        self.inner.description.section(part)
    }

    /// The settings of a part, as it read them when the sandbox was opened.
    ///
    /// # Errors
    /// When the sandbox was not opened with this part and its table is wrong.
    pub fn settings<P: Part>(&self) -> Result<Arc<P::Settings>, Unverifiable> {
        let wrong = |error: SectionError| {
            Unverifiable::new(Obstacle::NoSource, format!("sandbox.toml is wrong: [{}] {error}", P::NAME))
        };
        let settings = match self.inner.description.settings(P::NAME) {
            Some(settings) => settings.clone(),
            None => part::read::<P>(&self.section(P::NAME)).map_err(wrong)?,
        };
        settings.value.downcast::<P::Settings>().map_err(|_| {
            let message = format!("the sandbox was opened with another part that is named `{}`", P::NAME);
            Unverifiable::new(Obstacle::NoSource, message)
        })
    }

    /// The limits within which everything is read.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.inner.description.limits
    }

    /// The folder of a part (`fhir`, `hl7`, …); `None` when the sandbox has no such part.
    #[must_use]
    pub fn folder(&self, part: &'static str) -> Option<Folder> {
        self.inner.description.folder(part)
    }

    /// True if a part is read from something that may change while Candor reads it: a server or a database, not a
    /// recorded folder.
    #[must_use]
    pub fn is_live(&self, part: &str) -> bool {
        self.inner.description.settings(part).is_some_and(|settings| settings.is_live)
    }

    /// Everything on this machine that ground truth is read from: whoever can write there can write evidence.
    #[must_use]
    pub fn evidence_paths(&self) -> Vec<PathBuf> {
        self.inner.description.evidence_paths()
    }

    /// The events that the sandbox recorded, of one kind. `None` when there is no `events.ndjson`, or none of that kind
    /// in it: a log of other things does not say that nothing of this kind happened.
    ///
    /// # Errors
    /// When the file cannot be read within the limits. Lines that are not events are in [`Events::unreadable`].
    pub async fn events(&self, kind: EventKind) -> Result<Option<Events>, Unverifiable> {
        let description = self.inner.description.clone();
        let limits = self.limits().clone();
        let events = self.blocking(EVENTS, move || events::read(&description, kind, &limits)).await?;
        Ok(events.filter(|events| !events.events.is_empty() || !events.unreadable.is_empty()))
    }

    /// The outcome of every check when a part is missing altogether.
    #[must_use]
    pub fn no_source(&self, part: &str) -> Unverifiable {
        let other = self.inner.description.misspelt(part).map(|other| format!("; rename `{other}/`, if it is that"));
        Unverifiable::new(
            Obstacle::NoSource,
            format!(
                "the sandbox has no `{part}/` folder (nor a [{part}] table in sandbox.toml), so nothing could be read{}",
                other.unwrap_or_default()
            ),
        )
    }

    /// A source, opened on first use and kept for the others.
    ///
    /// # Errors
    /// The value that [`Source::open`] returned; every asker gets the same answer.
    pub async fn source<S: Source>(&self) -> Result<Arc<S>, Unverifiable> {
        if let Some(part) = S::READS.iter().find(|part| self.inner.description.is_overlaid_server(part)) {
            let details = format!("a file was laid over `{part}`, which is read from a server and not from files");
            return Err(Unverifiable::new(Obstacle::NoSource, details));
        }
        let cell = {
            let mut opened = self.inner.opened.lock().unwrap_or_else(PoisonError::into_inner);
            let kept = || Kept { reads: S::READS, cell: Arc::default() };
            Arc::clone(&opened.entry(TypeId::of::<S>()).or_insert_with(kept).cell)
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
    /// The value that `read` returns, and [`Obstacle::Timeout`] when it takes longer.
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
