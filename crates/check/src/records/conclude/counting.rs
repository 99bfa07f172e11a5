//! Which candidates count: what is unsafe does not exist, except where nothing of the kind must have been made.

use super::{Comparison, Conclusion, count_result};
use crate::evidence::Evidence;
use crate::field::{FieldReason, FieldResult};
use crate::records::UnsafeMatch;
use crate::settings::Cardinality;

impl<C> Conclusion<'_, C> {
    /// The candidates that count, of those that are held: those that are safe, or, where none must have been made, all that
    /// were.
    pub(super) fn counting(&self, asked: Cardinality) -> impl Iterator<Item = &Comparison<'_, C>> {
        let counts = move |judged: &&Comparison<'_, C>| match asked.is_none() {
            true => !judged.is_ignored,
            false => judged.unsafe_match().is_none(),
        };
        self.judged.iter().filter(counts)
    }

    pub(super) fn number(&self, asked: Cardinality) -> u64 {
        let counts = |is_ignored: bool, found: Option<bool>| match asked.is_none() {
            true => !is_ignored,
            false => found.is_none(),
        };
        self.counting(asked).count() as u64 + self.left_out.number(counts)
    }

    /// The number if all those are safe that may be.
    fn most(&self, asked: Cardinality) -> u64 {
        let may_be_safe = |judged: &&Comparison<'_, C>| judged.unsafe_match().is_some_and(UnsafeMatch::is_undecidable);
        let open = self.judged.iter().filter(may_be_safe).count() as u64;
        let open = open + self.left_out.number(|_, found| found == Some(true));
        self.number(asked) + if asked.is_none() { 0 } else { open }
    }

    pub(super) fn count_of(&self, asked: Cardinality) -> FieldResult {
        let (number, most) = (self.number(asked), self.most(asked));
        let result = count_result(asked, number);
        let varies = (number..=most).any(|number| asked.allows(number) != result.passed);
        if varies { FieldResult { passed: false, ..result }.because(FieldReason::Undecidable) } else { result }
    }

    /// Where the number is wrong because what is unsafe does not count, that is the reason.
    pub(super) fn unsafe_count(&self, asked: Option<Cardinality>, count: Option<FieldResult>) -> Option<Evidence> {
        let asked = asked.filter(|asked| !asked.is_none() && asked.allows(self.number_of_all()))?;
        let is_wrong = count.as_ref().is_some_and(|count| !count.passed && !count.is_undecidable());
        let certain = |j: &&Comparison<'_, C>| j.unsafe_match().is_some_and(|found| !found.is_undecidable());
        let first = self.judged.iter().find(certain).filter(|_| is_wrong && !asked.reached_by(self.number(asked)))?;
        Some(self.unsafe_match(first, count))
    }
}
