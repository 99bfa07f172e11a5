//! The index of numbers and quantities.

use super::Selected;
use super::postings::{Collector, Postings};
use crate::number::{Comparison, Interval};
use crate::quantity::{Quantity, Stored};
use crate::set::Set;
use crate::subject::Resources;

/// The quantities that resources have, grouped by unit, with the interval of numbers that each one means.
pub(crate) struct Quantities {
    units: Vec<(Stored, Vec<(Interval, u32)>)>,
    postings: Postings,
}

impl Quantities {
    pub(super) fn of(resources: &dyn Resources, selected: &Selected<'_>) -> Self {
        let mut collector: Collector<Stored> = Collector::new();
        selected.each(resources, &mut |rank, item, _| {
            collector.begin(rank);
            Stored::of(item.value).into_iter().for_each(|stored| collector.add(stored));
        });
        let (facts, postings) = collector.finish(selected.count);
        let mut units: Vec<(Stored, Vec<(Interval, u32)>)> = Vec::new();
        for (stored, at) in facts.into_iter().zip(0..) {
            let Some(interval) = stored.interval() else { continue };
            match units.iter_mut().find(|(unit, _)| unit.is_in_unit_of(&stored)) {
                Some((_, all)) => all.push((interval, at)),
                None => units.push((stored, vec![(interval, at)])),
            }
        }
        Self { units, postings }
    }

    pub(crate) fn with(&self, any: &[Quantity]) -> Set {
        let mut set = Set::none(self.postings.len());
        for wanted in any {
            for (unit, all) in &self.units {
                if let Some(comparison) = wanted.beside(unit) {
                    set.or(&self.postings.set(found(&comparison, all)));
                }
            }
        }
        set
    }

    /// The resources that one of the numbers finds, whatever the unit.
    pub(crate) fn with_numbers(&self, any: &[Comparison]) -> Set {
        let mut set = Set::none(self.postings.len());
        for (comparison, (_, all)) in any.iter().flat_map(|one| self.units.iter().map(move |unit| (one, unit))) {
            set.or(&self.postings.set(found(comparison, all)));
        }
        set
    }
}

fn found(comparison: &Comparison, all: &[(Interval, u32)]) -> impl Iterator<Item = usize> {
    all.iter().filter(|(interval, _)| comparison.finds(interval)).map(|(_, at)| *at as usize)
}
