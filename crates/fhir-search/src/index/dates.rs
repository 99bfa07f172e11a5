//! The index of dates and periods.

use super::Selected;
use super::postings::{Collector, Postings};
use crate::date::{self, Covered, Range};
use crate::moment::SECOND;
use crate::prefix::Prefix;
use crate::set::Set;
use crate::subject::Resources;

/// The periods that elements cover, sorted by start and by end.
pub(crate) struct Dates {
    facts: Vec<Covered>,
    postings: Postings,
    by_start: Vec<(i128, u32)>,
    by_end: Vec<(i128, u32)>,
}

/// The most that two clocks can differ. A date without a time zone is on the clock of the other date, so only dates
/// within this distance of the wanted one need a second look.
const CLOCKS: i128 = 30 * 3600 * SECOND;

impl Dates {
    pub(super) fn of(resources: &dyn Resources, selected: &Selected<'_>) -> Self {
        let mut collector: Collector<Covered> = Collector::new();
        selected.each(resources, &mut |rank, item, _| {
            collector.begin(rank);
            date::covered(item).into_iter().for_each(|covered| collector.add(covered));
        });
        let (facts, postings) = collector.finish(selected.count);
        let mut by_start: Vec<(i128, u32)> = facts.iter().map(|covered| covered.ends().0).zip(0..).collect();
        let mut by_end: Vec<(i128, u32)> = facts.iter().map(|covered| covered.ends().1).zip(0..).collect();
        by_start.sort_unstable();
        by_end.sort_unstable();
        Self { facts, postings, by_start, by_end }
    }

    pub(crate) fn with(&self, any: &[Range]) -> Set {
        let mut set = Set::none(self.postings.len());
        for range in any {
            let (prefix, from, to) = range.wanted();
            // Those that start before, and that end after, with the ones for which the clocks have to be looked at.
            let starts_before = |bound: i128| {
                let sure = self.by_start.partition_point(|(start, _)| *start < bound - CLOCKS);
                let maybe = self.by_start.partition_point(|(start, _)| *start <= bound + CLOCKS);
                (self.by_start.get(..sure), self.by_start.get(sure..maybe))
            };
            let starts_after = |bound: i128| {
                let maybe = self.by_start.partition_point(|(start, _)| *start < bound - CLOCKS);
                let sure = self.by_start.partition_point(|(start, _)| *start <= bound + CLOCKS);
                (self.by_start.get(sure..), self.by_start.get(maybe..sure))
            };
            let ends_after = |bound: i128| {
                let maybe = self.by_end.partition_point(|(end, _)| *end < bound - CLOCKS);
                let sure = self.by_end.partition_point(|(end, _)| *end <= bound + CLOCKS);
                (self.by_end.get(sure..), self.by_end.get(maybe..sure))
            };
            let ends_before = |bound: i128| {
                let sure = self.by_end.partition_point(|(end, _)| *end < bound - CLOCKS);
                let maybe = self.by_end.partition_point(|(end, _)| *end <= bound + CLOCKS);
                (self.by_end.get(..sure), self.by_end.get(sure..maybe))
            };
            // What is asked for contains these only if they start in it.
            let within = || {
                let first = self.by_start.partition_point(|(start, _)| *start < from - CLOCKS);
                let last = self.by_start.partition_point(|(start, _)| *start <= to + CLOCKS);
                (None, self.by_start.get(first..last))
            };
            let slices = match prefix {
                Prefix::Eq => vec![within()],
                Prefix::Ne => vec![starts_before(from), ends_after(to)],
                Prefix::Gt => vec![ends_after(to)],
                Prefix::Lt => vec![starts_before(from)],
                Prefix::Ge => vec![ends_after(to), within()],
                Prefix::Le => vec![starts_before(from), within()],
                Prefix::Sa => vec![starts_after(to)],
                Prefix::Eb => vec![ends_before(from)],
                Prefix::Ap | Prefix::Po => {
                    let last = self.by_start.partition_point(|(start, _)| *start <= to + CLOCKS);
                    let first = self.by_end.partition_point(|(end, _)| *end < from - CLOCKS);
                    if last <= self.by_end.len() - first {
                        vec![(None, self.by_start.get(..last))]
                    } else {
                        vec![(None, self.by_end.get(first..))]
                    }
                }
            };
            for (sure, maybe) in slices {
                let sure = sure.unwrap_or_default().iter().map(|(_, at)| *at as usize);
                let maybe = maybe.unwrap_or_default().iter().map(|(_, at)| *at as usize);
                let maybe = maybe.filter(|at| self.facts.get(*at).is_some_and(|covered| range.finds(covered)));
                set.or(&self.postings.set(sure.chain(maybe)));
            }
        }
        set
    }
}
