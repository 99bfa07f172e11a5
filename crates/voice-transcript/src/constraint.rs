//! Where and how often a phrase must be said: `near`, `before`, `after`, `within`, `exclusive`.

use std::collections::{HashMap, HashSet};

use crate::compare::Counts;
use crate::matching::{Heard, Listed, Occurrence, Phrase, Said, Stance};

/// A second phrase, from which the place of the first is measured.
#[derive(Debug)]
pub(crate) struct Anchor {
    pub(crate) phrase: Phrase,
    pub(crate) role: Option<String>,
}

/// Conditions on an occurrence in addition to its words. `Default` sets no condition.
#[derive(Debug, Default)]
pub(crate) struct Constraints {
    pub(crate) near: Option<(Anchor, usize)>,
    /// It must come before the first occurrence of the anchor.
    pub(crate) before: Option<Anchor>,
    /// It must come after the first occurrence of the anchor.
    pub(crate) after: Option<Anchor>,
    pub(crate) within: Option<u64>,
    /// None of these may occur in the same sentence, or later in a sentence without another of them.
    pub(crate) exclusive: Vec<Phrase>,
    /// Stated: not asked, hedged, under a condition or reported.
    pub(crate) stated: bool,
    /// The least confidence, in millionths.
    pub(crate) min_confidence: Option<u32>,
}

/// The most occurrences of an anchor near a phrase that are compared; with more of them the result is undecidable.
const MOST_ANCHORS: usize = 1_000;

pub(crate) const NOT_STATED: &str = "not_stated";
pub(crate) const CONDITIONAL: &str = "conditional";
pub(crate) const OUT_OF_SCOPE: &str = "out_of_scope";
pub(crate) const LISTED: &str = "listed";
pub(crate) const NEGATED: &str = "negated";
pub(crate) const CORRECTED: &str = "corrected";

/// The reasons why an occurrence is undecidable.
pub(crate) mod open {
    pub(crate) const DEPENDS: &str = "a condition or a question is next to it";
    pub(crate) const PLANS: &str = "the phrase itself asks for a plan, hope, doubt or report: leave out `stated`";
    pub(crate) const CONDITION: &str = "a condition may reach it";
    pub(crate) const CLAIMED: &str = "it is only claimed";
    pub(crate) const LISTED: &str = "it may be one of several possible answers";
    pub(crate) const NO_TIMES: &str = "the recording has no times there";
    pub(crate) const OTHER: &str = "it is not clear where the other phrase occurs";
    pub(crate) const CONFIDENCE: &str = "the recording is not sure of its words";
}

/// Decides if an occurrence counts for a phrase: one asked for, plainly or under a negation, or a forbidden one.
pub(crate) fn counts(negated: bool, forbidden: bool, scope: &Scope<'_>, at: &Occurrence) -> Counts {
    let meant = if negated { Said::Negated } else { Said::Plain };
    match (at.said, scope.counts(at)) {
        (said, counts) if said == meant => match (counts, at.listed) {
            // an occurrence in a list of possible answers does not count; a forbidden phrase counts even there
            (counts, _) if forbidden => counts,
            (Counts::No(why), _) => Counts::No(why),
            (_, Listed::Yes) => Counts::No(LISTED),
            _ if at.stance.any(Stance::CONDITIONAL) => Counts::No(CONDITIONAL),
            _ if at.stance.any(Stance::PERHAPS_CONDITIONAL) => Counts::Unsure(open::CONDITION),
            _ if at.stance.any(Stance::CLAIMED) => Counts::Unsure(open::CLAIMED),
            (_, Listed::Perhaps) => Counts::Unsure(open::LISTED),
            (counts, Listed::No) => counts,
        },
        (Said::Doubtful, Counts::No(why)) => Counts::No(why),
        (Said::Doubtful, _) => Counts::Unsure(at.doubt),
        (Said::Corrected, _) => Counts::No(CORRECTED),
        _ => Counts::No(NEGATED),
    }
}

/// The occurrences of an anchor: those that are sure, and all.
pub(crate) struct Anchored {
    sure: Places,
    all: Places,
}

/// Occurrences in order, and the indexes of those with a time.
struct Places {
    places: Vec<Occurrence>,
    timed: Vec<usize>,
}

impl Places {
    fn of(places: Vec<Occurrence>) -> Self {
        let timed = places.iter().enumerate().filter(|(_, at)| at.time.is_some()).map(|(index, _)| index).collect();
        Self { places, timed }
    }
}

impl Anchored {
    fn of(anchor: &Anchor, heard: &Heard<'_>) -> Self {
        let role = anchor.role.as_deref();
        let mut all: Vec<Occurrence> = heard.occurrences(&anchor.phrase, role).collect();
        all.sort_by_key(|at| at.at);
        let sure = all.iter().filter(|at| at.said == Said::Plain).cloned().collect();
        if role.is_some() {
            all.extend(heard.unattributed(&anchor.phrase));
        }
        all.retain(|at| matches!(at.said, Said::Plain | Said::Doubtful));
        all.sort_by_key(|at| at.at);
        Self { sure: Places::of(sure), all: Places::of(all) }
    }
}

