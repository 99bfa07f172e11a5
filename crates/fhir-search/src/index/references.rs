//! The index of references.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use super::Selected;
use super::postings::{Collector, Postings};
use crate::literal::Literal;
use crate::others::Others;
use crate::reference::{Stored, Target};
use crate::rule::contained_id;
use crate::set::Set;
use crate::subject::{Names, Resources, type_of};

#[derive(PartialEq, Eq, Hash)]
struct Fact {
    text: Box<str>,
    canonical: bool,
    base: Option<u32>,
    name: Option<Box<str>>,
}

pub(crate) struct References {
    bases: Vec<Box<str>>,
    facts: Vec<Fact>,
    postings: Postings,
    by_id: Vec<u32>,
    /// The references whose written id differs from the id of the resource that they mean, by that written id.
    as_written: Vec<(Box<str>, u32)>,
    inside: Set,
    /// The positions of the resources that each reference by type and id is to, made when a reference is first followed.
    targets: OnceLock<Vec<Targets>>,
}

/// The resources that a reference leads to: nearly always at most one.
enum Targets {
    None,
    One(usize),
    Several(Box<[usize]>),
}

fn id_in<'a>(text: &'a str, name: Option<&'a str>) -> Option<&'a str> {
    let url = text.split_once('|').map_or(text, |(url, _)| url);
    match (name.map(Literal::named), Literal::parse(url)) {
        (Some(Literal::Restful { id, .. }), _) | (_, Literal::Restful { id, .. }) => Some(id),
        _ => None,
    }
}

impl Fact {
    fn id(&self) -> Option<&str> {
        id_in(&self.text, self.name.as_deref())
    }
}

impl References {
    pub(super) fn of(resources: &dyn Resources, selected: &Selected<'_>) -> Self {
        let len = selected.count;
        let mut bases: HashMap<Box<str>, u32> = HashMap::new();
        let mut collector: Collector<Fact> = Collector::new();
        let mut inside = Set::none(len);
        selected.each(resources, &mut |rank, item, subject| {
            if contained_id(item.value).is_some() || type_of(item.value).is_some() {
                inside.insert(rank);
            }
            collector.begin(rank);
            let Some(stored) = Stored::of(item.value, subject) else { return };
            let base = stored.base().map(|base| match bases.get(base) {
                Some(number) => *number,
                None => {
                    let number = u32::try_from(bases.len()).unwrap_or(u32::MAX);
                    bases.insert(base.into(), number);
                    number
                }
            });
            let (canonical, name) = (stored.canonical(), stored.name.map(Into::into));
            collector.add(Fact { text: stored.text.into(), canonical, base, name });
        });
        let (facts, postings) = collector.finish(len);
        let mut by_id: Vec<(&str, u32)> =
            facts.iter().zip(0..).filter_map(|(fact, at)| Some((fact.id()?, at))).collect();
        by_id.sort_unstable();
        let by_id: Vec<u32> = by_id.into_iter().map(|(_, at)| at).collect();
        let written = |at: &u32| {
            let fact = facts.get(*at as usize).filter(|fact| fact.name.is_some())?;
            let own = id_in(&fact.text, None).filter(|own| Some(*own) != fact.id())?;
            Some((own.into(), *at))
        };
        let mut as_written: Vec<(Box<str>, u32)> = by_id.iter().filter_map(written).collect();
        as_written.sort_unstable();
        let mut all: Vec<(Box<str>, u32)> = bases.into_iter().collect();
        all.sort_unstable_by_key(|(_, number)| *number);
        Self {
            bases: all.into_iter().map(|(base, _)| base).collect(),
            facts,
            postings,
            by_id,
            as_written,
            inside,
            targets: OnceLock::new(),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.facts.len()
    }

    /// True if a canonical is among the references. No id leads to a canonical.
    pub(crate) fn has_canonicals(&self) -> bool {
        self.facts.iter().any(|fact| fact.canonical)
    }

    pub(crate) fn inside(&self) -> &Set {
        &self.inside
    }

    pub(crate) fn stored(&self, fact: usize) -> Option<Stored<'_>> {
        let fact = self.facts.get(fact)?;
        let base = fact.base.and_then(|number| self.bases.get(number as usize));
        Some(Stored::from_parts(&fact.text, fact.canonical, base.map(AsRef::as_ref), fact.name.as_deref()))
    }

    pub(crate) fn targets<'t>(
        &self,
        fact: usize,
        others: &Others<'_>,
        types: impl Iterator<Item = &'t str>,
    ) -> Cow<'_, [usize]> {
        if self.facts.get(fact).is_some_and(|fact| fact.canonical) {
            return self.stored(fact).map(|stored| others.positions(&stored, types).into()).unwrap_or_default();
        }
        let all = self.targets.get_or_init(|| {
            let of = |fact| self.stored(fact).map(|stored| others.by_id(&stored)).unwrap_or_default();
            let targets = |positions: Vec<usize>| match positions.as_slice() {
                [] => Targets::None,
                [one] => Targets::One(*one),
                _ => Targets::Several(positions.into()),
            };
            (0..self.facts.len()).map(|fact| targets(of(fact))).collect()
        });
        match all.get(fact) {
            None | Some(Targets::None) => Cow::default(),
            Some(Targets::One(one)) => Cow::Borrowed(std::slice::from_ref(one)),
            Some(Targets::Several(several)) => Cow::Borrowed(several),
        }
    }

    pub(crate) fn ranks(&self, fact: usize) -> &[u32] {
        self.postings.of(fact)
    }

    pub(crate) fn with_id(&self, id: &str) -> impl Iterator<Item = usize> {
        let own = |at: &u32| self.facts.get(*at as usize).and_then(Fact::id);
        let from = self.by_id.partition_point(|at| own(at) < Some(id));
        let rest = self.by_id.get(from..).unwrap_or_default().iter();
        let written = self.as_written.partition_point(|(own, _)| **own < *id);
        let written = self.as_written.get(written..).unwrap_or_default().iter();
        let written = written.take_while(move |(own, _)| **own == *id).map(|(_, at)| at);
        rest.take_while(move |at| own(at) == Some(id)).chain(written).map(|at| *at as usize)
    }

    /// The resources that one of the targets finds; `None` if that depends on the container of each.
    pub(crate) fn with(&self, any: &[Target], names: &dyn Names) -> Option<Set> {
        let mut set = Set::none(self.postings.len());
        for target in any {
            let found: Vec<usize> = match (target.id(), target.url()) {
                (Some(id), _) => {
                    let finds = |fact: &usize| self.stored(*fact).is_some_and(|stored| target.finds(&stored, None));
                    self.with_id(id).filter(finds).collect()
                }
                (None, url) => {
                    let named = url.and_then(|url| names.named(url, None));
                    if named.is_none() && url.is_some_and(|url| names.is_named(url)) {
                        return None;
                    }
                    let finds = |fact: &usize| self.stored(*fact).is_some_and(|stored| target.finds(&stored, named));
                    (0..self.facts.len()).filter(finds).collect()
                }
            };
            set.or(&self.postings.set(found));
        }
        Some(set)
    }
}
