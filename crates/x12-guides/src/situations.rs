//! SNIP type 4: elements and segments that a guide requires in the presence of others. The rules are those of
//! `data/situations.txt`, and three about numbers that refer to each other.

mod references;
mod rules;

use candor_x12::Segment;

use crate::validate::{Finding, MOST_FINDINGS, cut};
use crate::{Guide, Loops};
use rules::{Condition, RULES, Rule, Whence};

pub(crate) struct Reading<'r, 's> {
    pub(crate) loops: &'r Loops,
    pub(crate) segments: &'r [Segment<'s>],
    /// By occurrence, its segments by their numbers, in order.
    held: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
}

impl<'r, 's> Reading<'r, 's> {
    fn of(loops: &'r Loops, segments: &'r [Segment<'s>]) -> Self {
        let mut held = vec![Vec::new(); loops.occurrences().len()];
        for number in 0..segments.len() {
            if let Some(held) = loops.of_segment(number).and_then(|occurrence| held.get_mut(occurrence)) {
                held.push(number);
            }
        }
        let mut below = vec![Vec::new(); loops.occurrences().len()];
        for (at, occurrence) in loops.occurrences().iter().enumerate() {
            if let Some(below) = occurrence.parent.and_then(|parent| below.get_mut(parent)) {
                below.push(at);
            }
        }
        Self { loops, segments, held, below }
    }

    pub(crate) fn is_of(&self, occurrence: usize, id: &str) -> bool {
        self.loops.definition(occurrence).is_some_and(|known| known.id() == id)
    }

    fn any_in(&self, root: usize, is: impl Fn(usize) -> bool) -> bool {
        let mut open = vec![root];
        while let Some(at) = open.pop() {
            if is(at) {
                return true;
            }
            open.extend(self.below.get(at).into_iter().flatten());
        }
        false
    }

    pub(crate) fn held(&self, occurrence: usize, id: &str) -> impl Iterator<Item = (usize, &'r Segment<'s>)> {
        let held = self.held.get(occurrence).map(Vec::as_slice).unwrap_or_default();
        let segments = self.segments;
        held.iter().filter_map(|&number| Some((number, segments.get(number)?))).filter(move |(_, s)| s.id().is(id))
    }

    pub(crate) fn occurrences(&self, id: &str) -> impl Iterator<Item = usize> {
        (0..self.loops.occurrences().len()).filter(move |&at| self.loops.definition(at).is_some_and(|l| l.id() == id))
    }

    /// An occurrence and those around it, the innermost first.
    pub(crate) fn around(&self, occurrence: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(occurrence), |&at| self.loops.occurrences().get(at)?.parent)
    }

    /// True if a condition holds in an occurrence; a condition about the subject's segment is checked on that segment.
    fn holds(&self, condition: &Condition, occurrence: usize, subject: Option<&Segment<'s>>) -> bool {
        let in_one = |at: usize| self.held(at, condition.id).any(|(_, segment)| condition.holds(segment));
        match (&condition.whence, subject) {
            (Whence::Here, Some(subject)) if subject.id().is(condition.id) => condition.holds(subject),
            (Whence::Here, _) => in_one(occurrence),
            (Whence::Around(id), _) => {
                let mut around = self.around(occurrence);
                around.find(|&at| self.loops.definition(at).is_some_and(|l| l.id() == *id)).is_some_and(in_one)
            }
            (Whence::Below, _) => self.any_in(occurrence, |at| self.is_of(at, condition.id) || in_one(at)),
        }
    }

    pub(crate) fn finding(
        &self,
        number: usize,
        code: &'static str,
        element: Option<usize>,
        expected: String,
    ) -> Finding {
        let segment = self.segments.get(number);
        let found = segment.map(|segment| match element {
            Some(element) => segment.text(element),
            None => segment.whole().text(),
        });
        Finding {
            code,
            loops: self.loops.of_segment(number).map(|at| self.loops.trail(at)).unwrap_or_default(),
            segment: segment.map(|segment| segment.id().as_str().to_owned()).unwrap_or_default(),
            position: number + 1,
            element,
            component: None,
            expected,
            found: found.filter(|found| !found.is_empty()).map(|found| cut(&found)),
            offset: segment.map_or(0, Segment::offset),
            length: segment.map_or(0, |segment| segment.raw().len()),
        }
    }
}

/// True if there are situational rules for a guide.
#[must_use]
pub fn has_situations(guide: &Guide) -> bool {
    RULES.iter().any(|rule| rule.is_of(guide)) || guide.levels().next().is_some()
}

/// The situational rules that there are, in words: the guides they are of, and what they say.
pub fn situations_in_words() -> impl Iterator<Item = (String, &'static str)> {
    RULES
        .iter()
        .map(|rule| (rule.guides.join(","), rule.words))
        .chain(references::WORDS.map(|(guides, words)| (guides.to_owned(), words)))
}

/// Finds the segments and elements that the guide requires in the set's situation, and that are missing. The findings
/// are in the order of the set; the number is how many more there are than [`MOST_FINDINGS`]. Codes are X12's:
/// `IK304:I6` an implementation dependent segment, `IK403:I9` such an element is missing.
#[must_use]
pub fn validate_situations(loops: &Loops, segments: &[Segment<'_>]) -> (Vec<Finding>, usize) {
    let reading = Reading::of(loops, segments);
    let mut findings = Vec::new();
    for rule in RULES.iter().filter(|rule| rule.is_of(loops.guide())) {
        for occurrence in reading.occurrences(rule.looped) {
            apply(rule, &reading, occurrence, &mut findings);
        }
    }
    references::check(&reading, &mut findings);
    findings.sort_by_key(|finding| finding.position);
    let more = findings.len().saturating_sub(MOST_FINDINGS);
    findings.truncate(MOST_FINDINGS);
    (findings, more)
}

fn apply(rule: &Rule, reading: &Reading<'_, '_>, occurrence: usize, findings: &mut Vec<Finding>) {
    let first = reading.loops.occurrences().get(occurrence).map_or(0, |occurrence| occurrence.first);
    let subjects: Vec<(usize, Option<&Segment<'_>>)> = match rule.subject() {
        Some(id) => reading.held(occurrence, id).map(|(number, segment)| (number, Some(segment))).collect(),
        None => vec![(first, None)],
    };
    for (number, subject) in subjects {
        let is_met = |condition: &Condition| reading.holds(condition, occurrence, subject);
        if !rule.when.iter().all(is_met) || rule.needs.iter().any(is_met) {
            continue;
        }
        let need = rule
            .needs
            .first()
            .filter(|need| need.whence == Whence::Here && subject.is_some_and(|s| s.id().is(need.id)));
        let (code, element) = match need {
            Some(need) if need.codes.is_empty() => ("IK403:I9", Some(need.element)),
            Some(need) => ("IK403:I6", Some(need.element)),
            None => ("IK304:I6", None),
        };
        findings.push(reading.finding(number, code, element, rule.words.to_owned()));
    }
}