pub(crate) struct Scope<'a> {
    constraints: &'a Constraints,
    near: Option<(Anchored, usize)>,
    before: Option<Anchored>,
    after: Option<Anchored>,
    beside: HashSet<(usize, u32)>,
    /// Where the last of them begins that is the only one in its sentence.
    replaced: Option<(usize, usize)>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(constraints: &'a Constraints, heard: &Heard<'_>, role: Option<&str>) -> Self {
        let anchored = |anchor: &Option<Anchor>| anchor.as_ref().map(|anchor| Anchored::of(anchor, heard));
        let others = constraints.exclusive.iter().flat_map(|phrase| heard.occurrences(phrase, role));
        let others: Vec<Occurrence> = others.filter(|at| at.said == Said::Plain).collect();
        let mut times: HashMap<(usize, u32), usize> = HashMap::new();
        for other in &others {
            *times.entry(other.sentence()).or_default() += 1;
        }
        let alone = |other: &&Occurrence| times.get(&other.sentence()) == Some(&1);
        Self {
            constraints,
            near: constraints.near.as_ref().map(|(anchor, turns)| (Anchored::of(anchor, heard), *turns)),
            before: anchored(&constraints.before),
            after: anchored(&constraints.after),
            replaced: others.iter().filter(alone).map(|other| other.at).max(),
            beside: times.into_keys().collect(),
        }
    }

    pub(crate) fn counts(&self, at: &Occurrence) -> Counts {
        let constraints = self.constraints;
        let mut sure = Counts::Yes;
        if constraints.stated && !at.stance.is_stated() {
            if !at.stance.may_be_stated() {
                return Counts::No(NOT_STATED);
            }
            sure = Counts::Unsure(open::DEPENDS);
        }
        if constraints.stated && at.plans {
            sure = Counts::Unsure(open::PLANS);
        }
        // the occurrence is one of several answers: another is in its sentence, or replaces it later
        if self.beside.contains(&at.sentence()) || self.replaced.is_some_and(|last| last > at.at) {
            return Counts::No(LISTED);
        }
        let near = self.near.as_ref().map(|(anchored, turns)| self.judge_near(anchored, at, *turns));
        let before = self.before.as_ref().map(|anchored| self.judge(anchored, at, |other| at.until <= other.at));
        let after = self.after.as_ref().map(|anchored| self.judge(anchored, at, |other| at.at >= other.until));
        let alone = self.near.is_none() && self.before.is_none() && self.after.is_none();
        let from_start = constraints.within.filter(|_| alone).map(|most| match at.time {
            Some((start, _)) if start <= most => Counts::Yes,
            Some(_) => Counts::No(OUT_OF_SCOPE),
            None => Counts::Unsure(open::NO_TIMES),
        });
        for one in [near, before, after, from_start].into_iter().flatten() {
            match one {
                Counts::No(_) => return one,
                Counts::Unsure(_) => sure = one,
                Counts::Yes => {}
            }
        }
        let low = constraints.min_confidence.is_some_and(|least| at.confidence.is_some_and(|own| own < least));
        if low { Counts::Unsure(open::CONFIDENCE) } else { sure }
    }

    /// Decides if an occurrence is within so many turns of any occurrence of an anchor.
    fn judge_near(&self, anchored: &Anchored, at: &Occurrence, turns: usize) -> Counts {
        let within = |Places { places, timed }: &Places| -> Counts {
            let from = places.partition_point(|other| other.at.0 < at.at.0.saturating_sub(turns));
            let to = places.partition_point(|other| other.at.0 <= at.at.0.saturating_add(turns));
            if from == to || self.constraints.within.is_none() {
                return if from == to { Counts::No(OUT_OF_SCOPE) } else { Counts::Yes };
            }
            let near = timed.iter().skip(timed.partition_point(|index| *index < from)).take_while(|index| **index < to);
            let mut late = 0;
            for index in near {
                match places.get(*index).and_then(|other| self.in_time(at, other)) {
                    Some(true) => return Counts::Yes,
                    Some(false) if index - from >= MOST_ANCHORS => return Counts::Unsure(open::OTHER),
                    Some(false) => late += 1,
                    // it has no time itself
                    None => break,
                }
            }
            if late == to - from { Counts::No(OUT_OF_SCOPE) } else { Counts::Unsure(open::NO_TIMES) }
        };
        let (sure, all) = (within(&anchored.sure), within(&anchored.all));
        if sure == all { sure } else { Counts::Unsure(open::OTHER) }
    }

    /// Decides if an occurrence is where `place` wants it, relative to the first occurrence of an anchor.
    fn judge(&self, anchored: &Anchored, at: &Occurrence, place: impl Fn(&Occurrence) -> bool) -> Counts {
        let beside = |list: &Places| match list.places.first().map(|other| (place(other), self.in_time(at, other))) {
            Some((true, Some(true))) => Counts::Yes,
            Some((true, None)) => Counts::Unsure(open::NO_TIMES),
            _ => Counts::No(OUT_OF_SCOPE),
        };
        let (sure, all) = (beside(&anchored.sure), beside(&anchored.all));
        if sure == all { sure } else { Counts::Unsure(open::OTHER) }
    }

    /// True if both are within the time asked for; `None` if the recording has no times.
    fn in_time(&self, at: &Occurrence, other: &Occurrence) -> Option<bool> {
        let Some(most) = self.constraints.within else { return Some(true) };
        let (one, two) = (at.time?, other.time?);
        let apart = if one.0 >= two.0 { one.0.saturating_sub(two.1) } else { two.0.saturating_sub(one.1) };
        Some(apart <= most)
    }
}
