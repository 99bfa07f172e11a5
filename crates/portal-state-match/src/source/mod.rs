//! Where rows come from: the sandbox's `portal/` folder, or what `sandbox.toml` names in its place. A source hands the
//! rows of a resource to a [`Look`](crate::look::Look); it selects nothing itself but what cannot change the selection.

mod folder;
mod part;

use std::sync::Arc;

use candor_check::{Sandbox, Source, Unverifiable};

use crate::http::HttpSource;
use crate::sql::Database;
pub(crate) use folder::FolderSource;
pub(crate) use part::PART;

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
    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        if let Some(server) = sandbox.paged(PART) {
            return HttpSource::open(sandbox, server.clone()).await.map(|http| Self::Http(Arc::new(http)));
        }
        match sandbox.remote(PART) {
            Some(remote) => Ok(Self::Database(Database::new(remote, sandbox.limits()))),
            None => FolderSource::open(sandbox).await.map(|folder| Self::Folder(Arc::new(folder))),
        }
    }
}
