//! Looks for a phrase on every call: where it was spoken with the meaning asked for, perhaps so, or with the opposite
//! one.

use candor_check::Obstacle;
use candor_check::evidence::PhraseResult;
use candor_check::field::{Location, shown};
use candor_check::work::cancelled;
use candor_json::{Value, json};

use crate::compare::Counts;
use crate::constraint::{CORRECTED, NEGATED, Scope, counts};
use crate::matching::{Heard, Occurrence, Said, doubt};
use crate::seen::Call;
use crate::semantic::{Answer, Answers, Backed, Question, backed, may_say};
use crate::settings::Asserted;
use crate::transcript::Turn;

pub(super) const UNDECIDABLE: &str = "undecidable";
pub(super) const TOO_OFTEN: &str = "too_often";
pub(super) const OUT_OF_ORDER: &str = "out_of_order";

pub(super) struct Listened<'a> {
    pub(super) call: &'a Call,
    pub(super) heard: Heard<'a>,
}

#[derive(Clone)]
pub(super) struct Hit<'a> {
    pub(super) on: &'a Listened<'a>,
    pub(super) at: Occurrence,
}

pub(super) struct Looked<'a> {
    pub(super) asserted: &'a Asserted,
    pub(super) wanted: Option<Hit<'a>>,
    /// Spoken, but it is undecided if with the meaning asked for.
    pub(super) doubtful: Option<Hit<'a>>,
    /// The reason why it is undecidable, as the end of a sentence.
    pub(super) open: &'static str,
    /// The doubtful turn has words that are hidden or were not heard.
    pub(super) hidden: bool,
    /// Spoken with the opposite meaning: under a negation, or without the one asked for.
    pub(super) contrary: Option<Hit<'a>>,
    why: Option<&'static str>,
    /// More often than it may be: surely, or perhaps.
    too_often: Option<bool>,
    pub(super) unjudged: Option<(Obstacle, String)>,
}

impl<'a> Looked<'a> {
    fn note(&mut self, counts: Counts, forbidden: bool, hit: impl FnOnce() -> Hit<'a>) {
        match counts {
            Counts::Yes => _ = self.wanted.get_or_insert_with(hit),
            Counts::Unsure(why) => self.doubt(why, hit),
            Counts::No(CORRECTED) if forbidden => self.doubt("it was taken back", hit),
            Counts::No(why) => {
                self.why.get_or_insert(why);
                self.contrary.get_or_insert_with(hit);
            }
        }
    }

    fn doubt(&mut self, why: &'static str, hit: impl FnOnce() -> Hit<'a>) {
        if self.doubtful.is_none() {
            (self.doubtful, self.open) = (Some(hit()), why);
        }
    }

    /// Words that were not heard, or are hidden, may be the forbidden ones.
    fn note_gap(&mut self, on: &'a Listened<'a>, scope: &Scope<'_>) {
        if self.wanted.is_some() || self.doubtful.is_some() || self.unjudged.is_some() {
            return;
        }
        let has_gap = |turn: &usize| on.call.turns.get(*turn).is_some_and(Turn::has_gap);
        let turns = on.heard.turns_of(self.asserted.role.as_deref());
        let open = turns.into_iter().filter(has_gap).find_map(|turn| on.heard.whole_turn(turn));
        self.doubtful = open.filter(|at| !matches!(scope.counts(at), Counts::No(_))).map(|at| Hit { on, at });
        self.hidden = self.doubtful.is_some();
    }
}

