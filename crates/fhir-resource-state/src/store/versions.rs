//! The same type and id more than once: which one counts.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Resource, Unreadable};
use crate::search::moment::Moment;

/// How a resource was told from others of its type and id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Versions {
    /// There was one of it.
    #[default]
    Single,
    /// It is the latest of so many; the others were left out.
    LatestOf(usize),
    /// So many stay that neither `meta.versionId` nor `meta.lastUpdated` tells apart, itself included.
    Undistinguished(usize),
}

/// A deletion that a history records, or a transaction asks for.
#[derive(Clone, Debug)]
pub(super) struct Deleted {
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

/// What the rule needs to know of one version, a deleted one included.
struct Version<'a> {
    version_id: Option<&'a str>,
    last_updated: Option<&'a str>,
}

/// Everything known of one type and id, when that is more than one version.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) resources: Vec<usize>,
    deleted: Vec<usize>,
}

/// What is known of the containers that resources stand in.
#[derive(Debug, Default)]
pub(super) struct Containers {
    /// The resources that a transaction or a batch says to put there, by container and start: the id of one that is posted
    /// is not its own yet.
    pub(super) put: HashSet<(usize, usize)>,
    /// Those that are answers of a server to a search.
    pub(super) pages: HashSet<usize>,
}

/// What stays of a group.
pub(super) struct Verdict {
    pub(super) stay: Vec<usize>,
    pub(super) versions: Versions,
    pub(super) unreadable: Option<Unreadable>,
}

impl Group {
    /// The groups, in order of their first resource.
    pub(super) fn of(resources: &[Resource], deleted: &[Deleted]) -> Vec<Self> {
        // The same name on two bases is two resources; without a base it is the one that is there.
        let mut bases: HashMap<(&str, &str), BTreeSet<&str>> = HashMap::new();
        for resource in resources {
            if let Some(id) = &resource.id {
                bases.entry((&resource.resource_type, id)).or_default().extend(resource.base.as_deref());
            }
        }
        let several = |name: &(&str, &str)| bases.get(name).is_some_and(|bases| bases.len() > 1);
        let mut groups: Vec<Self> = Vec::new();
        // Of each name the groups, by base.
        type Bases<'a> = Vec<(Option<&'a str>, usize)>;
        let mut known: HashMap<(&str, &str), Bases<'_>> = HashMap::new();
        for (at, resource) in resources.iter().enumerate() {
            let Some(id) = &resource.id else { continue };
            let name = (resource.resource_type.as_str(), id.as_str());
            let base = if several(&name) { resource.base.as_deref() } else { None };
            let of_name = known.entry(name).or_default();
            let group = match of_name.iter().find(|(of, _)| *of == base) {
                Some((_, group)) => *group,
                None => {
                    groups.push(Self::default());
                    of_name.push((base, groups.len() - 1));
                    groups.len() - 1
                }
            };
            groups.get_mut(group).into_iter().for_each(|group| group.resources.push(at));
        }
        for (at, deleted) in deleted.iter().enumerate() {
            let name = (deleted.resource_type.as_str(), deleted.id.as_str());
            let on_base =
                |base: Option<&str>| base.is_none() || deleted.base.is_none() || base == deleted.base.as_deref();
            for (_, group) in known.get(&name).into_iter().flatten().filter(|(base, _)| on_base(*base)) {
                groups.get_mut(*group).into_iter().for_each(|group| group.deleted.push(at));
            }
        }
        groups.retain(|group| group.resources.len() + group.deleted.len() > 1);
        groups
    }

    /// The latest version or, where the rule leaves several, all of these. A resource that may or may not have been deleted
    /// after its last version is not there to be selected, and is a place that could not be read.
    pub(super) fn judge(&self, resources: &[Resource], deleted: &[Deleted], containers: &Containers) -> Verdict {
        let deletions = || self.deleted.iter().filter_map(|at| deleted.get(*at));
        let mut there = self.resources.clone();
        for deletion in deletions().filter(|deletion| deletion.applied_in.is_some()) {
            let of = |at: &usize| resources.get(*at);
            there.retain(|at| of(at).is_some_and(|resource| !deletion.takes_away(resource, containers)));
            if there.iter().filter_map(of).any(|resource| deletion.applied_in != Some(resource.container)) {
                let name = deletion.name();
                let what = format!(
                    "{name} is deleted here, and stands in a later file: whether it was created again is unknown"
                );
                return Verdict::unknown(Unreadable { what, ..deletion.place.clone() });
            }
        }
        if there.is_empty() {
            return Verdict { stay: Vec::new(), versions: Versions::Single, unreadable: None };
        }
        let recorded: Vec<&Deleted> = deletions().filter(|deletion| deletion.applied_in.is_none()).collect();
        let versions: Vec<Version<'_>> = there
            .iter()
            .filter_map(|at| resources.get(*at))
            .map(|r| Version { version_id: r.version_id.as_deref(), last_updated: r.last_updated.as_deref() })
            .chain(
                recorded
                    .iter()
                    .map(|d| Version { version_id: d.version_id.as_deref(), last_updated: d.last_updated.as_deref() }),
            )
            .collect();
        let left = latest(&versions);
        let mut stay: Vec<usize> = left.iter().filter_map(|at| there.get(*at)).copied().collect();
        let deletion = left.iter().find_map(|at| recorded.get(at.checked_sub(there.len())?));
        let those = || stay.iter().filter_map(|at| resources.get(*at));
        let of_those: HashSet<usize> = those().map(|one| one.container).collect();
        if of_those.len() == 1 && those().all(|one| containers.were_put(one)) {
            // What a transaction asks for last is what it leaves.
            stay.drain(..stay.len().saturating_sub(1));
        }
        // The same version in several answers of a server: pages that shifted, a search made again.
        let mut kept: Vec<&Resource> = Vec::new();
        stay.retain(|at| {
            let Some(one) = resources.get(*at) else { return false };
            let again = kept.iter().any(|other| {
                let answers = [one, other].iter().all(|one| containers.pages.contains(&one.container));
                answers
                    && one.version_id.is_some()
                    && one.version_id == other.version_id
                    && one.value() == other.value()
            });
            kept.push(one);
            !again
        });
        match deletion {
            Some(deletion) if !stay.is_empty() => {
                let name = deletion.name();
                let what = format!(
                    "{name} was deleted, and neither `versionId` nor `lastUpdated` says whether that was its last version"
                );
                Verdict::unknown(Unreadable { what, ..deletion.place.clone() })
            }
            _ => {
                let versions = match stay.len() {
                    0 | 1 if versions.len() == 1 => Versions::Single,
                    0 | 1 => Versions::LatestOf(versions.len()),
                    several => Versions::Undistinguished(several),
                };
                Verdict { stay, versions, unreadable: None }
            }
        }
    }
}

