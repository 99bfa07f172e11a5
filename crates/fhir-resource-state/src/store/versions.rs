//! The same type and id more than once: which one counts.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use candor_check::Obstacle;

use super::deleted::Deleted;
use super::requests::{Containers, Requests};
use super::{Resource, Unreadable};
use crate::search::moment::Moment;

/// How a resource was distinguished from others of its type and id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Versions {
    /// There was one of it.
    #[default]
    Single,
    /// It is the latest of so many; the others were left out.
    LatestOf(usize),
    /// So many were created with the same id, which a server replaces: they are different resources.
    Created(usize),
    /// It is there in so many states that neither `meta.versionId` nor `meta.lastUpdated` tells apart, itself included.
    Undistinguished(usize),
}

pub(crate) struct Version<'a> {
    version_id: Option<Cow<'a, str>>,
    last_updated: Option<Cow<'a, str>>,
}

impl<'a> Version<'a> {
    pub(crate) fn of(version_id: Option<Cow<'a, str>>, last_updated: Option<Cow<'a, str>>) -> Self {
        Self { version_id, last_updated }
    }

    pub(super) fn of_deleted(deleted: &'a Deleted) -> Self {
        let [id, updated] = [&deleted.version_id, &deleted.last_updated].map(|text| text.as_deref().map(Cow::Borrowed));
        Self::of(id, updated)
    }
}

/// Everything known of one type and id, when that is more than one version.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) resources: Vec<usize>,
    deleted: Vec<usize>,
    /// A deletion that may be of this or of the same name on another base.
    unclear: Option<usize>,
}

pub(super) struct Verdict {
    pub(super) stay: Vec<usize>,
    pub(super) versions: Versions,
    pub(super) unreadable: Option<Unreadable>,
}

impl Group {
    /// The groups of more than one, in order of their names' first resources. The same name on two bases is two resources;
    /// without a base it is the one that is there.
    pub(super) fn of(resources: &[Resource], deleted: &[Deleted]) -> Vec<Self> {
        // Most names occur once: nothing is kept for these but where.
        let mut first: HashMap<(&str, &str), usize> = HashMap::with_capacity(resources.len());
        let mut again: BTreeMap<usize, Self> = BTreeMap::new();
        let of_name = |first: usize| Self { resources: vec![first], ..Self::default() };
        for (at, resource) in resources.iter().enumerate() {
            let Some(id) = &resource.id else { continue };
            match first.entry((&resource.resource_type, id)) {
                Entry::Vacant(entry) => drop(entry.insert(at)),
                Entry::Occupied(entry) => {
                    let first = *entry.get();
                    again.entry(first).or_insert_with(|| of_name(first)).resources.push(at);
                }
            }
        }
        for (at, deleted) in deleted.iter().enumerate() {
            if let Some(&first) = first.get(&(deleted.resource_type.as_str(), deleted.id.as_str())) {
                again.entry(first).or_insert_with(|| of_name(first)).deleted.push(at);
            }
        }
        let mut groups: Vec<Self> = again.into_values().flat_map(|name| name.by_base(resources, deleted)).collect();
        groups.retain(|group| group.resources.len() + group.deleted.len() > 1 || group.unclear.is_some());
        groups
    }

    fn by_base(self, resources: &[Resource], deleted: &[Deleted]) -> Vec<Self> {
        let base = |at: &usize| resources.get(*at).and_then(Resource::base);
        let deleted_on = |at: &usize| deleted.get(*at).and_then(|deleted| deleted.base.as_deref());
        let bases: BTreeSet<&str> =
            self.resources.iter().filter_map(base).chain(self.deleted.iter().filter_map(deleted_on)).collect();
        if bases.len() < 2 {
            return vec![self];
        }
        let mut groups: BTreeMap<Option<&str>, Self> = BTreeMap::new();
        for at in &self.resources {
            groups.entry(base(at)).or_default().resources.push(*at);
        }
        let mut unclear = None;
        for at in &self.deleted {
            match deleted_on(at) {
                None => unclear = Some(*at),
                Some(of) => {
                    // A resource without a base may be the one.
                    if let Some(group) = groups.get_mut(&None) {
                        group.unclear = Some(*at);
                    }
                    if let Some(group) = groups.get_mut(&Some(of)) {
                        group.deleted.push(*at);
                    }
                }
            }
        }
        if unclear.is_some() {
            groups.values_mut().for_each(|group| group.unclear = unclear);
        }
        groups.into_values().collect()
    }

