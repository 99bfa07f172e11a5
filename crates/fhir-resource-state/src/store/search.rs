//! A store as search sees it.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Named, Resource, Store};
use crate::search::{Index, Members, Names, Nearest, Resources, Search, Subject};

/// The most states that are tried one by one, each with a search.
const MOST: usize = 64;

impl Store {
    /// True if a search finds the same resources for every state of the other resources that are there in several states.
    pub(crate) fn finds_the_same(&self, search: &Search) -> bool {
        // More resources must not find less.
        if search.hangs_on_absence() {
            return false;
        }
        let types = search.types_of_others();
        let is_open = |at: usize| self.resources.get(at).is_some_and(Resource::is_undistinguished);
        let found_with = |state: Option<usize>| -> HashSet<usize> {
            let of_type = types.iter().map(|name| {
                let all = Resources::of_type(self, name).iter().copied();
                (*name, all.filter(|at| Some(*at) == state || !is_open(*at)).collect::<Vec<_>>())
            });
            let partly = Partly { store: self, of_type: of_type.collect() };
            search.find(&partly, &Index::default()).into_iter().collect()
        };
        let any = search.find(self, &self.index).len();
        let mut sure = found_with(None);
        if sure.len() < any {
            let mut states: BTreeMap<_, Vec<usize>> = BTreeMap::new();
            let open = types.iter().flat_map(|name| Resources::of_type(self, name)).filter(|at| is_open(**at));
            for (at, one) in open.filter_map(|at| Some((*at, self.resources.get(*at)?))) {
                states.entry((&one.resource_type, &one.id)).or_default().push(at);
            }
            if states.values().map(Vec::len).sum::<usize>() > MOST {
                return false;
            }
            for one in states.into_values() {
                let found = one.into_iter().map(|at| found_with(Some(at))).reduce(|all, one| &all & &one);
                sure.extend(found.unwrap_or_default());
            }
        }
        sure.len() == any
    }

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

/// A store without some of its resources.
struct Partly<'s> {
    store: &'s Store,
    /// The resources that stay, of the types of which some do not.
    of_type: HashMap<&'s str, Vec<usize>>,
}

impl Names for Partly<'_> {
    fn named(&self, full_url: &str, container: Option<usize>) -> Option<&str> {
        self.store.named(full_url, container)
    }

    fn is_named(&self, full_url: &str) -> bool {
        self.store.is_named(full_url)
    }
}

impl Resources for Partly<'_> {
    fn of_type(&self, resource_type: &str) -> &[usize] {
        self.of_type.get(resource_type).map_or_else(|| Resources::of_type(self.store, resource_type), Vec::as_slice)
    }

    fn subject(&self, position: usize) -> Option<Subject<'_>> {
        Resources::subject(self.store, position)
    }

    fn visit(&self, position: usize, members: &Members<'_>, visitor: &mut dyn FnMut(&Subject<'_>)) {
        self.store.visit(position, members, visitor);
    }

    fn id(&self, position: usize) -> Option<&str> {
        self.store.id(position)
    }

    fn write_ids(&self, resource_type: &str) -> bool {
        self.store.write_ids(resource_type)
    }

    fn is_subset(&self, position: usize) -> bool {
        self.store.is_subset(position)
    }

    fn base(&self, position: usize) -> Option<&str> {
        self.store.base(position)
    }
}