impl Containers {
    fn were_put(&self, resource: &Resource) -> bool {
        self.put.contains(&(resource.container, resource.span.start))
    }
}

impl Deleted {
    /// Whether a resource was there before this was asked for.
    fn takes_away(&self, resource: &Resource, containers: &Containers) -> bool {
        let Some(container) = self.applied_in else { return false };
        if resource.container == container {
            return containers.were_put(resource) && resource.span.start < self.place.offset;
        }
        resource.container < container
    }

    fn name(&self) -> String {
        format!("{}/{}", self.resource_type, self.id.get(..64).unwrap_or(&self.id))
    }
}

impl Verdict {
    /// Whether the resource is there cannot be said, so it is not there to be selected.
    fn unknown(place: Unreadable) -> Self {
        Self { stay: Vec::new(), versions: Versions::Single, unreadable: Some(place) }
    }
}

/// Which of some versions stay: first the highest number as `versionId`, then, among what is left, the last `lastUpdated`.
/// A version that a rule cannot place stays beside the one it chose: leaving it out would be a guess.
fn latest(versions: &[Version<'_>]) -> Vec<usize> {
    let numbers: Vec<Option<&str>> = versions.iter().map(|v| v.version_id.and_then(number)).collect();
    let highest = numbers.iter().flatten().copied().max_by(|a, b| by_number(a, b));
    let mut left: Vec<usize> = (0..versions.len())
        .filter(|at| match (numbers.get(*at).copied().flatten(), highest) {
            (Some(own), Some(highest)) => by_number(own, highest) == Ordering::Equal,
            _ => true,
        })
        .collect();
    let updated = |at: &usize| versions.get(*at)?.last_updated.and_then(Moment::parse).filter(Moment::is_zoned);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn stay(versions: &[(&'static str, &'static str)]) -> Vec<usize> {
        let given = |text: &&'static str| Some(*text).filter(|text| !text.is_empty());
        let versions: Vec<_> =
            versions.iter().map(|(id, at)| Version { version_id: given(id), last_updated: given(at) }).collect();
        latest(&versions)
    }

    #[test]
    fn numbers_count_as_numbers() {
        assert_eq!(stay(&[("9", ""), ("10", ""), ("2", "")]), [1]);
        assert_eq!(stay(&[("99999999999999999999998", ""), ("99999999999999999999999", "")]), [1]);
        assert_eq!(stay(&[("007", ""), ("7", "")]), [0, 1]);
    }

    #[test]
    fn the_version_comes_before_the_time() {
        assert_eq!(stay(&[("1", "2026-11-20T12:00:00Z"), ("2", "2026-11-20T11:00:00Z")]), [1]);
        assert_eq!(stay(&[("2", "2026-11-20T12:00:00Z"), ("2", "2026-11-20T11:00:00Z")]), [0]);
    }

    #[test]
    fn versions_that_are_no_numbers_go_by_time() {
        assert_eq!(stay(&[("b", "2026-11-20T12:00:00+02:00"), ("a", "2026-11-20T11:00:00Z")]), [1]);
        assert_eq!(stay(&[("b", "2026-11-20T12:00:00+01:00"), ("a", "2026-11-20T11:00:00Z")]), [0, 1]);
        assert_eq!(stay(&[("b", "2026-11-20T11:00:00.1Z"), ("a", "2026-11-20T11:00:00.09Z")]), [0]);
    }

    #[test]
    fn what_cannot_be_placed_stays() {
        assert_eq!(stay(&[("", ""), ("", "")]), [0, 1]);
        assert_eq!(stay(&[("1", ""), ("2", ""), ("", "")]), [1, 2]);
        assert_eq!(stay(&[("a", "2026-11-20T11:00:00Z"), ("b", "")]), [0, 1]);
        assert_eq!(stay(&[("a", "2026-11-20T11:00:00Z"), ("b", "yesterday")]), [0, 1]);
    }
}
