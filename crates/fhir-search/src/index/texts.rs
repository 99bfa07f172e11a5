//! The index of strings.

use super::Selected;
use super::postings::{Collector, Postings};
use crate::set::Set;
use crate::string::{self, How, Text};
use crate::subject::Resources;

/// The texts that resources have, in order of the texts as they are compared.
pub(crate) struct Texts {
    facts: Vec<Box<str>>,
    postings: Postings,
    /// The facts in order, and where each one's folded text ends in `folded`.
    order: Vec<(u32, usize)>,
    /// The folded texts one after the other, each behind a line feed, which no folded text holds.
    folded: String,
}

impl Texts {
    pub(super) fn of_strings(resources: &dyn Resources, selected: &Selected<'_>) -> Self {
        let mut collector: Collector<Box<str>> = Collector::new();
        selected.each(resources, &mut |rank, item, _| {
            collector.begin(rank);
            string::texts(item.value, &mut |text| collector.add(text.into()));
        });
        Self::ordered(collector, selected.count)
    }

    pub(super) fn of_tokens(resources: &dyn Resources, selected: &Selected<'_>) -> Self {
        let mut collector: Collector<Box<str>> = Collector::new();
        selected.each(resources, &mut |rank, item, _| {
            collector.begin(rank);
            string::token_texts(item.value, &mut |text| collector.add(text.into()));
        });
        Self::ordered(collector, selected.count)
    }

    fn ordered(collector: Collector<Box<str>>, len: usize) -> Self {
        let (facts, postings) = collector.finish(len);
        let mut texts: Vec<(String, u32)> = facts.iter().map(|text| string::fold(text)).zip(0..).collect();
        texts.sort_unstable();
        let mut folded = String::new();
        let mut order = Vec::with_capacity(texts.len());
        for (text, fact) in texts {
            folded.push('\n');
            folded.push_str(&text);
            order.push((fact, folded.len()));
        }
        Self { facts, postings, order, folded }
    }

    fn text(&self, place: usize) -> &str {
        let end = |place: usize| self.order.get(place).map_or(self.folded.len(), |(_, end)| *end);
        let start = place.checked_sub(1).map_or(0, end) + 1;
        self.folded.get(start..end(place)).unwrap_or_default()
    }

    fn fact(&self, place: usize) -> Option<usize> {
        self.order.get(place).map(|(fact, _)| *fact as usize)
    }

    fn beginning(&self, start: &str) -> impl Iterator<Item = usize> {
        let (mut from, mut to) = (0, self.order.len());
        while from < to {
            let middle = from + (to - from) / 2;
            if self.text(middle) < start { from = middle + 1 } else { to = middle }
        }
        (from..self.order.len()).take_while(move |place| self.text(*place).starts_with(start))
    }

    pub(crate) fn with(&self, any: &[Text]) -> Set {
        let mut set = Set::none(self.postings.len());
        for text in any {
            let (wanted, how) = text.wanted();
            let facts: Vec<usize> = match how {
                How::Starts => self.beginning(wanted).filter_map(|place| self.fact(place)).collect(),
                How::Is => self
                    .beginning(wanted)
                    .take_while(|place| self.text(*place) == wanted)
                    .filter_map(|place| self.fact(place))
                    .collect(),
                How::Exact => {
                    let folded = string::fold(wanted);
                    let same = self.beginning(&folded).take_while(|place| self.text(*place) == folded);
                    let is = |fact: &usize| self.facts.get(*fact).is_some_and(|text| **text == *wanted);
                    same.filter_map(|place| self.fact(place)).filter(is).collect()
                }
                How::Contains => memchr::memmem::find_iter(self.folded.as_bytes(), wanted)
                    .filter_map(|at| self.fact(self.order.partition_point(|(_, end)| *end <= at)))
                    .collect(),
                How::Ends => (0..self.order.len())
                    .filter(|place| self.text(*place).ends_with(wanted))
                    .filter_map(|place| self.fact(place))
                    .collect(),
            };
            set.or(&self.postings.set(facts));
        }
        set
    }
}
