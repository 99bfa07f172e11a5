//! The index of URIs.

use super::Selected;
use super::postings::{Collector, Postings};
use crate::set::Set;
use crate::subject::Resources;
use crate::uri::Uri;

pub(crate) struct Uris {
    facts: Vec<Box<str>>,
    postings: Postings,
    order: Vec<u32>,
}

impl Uris {
    pub(super) fn of(resources: &dyn Resources, selected: &Selected<'_>) -> Self {
        let mut collector: Collector<Box<str>> = Collector::new();
        selected.each(resources, &mut |rank, item, _| {
            collector.begin(rank);
            item.value.as_str().into_iter().for_each(|uri| collector.add(uri.into()));
        });
        let (facts, postings) = collector.finish(selected.count);
        let mut order: Vec<u32> = (0..u32::try_from(facts.len()).unwrap_or(u32::MAX)).collect();
        order.sort_unstable_by_key(|at| facts.get(*at as usize));
        Self { facts, postings, order }
    }

    pub(crate) fn exactly(&self, uri: &str) -> Set {
        let own = |at: &u32| self.facts.get(*at as usize).map(AsRef::as_ref);
        let place = self.order.binary_search_by(|at| own(at).cmp(&Some(uri))).ok();
        self.postings.set(place.and_then(|place| self.order.get(place)).map(|at| *at as usize))
    }

    pub(crate) fn with(&self, any: &[Uri]) -> Set {
        let mut set = Set::none(self.postings.len());
        for uri in any {
            match uri.only() {
                Some(only) => set.or(&self.exactly(only)),
                None => {
                    let found = (0..).zip(&self.facts).filter(|(_, stored)| uri.finds(stored)).map(|(at, _)| at);
                    set.or(&self.postings.set(found));
                }
            }
        }
        set
    }
}
