//! Changes whose result is not known: requests that are not applied, versions that are not there or cannot be read.
//!
//! A resource from before such a change may have changed, so that it is not a candidate: the unread place takes its
//! part.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use candor_check::Obstacle;

use super::deleted::Deleted;
use super::requests::Containers;
use super::versions::{Version, latest};
use super::{Named, Resource, Unreadable};
use crate::search::{Names, Search, Subject};

/// A change whose result is not known.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) target: Target,
    /// The base of its URL, where that is absolute.
    pub(crate) base: Option<String>,
    pub(crate) when: When,
    pub(crate) version_id: Option<String>,
    pub(crate) last_updated: Option<String>,
    pub(crate) obstacle: Option<Obstacle>,
}

#[derive(Clone, Debug)]
pub(crate) enum Target {
    One {
        resource_type: String,
        id: String,
    },
    Type {
        resource_type: String,
        query: Option<Box<Search>>,
    },
    /// None that was there: one more may be.
    Created {
        resource_type: String,
    },
    /// The resources that are before it in its file, of any type or of one, where that is a file of versions.
    InFile {
        resource_type: Option<String>,
    },
}

/// The order of a change relative to what else is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// It follows what was there before its container, and before it in that.
    Asked,
    Version,
    /// It is a version that a request left. The request, where it is there, says more.
    Answer,
    /// It is a version among others, and its place is one that cannot be read.
    Unread,
}

#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) change: Change,
    pub(crate) container: usize,
    pub(crate) place: Unreadable,
}

impl Target {
    pub(crate) fn name(&self) -> (Option<&str>, Option<&str>) {
        match self {
            Self::One { resource_type, id } => (Some(resource_type), Some(id)),
            Self::Type { resource_type, .. } | Self::Created { resource_type } => (Some(resource_type), None),
            Self::InFile { resource_type } => (resource_type.as_deref(), None),
        }
    }

    pub(crate) fn described(&self) -> String {
        match self.name() {
            (Some(resource_type), Some(id)) => format!("{resource_type}/{}", id.get(..64).unwrap_or(id)),
            (Some(resource_type), None) => format!("any {resource_type}"),
            (None, _) => "any resource".to_owned(),
        }
    }
}

pub(super) struct Known<'a> {
    pub(super) resources: &'a [Resource],
    pub(super) deleted: &'a [Deleted],
    pub(super) containers: &'a Containers,
    pub(super) named: &'a HashMap<String, Vec<Named>>,
}

/// So many searches of requests on one type are made, and so many changes of one resource held against its versions; of what
/// is beyond that everything is taken to have changed.
const MOST: usize = 64;

/// Takes out what the changes leave unknown, and adds the places that represent it.
pub(super) fn apply(changes: &[Placed], known: &Known<'_>, left_out: &mut [bool], unreadable: &mut Vec<Unreadable>) {
    if changes.is_empty() {
        return;
    }
    let mut by_name: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for (at, resource) in known.resources.iter().enumerate() {
        if let Some(id) = &resource.id {
            by_name.entry((&resource.resource_type, id)).or_default().push(at);
        }
    }
    let mut deletions: HashMap<(&str, &str), Vec<&Deleted>> = HashMap::new();
    for deletion in known.deleted {
        deletions.entry((&deletion.resource_type, &deletion.id)).or_default().push(deletion);
    }
    // A file that holds a resource more than once.
    let mut of_versions: HashSet<&str> = HashSet::new();
    for all in by_name.values().filter(|all| all.len() > 1) {
        let mut files: Vec<&str> = all.iter().filter_map(|at| Some(&*known.resources.get(*at)?.file)).collect();
        files.sort_unstable();
        of_versions.extend(files.windows(2).filter_map(|two| two.first().filter(|first| two.last() == Some(first))));
    }
    let read = |one: &Unreadable| (one.file.clone(), one.offset);
    let mut at: HashMap<(String, usize), usize> =
        unreadable.iter().enumerate().map(|(n, one)| (read(one), n)).collect();
    let mut looked: HashMap<_, usize> = HashMap::new();
    // The later ones first: what they take is theirs.
    for Placed { change, container, place } in changes.iter().rev() {
        let (resource_type, id) = change.target.name();
        let in_file = matches!(change.target, Target::InFile { .. }).then_some(place.file.as_str());
        let times = looked.entry((std::mem::discriminant(&change.target), resource_type, id, in_file)).or_default();
        *times += 1;
        let one = One { change, container: *container, place, whole: *times > MOST };
        let left = |at: &usize| left_out.get(*at) == Some(&false);
        let touched: Vec<usize> = match (&change.target, resource_type.zip(id)) {
            (Target::Created { .. }, _) => Vec::new(),
            (Target::InFile { .. }, _) if !of_versions.contains(place.file.as_str()) => Vec::new(),
            (_, Some(name)) => {
                let all = by_name.get(&name).map(Vec::as_slice).unwrap_or_default();
                let gone = deletions.get(&name).map(Vec::as_slice).unwrap_or_default();
                if !one.whole && one.is_superseded(all, gone, known) {
                    continue;
                }
                all.iter().copied().filter(left).filter(|at| one.touches(*at, known)).collect()
            }
            // Nothing is left that a later one did not take.
            (Target::InFile { .. }, _) if *times > 1 => Vec::new(),
            _ if *times > MOST + 1 => Vec::new(),
            _ => (0..known.resources.len()).filter(left).filter(|at| one.touches(*at, known)).collect(),
        };
        touched.iter().for_each(|at| left_out.get_mut(*at).into_iter().for_each(|out| *out = true));
        let of = |place: Unreadable| match resource_type {
            Some(resource_type) => place.about(resource_type, id),
            None => place,
        };
        if change.when != When::Unread {
            unreadable.push(of(place.with(place.what.clone(), change.obstacle)));
        } else if !touched.is_empty() {
            let what = format!("{}; it may be a later version of {}", place.what, change.target.described());
            let place = of(place.with(what, change.obstacle));
            match at.get(&read(&place)).and_then(|known| unreadable.get_mut(*known)) {
                Some(known) => *known = place,
                None => {
                    at.insert(read(&place), unreadable.len());
                    unreadable.push(place);
                }
            }
        }
    }
}

