//! A look at a resource of the portal.

use std::sync::Arc;

use candor_check::{Sandbox, Unverifiable};

use crate::safety;
use crate::seen::Seen;
use crate::settings::Settings;
use crate::source::{FolderSource, PortalSource};

pub(crate) async fn observe(settings: &Settings, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
    let mut seen = look(settings, sandbox).await?;
    seen.rows.environment = sandbox.environment();
    if seen.rows.candidates.iter().any(|row| safety::may_be_gone(&row.content)) {
        seen.observed_at = safety::seconds(sandbox.work().now());
    }
    Ok(seen)
}

async fn look(settings: &Settings, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
    let source = sandbox.source::<PortalSource>().await?;
    let correlate_by = &settings.correlate_by;
    // A look that is one of several in time must not be answered from the snapshot that a live source keeps.
    let anew = settings.within.is_some();
    match &*source {
        // A recording is the same at every look.
        PortalSource::Folder(folder) => FolderSource::look(Arc::clone(folder), sandbox, correlate_by.clone()).await,
        PortalSource::Database(database) => database.look(sandbox, correlate_by, anew).await,
        PortalSource::Http(http) => {
            let (http, correlate_by, limits) = (Arc::clone(http), correlate_by.clone(), sandbox.limits().clone());
            let place = http.place();
            sandbox.blocking(&place, move || http.look(&correlate_by, &limits, anew)).await
        }
    }
}
