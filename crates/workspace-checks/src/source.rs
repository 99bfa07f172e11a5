//! What all of them read: the workspace of a sandbox.

use candor_check::{Folder, Sandbox, Unverifiable};

/// The part of the sandbox that all of them read.
pub(crate) const PART: &str = "workspace";

/// The workspace's folder.
///
/// # Errors
/// [`Obstacle::NoSource`] where there is none.
pub(crate) fn workspace(sandbox: &Sandbox) -> Result<Folder, Unverifiable> {
    sandbox.folder(PART).ok_or_else(|| sandbox.no_source(PART))
}
