//! An index over resources: what each parameter finds in them, collected when it is first asked for.
//!
//! A parameter is indexed for a resource type by going through the resources of the type once, on the first search by it;
//! from then on a search costs what it finds. An index holds each distinct value once, and the ranks of the resources that
//! have it; it holds no resource. It belongs to one list of resources that does not change.

mod codes;
mod dates;
mod postings;
mod quantities;
mod references;
mod texts;
mod uris;

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::mem::Discriminant;
use std::sync::{Arc, PoisonError, RwLock};

use crate::path::{Item, Path};
use crate::rule::Leaf;
use crate::set::Set;
use crate::subject::{Members, Resources, Subject};
use crate::test::Test;

pub(crate) use codes::Codes;
pub(crate) use dates::Dates;
pub(crate) use quantities::Quantities;
pub(crate) use references::References;
pub(crate) use texts::Texts;
pub(crate) use uris::Uris;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Family {
    Presence,
    Elements,
    Codes {
        without_system: bool,
    },
    IdentifierCodes,
    Texts,
    TokenTexts,
    References,
    Dates,
    Quantities,
    Uris,
    /// The resources with a value that is left out, or is not of a type which a test of this kind reads.
    Off(Discriminant<Test>),
}

/// A resource type, the expression, that of a composite's component, and what is indexed.
type Key = (String, &'static str, Option<&'static str>, Family);

#[derive(Clone)]
enum Facts {
    Presence(Arc<Set>),
    Elements(Arc<Vec<u32>>),
    Codes(Arc<Codes>),
    Texts(Arc<Texts>),
    References(Arc<References>),
    Dates(Arc<Dates>),
    Quantities(Arc<Quantities>),
    Uris(Arc<Uris>),
}

/// An index over resources that do not change; empty at first.
///
/// It may be shared between threads. Made for one list of resources it must not be used with another.
#[derive(Default)]
pub struct Index {
    facts: RwLock<HashMap<Key, Facts>>,
    ids: RwLock<HashMap<String, Arc<Vec<Hashed>>>>,
    hasher: RandomState,
}

/// The hash of an id, and the rank of a resource that has it.
type Hashed = (u64, u32);

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").finish_non_exhaustive()
    }
}

impl Clone for Index {
    /// An empty one: what was collected can be collected again.
    fn clone(&self) -> Self {
        Self::default()
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Selected<'p> {
    pub(crate) resource_type: &'p str,
    pub(crate) path: &'p Path,
    /// Within what the path selects: each such element then has a rank of its own.
    pub(crate) component: Option<&'p Path>,
    pub(crate) count: usize,
    /// Gathers the resources whose values are off, in the same pass.
    pub(crate) off: Option<&'p Off<'p>>,
}

/// The resources in which what a test looks at is left out, or is not of a type that it reads.
pub(crate) struct Off<'p> {
    test: &'p Test,
    /// Nothing where no pass was needed.
    found: RefCell<Option<Set>>,
}

impl<'p> Off<'p> {
    pub(crate) fn new(test: &'p Test) -> Self {
        Self { test, found: RefCell::new(None) }
    }
}

impl Selected<'_> {
    fn members(&self) -> Members<'static> {
        let Some(component) = self.component else {
            return self.path.first_members().map_or_else(Members::all, Members::named);
        };
        // Where the path ends at the resource, the component's begins there.
        let own = self.path.members().filter_map(|members| members.first().copied());
        component.first_members().map_or_else(Members::all, |below| Members::named(own.chain(below).collect()))
    }

    fn each(&self, resources: &dyn Resources, visitor: &mut dyn FnMut(usize, &Item<'_>, &Subject<'_>)) {
        self.each_with(&self.members(), resources, visitor);
    }

    fn each_rank(&self, resources: &dyn Resources, visitor: &mut dyn FnMut(usize)) {
        // Of the resource itself no member is needed to know that it is there.
        let own = self.path.members().filter_map(|members| members.first().copied());
        self.each_with(&Members::named(own.collect()), resources, &mut |rank, _, _| visitor(rank));
    }

    fn each_with(
        &self,
        members: &Members<'_>,
        resources: &dyn Resources,
        visitor: &mut dyn FnMut(usize, &Item<'_>, &Subject<'_>),
    ) {
        let mut element = 0;
        let mut off = self.off.map(|off| (off, Set::none(self.count)));
        for (rank, position) in resources.of_type(self.resource_type).iter().enumerate() {
            resources.visit(*position, members, &mut |subject| {
                let mut leads_off = false;
                let items = self.path.select_minding(subject.value, subject, &mut leads_off);
                if let Some((off, set)) = &mut off
                    && off.test.is_off(leads_off, &items, subject, &|| resources.is_subset(*position))
                {
                    set.insert(rank);
                }
                for item in items {
                    match self.component {
                        None => visitor(rank, &item, subject),
                        Some(component) => {
                            let selected = component.select_from(item.value, subject);
                            selected.iter().for_each(|item| visitor(element, item, subject));
                            element += 1;
                        }
                    }
                }
            });
        }
        if let Some((off, set)) = off {
            off.found.replace(Some(set));
        }
    }
}

