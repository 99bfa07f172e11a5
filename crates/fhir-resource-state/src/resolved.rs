//! The targets of references, found in the store when a resource is observed. They are kept with it, so that judging
//! needs no store.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use candor_check::compare::References;
use candor_fhirpath::Resolver;
use candor_fhirpath::definitions::Position;
use candor_json::Value;
use serde::{Deserialize, Serialize};

use crate::search::Names;
use crate::store::{Resource, Store};

/// The most resources that one candidate's expressions may be led to.
const MOST: usize = 1000;

/// A resource that a reference led to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resolved {
    /// Where the reference is: the candidate itself, or the resolved resource of that number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// The reference, as it is written.
    pub reference: String,
    /// True if it is a canonical reference: to a resource by its `url` and `version`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub canonical: bool,
    /// The resource.
    pub resource: Value,
}

pub(crate) struct Kept<'c> {
    pub resolved: &'c [Resolved],
}

impl<'c> Kept<'c> {
    fn known(&self, reference: &str, from: &Value, canonical: bool) -> Option<&'c Value> {
        let at = self.resolved.iter().position(|known| std::ptr::eq(&known.resource, from));
        let is_it =
            |known: &&Resolved| known.from == at && known.canonical == canonical && known.reference == reference;
        Some(&self.resolved.iter().find(is_it)?.resource)
    }
}

impl Resolver for Kept<'_> {
    fn resolve<'s>(&'s self, reference: &str, from: &Value) -> Option<&'s Value> {
        self.known(reference, from, false)
    }

    fn resolve_canonical<'s>(&'s self, canonical: &str, from: &Value) -> Option<&'s Value> {
        self.known(canonical, from, true)
    }
}

pub(crate) struct Targets<'s> {
    store: &'s Store,
    by_name: HashMap<(&'s str, &'s str), Vec<&'s Resource>>,
    /// Those that have a URL of their own, read when a canonical is first followed.
    by_url: OnceLock<HashMap<&'s str, Vec<&'s Resource>>>,
    /// True if the store is all there is: a server may have more resources than those that were read.
    is_whole: bool,
}

impl<'s> Targets<'s> {
    pub(crate) fn new(store: &'s Store, is_whole: bool) -> Self {
        let mut by_name: HashMap<_, Vec<_>> = HashMap::new();
        for resource in store.resources() {
            if let Some(id) = resource.key() {
                by_name.entry((&*resource.resource_type, id)).or_default().push(resource);
            }
        }
        Self { store, by_name, by_url: OnceLock::new(), is_whole }
    }

    /// Returns `true` if a resource is there in several states that nothing tells apart.
    fn has_states(&self, resource: &Resource) -> bool {
        let key = resource.key().map(|id| (&*resource.resource_type, id));
        let others = key.and_then(|key| self.by_name.get(&key)).into_iter().flatten();
        others.into_iter().any(|other| other.is_another_state_of(resource))
    }

    /// The resources with the URL, and the version if there is one, of a canonical reference.
    fn canonical(&self, canonical: &str) -> Vec<&'s Resource> {
        let by_url = self.by_url.get_or_init(|| {
            let mut by_url: HashMap<_, Vec<_>> = HashMap::new();
            let mut known: HashMap<&str, bool> = HashMap::new();
            for resource in self.store.resources() {
                let name = &*resource.resource_type;
                // Resources of most types are not looked into.
                if !*known.entry(name).or_insert_with(|| Position::of(name).member("url").is_ok()) {
                    continue;
                }
                if let Some(url) = resource.value().get("url").and_then(Value::as_str) {
                    by_url.entry(url).or_default().push(resource);
                }
            }
            by_url
        });
        let (url, version) = match canonical.split_once('|') {
            Some((url, version)) => (url, Some(version)),
            None => (canonical, None),
        };
        let mut found = by_url.get(url).cloned().unwrap_or_default();
        let has = |resource: &&Resource, version: &str| {
            resource.value().get("version").and_then(Value::as_str) == Some(version)
        };
        found.retain(|resource| version.is_none_or(|version| has(resource, version)));
        found
    }

    /// The resource that a reference in `from` is to: of that base, and the one of the same container before others. A
    /// reference without a base is to the only resource of that type and id.
    fn target(&self, reference: &str, from: &Resource) -> Option<&'s Resource> {
        if let Some(name) = self.store.named(reference, Some(from.container)) {
            let all = self.by_name.get(&name.split_once('/')?)?;
            let named = |resource: &&&Resource| resource.full_url() == Some(reference);
            let same_container = |resource: &&&Resource| resource.container == from.container;
            return all.iter().filter(named).find(same_container).or(all.iter().find(named)).or(all.first()).copied();
        }
        let references = References { base: from.base().map(str::to_owned), ..References::default() };
        let target = references.target(reference).into_owned();
        let mut parts = target.rsplit('/');
        let (id, resource_type) = (parts.next()?, parts.next()?);
        let all = self.by_name.get(&(resource_type, id))?;
        let version = reference.split_once("/_history/").map(|(_, version)| version);
        let fits = |resource: &&&Resource| {
            let own = References { base: resource.base().map(str::to_owned), ..References::default() };
            own.target(&format!("{resource_type}/{id}")) == target
                && version.is_none_or(|version| resource.version_id().as_deref() == Some(version))
        };
        let fitting: Vec<&&Resource> = all.iter().filter(fits).collect();
        let same_container = fitting.iter().find(|resource| resource.container == from.container);
        if let Some(found) = same_container.or(fitting.first()) {
            return Some(found);
        }
        match all.as_slice() {
            [only] if from.base().is_none() && version.is_none() && !target.contains(':') => Some(only),
            _ => None,
        }
    }
}

