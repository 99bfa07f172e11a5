//! Deletions.

use super::Unreadable;

#[derive(Clone, Debug)]
pub(crate) struct Deleted {
    pub(super) resource_type: String,
    pub(super) id: String,
    /// The base of its URL, where that is absolute.
    pub(super) base: Option<String>,
    pub(super) version_id: Option<String>,
    pub(super) last_updated: Option<String>,
    /// The container that asks for it: it takes away what was there before. `None` for one that is recorded as a version.
    pub(super) applied_in: Option<usize>,
    pub(super) place: Unreadable,
}

impl Deleted {
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.resource_type, self.id.get(..64).unwrap_or(&self.id))
    }
}
