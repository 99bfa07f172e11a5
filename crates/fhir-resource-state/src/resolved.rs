//! What references lead to: found in the store when a resource is observed, and kept with it, so that judging needs no store.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use candor_check::compare::References;
use candor_fhirpath::Resolver;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::search::Names;
use crate::store::{Resource, Store};

/// The most resources that one candidate's expressions may be led to.
const MOST: usize = 1000;

/// A resource that a reference led to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resolved {
    /// Where the reference stands: the candidate itself, or the resolved resource of that number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// The reference, as it is written.
    pub reference: String,
    /// The resource.
    pub resource: Value,
}

/// Resolves by what was kept.
pub(crate) struct Kept<'c> {
    pub resolved: &'c [Resolved],
}

impl Resolver for Kept<'_> {
    fn resolve<'s>(&'s self, reference: &str, from: &Value) -> Option<&'s Value> {
        let at = self.resolved.iter().position(|known| std::ptr::eq(&known.resource, from));
        let known = self.resolved.iter().find(|known| known.from == at && known.reference == reference)?;
        Some(&known.resource)
    }
}

/// The store's resources by type and id.
pub(crate) struct Targets<'s> {
    store: &'s Store,
    by_name: HashMap<(&'s str, &'s str), Vec<&'s Resource>>,
}

impl<'s> Targets<'s> {
    pub(crate) fn new(store: &'s Store) -> Self {
        let mut by_name: HashMap<_, Vec<_>> = HashMap::new();
        for resource in store.resources() {
            if let Some(id) = resource.key() {
                by_name.entry((resource.resource_type.as_str(), id)).or_default().push(resource);
            }
        }
        Self { store, by_name }
    }

    /// The resource that a reference in `from` is to: of that base, and the one of the same container before others. One that
    /// stands on no base is to the only resource of that type and id.
    fn target(&self, reference: &str, from: &Resource) -> Option<&'s Resource> {
        if let Some(name) = self.store.named(reference, Some(from.container)) {
            let all = self.by_name.get(&name.split_once('/')?)?;
            let named = |resource: &&&Resource| resource.full_url.as_deref() == Some(reference);
            let same_container = |resource: &&&Resource| resource.container == from.container;
            return all.iter().filter(named).find(same_container).or(all.iter().find(named)).or(all.first()).copied();
        }
        let references = References { base: from.base.clone(), ..References::default() };
        let target = references.target(reference).into_owned();
        let mut parts = target.rsplit('/');
        let (id, resource_type) = (parts.next()?, parts.next()?);
        let all = self.by_name.get(&(resource_type, id))?;
        let version = reference.split_once("/_history/").map(|(_, version)| version);
        let fits = |resource: &&&Resource| {
            let own = References { base: resource.base.clone(), ..References::default() };
            own.target(&format!("{resource_type}/{id}")) == target
                && version.is_none_or(|version| resource.version_id.as_deref() == Some(version))
        };
        let fitting: Vec<&&Resource> = all.iter().filter(fits).collect();
        let same_container = fitting.iter().find(|resource| resource.container == from.container);
        if let Some(found) = same_container.or(fitting.first()) {
            return Some(found);
        }
        match all.as_slice() {
            [only] if from.base.is_none() && version.is_none() && !target.contains(':') => Some(only),
            _ => None,
        }
    }
}

/// Resolves by the store, and notes what it found and what it did not find.
pub(crate) struct Following<'s> {
    targets: &'s Targets<'s>,
    candidate: &'s Resource,
    found: Mutex<Noted<'s>>,
}

#[derive(Default)]
struct Noted<'s> {
    found: Vec<(Option<usize>, String, &'s Resource)>,
    missed: bool,
}

impl<'s> Following<'s> {
    pub(crate) fn new(targets: &'s Targets<'s>, candidate: &'s Resource) -> Self {
        Self { targets, candidate, found: Mutex::default() }
    }

    /// What references led to, and whether one led nowhere.
    pub(crate) fn finish(self) -> (Vec<Resolved>, bool) {
        let noted = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let kept = noted.found.into_iter().map(|(from, reference, resource)| Resolved {
            from,
            reference,
            resource: resource.value().clone(),
        });
        (kept.collect(), noted.missed)
    }
}

impl Resolver for Following<'_> {
    fn resolve<'r>(&'r self, reference: &str, from: &Value) -> Option<&'r Value> {
        let mut noted = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let at = noted.found.iter().position(|(_, _, resource)| std::ptr::eq(resource.value(), from));
        if let Some((_, _, known)) = noted.found.iter().find(|(from, known, _)| *from == at && known == reference) {
            return Some(known.value());
        }
        let within = at.and_then(|at| noted.found.get(at)).map_or(self.candidate, |(_, _, resource)| *resource);
        let target = self.targets.target(reference, within).filter(|_| noted.found.len() < MOST);
        match target {
            Some(resource) => {
                noted.found.push((at, reference.to_owned(), resource));
                Some(resource.value())
            }
            None => {
                noted.missed = true;
                None
            }
        }
    }
}
