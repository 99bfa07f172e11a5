//! The effect of the requests of transactions and batches on what is there.

use std::collections::{HashMap, HashSet};

use super::deleted::Deleted;
use super::{Resource, Unreadable};

#[derive(Debug, Default)]
pub(crate) struct Containers {
    /// The resources that a transaction or a batch says to put there, by container and start: the id of one that is posted
    /// is not its own yet.
    pub(crate) put: HashSet<(usize, usize)>,
    pub(crate) requests: HashSet<usize>,
    /// The requests without an answer of their own, by container and the start of what they put or delete. Each has its
    /// number in its Bundle, the number of entries there, and its place.
    pub(super) asked: HashMap<(usize, usize), (usize, usize, Unreadable)>,
    /// The answers without requests: if it is an error, its number unless it answers every entry, and the number of entries.
    /// An OperationOutcome has 0 entries.
    pub(super) answers: HashSet<(bool, Option<usize>, usize)>,
}

impl Containers {
    /// Returns `true` if an answer may refuse the request of that number.
    pub(super) fn refuse(&self, number: usize, of: usize) -> bool {
        let is_refused = |number, of| self.answers.contains(&(true, number, of));
        // Of several requests it is not known which one an outcome answers, and most may be fixtures.
        let is_only = || self.requests.len() == 1 && !self.answers.iter().any(|(.., size)| *size == of);
        is_refused(Some(number), of) || is_refused(None, of) || is_refused(None, 0) && is_only()
    }

    pub(super) fn were_put(&self, resource: &Resource) -> bool {
        self.put.contains(&(resource.container, resource.span().start))
    }

    /// Returns `true` if a request creates the resource, under an id that the server gives it.
    pub(super) fn creates(&self, resource: &Resource) -> bool {
        self.requests.contains(&resource.container) && !self.were_put(resource)
    }
}

/// The effect of transactions and batches on one resource: a request that puts or deletes it takes away what was there
/// before, in its own Bundle and in earlier files.
pub(super) struct Requests<'a> {
    containers: &'a Containers,
    /// The last deletion, and its container.
    pub(super) deletion: Option<(&'a Deleted, usize)>,
    /// The container of the last put, and of the last put without a version.
    last_put: Option<usize>,
    last_unversioned: Option<usize>,
    /// Where the last put or deletion of each container begins.
    in_container: HashMap<usize, usize>,
}

impl<'a> Requests<'a> {
    pub(super) fn of(
        resources: impl Iterator<Item = &'a Resource>,
        deletions: impl Iterator<Item = &'a Deleted>,
        containers: &'a Containers,
    ) -> Self {
        let mut requests =
            Self { containers, deletion: None, last_put: None, last_unversioned: None, in_container: HashMap::new() };
        for resource in resources.filter(|resource| containers.were_put(resource)) {
            let container = Some(resource.container);
            requests.last_put = requests.last_put.max(container);
            if !is_versioned(resource) {
                requests.last_unversioned = requests.last_unversioned.max(container);
            }
            requests.stands(resource.container, resource.span().start);
        }
        for deletion in deletions {
            let Some(container) = deletion.applied_in else { continue };
            if requests.deletion.is_none_or(|(_, last)| last <= container) {
                requests.deletion = Some((deletion, container));
            }
            requests.stands(container, deletion.place.offset);
        }
        requests
    }

    fn stands(&mut self, container: usize, offset: usize) {
        let last = self.in_container.entry(container).or_default();
        *last = (*last).max(offset);
    }

    /// Returns `true` if a resource was there before one of them and not after it.
    pub(super) fn took_away(&self, resource: &Resource) -> bool {
        let later = |container: Option<usize>| container.is_some_and(|container| container > resource.container);
        let in_its_own = self.containers.were_put(resource)
            && self.in_container.get(&resource.container).is_some_and(|last| *last > resource.span().start);
        // Two that say their versions are distinguished by these.
        let put = if is_versioned(resource) { self.last_unversioned } else { self.last_put };
        in_its_own || later(put) || later(self.deletion.map(|(_, container)| container))
    }
}

fn is_versioned(resource: &Resource) -> bool {
    resource.version_id().is_some() || resource.last_updated().is_some()
}