    /// The latest version or, where the rule leaves several, all of these. A resource that may or may not have been deleted
    /// after its last version is not there to be selected, and is a place that could not be read.
    pub(super) fn judge(&self, resources: &[Resource], deleted: &[Deleted], containers: &Containers) -> Verdict {
        let deletions = || self.deleted.iter().filter_map(|at| deleted.get(*at));
        let of = |at: &usize| resources.get(*at);
        if let Some(deletion) = self.unclear.and_then(|at| deleted.get(at)) {
            let what = format!("{} is deleted here, and is on several bases", deletion.name());
            return Verdict::unknown(deletion, what);
        }
        let requests = Requests::of(self.resources.iter().filter_map(of), deletions(), containers);
        let there: Vec<usize> =
            self.resources.iter().copied().filter(|at| of(at).is_some_and(|one| !requests.took_away(one))).collect();
        if let Some((deletion, after)) = requests.deletion
            && there
                .iter()
                .filter_map(of)
                .any(|one| one.container > after && !containers.requests.contains(&one.container))
        {
            let name = deletion.name();
            let what =
                format!("{name} is deleted here, and is in a later file: whether it was created again is unknown");
            return Verdict::unknown(deletion, what);
        }
        if there.is_empty() {
            return Verdict { stay: Vec::new(), versions: Versions::Single, unreadable: None };
        }
        let seen = self.resources.len() + self.deleted.len();
        let recorded: Vec<&Deleted> = deletions().filter(|deletion| deletion.applied_in.is_none()).collect();
        let versions: Vec<Version<'_>> = there
            .iter()
            .filter_map(|at| resources.get(*at))
            .map(Resource::version)
            .chain(recorded.iter().copied().map(Version::of_deleted))
            .collect();
        let left = latest(&versions);
        let mut stay: Vec<usize> = left.iter().filter_map(|at| there.get(*at)).copied().collect();
        let deletion = left.iter().find_map(|at| recorded.get(at.checked_sub(there.len())?));
        // Equal copies of one version are one resource: pages that shifted, a search made again, an export and a history.
        let mut known = HashSet::new();
        if stay.len() > 1 {
            stay.retain(|at| match of(at) {
                Some(one) if !containers.creates(one) => {
                    let version = one.version_id();
                    version.is_none_or(|version| known.insert((version, one.value().to_string())))
                }
                _ => true,
            });
        }
        match deletion {
            Some(deletion) if !stay.is_empty() => {
                let name = deletion.name();
                let what = format!(
                    "{name} was deleted, and neither `versionId` nor `lastUpdated` says whether that was its last version"
                );
                Verdict::unknown(deletion, what)
            }
            _ => {
                let versions = match stay.len() {
                    0 | 1 if seen == 1 => Versions::Single,
                    0 | 1 => Versions::LatestOf(seen),
                    several if stay.iter().filter_map(of).all(|one| containers.creates(one)) => {
                        Versions::Created(several)
                    }
                    several => Versions::Undistinguished(several),
                };
                Verdict { stay, versions, unreadable: None }
            }
        }
    }
}

impl Verdict {
    /// Says if the resource is there cannot be said, so it is not there to be selected.
    fn unknown(deletion: &Deleted, what: String) -> Self {
        let place = deletion.place.with(what, Some(Obstacle::SourceMalformed));
        let place = place.about(&deletion.resource_type, Some(&deletion.id));
        Self { stay: Vec::new(), versions: Versions::Single, unreadable: Some(place) }
    }
}

/// Which of some versions stay: first the highest number as `versionId`, then, among what is left, the last `lastUpdated`.
/// A version that a rule cannot place stays next to the one it chose: leaving it out would be a guess.
pub(crate) fn latest(versions: &[Version<'_>]) -> Vec<usize> {
    let numbers: Vec<Option<&str>> = versions.iter().map(|v| v.version_id.as_deref().and_then(number)).collect();
    let highest = numbers.iter().flatten().copied().max_by(|a, b| by_number(a, b));
    let mut left: Vec<usize> = (0..versions.len())
        .filter(|at| match (numbers.get(*at).copied().flatten(), highest) {
            (Some(own), Some(highest)) => by_number(own, highest) == Ordering::Equal,
            _ => true,
        })
        .collect();
    let updated =
        |at: &usize| versions.get(*at)?.last_updated.as_deref().and_then(Moment::parse).filter(Moment::is_zoned);
    if left.len() > 1
        && let Some(times) = left.iter().map(updated).collect::<Option<Vec<_>>>()
        && let Some(last) = times.iter().map(Moment::utc_start).max()
    {
        let mut times = times.iter();
        left.retain(|_| times.next().is_some_and(|time| time.utc_start() == last));
    }
    left
}

/// The digits of a number, without leading zeros.
fn number(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.trim_start_matches('0'))
}

fn by_number(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}