pub(super) fn look<'a>(
    asserted: &'a Asserted,
    forbidden: bool,
    calls: &'a [Listened<'a>],
    answers: &Answers,
) -> Looked<'a> {
    let mut looked = Looked {
        asserted,
        wanted: None,
        doubtful: None,
        open: "",
        hidden: false,
        contrary: None,
        why: None,
        too_often: None,
        unjudged: None,
    };
    if !asserted.statements.is_empty() {
        by_meaning(&mut looked, forbidden, calls, answers);
        return looked;
    }
    if let Some(value) = &asserted.value {
        for on in calls.iter().take_while(|_| !cancelled()) {
            let Some((at, counts)) = value.said(&on.heard) else { continue };
            looked.note(counts, forbidden, || Hit { on, at });
        }
        return looked;
    }
    let role = asserted.role.as_deref();
    for on in calls.iter().take_while(|_| !cancelled()) {
        let scope = Scope::new(&asserted.constraints, &on.heard, role);
        let (mut times, mut perhaps) = (0_usize, 0_usize);
        for at in said(asserted, &on.heard) {
            let counts = counts(asserted.negated, forbidden, &scope, &at);
            match counts {
                Counts::Yes => times += 1,
                Counts::Unsure(_) => perhaps += 1,
                Counts::No(_) => {}
            }
            looked.note(counts, forbidden, || Hit { on, at });
            if looked.wanted.is_some() && asserted.at_most.is_none() {
                return looked;
            }
        }
        match asserted.at_most {
            Some(most) if times > most => looked.too_often = Some(true),
            Some(most) if times + perhaps > most => looked.too_often = looked.too_often.or(Some(false)),
            _ => {}
        }
        if forbidden {
            looked.note_gap(on, &scope);
        }
        // the speaker of a turn without a label is not known
        if role.is_some() && looked.doubtful.is_none() {
            let contrary = if asserted.negated { Said::Plain } else { Said::Negated };
            let places = asserted.any.iter().flat_map(|phrase| on.heard.unattributed(phrase));
            let mut open = places.filter(|at| at.said != contrary && !matches!(scope.counts(at), Counts::No(_)));
            if let Some(at) = open.next() {
                looked.doubt(doubt::SPEAKER, || Hit { on, at });
            }
        }
        let foreign = if looked.doubtful.is_none() { on.heard.foreign_turn(role) } else { None };
        if let Some(at) = foreign.filter(|at| !matches!(scope.counts(at), Counts::No(_))) {
            looked.doubt(doubt::LANGUAGE, || Hit { on, at });
        }
    }
    looked
}

/// Takes a judge's answers for what they are worth: a yes counts with a quote that the call bears out.
fn by_meaning<'a>(looked: &mut Looked<'a>, forbidden: bool, calls: &'a [Listened<'a>], answers: &Answers) {
    let asserted = looked.asserted;
    let Some(model) = &answers.model else {
        let details = "that takes a judge, and none is configured".to_owned();
        looked.unjudged = Some((Obstacle::NoJudge, details));
        return;
    };
    let role = asserted.role.as_deref();
    for on in calls {
        let scope = Scope::new(&asserted.constraints, &on.heard, role);
        for statement in &asserted.statements {
            let question = Question::new(statement, role, on.heard.spoken());
            let open = |why: String| (Obstacle::Undecidable, why);
            let unjudged = match answers.to(&question) {
                Some(Answer::NotSaid) => {
                    let Some(at) = forbidden.then(|| overlooked(statement, role, on)).flatten() else { continue };
                    let quote = candor_check::evidence::quoted(&json!(cut(&on.heard.quote(&at))));
                    looked.doubtful.get_or_insert(Hit { on, at });
                    open(format!("the judge {model} says no, but {quote} holds all that the statement names"))
                }
                Some(Answer::Said { quote, turn }) => {
                    let (why, at) = match backed(statement, quote, *turn, role, &on.call.turns, &on.heard) {
                        Backed::By(at) => match answers.confirms(statement, quote) {
                            Some(true) => {
                                looked.note(counts(false, forbidden, &scope, &at), forbidden, || Hit { on, at });
                                continue;
                            }
                            Some(false) => ("does not confirm it when asked about the quote alone", Some(at)),
                            None => ("gives no answer when asked about the quote alone", Some(at)),
                        },
                        Backed::No(why, at) => (why, at),
                    };
                    if let Some(at) = at {
                        looked.doubtful.get_or_insert(Hit { on, at });
                    }
                    let quote = candor_check::evidence::quoted(&json!(cut(quote)));
                    open(format!("the judge {model} says so and quotes {quote}, but {why}"))
                }
                Some(Answer::Unusable(why)) => open(format!("the answer of the judge {model} {why}")),
                Some(Answer::Missing { obstacle, details }) => (*obstacle, details.clone()),
                None => open(format!("the judge {model} was not asked about this call")),
            };
            looked.unjudged.get_or_insert(unjudged);
        }
        if forbidden {
            looked.note_gap(on, &scope);
        }
    }
}

