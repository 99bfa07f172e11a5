//! How a clause means its words: it states them, asks, makes a condition, speaks of the future, doubts, or reports the
//! words of somebody else (`data/stance.txt`).

use super::clauses::{Begins, Spoken};
use crate::marks::Marks;
use crate::normalize::{Kind, Pause};
use crate::tables::{CLAUSES, NEGATIONS, STANCE};

/// The reasons why a word is not stated; empty if it is stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stance(u16);

impl Stance {
    /// In a question.
    pub const ASKED: Self = Self(1);
    /// In a condition.
    pub const CONDITIONAL: Self = Self(2);
    /// It will be, it must be, or it is hoped for.
    pub const FUTURE: Self = Self(4);
    /// The words of somebody else.
    pub const REPORTED: Self = Self(8);
    /// The speaker is not sure.
    pub const HEDGED: Self = Self(16);
    /// It depends on a condition next to it, or a question may follow.
    pub const DEPENDS: Self = Self(32);
    /// Somebody says so who is not believed.
    pub const CLAIMED: Self = Self(64);
    /// A condition may still reach it: undecidable.
    pub const PERHAPS_CONDITIONAL: Self = Self(128);
    /// It was so once.
    pub const PAST: Self = Self(256);

    const NAMES: [(Self, &'static str); 9] = [
        (Self::ASKED, "asked"),
        (Self::CONDITIONAL, "conditional"),
        (Self::FUTURE, "future or needed"),
        (Self::REPORTED, "reported"),
        (Self::HEDGED, "doubted"),
        (Self::DEPENDS, "depends on a condition"),
        (Self::CLAIMED, "claimed by somebody"),
        (Self::PERHAPS_CONDITIONAL, "perhaps conditional"),
        (Self::PAST, "past"),
    ];

    /// True if any of these reasons is among them.
    pub const fn any(self, of: Self) -> bool {
        self.0 & of.0 != 0
    }

    /// Both.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// True for a statement.
    pub fn is_stated(self) -> bool {
        self == Self::default()
    }

    /// True for a statement, and for one with a condition next to it or with a condition that perhaps reaches it.
    pub fn may_be_stated(self) -> bool {
        self.without(Self::DEPENDS).without(Self::PERHAPS_CONDITIONAL).is_stated()
    }

    /// The same without what was so once: the words of a phrase may say so.
    pub(super) const fn without_past(self) -> Self {
        self.without(Self::PAST)
    }

    /// The reasons in words.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().filter(move |(one, _)| self.any(*one)).map(|(_, name)| name)
    }
}

/// The most words that a condition reaches for sure in a sentence without punctuation.
const FAR: usize = 8;

/// The longest question without its mark, in words.
const LONGEST: usize = 64;

pub(super) fn stances(spoken: Spoken<'_>) -> Vec<Stance> {
    let found = vec![Stance::default(); spoken.len()];
    let mut reader = Reader { spoken, found, kept: Stance::default(), condition: None, then: Stance::default() };
    reader.read();
    reader.found
}

struct Reader<'a> {
    spoken: Spoken<'a>,
    found: Vec<Stance>,
    /// The reasons that reach on from the words before.
    kept: Stance,
    /// The first word of the condition that a word belongs to, and whether the condition has its verb.
    condition: Option<(usize, bool)>,
    /// The label of the clause behind the condition.
    then: Stance,
}

