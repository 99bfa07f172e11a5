//! Where rows come from: the sandbox's `portal/` folder, or what `sandbox.toml` names in its place. A source hands the
//! rows of a resource to a [`Look`](crate::look::Look); it selects nothing itself but what cannot change the selection.

mod folder;
pub(crate) mod paged;
mod settings;

use std::sync::Arc;

use candor_check::{Sandbox, Source, Unverifiable};

use crate::check::Seen;
use crate::http::HttpSource;
use crate::selection::CorrelateBy;
use crate::sql::Database;
use folder::FolderSource;
use settings::PortalSettings;
pub(crate) use settings::DatabaseAt;

/// The part of the sandbox.
pub(crate) const PART: &str = "portal";

/// What the part is read from.
pub(crate) enum PortalSource {
    /// The files of a folder.
    Folder(Arc<FolderSource>),
    /// A database that `sandbox.toml` names.
    Database(Database),
    /// A server that gives rows out over HTTP.
    Http(Arc<HttpSource>),
}

impl Source for PortalSource {
    const READS: &'static [&'static str] = &[PART];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        match &*sandbox.settings::<Self>()? {
            PortalSettings::Paged(server) => {
                HttpSource::open(sandbox, server.clone()).await.map(|http| Self::Http(Arc::new(http)))
            }
            PortalSettings::Database(at) => Ok(Self::Database(Database::new(at, sandbox.limits()))),
            PortalSettings::Folder => FolderSource::open(sandbox).await.map(|folder| Self::Folder(Arc::new(folder))),
        }
    }
}

impl PortalSource {
    /// What is seen of a resource. `anew` is whether the look is one of several in time, so that a live source must not
    /// answer from the snapshot that it keeps for all criteria.
    ///
    /// # Errors
    /// Why it could not be read.
    pub(crate) async fn look(
        &self,
        sandbox: &Sandbox,
        correlate_by: &CorrelateBy,
        anew: bool,
    ) -> Result<Seen, Unverifiable> {
        match self {
            // A recording is the same at every look.
            Self::Folder(folder) => FolderSource::look(Arc::clone(folder), sandbox, correlate_by.clone()).await,
            Self::Database(database) => database.look(sandbox, correlate_by, anew).await,
            Self::Http(http) => {
                let (http, correlate_by, limits) = (Arc::clone(http), correlate_by.clone(), sandbox.limits().clone());
                let place = http.place();
                sandbox.blocking(&place, move || http.look(&correlate_by, &limits, anew)).await
            }
        }
    }
}
