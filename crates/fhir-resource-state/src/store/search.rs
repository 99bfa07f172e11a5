//! A store as search sees it.

use std::collections::HashMap;

use super::{Named, Resource, Store};
use crate::search::{Members, Names, Nearest, Resources, Search, Subject};

impl Store {
    /// The resource that meets most of a search without meeting all of it, and what it does not meet.
    #[must_use]
    pub fn nearest<'s>(&self, search: &'s Search) -> Option<(&Resource, Nearest<'s>)> {
        let nearest = search.nearest(self, &self.index)?;
        Some((self.resources.get(nearest.position)?, nearest))
    }
}

/// Where several entries use the `fullUrl`, those of the container or else all of them, they must mean the same.
pub(super) fn named<'n>(
    names: &'n HashMap<String, Vec<Named>>,
    full_url: &str,
    container: Option<usize>,
) -> Option<&'n str> {
    let all = names.get(full_url)?;
    let own: Vec<&Named> = all.iter().filter(|named| Some(named.container) == container).collect();
    let meant: Vec<&Named> = if own.is_empty() { all.iter().collect() } else { own };
    let first = meant.first()?;
    meant.iter().all(|named| named.target == first.target).then_some(first.target.as_str())
}

impl Names for Store {
    fn named(&self, full_url: &str, container: Option<usize>) -> Option<&str> {
        named(&self.named, full_url, container)
    }

    fn is_named(&self, full_url: &str) -> bool {
        self.named.contains_key(full_url)
    }
}

impl Resources for Store {
    fn of_type(&self, resource_type: &str) -> &[usize] {
        self.by_type.get(resource_type).map_or(&[], Vec::as_slice)
    }

    fn subject(&self, position: usize) -> Option<Subject<'_>> {
        self.resources.get(position).map(|resource| Store::subject(self, resource))
    }

    fn visit(&self, position: usize, members: &Members<'_>, visitor: &mut dyn FnMut(&Subject<'_>)) {
        let Some(resource) = self.resources.get(position) else { return };
        resource.content.with(members, |value| {
            visitor(&Subject { value, base: resource.base(), container: resource.container, names: self });
        });
    }

    fn id(&self, position: usize) -> Option<&str> {
        self.resources.get(position)?.key()
    }

    fn write_ids(&self, resource_type: &str) -> bool {
        !self.without_ids.contains(resource_type)
    }

    fn is_subset(&self, position: usize) -> bool {
        self.resources.get(position).is_some_and(|resource| resource.content.is_subset())
    }

    fn base(&self, position: usize) -> Option<&str> {
        self.resources.get(position)?.base()
    }
}
