//! Where rows come from: the sandbox's `portal/` folder, or what `sandbox.toml` names in its place. A source hands the
//! rows of a resource to a [`Look`](crate::look::Look); it selects nothing itself but what cannot change the selection.

pub(crate) mod facts;
mod folder;
mod keys;
pub(crate) mod ndjson;
pub(crate) mod paged;
mod part;
mod records;
mod section;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candor_check::draft::{Came, Selection};
use candor_check::sandbox::{
    Gaps, PartRecord, RecordKey, Recorded, Section, SectionError, keys_of_both, not_supported,
};
use candor_check::{Part, Sandbox, Source, Unverifiable};
use candor_json::Value;

use crate::http::HttpSource;
use crate::sql::Database;
pub(crate) use folder::FolderSource;
pub(crate) use part::PART;
pub(crate) use section::DatabaseAt;
use section::{KEYS, PortalSettings};

pub(crate) enum PortalSource {
    Folder(Arc<FolderSource>),
    /// A database that `sandbox.toml` names.
    Database(Database),
    Http(Arc<HttpSource>),
}

impl Source for PortalSource {
    const READS: &'static [&'static str] = &[PART];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        match &*sandbox.settings::<Self>()? {
            PortalSettings::Paged(server) => {
                HttpSource::open(sandbox, (**server).clone()).await.map(|http| Self::Http(Arc::new(http)))
            }
            PortalSettings::Database(at) => Ok(Self::Database(Database::new(at, sandbox.limits()))),
            PortalSettings::Folder(settings) => {
                FolderSource::open(sandbox, settings.clone()).await.map(|folder| Self::Folder(Arc::new(folder)))
            }
        }
    }
}

impl Part for PortalSource {
    const NAME: &'static str = PART;
    const MADE_UP: &'static str = include_str!("../made-up.txt");
    const KEYS: &'static [&'static str] = KEYS;
    const KEPT: &'static [&'static str] = section::OF_FILES;
    type Settings = PortalSettings;

    fn selections(came: &Came<'_>) -> Vec<Selection> {
        crate::draft::selections(came)
    }

    fn settings(section: &Section) -> Result<PortalSettings, SectionError> {
        PortalSettings::read(section)
    }

    fn is_live(settings: &PortalSettings) -> bool {
        !matches!(settings, PortalSettings::Folder(_))
    }

    fn paths(settings: &PortalSettings) -> Vec<PathBuf> {
        settings.paths()
    }

    /// Rows of a database that lies in the folder are listed as those of any other: once they are files.
    fn is_listed(&self) -> bool {
        matches!(self, Self::Folder(folder) if folder.databases.is_empty())
    }

    fn records(&self, visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>) -> Result<Gaps, Unverifiable> {
        self.records_by(&keys_of_both(BTreeMap::new(), Part::keys(self)?), visit)
    }

    fn keys(&self) -> Result<BTreeMap<String, Vec<RecordKey>>, Unverifiable> {
        match self {
            Self::Folder(folder) => folder.keys(),
            Self::Database(_) | Self::Http(_) => Ok(BTreeMap::new()),
        }
    }

    fn records_by(
        &self,
        keys: &BTreeMap<String, Vec<String>>,
        visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>,
    ) -> Result<Gaps, Unverifiable> {
        match self {
            Self::Folder(folder) => folder.visit_records(keys, visit),
            Self::Database(_) | Self::Http(_) => Err(not_supported::<Self>("list the records of")),
        }
    }

    fn collections(&self) -> BTreeMap<String, Vec<String>> {
        match self {
            Self::Folder(folder) => folder.tables(),
            Self::Database(_) | Self::Http(_) => BTreeMap::new(),
        }
    }

    fn fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        match self {
            Self::Folder(folder) => folder.record_fields(record),
            Self::Database(_) | Self::Http(_) => Err(not_supported::<Self>("read single records of")),
        }
    }

    fn record(&self, into: &Path) -> Result<Recorded, Unverifiable> {
        match self {
            Self::Folder(folder) => folder.record(into),
            Self::Database(database) => database.record(into),
            Self::Http(server) => server.record(into),
        }
    }
}
