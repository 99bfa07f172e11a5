//! How far a negation reaches.
//!
//! A negation (`data/negations.txt`) reaches from the word behind it to the end of its clause
//! ([`super::clauses`]). In a sentence written without punctuation it reaches eight words for sure. After a pause
//! without a clear start of a clause the negation reaches on when an "or" closes a list ("never your name, PIN or
//! password"); otherwise its reach is undecidable. An undecidable reach is [`Said::Doubtful`]: it earns a required phrase
//! nothing and excuses no forbidden one.
//!
//! Of two negations that are joined, the second has the label of the first: "no copay and | no deductible". What "not
//! know" is about may be true, and what "except" names may be excepted: undecidable.
//!
//! A negation in a question ("isn't it approved?", "you can not confirm it?") is undecidable, too; "no nausea?" asks about
//! its absence.

use serde::{Deserialize, Serialize};

use super::clauses::{Begins, Spoken};
use crate::marks::Marks;
use crate::normalize::{Kind, Pause};
use crate::tables::{ASIDES, CLAUSES, CORRECTIONS, NEGATIONS, NUMBERED, TAGS};

/// How a speaker meant a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// Said as such.
    Plain,
    /// Said under a negation.
    Negated,
    /// Undecidable: a negation may reach it, or it may be a part of a longer number.
    Doubtful,
    /// Said and taken back: another value was stated in its place.
    Corrected,
}

/// The reason why it is undecidable how a speaker meant something, as the end of a sentence.
pub(crate) mod doubt {
    pub(crate) const NEGATION: &str = "a negation may reach it";
    pub(crate) const TAKEN_BACK: &str = "it may have been taken back";
    pub(crate) const PART: &str = "it may be a part of a longer number";
    pub(crate) const SIGN: &str = "the phrase's sign of a currency is not there";
    pub(crate) const SPEAKER: &str = "who spoke it is not recorded";
    pub(crate) const LANGUAGE: &str = "its turn is in another language";
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) said: Said,
    /// The first word of the negation; the word itself without one.
    pub(super) since: u32,
    /// The last word of a negation behind the word.
    pub(super) until: Option<u32>,
}

impl Reach {
    fn plain(at: usize) -> Self {
        Self { said: Said::Plain, since: u32::try_from(at).unwrap_or(u32::MAX), until: None }
    }
}

/// The most words that a negation reaches for sure in a sentence without punctuation.
const FAR: usize = 8;

/// The most words before a denial, or before an "or not", that it may take back.
pub(super) const BACK: usize = 256;

/// Makes the words of one label undecidable.
fn doubt_all<'a>(said: Said, reaches: impl Iterator<Item = &'a mut Reach>) {
    reaches.filter(|reach| reach.said == said).for_each(|reach| reach.said = Said::Doubtful);
}