impl Reader<'_> {
    fn read(&mut self) {
        let spoken = self.spoken;
        let (mut before, mut clause) = (0, 0);
        let mut depends = false;
        for at in 0..spoken.len() {
            let begins = spoken.begins(at);
            let sentence = spoken.sentence_start(at);
            let earlier = spoken.sentence_before(at);
            if begins == Begins::Sentence && at > 0 {
                self.depend(earlier, at, depends);
                depends = false;
            }
            if begins >= Begins::Clause {
                // a tag asks about the clause before its comma, but not about the sentence before
                before = if begins == Begins::Sentence { at } else { clause };
                clause = at;
            }
            self.end(at, begins);
            let far = self.is_far(at);
            let perhaps = || self.kept.without(Stance::CONDITIONAL).and(Stance::PERHAPS_CONDITIONAL);
            self.put(at, at + 1, if far { perhaps() } else { self.kept });
            depends |= self.mark(at);
            if let Some((from, stance)) = spoken.said_behind(at) {
                self.put(if from == clause { before } else { clause }, from, stance);
            }
            if spoken.depends(at) {
                depends = true;
                // "Approved. That is subject to review.", but not "Confirmed. Depending on traffic, come early."
                let in_turn =
                    sentence.checked_sub(1).is_some_and(|before| spoken.segment(before) == spoken.segment(at));
                let reaches = matches!(spoken.word(at), "subject" | "awaiting" | "pending");
                self.depend(earlier, sentence, at <= sentence + 2 && in_turn && reaches);
            }
            if begins >= Begins::Bare
                && let Some(verb) = spoken.question_at(at)
            {
                let end = (verb + 1..spoken.len()).take(LONGEST).find(|at| spoken.begins(*at) >= Begins::Clause);
                self.put(at, end.unwrap_or(at + 1 + LONGEST), Stance::ASKED);
            } else if spoken.may_ask(at) {
                let end = (at + 2..spoken.len()).take(LONGEST).find(|at| spoken.begins(*at) >= Begins::Clause);
                self.put(at, end.unwrap_or(at + 2 + LONGEST), Stance::DEPENDS);
            }
            if let Some(end) = spoken.was_so_once(at) {
                self.put(at + 1, end, Stance::DEPENDS);
            }
            if spoken.asked_behind(at) {
                let from = if spoken.is_tag(clause, at) { before } else { clause };
                self.put(from, at + 1, Stance::ASKED);
            } else if let Some((from, stance)) = spoken.tagged(sentence, at) {
                self.put(from, at, stance);
            }
        }
        self.depend(spoken.sentence_start(spoken.len().saturating_sub(1)), spoken.len(), depends);
    }

    fn put(&mut self, from: usize, to: usize, stance: Stance) {
        for place in self.found.iter_mut().take(to).skip(from) {
            *place = place.and(stance);
        }
    }

    /// Without punctuation, a condition may have ended before the word at `at`.
    fn is_far(&self, at: usize) -> bool {
        self.condition.is_some_and(|(from, _)| at > from + FAR && self.spoken.is_open(at))
    }

    fn depend(&mut self, from: usize, to: usize, depends: bool) {
        for place in self.found.iter_mut().take(to).skip(from).filter(|_| depends) {
            if !place.any(Stance::CONDITIONAL.and(Stance::PERHAPS_CONDITIONAL)) {
                *place = place.and(Stance::DEPENDS);
            }
        }
    }

    /// Ends the reasons that do not reach the word at `at`.
    fn end(&mut self, at: usize, begins: Begins) {
        let spoken = self.spoken;
        // "if you can not urinate or you see clots"
        let goes_on = spoken.word(at) == "or" || (spoken.word_before(at) == "or" && spoken.joined(at));
        if self.condition.is_some() && goes_on && spoken.joined(at) && !spoken.is_open(at) {
            return;
        }
        let paused = matches!(spoken.pause(at), Pause::Short | Pause::Turn);
        let ends = |(from, verb): (usize, bool)| verb && (paused || (begins == Begins::Bare && at > from + 1));
        let ended = begins >= Begins::Clause || self.condition.is_some_and(ends);
        let far = self.is_far(at) && spoken.word(at) != "then" && spoken.word_before(at) != "then";
        match begins {
            Begins::Sentence | Begins::Clause => self.kept = Stance::default(),
            // what somebody says goes on: "he said | it was approved"
            Begins::Bare => self.kept = self.kept.without(Stance::FUTURE).without(Stance::PAST),
            Begins::Inside if spoken.word(at) == "now" => self.kept = self.kept.without(Stance::PAST),
            Begins::Inside => {}
        }
        if ended {
            self.condition = None;
            let own = [Stance::CONDITIONAL, Stance::PERHAPS_CONDITIONAL, Stance::DEPENDS, Stance::FUTURE];
            self.kept = own.into_iter().fold(self.kept, Stance::without);
        }
        if begins == Begins::Sentence || (ended && far) || spoken.is_in(at, &NEGATIONS.but) {
            self.then = Stance::default();
        }
        let begins_or_ends = ended || begins > Begins::Inside;
        if self.then.is_stated() || self.condition.is_some() || !begins_or_ends {
            return;
        }
        if spoken.gives_contact(at) {
            self.then = Stance::default();
            return;
        }
        if spoken.is_consequence(at) {
            self.condition = Some((at, false));
            // advice is given, though not for every case: "if it gets worse, you should come in"
            // not "you must send it again", "we will pay"
            let advice = matches!(spoken.word(at), "i" | "you" | "we") && spoken.is_modal(at + 1);
            // "if that happens, we will get you in"
            let that = |at: usize| spoken.word(at) == "if" && matches!(spoken.word(at + 1), "this" | "that");
            let binds = matches!(spoken.word(at + 1), "must" | "will");
            let bound = self.then == Stance::DEPENDS || (binds && !(spoken.sentence_start(at)..at).any(that));
            let later = if advice && bound { Stance::FUTURE } else { Stance::default() };
            self.kept = self.kept.and(later).and(if advice && !bound { Stance::DEPENDS } else { self.then });
        }
        // without punctuation the condition reaches one clause
        let once = self.condition.is_some() && spoken.is_open(at);
        self.then = match self.then {
            _ if once => Stance::default(),
            Stance::DEPENDS => Stance::DEPENDS,
            _ => Stance::PERHAPS_CONDITIONAL,
        };
    }

    /// Notes the reasons that begin at `at`; true for a condition.
    fn mark(&mut self, at: usize) -> bool {
        let spoken = self.spoken;
        if let Some((from, verb)) = &mut self.condition
            && at > *from
        {
            let before = spoken.word_before(at);
            *verb |= CLAUSES.subjects.contains(before) || matches!(before, "you" | "it") || spoken.is_verb(at);
        }
        if !spoken.is(at, Marks::STANCE) {
            return false;
        }
        // not "two pending. The new date"
        let inside = |length: &usize| (at + 1..at + length).all(|at| spoken.pause(at) < Pause::Sentence);
        let begins = |any| spoken.length(at, any).filter(inside).is_some();
        if spoken.is_request(at) {
            self.kept = self.kept.and(Stance::FUTURE);
            self.then = spoken.consequence(at);
            // "so the fourteenth, if you have anything"
            let behind = (spoken.sentence_start(at)..at).any(|at| !spoken.is_in(at, &CLAUSES.openers));
            return behind && matches!(spoken.word(at + 1), "i" | "you" | "we");
        }
        let condition = match spoken.word(at) {
            "otherwise" => spoken.otherwise(at),
            _ => begins(&STANCE.conditional).then_some(Stance::CONDITIONAL),
        };
        if let Some(stance) = condition.or_else(|| spoken.open_clause(at)) {
            self.condition = Some((at, false));
            self.kept = self.kept.and(stance);
            self.then = spoken.consequence(at);
            return spoken.word(at) != "whether";
        }
        // not "it is used to treat pain", "i am used to it"
        if begins(&STANCE.past) && !at.checked_sub(1).is_some_and(|at| spoken.is(at, Marks::AUXILIARY)) {
            self.kept = self.kept.and(Stance::PAST);
        }
        // not "they have to tell you"
        let own = matches!(spoken.word_before(at), "i" | "we" | "just" | "do" | "also")
            || matches!(spoken.word(at), "you" | "should" | "let");
        if own && begins(&STANCE.tells) {
            self.kept = self.kept.without(Stance::FUTURE);
        } else if begins(&STANCE.future) || begins(&STANCE.need) {
            self.kept = self.kept.and(Stance::FUTURE);
        }
        // the month does not hedge
        let month = spoken.word(at) == "may" && spoken.kind(at + 1).is_some_and(|kind| kind != Kind::Word);
        if let Some(length) = spoken.length(at, &STANCE.hedge).filter(|_| !month) {
            self.kept = self.kept.and(Stance::HEDGED);
            // "i believe, do not quote me on this, it is until friday"
            let before = at.checked_sub(1).filter(|before| *before >= spoken.sentence_start(at));
            let opens = before.is_none_or(|before| spoken.is_in(before, &CLAUSES.openers));
            let sure = spoken.word(at + length - 1) != "sure";
            if opens && sure && matches!(spoken.word(at), "i" | "we") && spoken.pause(at + length) == Pause::Short {
                let ends = |at: &usize| spoken.begins(*at) == Begins::Sentence || spoken.is_in(*at, &NEGATIONS.but);
                let end = (at + 1..at + LONGEST).find(ends);
                self.put(at, end.unwrap_or(at + LONGEST), Stance::HEDGED);
            }
        }
        let reported = match (spoken.word(at), spoken.word(at + 1)) {
            ("according", "to") => !spoken.source(at + 1).any(|at| spoken.is_in(at, &STANCE.records)),
            // Spanish: "según el doctor"
            ("according", _) => {
                spoken.names_person(at) && !spoken.source(at).any(|at| spoken.is_in(at, &STANCE.records))
            }
            _ => begins(&STANCE.reported) && !spoken.is_own(at) && !spoken.is_of_claims(at),
        };
        if reported {
            let claimed = if begins(&STANCE.claimed) { Stance::CLAIMED } else { Stance::default() };
            self.kept = self.kept.and(Stance::REPORTED).and(claimed);
            if let Some((from, to)) = spoken.opinion(at) {
                self.put(from, to, Stance::REPORTED);
            }
        }
        false
    }
}

