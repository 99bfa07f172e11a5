//! Where rows come from: the sandbox's `portal/` folder, or what `sandbox.toml` names in its place. A source hands the
//! rows of a resource to a [`Look`](crate::look::Look); it selects nothing itself but what cannot change the selection.

mod folder;

use std::sync::Arc;

use candor_check::{Sandbox, Source, Unverifiable};

use crate::check::Seen;
use crate::selection::CorrelateBy;
use folder::FolderSource;

/// The part of the sandbox.
pub(crate) const PART: &str = "portal";

/// What the part is read from.
pub(crate) enum PortalSource {
    /// The files of a folder.
    Folder(Arc<FolderSource>),
}

impl Source for PortalSource {
    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        FolderSource::open(sandbox).await.map(|folder| Self::Folder(Arc::new(folder)))
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
        // A recording is the same at every look.
        let _ = anew;
        match self {
            Self::Folder(folder) => {
                let (folder, correlate_by) = (Arc::clone(folder), correlate_by.clone());
                sandbox.blocking("portal/", move || Ok(folder.look(&correlate_by))).await
            }
        }
    }
}
