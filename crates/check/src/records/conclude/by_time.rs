//! `first` and `last` of candidates that happened at times.

use candor_json::json;

use super::{Candidate, Comparison, Conclusion, Judgement, Judging, concluded};
use crate::evidence::{Entry, Evidence};
use crate::field::{FieldReason, FieldResult};
use crate::outcome::Obstacle;
use crate::records::order::ends;
use crate::records::{Moment, Observation, Standing};

/// As [`conclude`](super::conclude), where candidates happened at times: `first` and `last` follow those times.
pub fn conclude_by_time<C>(
    judging: &Judging<'_>,
    seen: &Observation<C>,
    moment: impl Fn(&Candidate<C>) -> Option<Moment>,
    judge: impl Fn(&Candidate<C>) -> Judgement,
) -> Evidence {
    concluded(judging, seen, judge, |matching, judged| {
        let candidates = judged.iter().map(|judged| judged.candidate).enumerate();
        let standings: Vec<Standing<'_>> = candidates
            .map(|(position, candidate)| Standing {
                stream: &candidate.source.locator,
                position,
                moment: moment(candidate),
            })
            .collect();
        ends(matching, &standings)
    })
}

/// Of the judged candidates the index of the one that is first or last, and of all that may be it.
pub(super) type Ends = (Option<usize>, Vec<usize>);

impl<C> Conclusion<'_, C> {
    /// The first or the last, where the outcome is the same for all that may be it.
    pub(super) fn end(&self, which: &str, count: Option<FieldResult>) -> Evidence {
        let (picked, possible) = self.ends;
        let possible: Vec<&Comparison<'_, C>> = possible.iter().filter_map(|&at| self.judged.get(at)).collect();
        let picked = picked.and_then(|at| self.judged.get(at));
        let outcome = |judged: &Comparison<'_, C>| (judged.satisfied(), judged.undecided());
        if possible.iter().all(|judged| picked.is_some_and(|picked| outcome(picked) == outcome(judged))) {
            return self.one(picked, count);
        }
        // Where a number or a constraint on all fails, the order does not matter.
        if self.broken().next().is_some() || count.as_ref().is_some_and(|count| !count.passed) {
            return self.finish(Vec::new(), count, Vec::new(), &[]);
        }
        let (good, others): (Vec<&Comparison<'_, C>>, Vec<_>) =
            possible.iter().copied().partition(|judged| judged.satisfied());
        let shown = good.iter().take(1).chain(others.iter().take(2));
        let shown: Vec<String> = shown.map(|judged| judged.candidate.label.to_string()).collect();
        let unknown =
            FieldResult::constraint("$order", json!(which), json!(shown), false).because(FieldReason::Undecidable);
        let words = self.judging.wording;
        let details = format!(
            "{}; which is the {which} is not known: {} may be it, and they differ in the {}s asserted.",
            self.found(),
            shown.join(" or "),
            words.field,
        );
        let results = std::iter::once(Entry::Field(unknown)).chain(count.map(Entry::Field)).chain(self.whole());
        Evidence::unverifiable(Obstacle::Undecidable, results.collect(), self.noted(details))
    }
}
