//! What files are read from: a folder of the sandbox, or the file server or bucket that `sandbox.toml` names in its place.

use candor_check::{Sandbox, Source, Unverifiable};

use crate::store::{FolderStore, ObjectStore, SftpStore, Store, Until};

/// The part of the sandbox.
pub(crate) const PART: &str = "files";

/// The store of a sandbox, opened once.
pub(crate) struct Files(Box<dyn Store>);

impl Files {
    pub(crate) fn store(&self) -> &dyn Store {
        &*self.0
    }

    /// The store for one look at it, which nobody waits for any more once its time is over.
    pub(crate) fn for_one_look(&self) -> Until<'_> {
        Until::new(self.store())
    }
}

impl Source for Files {
    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        if let Some(remote) = sandbox.remote(PART).filter(|remote| ["s3", "gs", "az"].contains(&remote.scheme)) {
            let (remote, limits) = (remote.clone(), sandbox.limits().clone());
            // Credentials may lie in files.
            let open = move || ObjectStore::new(&remote, &limits);
            return Ok(Self(Box::new(sandbox.blocking(PART, open).await?)));
        }
        if let Some(remote) = sandbox.remote(PART) {
            return Ok(Self(Box::new(SftpStore::new(remote, sandbox.limits())?)));
        }
        let folder = sandbox.folder(PART).ok_or_else(|| sandbox.no_source(PART))?;
        Ok(Self(Box::new(FolderStore::new(folder, PART))))
    }
}
