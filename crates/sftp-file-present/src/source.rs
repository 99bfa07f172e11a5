//! The source of files: a folder of the sandbox, or the file server or bucket that `sandbox.toml` names in its place.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use candor_check::draft::{Came, Selection};
use candor_check::sandbox::{Gaps, PartRecord, Recorded, Remote, Section, SectionError};
use candor_check::{Part, Sandbox, Source, Unverifiable};
use candor_json::Value;

use crate::alike;
#[cfg(feature = "cloud")]
use crate::store::ObjectStore;
#[cfg(feature = "sftp")]
use crate::store::SftpStore;
use crate::store::{self, FilesSettings, FolderStore, KEYS, Listed, Listings, Store, Until};

pub(crate) const PART: &str = "files";

/// So long a listing is taken for the files that are there: criteria that begin together share one, and what changes while
/// a criterion waits for its turn is seen.
const FRESH: Duration = Duration::from_secs(1);

/// The store of a sandbox, opened once.
pub(crate) struct Files {
    store: Box<dyn Store>,
    is_remote: bool,
    listings: Listings,
}

impl Files {
    fn new(store: Box<dyn Store>, is_remote: bool) -> Self {
        Self { store, is_remote, listings: Listings::new(FRESH) }
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The store for one look at it, which no one waits for any more once its time is over.
    pub(crate) fn for_one_look(&self, shared: Option<Arc<Listed>>) -> Until<'_> {
        Until::new(self.store(), shared)
    }

    /// The listing of a folder, which criteria of one run that ask for it at the same time share. Nothing is read here:
    /// the job of the first that needs it lists, so that each waits within its own time.
    pub(crate) async fn listing(&self, sandbox: &Sandbox, below: String) -> Result<Arc<Listed>, Unverifiable> {
        self.listings.of(sandbox, below).await
    }
}

impl Source for Files {
    const READS: &'static [&'static str] = &[PART];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        let settings = sandbox.settings::<Self>()?;
        let Some(remote) = &settings.remote else {
            let folder = sandbox.folder(PART).ok_or_else(|| sandbox.no_source(PART))?;
            return Ok(Self::new(Box::new(FolderStore::new(folder, PART)), false));
        };
        if remote.scheme == "sftp" { server(sandbox, remote) } else { bucket(sandbox, remote).await }
    }
}

#[cfg(feature = "cloud")]
async fn bucket(sandbox: &Sandbox, remote: &Remote) -> Result<Files, Unverifiable> {
    let (remote, limits) = (remote.clone(), sandbox.limits().clone());
    // Credentials may lie in files.
    let open = move || ObjectStore::new(&remote, &limits);
    Ok(Files::new(Box::new(sandbox.blocking(PART, open).await?), true))
}

#[cfg(not(feature = "cloud"))]
#[expect(clippy::unused_async, reason = "as the build with the feature has it")]
async fn bucket(_: &Sandbox, _: &Remote) -> Result<Files, Unverifiable> {
    Err(candor_check::feature::left_out("read buckets of cloud stores", "cloud"))
}

#[cfg(feature = "sftp")]
fn server(sandbox: &Sandbox, remote: &Remote) -> Result<Files, Unverifiable> {
    Ok(Files::new(Box::new(SftpStore::new(remote, sandbox.limits())?), true))
}

#[cfg(not(feature = "sftp"))]
fn server(_: &Sandbox, _: &Remote) -> Result<Files, Unverifiable> {
    Err(candor_check::feature::left_out("read SFTP servers", "sftp"))
}

impl Part for Files {
    const NAME: &'static str = PART;
    const MADE_UP: &'static str = include_str!("made-up.txt");
    const KEYS: &'static [&'static str] = KEYS;
    type Settings = FilesSettings;

    fn selections(came: &Came<'_>) -> Vec<Selection> {
        crate::draft::selections(came)
    }

    fn settings(section: &Section) -> Result<FilesSettings, SectionError> {
        FilesSettings::read(section)
    }

    fn is_live(settings: &FilesSettings) -> bool {
        settings.remote.is_some()
    }

    const KEPT: &'static [&'static str] = store::OF_DECRYPTION;

    fn is_listed(&self) -> bool {
        !self.is_remote
    }

    fn records(&self, visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>) -> Result<Gaps, Unverifiable> {
        self.visit_records(visit)
    }

    fn fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        self.record_fields(record)
    }

    fn align(&self, before: &mut Vec<(String, Value)>, after: &mut Vec<(String, Value)>) {
        alike::align(before, after);
    }

    fn record(&self, into: &Path) -> Result<Recorded, Unverifiable> {
        self.write_all(into)
    }
}