/// Resolves by the store, and notes what it found and what it did not find.
pub(crate) struct Following<'t, 's> {
    targets: &'t Targets<'s>,
    candidate: &'s Resource,
    found: Mutex<Noted<'s>>,
}

#[derive(Default)]
struct Noted<'s> {
    found: Vec<(Option<usize>, String, bool, &'s Resource)>,
    missed: bool,
    /// A canonical leads to several resources, or to one that a server did not give.
    unclear: bool,
}

impl<'t, 's> Following<'t, 's> {
    pub(crate) fn new(targets: &'t Targets<'s>, candidate: &'s Resource) -> Self {
        Self { targets, candidate, found: Mutex::default() }
    }

    /// The targets of references, and whether one led nowhere: for certain, or only where everything could be read.
    pub(crate) fn finish(self) -> (Vec<Resolved>, Missed) {
        let noted = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let kept = noted.found.into_iter().map(|(from, reference, canonical, resource)| Resolved {
            from,
            reference,
            canonical,
            resource: resource.value().clone(),
        });
        (kept.collect(), Missed { any: noted.missed, unclear: noted.unclear })
    }

    fn follow(&self, reference: &str, from: &Value, canonical: bool) -> Option<&'s Value> {
        let mut noted = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let at = noted.found.iter().position(|(.., resource)| std::ptr::eq(resource.value(), from));
        let is_known = |(from, known, by_url, _): &&(Option<usize>, String, bool, &'s Resource)| {
            *from == at && *by_url == canonical && known == reference
        };
        if let Some((.., known)) = noted.found.iter().find(is_known) {
            return Some(known.value());
        }
        let target = if canonical {
            let found = self.targets.canonical(reference);
            noted.unclear |= found.len() > 1 || found.is_empty() && !self.targets.is_whole;
            found.first().copied().filter(|_| found.len() == 1)
        } else {
            let within = at.and_then(|at| noted.found.get(at)).map_or(self.candidate, |(.., resource)| *resource);
            self.targets.target(reference, within)
        };
        noted.unclear |= target.is_some_and(|target| self.targets.has_states(target));
        match target.filter(|_| noted.found.len() < MOST) {
            Some(resource) => {
                noted.found.push((at, reference.to_owned(), canonical, resource));
                Some(resource.value())
            }
            None => {
                noted.missed = true;
                None
            }
        }
    }
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Missed {
    /// A reference missed its target, which may be something that could not be read.
    pub(crate) any: bool,
    /// A reference may be to any of several resources, or to one that was not asked for.
    pub(crate) unclear: bool,
}

impl Resolver for Following<'_, '_> {
    fn resolve<'r>(&'r self, reference: &str, from: &Value) -> Option<&'r Value> {
        self.follow(reference, from, false)
    }

    fn resolve_canonical<'r>(&'r self, canonical: &str, from: &Value) -> Option<&'r Value> {
        self.follow(canonical, from, true)
    }
}