impl Spoken<'_> {
    /// "approved pending review", "approved subject to review": not "it is pending review".
    fn depends(self, at: usize) -> bool {
        let itself = |before: usize| {
            self.is(before, Marks::AUXILIARY)
                || self.is_in(before, &CLAUSES.determiners)
                || matches!(self.word(before), "a" | "an" | "still" | "currently" | "now")
        };
        self.is(at, Marks::STANCE)
            && self.begins_with(at, &STANCE.depends)
            && (self.word(at) == "subject" || !at.checked_sub(1).filter(|_| self.joined(at)).is_some_and(itself))
    }

    /// The label of the clause behind a condition that comes first: "if it is high, you have diabetes". In "if you look, it
    /// is paid" it may be stated.
    fn consequence(self, at: usize) -> Stance {
        let long = matches!(self.word(at + 1), "long" | "soon");
        let joins = long || matches!(self.word(at), "if" | "unless" | "assuming" | "provided" | "once" | "when");
        let first = self.begins(at) >= Begins::Clause || self.is_in(at.saturating_sub(1), &CLAUSES.openers);
        let request = self.is_request(at) && (self.word(at + 2) != "have" || self.is_open(at));
        // "if your doctor has any questions, our fax number is 555"
        let asks =
            |at: usize| matches!(self.word(at), "question" | "questions" | "pregunta" | "preguntas" | "duda" | "dudas");
        let questions = (at + 1..at + 9).take_while(|at| self.joined(*at)).any(asks);
        match self.word(if long { at + 3 } else { at + 1 }) {
            _ if !joins || !first || request || questions || self.begins_with(at, &STANCE.offers) => Stance::default(),
            _ if matches!(self.word(at), "once" | "when") || self.word(at + 1) == "soon" => Stance::DEPENDS,
            "i" | "you" | "we" | "this" | "that" | "everything" => Stance::PERHAPS_CONDITIONAL,
            _ => Stance::CONDITIONAL,
        }
    }

    /// The words behind a condition are its consequence: not "hang up", "can you".
    fn is_consequence(self, at: usize) -> bool {
        let from = at + usize::from(matches!(self.word(at), "then" | "and" | "or" | "so" | "yes"));
        [&CLAUSES.pronouns, &CLAUSES.subjects, &CLAUSES.determiners].into_iter().any(|set| self.is_in(from, set))
            || self.kind(from).is_some_and(|kind| kind != Kind::Word)
            || (self.pause(at) == Pause::Short && self.is_capital(at))
            || self.is_bare_noun(from)
    }

    /// "prior authorization is", "claims have": not "call the nurse who is".
    fn is_bare_noun(self, at: usize) -> bool {
        const LONGEST: usize = 5;
        let other = [&CLAUSES.pronouns, &CLAUSES.determiners, &CLAUSES.subordinates, &CLAUSES.anew, &CLAUSES.starts];
        let command = self.is_in(at, &CLAUSES.perhaps_starts) || self.is(at, Marks::AUXILIARY);
        let mut words = (at..at + LONGEST).take_while(|next| {
            (*next == at || self.joined(*next))
                && (self.is_verb(*next) || !other.iter().any(|set| self.is_in(*next, set)))
        });
        !command && words.any(|next| next > at && self.is_verb(next))
    }

    /// A request in the form of a condition: not "if you can not", "if not approved by friday".
    fn is_request(self, at: usize) -> bool {
        let end = self.length(at, &STANCE.request).map(|length| at + length);
        end.is_some_and(|end| self.word(end) != "not" && (self.word(end - 1) != "not" || !self.joined(end)))
    }

    /// "Otherwise the claim is closed": not "otherwise you are all set".
    fn otherwise(self, at: usize) -> Option<Stance> {
        let set = matches!(self.word(at + 1), "i" | "that" | "this" | "there" | "everything" | "all")
            || (self.word(at + 1) == "you" && self.word(at + 2) == "are");
        let sure = self.pause(at) == Pause::Short;
        let stance = if sure { Stance::CONDITIONAL } else { Stance::PERHAPS_CONDITIONAL };
        (!set && self.is_consequence(at + 1)).then_some(stance)
    }

    /// Without punctuation a question may begin: "the deductible is it met".
    fn may_ask(self, at: usize) -> bool {
        let be = matches!(self.word(at), "is" | "was" | "can" | "could" | "will" | "would");
        let before =
            at.checked_sub(1).filter(|_| self.joined(at) && be && self.is_open(at) && self.word(at + 1) == "it");
        let other = |before: usize| {
            self.is(before, Marks::AUXILIARY)
                || [&CLAUSES.pronouns, &CLAUSES.no_subject].into_iter().any(|set| self.is_in(before, set))
                || matches!(self.word(before), "neither" | "so" | "what" | "how")
        };
        before.is_some_and(|before| !other(before)) && self.joined(at + 2)
    }

    /// The end of a clause with "was" where what is so now follows: "i was on metformin but i am on ozempic now".
    fn was_so_once(self, at: usize) -> Option<usize> {
        const FAR: usize = 12;
        if !matches!(self.word(at), "was" | "were") {
            return None;
        }
        let inside = |next: &usize| self.sentence_start(*next) == self.sentence_start(at);
        (at + 1..at + FAR).take_while(inside).find(|next| {
            let begins = self.word(*next) == "now" && self.is_in(next + 1, &CLAUSES.pronouns) && self.is_verb(next + 2);
            let now = || (next + 1..next + FAR).take_while(inside).any(|at| self.word(at) == "now");
            begins || (self.word(*next) == "but" && now())
        })
    }

    /// "Our fax number is", "the address is": so under any condition.
    fn gives_contact(self, at: usize) -> bool {
        const FAR: usize = 5;
        let named = |at: usize| matches!(self.word(at), "number" | "n\u{fa}mero" | "address" | "extension" | "line");
        (at + 1..at + FAR).take_while(|at| self.joined(*at)).any(|at| named(at) && self.is(at + 1, Marks::AUXILIARY))
    }

    fn is_modal(self, at: usize) -> bool {
        matches!(self.word(at), "can" | "could" | "will" | "would" | "shall" | "should" | "may" | "must" | "need")
    }

    /// The first word of a last sentence that may suppose something: "so it is approved".
    pub(super) fn supposition(self) -> Option<usize> {
        const LONGEST: usize = 10;
        let last = self.len().checked_sub(1)?;
        let start = self.sentence_start(last);
        let mut opens = (start..=last).take_while(|at| self.word(*at) == "then" || self.is_in(*at, &CLAUSES.openers));
        (opens.any(|at| matches!(self.word(at), "so" | "then")) && last - start < LONGEST).then_some(start)
    }

    /// The first word of a short last sentence without marks that may ask by its tone: "and that one is approved", "generic
    /// okay", which may be an answer itself (`answers`), "you are still on it".
    pub(super) fn asks_by_tone(self, answers: bool) -> Option<usize> {
        const LONGEST: usize = 8;
        const NO_VERB: usize = 3;
        let last = self.len().checked_sub(1).filter(|last| self.is_open(*last))?;
        let start = self.sentence_start(last);
        let first = (start..=last).find(|at| !self.is_in(*at, &CLAUSES.openers))?;
        let opens = (start..first).any(|at| matches!(self.word(at), "so" | "and")) || self.word(first) == "you";
        let word = |at: usize| self.kind(at) == Some(Kind::Word) && !self.is_verb(at);
        let no_verb = !answers && (2..=NO_VERB).contains(&(last + 1 - first)) && (first..=last).all(word);
        (last - start < LONGEST && (opens || no_verb)).then_some(start)
    }

    /// The words hold a question, or a word of one: "what kind is it".
    pub(super) fn may_be_question(self, stances: &[Stance]) -> bool {
        let word = |at: usize| matches!(self.word(at), "what" | "which" | "who" | "how" | "when" | "where");
        stances.iter().any(|one| one.any(Stance::ASKED)) || (0..self.len()).any(word)
    }

    /// The words begin with a yes that answers: not "yes thank you".
    pub(super) fn affirms_first(self) -> bool {
        let thanks =
            matches!(self.word(1), "thank" | "thanks" | "perfect" | "great" | "please" | "okay" | "ok" | "got");
        matches!(self.word(0), "yes" | "yeah" | "yep" | "yup" | "correct") && !thanks
    }

    /// The words begin with an answer that denies: "not yet", "no", "no, it is pending".
    pub(super) fn denies_first(self) -> bool {
        let no = matches!(self.word(0), "no" | "nope" | "nah") && !self.begins_with(0, &NEGATIONS.harmless);
        let answers = self.pause(1) > Pause::None || self.is_in(1, &NEGATIONS.answer_before);
        (no && answers) || self.begins_with(0, &NEGATIONS.denies)
    }

    /// The label of "once it is approved", "when it is approved": not of "once a day" or "when it was approved". Whether what
    /// is awaited is a condition of the rest depends on the speaker: "until you reach your maximum of 3,000 dollars".
    fn open_clause(self, at: usize) -> Option<Stance> {
        const FAR: usize = 6;
        let subject = || {
            let sets = [&CLAUSES.subjects, &CLAUSES.verb_subjects, &CLAUSES.determiners];
            sets.into_iter().any(|set| self.is_in(at + 1, set))
        };
        if !self.is_in(at, &STANCE.conditional_clause) || !subject() || self.asked_behind(at) {
            return None;
        }
        let open = |at: usize| self.is_in(at, &STANCE.open);
        let verbs = || (at + 2..at + FAR).take_while(|at| self.joined(*at));
        let later = matches!(self.word(at), "once" | "until" | "till");
        let after = || self.word(at) == "after" && (at + 2..at + FAR).any(|at| self.is_in(at, &STANCE.awaited));
        match verbs().find(|at| self.is(*at, Marks::AUXILIARY) || open(*at)) {
            // "when it comes to your copay"
            Some(verb) if self.word(verb) == "comes" && self.word(verb + 1) == "to" => None,
            // "once the notes were received, we approved it"
            Some(verb) if self.word(at) == "once" && matches!(self.word(verb), "was" | "were" | "had" | "did") => None,
            Some(verb) => (open(verb) || later).then_some(Stance::CONDITIONAL),
            None if later || self.word(at) == "when" || after() => {
                let awaited = |at: usize| self.is_in(at, &STANCE.awaited) && self.word_before(at) != "to";
                // what is awaited once is not stated
                let once = Stance::PERHAPS_CONDITIONAL.and(Stance::FUTURE);
                let stance = if self.word(at) == "once" { once } else { Stance::DEPENDS };
                verbs().any(awaited).then_some(stance)
            }
            None => None,
        }
    }

    /// "for new claims it is ninety days"
    fn is_of_claims(self, at: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).map(|at| self.word(at)).unwrap_or_default();
        let of = |word: &str| matches!(word, "for" | "of" | "on" | "in" | "with");
        let own = matches!(before(1), "all" | "any" | "your" | "our") || of(before(1));
        let named = CLAUSES.determiners.contains(before(1)) || CLAUSES.pronouns.contains(before(1));
        self.word(at) == "claims" && (own || (of(before(2)) && !named))
    }

    /// A record, or the speaker, says what the verb at `at` says.
    fn is_own(self, at: usize) -> bool {
        const FAR: usize = 6;
        let mut passive = false;
        for index in (at.saturating_sub(FAR)..at).rev() {
            if self.begins(index + 1) >= Begins::Clause {
                break;
            }
            let word = self.word(index);
            passive |= matches!(word, "was" | "were" | "been" | "being");
            match word {
                "i" | "we" => return self.is_in(at, &STANCE.saying) && (!passive || self.word(at).ends_with("ing")),
                "it" => return !passive,
                _ if STANCE.records.contains(word) => return true,
                "he" | "she" | "they" | "you" | "who" | "someone" | "somebody" => return false,
                _ => {}
            }
        }
        // "says here that it was paid"
        self.word(at + 1) == "here"
    }

    /// The words behind an "according to" up to a pause.
    fn source(self, at: usize) -> impl Iterator<Item = usize> {
        (at + 1..at + 5).take_while(move |at| self.joined(*at))
    }

    /// A person is named behind an "according", or somebody who said it: "según me dijo".
    fn names_person(self, at: usize) -> bool {
        matches!(self.word(at + 1), "he" | "she" | "they" | "you")
            || self.source(at).any(|at| self.is_in(at, &STANCE.persons) || self.is_in(at, &STANCE.saying))
    }

    /// The clause behind "according to my wife," and its comma. "According to your plan," names no person.
    fn opinion(self, at: usize) -> Option<(usize, usize)> {
        const FAR: usize = 6;
        let to = usize::from(self.word(at + 1) == "to");
        let person = matches!(self.word(at + 2), "my" | "his" | "her" | "him" | "them") || self.names_person(at + to);
        let next = |from: usize, most: usize| (from..from + most).find(|at| self.begins(*at) >= Begins::Clause);
        let from = next(at + 2 + to, FAR).filter(|from| self.begins(*from) == Begins::Clause)?;
        (person && self.word(at) == "according").then(|| (from, next(from + 1, LONGEST).unwrap_or(from + 1 + LONGEST)))
    }

    /// The first word of "the nurse said" or "i think" behind the words that it reports or doubts, and how it labels them.
    fn said_behind(self, at: usize) -> Option<(usize, Stance)> {
        const FAR: usize = 3;
        if !self.is(at, Marks::STANCE) {
            return None;
        }
        // not "it can be refunded"
        let doubt = self.length(at, &STANCE.hedge).filter(|_| !self.is(at, Marks::AUXILIARY));
        let length = doubt.or_else(|| self.length(at, &STANCE.reported))?;
        let end = at + length + usize::from(matches!(self.word(at + length), "me" | "us" | "so"));
        let begins = |at: usize| self.pause(at) == Pause::Short || (doubt.is_some() && self.begins(at) == Begins::Bare);
        let from = (at.saturating_sub(FAR)..=at).rev().find(|at| begins(*at));
        if doubt.is_some() {
            // ", i am pretty sure", ", most likely"; else an adverb at the end of its clause
            let auxiliaries = |from: &usize| (from + 1..at).all(|at| self.is(at, Marks::AUXILIARY));
            let own = from.filter(auxiliaries).filter(|_| self.pause(end) >= Pause::Short);
            let last = || Some(at).filter(|_| length == 1 && self.pause(end) >= Pause::Turn);
            return own.or_else(last).map(|from| (from, Stance::HEDGED));
        }
        // not "sooner than expected", "as they said"
        let person = |from: &usize| self.is_in(*from, &CLAUSES.pronouns) || self.is_in(*from, &CLAUSES.determiners);
        let ends = self.pause(end) >= Pause::Turn && !self.is_own(at);
        from.filter(person).filter(|_| ends).map(|from| (from, Stance::REPORTED))
    }

    /// The verb of a question without its mark: "was it approved", "when was it approved".
    fn question_at(self, at: usize) -> Option<usize> {
        /// The most words before it: "okay so", "um".
        const OPENERS: usize = 3;
        let opens = |at: &usize| {
            let word = self.word(*at);
            self.is_in(*at, &CLAUSES.openers) || matches!(word, "great" | "alright" | "perfect" | "sure" | "yeah")
        };
        let (sentence, opened) = (self.sentence_start(at), at);
        let openers = (at..at + OPENERS).take_while(opens).count();
        let at = if at == sentence { at + openers } else { at };
        // "how long is that going to take", "how many refills are left"
        let how = Some(self.word(at + 1)).filter(|_| self.word(at) == "how" && at <= sentence + OPENERS);
        let measured = how.is_some_and(|word| STANCE.measures.contains(word));
        // "how long's that"
        if how.and_then(|word| word.strip_suffix('s')).is_some_and(|word| STANCE.measures.contains(word)) {
            return Some(at + 1);
        }
        let named = |at: usize| self.is_in(at, &CLAUSES.pronouns) || self.is_in(at, &CLAUSES.determiners);
        let until = |next: &usize| self.joined(*next) && !named(*next);
        let verb = (at + 2..at + 6).take_while(until).find(|next| self.is(*next, Marks::AUXILIARY));
        if let Some(verb) = verb.filter(|_| measured) {
            return Some(verb);
        }
        // "So was the CT.", "so have your provider fax it"
        let so = self.word_before(at) == "so" && (opened..at).all(|at| matches!(self.word(at), "so" | "and"));
        let short = (at..at + 5).any(|at| self.pause(at + 1) >= Pause::Turn);
        if so && (short || self.word(at) == "have") {
            return None;
        }
        let asks = matches!(self.word(at), "what" | "when" | "where" | "why" | "how" | "which" | "who");
        let first = at + usize::from(asks);
        let (verb, subject) = (self.word(first), self.word(first + 1));
        let names = CLAUSES.pronouns.contains(subject)
            || CLAUSES.determiners.contains(subject)
            || (opened == sentence && matches!(subject, "doctor" | "dr" | "mr" | "mrs" | "ms"));
        let may = verb != "may" || matches!(subject, "i" | "we");
        let inverted = self.is(first, Marks::AUXILIARY) && may && self.joined(first + 1);
        (inverted && names && (asks || !matches!(verb, "should" | "had" | "were"))).then_some(first)
    }

    /// The first word that a tag without its mark asks about, and how: "paid is that correct"; perhaps "it was paid right".
    fn tagged(self, sentence: usize, at: usize) -> Option<(usize, Stance)> {
        if !self.is_open(at) || self.pause(at + 1) < Pause::Turn {
            return None;
        }
        let before = at.checked_sub(1).filter(|before| *before > sentence)?;
        // "it is covered is not it", "you have it do not you"
        let first = before.checked_sub(1).filter(|first| *first > sentence + 1 && self.word(before) == "not");
        if let Some(first) = first.filter(|first| self.is_tag(*first, at) && self.is_in(at, &CLAUSES.pronouns)) {
            let own = self.is_in(first - 1, &CLAUSES.pronouns);
            let from = self.clause_start(first - 1);
            // "you have | my insurance do not you"
            let has_verb = (from..first).any(|at| self.is_verb(at)) || self.is_in(from, &CLAUSES.pronouns);
            let from = if has_verb { from } else { self.clause_start(from.saturating_sub(1)) };
            return (!own).then_some((from, Stance::ASKED));
        }
        if !matches!(self.word(at), "right" | "correct") {
            return None;
        }
        let tag = |from: &usize| self.is_tag(*from, at) && !self.is_in(*from - 1, &CLAUSES.pronouns);
        if let Some(tag) = (before.saturating_sub(3).max(sentence + 1)..before).find(tag) {
            return Some((self.clause_start(tag - 1), Stance::ASKED));
        }
        let own = [&CLAUSES.determiners, &CLAUSES.no_subject].into_iter().any(|set| self.is_in(before, set));
        let alone = !own && !self.is_verb(before) && self.word(before) != "all";
        let from = self.clause_start(before);
        let clause = (from..before).any(|at| self.is_verb(at)) || self.is_in(from, &CLAUSES.pronouns);
        (alone && clause).then_some((from, Stance::DEPENDS))
    }

    /// The words are a question at the end of a statement: "was it not", "is it", "does it", "right", "is that right".
    fn is_tag(self, first: usize, last: usize) -> bool {
        let word = self.word(last);
        let pronoun = word != "this" && CLAUSES.pronouns.contains(word);
        let auxiliary = self.is(first, Marks::AUXILIARY);
        let confirm =
            || self.is_in(first + 1, &CLAUSES.pronouns) && matches!(word, "right" | "correct" | "true" | "accurate");
        match last + 1 - first {
            3..=5 if auxiliary && confirm() => true,
            1 => matches!(word, "right" | "correct" | "yes" | "ok" | "okay" | "no" | "please"),
            2 => auxiliary && (pronoun || word == "correct"),
            3 => auxiliary && (pronoun || word == "not"),
            _ => false,
        }
    }
}