macro_rules! family {
    ($(#[$doc:meta])* $name:ident, $variant:ident, $type:ty, $family:expr, $build:expr) => {
        $(#[$doc])*
        pub(crate) fn $name(&self, resources: &dyn Resources, selected: Selected<'_>) -> Arc<$type> {
            let build = |selected: &Selected<'_>| Facts::$variant(Arc::new($build(resources, selected)));
            match self.facts(selected, $family, build) {
                Facts::$variant(found) => found,
                // A key tells its family.
                _ => Arc::new($build(resources, &selected)),
            }
        }
    };
}

impl Index {
    fn facts(&self, selected: Selected<'_>, family: Family, build: impl Fn(&Selected<'_>) -> Facts) -> Facts {
        let key = (selected.resource_type.to_owned(), selected.path.text(), selected.component.map(Path::text), family);
        if let Some(found) = self.facts.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return found.clone();
        }
        let built = build(&selected);
        self.facts.write().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(built).clone()
    }

    family!(
        /// Where anything is selected.
        presence, Presence, Set, Family::Presence, |resources: &dyn Resources, selected: &Selected<'_>| {
            let mut set = Set::none(selected.count);
            selected.each_rank(resources, &mut |rank| set.insert(rank));
            set
        }
    );
    family!(
        /// For each element that a path selects, the rank of the resource that contains it.
        elements, Elements, Vec<u32>, Family::Elements, |resources: &dyn Resources, selected: &Selected<'_>| {
            let mut all = Vec::new();
            selected.each_rank(resources, &mut |rank| all.push(u32::try_from(rank).unwrap_or(u32::MAX)));
            all
        }
    );
    /// Keeps what is off for a leaf, if a pass that was needed for its values has gathered it.
    pub(crate) fn keep_off(&self, selected: Selected<'_>, off: Off<'_>) {
        if let Some(set) = off.found.into_inner() {
            let family = Family::Off(std::mem::discriminant(off.test));
            self.facts(selected, family, |_| Facts::Presence(Arc::new(set.clone())));
        }
    }

    /// The resources of a type in which what a leaf looks at is left out, or is not of a type that it reads.
    pub(crate) fn off(&self, resources: &dyn Resources, resource_type: &str, leaf: &Leaf) -> Set {
        let positions = resources.of_type(resource_type);
        // What its id is, a resource is known by.
        if leaf.path.text() == "Resource.id" {
            return Set::none(positions.len());
        }
        let mut selected =
            Selected { resource_type, path: &leaf.path, component: None, count: positions.len(), off: None };
        let mut members = selected.members();
        if let Test::Composite(any) = &leaf.test {
            // Composites of one path differ in their last components.
            selected.component = any.first().and_then(|components| components.last()).map(|component| &component.path);
            members = Members::all();
        }
        let build = |_: &Selected<'_>| {
            let mut set = Set::none(positions.len());
            for (rank, position) in positions.iter().enumerate() {
                resources.visit(*position, &members, &mut |subject| {
                    if leaf.is_off(subject.value, subject, &|| resources.is_subset(*position)) {
                        set.insert(rank);
                    }
                });
            }
            Facts::Presence(Arc::new(set))
        };
        match self.facts(selected, Family::Off(std::mem::discriminant(&leaf.test)), build) {
            Facts::Presence(found) => Set::clone(&found),
            _ => Set::none(positions.len()),
        }
    }

    family!(identifier_codes, Codes, Codes, Family::IdentifierCodes, Codes::of_identifiers);
    family!(texts, Texts, Texts, Family::Texts, Texts::of_strings);
    family!(token_texts, Texts, Texts, Family::TokenTexts, Texts::of_tokens);
    family!(references, References, References, Family::References, References::of);
    family!(dates, Dates, Dates, Family::Dates, Dates::of);
    family!(quantities, Quantities, Quantities, Family::Quantities, Quantities::of);
    family!(uri_facts, Uris, Uris, Family::Uris, Uris::of);

    pub(crate) fn codes(&self, resources: &dyn Resources, selected: Selected<'_>, without_system: bool) -> Arc<Codes> {
        let build = |selected: &Selected<'_>| Facts::Codes(Arc::new(Codes::of(resources, selected, without_system)));
        match self.facts(selected, Family::Codes { without_system }, build) {
            Facts::Codes(found) => found,
            _ => Arc::new(Codes::of(resources, &selected, without_system)),
        }
    }

    /// The positions of the resources of a type that have a URI where a path leads.
    pub(crate) fn with_uri(
        &self,
        resources: &dyn Resources,
        resource_type: &str,
        path: &Path,
        uri: &str,
    ) -> Vec<usize> {
        let positions = resources.of_type(resource_type);
        let set = self
            .uri_facts(resources, Selected { resource_type, path, component: None, count: positions.len(), off: None })
            .exactly(uri);
        set.iter().filter_map(|rank| positions.get(rank)).copied().collect()
    }

    pub(crate) fn with_id(&self, resources: &dyn Resources, resource_type: &str, id: &str) -> Vec<usize> {
        let positions = resources.of_type(resource_type);
        let wanted = self.hasher.hash_one(id);
        let by_id = self.by_id(resources, resource_type);
        let from = by_id.partition_point(|(hash, _)| *hash < wanted);
        let same = by_id.get(from..).unwrap_or_default().iter().take_while(|(hash, _)| *hash == wanted);
        let same = same.filter_map(|(_, rank)| positions.get(*rank as usize)).copied();
        same.filter(|position| resources.id(*position) == Some(id)).collect()
    }

    /// In order of the hashes, which lie next to each other in memory. The ids do not.
    fn by_id(&self, resources: &dyn Resources, resource_type: &str) -> Arc<Vec<Hashed>> {
        if let Some(found) = self.ids.read().unwrap_or_else(PoisonError::into_inner).get(resource_type) {
            return found.clone();
        }
        let positions = resources.of_type(resource_type);
        let hashed = |(rank, position): (u32, &usize)| Some((self.hasher.hash_one(resources.id(*position)?), rank));
        let mut ids: Vec<Hashed> = (0..).zip(positions).filter_map(hashed).collect();
        ids.sort_unstable();
        let built = Arc::new(ids);
        self.ids.write().unwrap_or_else(PoisonError::into_inner).insert(resource_type.to_owned(), built.clone());
        built
    }
}
