//! The index of token values.

use std::collections::HashMap;

use super::Selected;
use super::postings::{Collector, Postings};
use crate::set::Set;
use crate::subject::Resources;
use crate::test::Tokens;
use crate::token;

type Code = (Option<u32>, Option<Box<str>>);

/// The codes that resources have, by the code in lower case.
pub(crate) struct Codes {
    systems: Vec<Box<str>>,
    facts: Vec<Code>,
    postings: Postings,
    by_code: Vec<(Box<str>, u32)>,
}

impl Codes {
    pub(super) fn of(resources: &dyn Resources, selected: &Selected<'_>, without_system: bool) -> Self {
        Self::collect(resources, selected, without_system, false)
    }

    pub(super) fn of_identifiers(resources: &dyn Resources, selected: &Selected<'_>) -> Self {
        Self::collect(resources, selected, false, true)
    }

    fn collect(resources: &dyn Resources, selected: &Selected<'_>, without_system: bool, identifiers: bool) -> Self {
        let mut systems: HashMap<Box<str>, u32> = HashMap::new();
        let mut collector: Collector<Code> = Collector::new();
        selected.each(resources, &mut |rank, item, _| {
            collector.begin(rank);
            let value = if identifiers { item.value.get("identifier") } else { Some(item.value) };
            let Some(value) = value else { return };
            token::codes(value, without_system, &mut |system, code| {
                let number = system.map(|system| match systems.get(system) {
                    Some(number) => *number,
                    None => {
                        let number = u32::try_from(systems.len()).unwrap_or(u32::MAX);
                        systems.insert(system.into(), number);
                        number
                    }
                });
                collector.add((number, code.map(Into::into)));
            });
        });
        let (facts, postings) = collector.finish(selected.count);
        let mut by_code: Vec<(Box<str>, u32)> =
            (0..).zip(&facts).filter_map(|(at, (_, code))| Some((code.as_ref()?.to_lowercase().into(), at))).collect();
        by_code.sort_unstable();
        let mut all: Vec<(Box<str>, u32)> = systems.into_iter().collect();
        all.sort_unstable_by_key(|(_, number)| *number);
        Self { systems: all.into_iter().map(|(system, _)| system).collect(), facts, postings, by_code }
    }

    pub(crate) fn with(&self, tokens: &Tokens) -> Set {
        let mut set = Set::none(self.postings.len());
        for token in &tokens.any {
            let finds = |at: &usize| {
                let Some((system, code)) = self.facts.get(*at) else { return false };
                let system = system.and_then(|number| self.systems.get(number as usize));
                token.finds(system.map(AsRef::as_ref), code.as_deref())
            };
            match token.code() {
                Some(code) => {
                    let from = self.by_code.partition_point(|(known, _)| **known < *code);
                    let same = self.by_code.get(from..).unwrap_or_default().iter();
                    let same = same.take_while(|(known, _)| **known == *code).map(|(_, at)| *at as usize);
                    set.or(&self.postings.set(same.filter(finds)));
                }
                None => set.or(&self.postings.set((0..self.facts.len()).filter(finds))),
            }
        }
        set
    }

    pub(crate) fn with_code(&self, code: &str) -> Set {
        let code = code.to_lowercase();
        let from = self.by_code.partition_point(|(known, _)| **known < *code);
        let same = self.by_code.get(from..).unwrap_or_default().iter();
        self.postings.set(same.take_while(|(known, _)| **known == *code).map(|(_, at)| *at as usize))
    }
}