/// A change, held against what is known.
struct One<'a> {
    change: &'a Change,
    container: usize,
    place: &'a Unreadable,
    whole: bool,
}

impl One<'_> {
    fn is_before(&self, container: usize, offset: usize) -> bool {
        (self.container, self.place.offset) < (container, offset)
    }

    fn was_asked_later(&self, resource: &Resource, containers: &Containers) -> bool {
        containers.requests.contains(&resource.container) && self.is_before(resource.container, resource.span().start)
    }

    fn is_on(&self, base: Option<&str>) -> bool {
        self.whole || base.is_none() || self.change.base.is_none() || self.change.base.as_deref() == base
    }

    /// Returns `true` if what came of it is known, or was replaced or deleted after it.
    fn is_superseded(&self, all: &[usize], gone: &[&Deleted], known: &Known<'_>) -> bool {
        let all: Vec<&Resource> = all.iter().filter_map(|at| known.resources.get(*at)).collect();
        let all: Vec<&Resource> = all.into_iter().filter(|one| self.is_on(one.base())).collect();
        let gone: Vec<&&Deleted> = gone.iter().filter(|one| self.is_on(one.base.as_deref())).collect();
        let own = self.change.version_id.as_deref();
        if own.is_some() && all.iter().any(|one| one.version_id().as_deref() == own) {
            return true;
        }
        let put = all.iter().any(|one| known.containers.were_put(one) && self.was_asked_later(one, known.containers));
        let deleted = gone.iter().any(|one| one.applied_in.is_some_and(|at| self.is_before(at, one.place.offset)));
        let said = self.change.when == When::Answer && !known.containers.requests.is_empty();
        if put || deleted || said {
            return true;
        }
        if self.change.when == When::Asked && own.is_none() && self.change.last_updated.is_none() {
            return false;
        }
        let recorded = gone.iter().filter(|one| one.applied_in.is_none());
        let updated = self.change.last_updated.as_deref();
        let mut versions: Vec<Version<'_>> = vec![Version::of(own.map(Cow::Borrowed), updated.map(Cow::Borrowed))];
        versions.extend(all.iter().map(|one| one.version()));
        versions.extend(recorded.map(|one| Version::of_deleted(one)));
        !latest(&versions).contains(&0)
    }

    /// True if the change may affect a resource that is there. The resources of its name are consulted only for one
    /// that is not superseded.
    fn touches(&self, at: usize, known: &Known<'_>) -> bool {
        let Some(resource) = known.resources.get(at) else { return false };
        if !self.is_on(resource.base()) {
            return false;
        }
        match &self.change.target {
            Target::One { .. } => true,
            Target::Created { .. } => false,
            Target::Type { resource_type, query } => {
                *resource.resource_type == **resource_type
                    && !self.was_asked_later(resource, known.containers)
                    && query.as_ref().filter(|_| !self.whole).is_none_or(|query| {
                        query.matches(&Subject {
                            value: resource.value(),
                            base: resource.base(),
                            container: resource.container,
                            names: known,
                        })
                    })
            }
            Target::InFile { resource_type } => {
                *resource.file == *self.place.file
                    && resource.span().start < self.place.offset
                    && resource_type.as_ref().is_none_or(|own| *resource.resource_type == **own)
            }
        }
    }
}

impl Names for Known<'_> {
    fn named(&self, full_url: &str, container: Option<usize>) -> Option<&str> {
        super::search::named(self.named, full_url, container)
    }

    fn is_named(&self, full_url: &str) -> bool {
        self.named.contains_key(full_url)
    }
}