/// A turn that holds all that a statement names, so that a judge's no does not settle it.
fn overlooked(statement: &str, role: Option<&str>, on: &Listened<'_>) -> Option<Occurrence> {
    let turns = on.heard.turns_of(role);
    let vocabulary = on.heard.vocabulary();
    let says = |turn: &usize| on.call.turns.get(*turn).is_some_and(|turn| may_say(statement, &turn.text, vocabulary));
    turns.into_iter().find(says).and_then(|turn| on.heard.whole_turn(turn))
}

/// Occurrences of any of the texts of a phrase, spoken by the role asked for, in order.
fn said<'a>(asserted: &'a Asserted, heard: &'a Heard<'a>) -> Box<dyn Iterator<Item = Occurrence> + 'a> {
    let role = asserted.role.as_deref();
    match asserted.any.as_slice() {
        [one] => Box::new(heard.occurrences(one, role)),
        all => {
            let mut places: Vec<Occurrence> = all.iter().flat_map(|phrase| heard.occurrences(phrase, role)).collect();
            places.sort_by_key(|at| at.at);
            Box::new(places.into_iter())
        }
    }
}

/// True for each phrase that comes in the order given, on the call on which most of them do.
pub(super) fn order(wanted: &[Looked<'_>], calls: &[Listened<'_>], answers: &Answers) -> Vec<bool> {
    let mut best = vec![false; wanted.len()];
    for on in calls {
        let mut behind = (0, 0);
        let met = wanted.iter().map(|looked| {
            let next = next(looked.asserted, on, behind, answers);
            next.inspect(|at| behind = at.until).is_some()
        });
        let met: Vec<bool> = met.collect();
        let count = |met: &[bool]| met.iter().filter(|met| **met).count();
        if count(&met) > count(&best) {
            best = met;
        }
    }
    best
}

/// The first occurrence from a place on that counts.
fn next(asserted: &Asserted, on: &Listened<'_>, from: (usize, usize), answers: &Answers) -> Option<Occurrence> {
    if let Some(value) = &asserted.value {
        let right = value.said(&on.heard).filter(|(at, counts)| at.at >= from && *counts == Counts::Yes);
        return right.map(|(at, _)| at);
    }
    let role = asserted.role.as_deref();
    let scope = Scope::new(&asserted.constraints, &on.heard, role);
    let right = |at: &Occurrence| at.at >= from && counts(asserted.negated, false, &scope, at) == Counts::Yes;
    if asserted.statements.is_empty() {
        return said(asserted, &on.heard).filter(right).min_by_key(|at| at.until);
    }
    asserted.statements.iter().find_map(|statement| {
        let question = Question::new(statement, role, on.heard.spoken());
        let Some(Answer::Said { quote, turn }) = answers.to(&question) else { return None };
        match backed(statement, quote, *turn, role, &on.call.turns, &on.heard) {
            Backed::By(at) if answers.confirms(statement, quote) == Some(true) => Some(at).filter(right),
            _ => None,
        }
    })
}

impl Hit<'_> {
    pub(super) fn quote(&self) -> String {
        cut(&self.on.heard.quote(&self.at))
    }

    pub(super) fn place(&self) -> Location {
        let start = self.at.turn.min(self.at.negation.0);
        place(self.on.call, start, self.at.last_turn)
    }
}