impl Spoken<'_> {
    pub(super) fn reaches(self) -> Vec<Reach> {
        let text = self.text;
        if !text.may_have(Marks::NEGATES.and(Marks::NEXT_WORD).and(Marks::TAG).and(Marks::NO)) {
            return (0..text.len()).map(Reach::plain).collect();
        }
        let closed = self.closed_by_or();
        let mut found: Vec<Reach> = Vec::with_capacity(text.len());
        let mut state: Option<Reach> = None;
        let mut aside = false;
        let mut skip = 0;
        // behind the words of the negation itself: "anything but" ends no clause
        let mut inside = 0;
        let mut clause = 0;
        let mut prefixed = false;
        let mut asked = false;
        // true if the negation is a verb of ending
        let mut ending = false;
        // the end of what "no not" repeats
        let mut contrast = 0;
        // the words behind a preposition that negates at the beginning of a clause
        let mut before_verb: Option<usize> = None;
        for (at, current) in text.words().enumerate() {
            let marks = current.marks;
            let begins = self.begins(at);
            let pause = self.pause(at);
            let paused = matches!(pause, Pause::Short | Pause::Turn);
            let anew = ending && matches!(current.text, "and" | "then") && self.is_in(at + 1, &CLAUSES.anew);
            // "no plan that covers it", or "no that covers it"
            let relative = begins == Begins::Bare && current.text == "that" && self.is_verb(at + 1) && at > inside;
            doubt_all(Said::Negated, state.iter_mut().filter(|_| relative));
            let ends = begins >= Begins::Clause || anew || (begins == Begins::Bare && state.is_some() && !relative);
            if self.is_listed_aside(at) {
                aside = true;
            } else if pause == Pause::Short
                && let Some(reach) = self.resumed(at, &found)
            {
                (state, aside) = (Some(reach), false);
            } else if ends && at >= inside {
                (state, aside, clause, asked) = (None, false, at, false);
            } else if paused && (aside || current.text == "ever" || self.opens_aside(at, state)) {
                // "not, at this time, confirm", "never, ever ask": the clause goes on behind
                aside = !aside && current.text != "ever";
            } else if paused && let Some(reach) = &mut state {
                let closed = closed.get(at).copied().unwrap_or_default();
                let command = CLAUSES.perhaps_starts.contains(current.text);
                if command && !closed && self.is_command(at) {
                    // "do not wait, call 911"
                    (state, aside, clause, asked) = (None, false, at, false);
                } else if command || !closed {
                    reach.said = Said::Doubtful;
                }
            }
            if at > 0 && at == contrast {
                state = None;
            }
            // "not doctor hale sorry | doctor bell"
            let corrected = at > inside && self.is_open(at) && self.is(at, Marks::CORRECTION);
            let not = state.is_some_and(|state| self.word(state.since as usize) == "not");
            if corrected && not && self.begins_with(at, &CORRECTIONS.all) {
                doubt_all(Said::Negated, state.iter_mut());
            }
            let sentence = self.sentence_start(at);
            if self.is_afterthought(sentence, at) {
                let from = if at == sentence { self.sentence_before(at) } else { sentence };
                doubt_all(Said::Plain, found.iter_mut().skip(from.max(at.saturating_sub(BACK))));
            }
            let here = u32::try_from(at).unwrap_or(u32::MAX);
            let plain = match prefixed && pause == Pause::None && at > 0 {
                true => Reach { said: Said::Negated, since: here - 1, until: None },
                false => Reach::plain(at),
            };
            // "do not mind" denies its verb alone
            prefixed = marks.any(Marks::NEXT_WORD)
                || (at + 2 == skip && self.word_before(at) == "do" && current.text == "not");
            // "denies pain | reports nausea", not "no new reports of"
            let noun = current.text == "reports" && self.word(at + 1) == "of";
            let reports = at > inside && self.is_in(at, &NEGATIONS.reports) && !noun;
            // "not the one | the other"
            let since = state.map_or(at, |state| state.since as usize);
            let other = self.is_open(at)
                && at > since + 2
                && self.word(since) == "not"
                && !self.is_verb(since.saturating_sub(1))
                && self.is_in(since + 1, &CLAUSES.determiners)
                && self.word(at) == self.word(since + 1);
            if reports || other || (at >= inside + FAR && self.is_open(at)) {
                doubt_all(Said::Negated, state.iter_mut());
            }
            if state.is_none() || matches!(current.text, "that" | "which" | "who" | "whose") {
                before_verb = None;
            }
            if let Some(from) = before_verb.filter(|from| at > *from && self.is_finite(at)) {
                // "without authorization claims | are paid": it is not clear which of the nouns is its subject
                doubt_all(Said::Negated, found.iter_mut().skip(from));
                (state, before_verb) = (None, None);
            }
            found.push(state.unwrap_or(plain));
            self.deny(at, &mut found);
            doubt_all(Said::Negated, state.iter_mut().filter(|_| at >= inside && self.may_be_free(at)));
            if text.asked_behind(at) || self.is_inverted(clause, at) {
                // a question with a negation does not negate: "isn't it approved?"
                // "the left eye, not the right eye?" denies
                let verb = |reach: &&mut Reach| match self.word(reach.since as usize) {
                    "not" => {
                        let since = reach.since as usize;
                        let from = self.sentence_start(since).max(since.saturating_sub(2 * FAR));
                        let first = (from..since).all(|at| !self.is(at, Marks::NEGATES));
                        self.pause(since) != Pause::Short || !first
                    }
                    word => word == "never",
                };
                doubt_all(Said::Negated, found.iter_mut().skip(clause).filter(verb));
                doubt_all(Said::Negated, state.iter_mut().filter(verb));
            }
            if at < skip {
                continue;
            }
            let timed = |at: usize| self.word(at) == "in" && self.kind(at + 1) == Some(Kind::Number);
            let exchange = marks.any(Marks::NO).then(|| self.new_value(at)).flatten();
            let length = |mark: Marks, of| marks.any(mark).then(|| self.length(at, of)).flatten();
            let determines = self.determines(at);
            let harmless = length(Marks::HARMLESS, &NEGATIONS.harmless).filter(|_| !determines);
            // "no make that five"
            let corrects = length(Marks::NO, &CORRECTIONS.strong).filter(|_| !determines);
            if let Some(length) = corrects {
                skip = skip.max(at + length);
                continue;
            }
            if let Some(length) = harmless.filter(|length| !self.denies_trouble(at + length)) {
                skip = at + length;
            } else if let Some((length, verb)) = length(Marks::NEGATES, &NEGATIONS.negates)
                .filter(|_| !self.is_answer(at) && !self.is_number_sign(at))
                .filter(|_| exchange != Some(true))
                .map(|length| (length, false))
                // "I quit | in 2014"
                .or_else(|| Some((length(Marks::NEGATES, &NEGATIONS.ends).filter(|length| !timed(at + length))?, true)))
            {
                inside = at + length;
                ending = verb;
                let asked = asked || self.is_inverted(clause, at + 1) || self.is_inverted(clause, at);
                // "never fail to pay", "nothing we will not pay": one takes the other back
                let twice = verb || NEGATIONS.again.contains(current.text);
                let joined = at.checked_sub(1).is_some_and(|at| self.is(at, Marks::JOINS.and(Marks::OR)));
                let apart = |reach: Reach| current.text != "not" || (reach.since as usize) + 1 < at;
                let twice = twice && pause == Pause::None && !joined && state.is_some_and(apart);
                // "no | two tablets"
                let answer = current.text == "no"
                    && ((self.kind(at + 1) == Some(Kind::Number) && self.opens(at)) || self.is_before_no_noun(at));
                // "no problem | sending it" may agree to it
                let has = matches!(self.word_before(at), "have" | "has" | "had");
                let agrees = harmless.is_some() && self.word(at + 1) == "problem" && !has;
                let agrees = agrees && at.checked_sub(2).is_none_or(|at| self.word(at) != "there");
                let doubtful = (asked && !verb) || twice || answer || agrees || exchange.is_some();
                let said = if doubtful { Said::Doubtful } else { Said::Negated };
                self.coordinate(state, at, &mut found);
                contrast = self.contrast(at).or_else(|| self.not_that(at)).map_or(contrast, |(_, end)| end);
                state = Some(Reach { said, since: here, until: None });
                before_verb = (at == clause && NEGATIONS.prepositions.contains(current.text)).then_some(inside);
            }
            if state.is_none() && self.is_unheard_verb(at) {
                state = Some(Reach { said: Said::Doubtful, since: here, until: None });
            }
            asked |= self.is_inverted(clause, at);
        }
        found
    }

    /// The "no" belongs to a noun: "there is no wait list", "has no hold on it".
    pub(super) fn determines(self, at: usize) -> bool {
        let verb = match self.word_before(at) {
            "have" | "has" | "had" | "see" | "sees" | "with" => true,
            "is" | "are" | "was" | "were" | "be" | "been" => {
                matches!(self.word_before(at.saturating_sub(1)), "there" | "will" | "have" | "has")
            }
            _ => false,
        };
        verb && self.joined(at) && matches!(self.word(at + 1), "wait" | "hold" | "hang" | "sorry" | "correction")
    }

    /// The words behind a "no" are not a noun: "no | with a c", "to cancel no | reschedule my visit".
    pub(super) fn is_before_no_noun(self, at: usize) -> bool {
        let place = matches!(self.word(at + 1), "with" | "for" | "at" | "in" | "from" | "to" | "by" | "under" | "as")
            || (self.is_in(at + 1, &CLAUSES.determiners) && self.begins(at + 1) == Begins::Inside);
        // "comfort care no comfort path"
        let again = self.word(at + 1).len() > 3
            && !self.is_verb(at.saturating_sub(1))
            && (at.saturating_sub(4)..at).any(|old| self.word(old) == self.word(at + 1));
        let whose =
            matches!(self.word(at + 2), "my" | "your" | "his" | "her" | "our" | "their" | "it" | "them" | "him");
        let verb = self.kind(at + 1) == Some(Kind::Word) && whose && !self.noun_and_verb(at + 2);
        self.is_open(at) && self.joined(at + 1) && (place || again || (verb && self.joined(at + 2)))
    }

    /// Gives the second of two joined negations, with its subject, the label of the first: "no copay and | no deductible",
    /// "it is not due and | rent is not". It is undecidable if it may be a part of what the first denies.
    fn coordinate(self, state: Option<Reach>, at: usize, found: &mut [Reach]) {
        /// The most words of a subject and its auxiliary.
        const LONGEST: usize = 4;
        let Some(first) = state.map(|state| state.since as usize) else { return };
        let joins = |at: usize| self.is(at - 1, Marks::JOINS.and(Marks::OR)) || !self.joined(at);
        let subject = |at: usize| (at.saturating_sub(LONGEST)..at).rev().find(|from| *from > first + 1 && joins(*from));
        let finite = Some(at).filter(|at| self.is(at - 1, Marks::AUXILIARY));
        let from = Some(at).filter(|at| joins(*at)).or_else(|| subject(finite?));
        let bare = from.is_none();
        if !matches!(self.word(at), "no" | "not" | "never")
            || (bare && (self.word(first), self.word(at)) != ("no", "no"))
        {
            return;
        }
        let taken = |at: usize| bare || !(self.is_verb(at + 1) || self.is_in(at + 1, &CLAUSES.no_subject));
        let part = (first + 1..at).any(|at| {
            (self.is_in(at, &CLAUSES.subordinates) && !self.is_object(at))
                || (self.is_in(at, &CLAUSES.takes) && taken(at))
                || (bare && self.is_verb(at))
        });
        let said = found.get(first).filter(|_| !part).map_or(Said::Doubtful, |first| first.said);
        for (index, reach) in found.iter_mut().enumerate().skip(from.unwrap_or(at)) {
            *reach = Reach { said, ..Reach::plain(index) };
        }
    }

    /// True if words behind this one may be true in spite of a negation: "not know why", "nothing other than".
    fn may_be_free(self, at: usize) -> bool {
        let next = at + 1 + usize::from(self.is_in(at + 1, &CLAUSES.between_part));
        let clause = || self.word(next) == "that" || self.subject(next) || self.noun_and_verb(next);
        match (self.word(at), self.word(at + 1)) {
            _ if self.begins_with(at, &NEGATIONS.perhaps_free) => true,
            ("yet" | "still", _) => !matches!(self.word_before(at), "as" | "not" | "never"),
            ("know" | "knows" | "knew" | "aware", _) => clause(),
            ("believe", _) => {
                self.word_before(at) == "not" && matches!(self.word(at.saturating_sub(2)), "can" | "could")
            }
            _ => false,
        }
    }

    /// A word follows what "no problem" denies: "no problem | swallowing", "no trouble | with my eyes".
    fn denies_trouble(self, next: usize) -> bool {
        let word = self.word(next);
        let thing = matches!(word, "everything" | "anything" | "nothing" | "something");
        let verb = word.ends_with("ing") && !thing;
        // "no problem with that" agrees
        let with = word == "with" && !matches!(self.word(next + 1), "that" | "this" | "it" | "you" | "me");
        matches!(self.word_before(next), "problem" | "trouble") && self.joined(next) && (verb || with)
    }

    /// A "no" has a value behind it that replaces one of its kind before it ("forty no fifty"), for sure or perhaps: "sorry no
    /// two refills".
    fn new_value(self, at: usize) -> Option<bool> {
        let sorry = || matches!(self.word_before(at), "sorry" | "wait") && self.kind(at + 1) == Some(Kind::Number);
        let exchange = self.exchange(at).map(|(_, _, sure)| sure);
        exchange.or_else(|| sorry().then_some(false).filter(|_| self.joined(at) && self.joined(at + 1)))
    }

    /// The word is an auxiliary with a subject: not "to be", not "the need".
    fn is_finite(self, at: usize) -> bool {
        self.is(at, Marks::AUXILIARY) && self.word_before(at) != "to" && !matches!(self.word(at), "be" | "need")
    }

    /// The words up to one open a negated question: "is not it …", "are you not …".
    fn is_inverted(self, clause: usize, at: usize) -> bool {
        let Some(first) = at.checked_sub(2).filter(|first| *first <= clause + 1 && *first >= clause) else {
            return false;
        };
        let opens =
            || first == clause || self.is_in(clause, &CLAUSES.joins) || matches!(self.word(clause), "well" | "but");
        let (one, other) = (self.word(first + 1), self.word(at));
        self.is(first, Marks::AUXILIARY)
            && opens()
            && ((one == "not" && self.is_in(at, &CLAUSES.pronouns))
                || (self.is_in(first + 1, &CLAUSES.pronouns) && other == "not"))
    }

    /// The word is a "not" that takes the words before it back: "approved. Not.", "approved or not".
    fn is_afterthought(self, sentence: usize, at: usize) -> bool {
        let next = self.written_pause(at + 1);
        let paused = at == sentence || self.written_pause(at) == Pause::Short;
        let alone = paused && next >= Pause::Turn;
        self.word(at) == "not" && (alone || (self.word_before(at) == "or" && next != Pause::None))
    }

    /// A tag hides the word behind an auxiliary: the word may have been a "not".
    fn is_unheard_verb(self, at: usize) -> bool {
        let tag = || self.word(at).strip_prefix('[')?.strip_suffix(']');
        self.is(at, Marks::TAG)
            && tag().and_then(|tag| TAGS.get(tag)) == Some(&true)
            && NEGATIONS.auxiliaries.contains(self.word_before(at))
    }

    /// The verb is a command: it has an object, and there is no other comma in its sentence.
    fn is_command(self, at: usize) -> bool {
        /// The most words to read of its sentence, on either side.
        const FAR: usize = 40;
        let end = (at + 1..=at + FAR).find(|at| self.pause(*at) >= Pause::Turn);
        let start = (at.saturating_sub(FAR)..at).rev().find(|at| self.pause(*at) >= Pause::Turn).unwrap_or_default();
        let alone = |end: usize| (start + 1..end).all(|other| other == at || self.joined(other));
        self.joined(at + 1) && end.is_some_and(alone)
    }

    /// A listed aside (", you know,", ", honestly,") lies between two pauses.
    fn is_listed_aside(self, at: usize) -> bool {
        let short = |at: usize| matches!(self.written_pause(at), Pause::Short | Pause::Turn);
        let length = || self.length(at, &ASIDES).or_else(|| self.length(at, &CLAUSES.asides));
        short(at) && length().is_some_and(|length| short(at + length))
    }

    /// The pause before the word opens an aside: it lies right behind the negation, and another pause closes the aside in
    /// the same sentence. The search is short, so that it finds an aside only.
    fn opens_aside(self, at: usize, state: Option<Reach>) -> bool {
        const LONGEST_ASIDE: usize = 8;
        let right_behind = state.is_some_and(|reach| reach.said == Said::Negated && reach.since as usize + 1 == at);
        let mut pauses = (at + 1..=at + LONGEST_ASIDE).map(|at| self.written_pause(at));
        right_behind && pauses.find(|pause| *pause != Pause::None) == Some(Pause::Short)
    }

    /// The negation that may reach on behind an aside with a verb or a noun: "not say that the claim, which is late, |
    /// was paid", "not think that the claim, the old one, | was paid".
    fn resumed(self, at: usize, found: &[Reach]) -> Option<Reach> {
        /// The most words of such asides.
        const LONGEST: usize = 24;
        let relative = |at: usize| matches!(self.word(at), "which" | "who" | "whose" | "where");
        let asks = self.is_in(at + 1, &CLAUSES.pronouns) || self.is_in(at + 1, &CLAUSES.determiners);
        let verb = self.is_verb(at) && !asks;
        if !verb && self.begins(at) != Begins::Inside {
            return None;
        }
        let asides = (self.sentence_start(at) + 1..at).rev().take(LONGEST);
        let asides = asides.filter(|at| self.pause(*at) == Pause::Short);
        let negated = |at: usize| found.get(at - 1).filter(|reach| reach.said != Said::Plain);
        let inside = |at: usize| self.begins(at) == Begins::Inside && !self.is_verb(at);
        let mut asides = asides.take_while(|at| relative(*at) || inside(*at));
        let noun = |at: usize| verb && (self.is_in(at, &CLAUSES.determiners) || self.is_capital(at));
        let from = asides.find_map(|at| negated(at).filter(|_| relative(at) || noun(at)))?;
        Some(Reach { said: Said::Doubtful, ..*from })
    }

    /// For each word: an "or" or "nor" that starts no clause follows in its sentence.
    fn closed_by_or(self) -> Vec<bool> {
        let mut closed = vec![false; self.len()];
        let mut ahead = false;
        for (at, place) in closed.iter_mut().enumerate().rev() {
            ahead |= self.is(at, Marks::OR) && !self.is(at + 1, Marks::STARTS);
            *place = ahead;
            ahead &= self.pause(at) != Pause::Sentence;
        }
        closed
    }

    /// The word is the "no" of a number: "claim no 4471 will be paid", not "has no 2 copies".
    fn is_number_sign(self, at: usize) -> bool {
        let joined = |at: usize| self.written_pause(at) == Pause::None;
        let runs = |at: usize| joined(at) && self.kind(at) == Some(Kind::Number);
        let Some(before) = at.checked_sub(1) else { return false };
        if self.word(at) != "no" || !joined(at) || !runs(at + 1) {
            return false;
        }
        let behind = (at + 2..self.len()).find(|next| !runs(*next)).filter(|at| joined(*at));
        let alone = behind.is_none_or(|at| self.is_verb(at) || self.is_in(at, &CLAUSES.no_subject));
        let verb =
            self.is_verb(before) || self.is_in(before, &CLAUSES.no_subject) || self.is_in(before, &CLAUSES.takes);
        self.kind(before) == Some(Kind::Word) && (self.is_in(before, &NUMBERED) || (alone && !verb))
    }

    /// The word is a "no" that answers, rather than negates the words behind it.
    fn is_answer(self, at: usize) -> bool {
        matches!(self.word(at), "no" | "nope")
            && (self.written_pause(at + 1) != Pause::None
                || (self.opens(at) && self.is_in(at + 1, &NEGATIONS.answer_before)))
    }

    /// Nothing but words like "okay" is before a word in its clause.
    fn opens(self, at: usize) -> bool {
        at == 0 || self.written_pause(at) != Pause::None || CLAUSES.openers.contains(self.word_before(at))
    }

    /// The last word of a negation behind a phrase that ends with a word: "it is | not", "approved | it is not".
    pub(super) fn negated_behind(self, last: usize) -> Option<usize> {
        let next = last + 1;
        let joined = self.written_pause(next) == Pause::None;
        if joined && self.is(last, Marks::AUXILIARY) && self.word(next) == "not" {
            return Some(next);
        }
        let inverted = self.is_in(next, &CLAUSES.pronouns)
            && self.is(next + 1, Marks::AUXILIARY)
            && self.word(next + 2) == "not"
            && self.written_pause(next + 3) >= Pause::Turn
            && (next..=next + 2).all(|at| self.written_pause(at) <= Pause::Short);
        // Spanish: "pagada no fue"
        let spanish = self.word(next) == "not"
            && self.is(next + 1, Marks::AUXILIARY)
            && self.joined(next + 1)
            && self.written_pause(next + 2) >= Pause::Turn;
        // Spanish: "mañana no, tengo que trabajar"
        let denied = self.word(next) == "not" && self.joined(next) && self.written_pause(next + 1) != Pause::None;
        // "the test result is negative" denies no result
        let result = matches!(self.word(last), "result" | "results" | "test" | "tests" | "scan" | "screening");
        let denies = |length: &usize| joined && !(result && self.word(last + length) == "negative");
        match self.length(next, &NEGATIONS.behind).filter(denies) {
            Some(length) => Some(next + length - 1),
            None if spanish => Some(next + 1),
            None if denied => Some(next),
            None => inverted.then_some(next + 2),
        }
    }
}