/// A text as evidence quotes it: cut at the length all evidence is cut at, the cut marked.
pub(super) fn cut(text: &str) -> String {
    match shown(&json!(text)) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

pub(super) fn place(call: &Call, first: usize, last: usize) -> Location {
    let span = |turn: usize| call.turns.get(turn).map(|turn| turn.span.clone());
    match (span(first), span(last)) {
        (Some(first), Some(last)) => Location::bytes(call.source.locator.as_str(), first.start as u64..last.end as u64),
        _ => Location::whole(call.source.locator.as_str()),
    }
}

impl Looked<'_> {
    fn result(&self, hit: Option<&Hit<'_>>, forbidden: bool) -> PhraseResult {
        PhraseResult {
            phrase: self.asserted.text.clone(),
            found: self.wanted.is_some(),
            turn: self.wanted.as_ref().map(|hit| hit.at.turn),
            passed: self.wanted.is_some() != forbidden,
            forbidden,
            quote: hit.map(Hit::quote),
            reason: None,
            source: hit.map(Hit::place),
        }
    }

    /// The occurrence that says most: as it is meant, perhaps so, or the other way.
    pub(super) fn telling(&self) -> Option<&Hit<'_>> {
        self.wanted.as_ref().or(self.doubtful.as_ref()).or(self.contrary.as_ref())
    }

    pub(super) fn required(&self, in_order: bool) -> PhraseResult {
        let mut result = self.result(self.telling(), false);
        if result.found && !in_order {
            result.passed = false;
            result.reason = Some(OUT_OF_ORDER);
        } else if !result.found {
            result.reason = self.why_not();
        } else if let Some(surely) = self.too_often {
            result.passed = false;
            result.reason = Some(if surely { TOO_OFTEN } else { UNDECIDABLE });
        }
        result
    }

    /// The turns of a call in which it counts; of a value or a statement only the reported one.
    pub(super) fn turns_on(&self, on: &Listened<'_>) -> Vec<usize> {
        let own = self.wanted.as_ref().filter(|hit| std::ptr::eq(hit.on.call, on.call)).map(|hit| hit.at.turn);
        if self.asserted.value.is_some() || !self.asserted.statements.is_empty() {
            return own.into_iter().collect();
        }
        let scope = Scope::new(&self.asserted.constraints, &on.heard, self.asserted.role.as_deref());
        let counted = |at: &Occurrence| counts(self.asserted.negated, false, &scope, at) == Counts::Yes;
        let all = said(self.asserted, &on.heard).take_while(|_| !cancelled());
        all.filter(counted).map(|at| at.turn).collect()
    }

    fn why_not(&self) -> Option<&'static str> {
        if let Some((obstacle, _)) = &self.unjudged {
            Some(obstacle.name())
        } else if self.doubtful.is_some() {
            Some(UNDECIDABLE)
        } else if self.contrary.is_some() && !self.asserted.negated {
            Some(self.why.unwrap_or(NEGATED))
        } else {
            None
        }
    }

    /// `alone`: there are only forbidden phrases, so that evidence quotes the first turn that was read, if nothing was
    /// found.
    pub(super) fn forbidden(&self, calls: &[Listened<'_>], alone: bool) -> PhraseResult {
        let mut result = self.result(self.telling(), true);
        if !result.found {
            result.reason = self.why_not();
            result.passed = self.doubtful.is_none() && self.unjudged.is_none();
        }
        if result.quote.is_none() && alone {
            let role = self.asserted.role.as_deref();
            let first = calls.iter().find_map(|on| {
                let turn =
                    on.heard.turns_of(role).first().copied().or_else(|| on.heard.turns_of(None).first().copied())?;
                Some((on.call, turn))
            });
            if let Some((call, turn)) = first {
                result.quote = call.turns.get(turn).map(|turn| cut(&turn.text));
                result.source = Some(place(call, turn, turn));
            }
        }
        result
    }
}
