//! Words that the speaker takes back: "the fifteenth, sorry, the sixteenth". The last one stated wins.

use std::ops::Range;

use super::clauses::{Begins, Spoken};
use super::listing::Class;
use super::negation::{Reach, Said};
use crate::marks::Marks;
use crate::normalize::{Kind, Pause};
use crate::tables::{ACKNOWLEDGEMENTS, CLAUSES, CORRECTIONS, FILLERS, SMALL, STANCE, UNITS, is_unit};

/// The most words between a value and the marker that takes it back ("fifteen milligrams, sorry").
const FAR_BEFORE: usize = 3;
/// The most words between a marker and the new value ("sorry, it is the sixteenth").
const FAR_BEHIND: usize = 5;
/// The most words between a value and its marker if the new value has the same unit ("fifteen milligrams twice a day with
/// food, sorry, fifty milligrams").
const FAR_UNIT: usize = 12;

/// The most words to read before a marker, and the most behind it.
const FAR_BACK: usize = 256;

/// The most words around a value that the other party repeats ("Okay, forty dollars, got it.").
const AROUND: usize = 5;

/// Tables that hold the first word of a marker.
const MARKER: Marks = Marks::CORRECTION.and(Marks::NO);

/// The words taken back in a stretch of turns, and those taken back of the turns before it.
#[derive(Default)]
pub(super) struct Corrections {
    /// For each word: it was taken back.
    pub(super) words: Vec<bool>,
    /// For each word: it was perhaps taken back.
    pub(super) perhaps: Vec<bool>,
    /// The same of values that are asked. A phrase counts as said in a question, too.
    pub(super) asked: Vec<bool>,
    pub(super) asked_perhaps: Vec<bool>,
    /// The state before a change, up to its "to": "moved from | A | to B".
    former: Vec<Range<usize>>,
    pub(super) earlier: Vec<Earlier>,
}

impl Corrections {
    /// Checks if something of these words was taken back. A phrase that contains the whole change is stated.
    pub(super) fn taken_back(&self, first: usize, last: usize) -> bool {
        let from = self.former.partition_point(|former| former.end <= first);
        let mut former = self.former.iter().skip(from).take_while(|former| former.start <= last);
        self.words.get(first..=last).unwrap_or_default().contains(&true) || former.any(|former| last <= former.end)
    }
}

pub(super) fn mark(words: &mut [bool], range: Range<usize>) {
    words.iter_mut().take(range.end).skip(range.start).for_each(|mark| *mark = true);
}

pub(super) struct Earlier {
    pub(super) segment: usize,
    /// A "no" begins the stretch: it replaces only what the other party repeats right before it.
    pub(super) answer: bool,
    /// It also replaces words of earlier turns in its own stretch.
    pub(super) own: bool,
    /// The names of the thing that is denied or corrected. Where the speaker has not named it before, it may be another thing.
    of: Vec<String>,
    new: New,
}

enum New {
    Value {
        class: Class,
        text: String,
        unit: Option<String>,
    },
    /// A month, else the digits of a day; whether the date has both.
    Date {
        month: bool,
        whole: bool,
        text: String,
    },
    /// Words; whether each begins with a capital.
    Words {
        words: Vec<(String, bool)>,
        row: Row,
    },
    Denied(Vec<String>),
    Nothing,
}

impl New {
    /// A number without a unit, and "right", mean something else as often: "sorry, one moment".
    fn is_clear(&self) -> bool {
        match self {
            Self::Value { class: Class::Run, unit, .. } => unit.as_deref().is_some_and(is_unit),
            Self::Value { text, .. } => text != "right",
            _ => true,
        }
    }
}

/// Markers that follow one another: "sorry, I meant".
#[derive(Clone, Copy)]
struct Row {
    start: usize,
    /// The first word behind them.
    new: usize,
    sure: bool,
    /// Takes something back for sure, however far away.
    far: bool,
    /// A "no" that answers the turn before.
    answer: bool,
    /// Admits a mistake before it: "my mistake". It counts even if no new value is found.
    admits: bool,
    /// Says that what is before it is of another thing: "that is the old plan".
    disowns: bool,
    /// More than one marker: "actually, sorry".
    several: bool,
}

impl Row {
    /// The most words before it, and behind it.
    fn reach(self) -> (usize, usize) {
        if self.far { (FAR_UNIT, FAR_UNIT) } else { (FAR_BEFORE, FAR_BEHIND) }
    }
}

/// The words of a date's month and day.
#[derive(Clone, Copy, Default)]
struct Date {
    month: Option<usize>,
    day: Option<usize>,
}

impl Date {
    fn is_whole(self) -> bool {
        self.month.is_some() && self.day.is_some()
    }

    fn last(self) -> Option<usize> {
        self.month.max(self.day)
    }
}

impl Spoken<'_> {
    pub(super) fn corrections(self, reaches: &[Reach]) -> Corrections {
        let none = vec![false; self.len()];
        let mut found = Corrections { words: none.clone(), perhaps: none.clone(), ..Corrections::default() };
        (found.asked, found.asked_perhaps) = (none.clone(), none);
        self.former(&mut found);
        let mut at = 0;
        let first = |start: usize| Row {
            start,
            new: start,
            sure: false,
            far: false,
            answer: false,
            admits: false,
            disowns: false,
            several: false,
        };
        let mut row = first(0);
        while at < self.len() {
            let marked = self.is(at, MARKER);
            if let Some(length) = marked.then(|| self.retracts(at)).flatten() {
                self.retract(at, self.word(at) == "wrong", &mut found);
                at += length;
            } else if let Some((old, _, false)) = marked.then(|| self.exchange(at)).flatten() {
                mark(&mut found.perhaps, self.class(old).map_or(old, |class| self.run_start(old, class))..at);
                at += 1;
            } else if let Some(length) = marked.then(|| self.marker(at).or_else(|| self.answer(at))).flatten() {
                if row.new != at {
                    row = first(at);
                }
                row.several |= at > row.start;
                row.answer |= self.marker(at).is_none();
                row.sure |= self.begins_with(at, &CORRECTIONS.strong) || self.word(at) == "no";
                let parted = row.start == 0 || !self.joined(row.start);
                row.disowns |= self.disowns(at).is_some();
                row.far |= row.disowns || (parted && self.begins_with(at, &CORRECTIONS.far));
                let wrong =
                    self.begins_with(at, &CORRECTIONS.retracts) || self.begins_with(at, &CORRECTIONS.retracts_at_end);
                row.admits |= wrong && (at > row.start || self.is_parted(at)) && !self.is_idle(at + length);
                at += length;
                at += if row.disowns { self.waits(at) } else { self.tells_change(at) };
                row.new = at;
                if self.marker(at).is_none() && !self.replace(row, reaches, &mut found) && row.admits {
                    self.retract(row.start, false, &mut found);
                }
            } else if let Some((old, _)) = self.contrast(at) {
                mark(&mut found.perhaps, old);
                at += 1;
            } else if let Some((not, _)) = self.not_that(at).filter(|_| self.is_opening(self.turn_start(at), at)) {
                let words = not.map(|at| self.word(at).to_owned()).filter(|word| is_content(word)).collect();
                let (segment, of) = (self.segment(at), Vec::new());
                found.earlier.push(Earlier { segment, answer: false, own: false, of, new: New::Denied(words) });
                at += 1;
            } else if marked && self.word(at) == "no" && self.is_before_no_noun(at) && !self.is_told(at) {
                // "Kathy with a K no with a C"
                mark(&mut found.perhaps, self.clause_start(at.saturating_sub(1)).max(self.turn_start(at))..at);
                at += 1;
            } else {
                at += 1;
            }
        }
        found
    }

    /// The number of words of "hold on" before a new sentence.
    fn waits(self, at: usize) -> usize {
        self.length(at, &CORRECTIONS.waits)
            .filter(|length| self.pause(at + length) == Pause::Sentence)
            .unwrap_or_default()
    }

    /// The number of words of a sentence that only tells of a change: "I'm sorry. It was changed last week. It is Thursday."
    fn tells_change(self, at: usize) -> usize {
        const LONGEST: usize = 7;
        let verb = at + 2 + usize::from(self.word(at + 2) == "been");
        let it = self.word(at) == "it" && matches!(self.word(at + 1), "was" | "has" | "got");
        let changed = it && self.is_in(verb, &CORRECTIONS.changes);
        let end = (verb + 1..=verb + LONGEST).find(|end| self.pause(*end) == Pause::Sentence);
        let typed = |end: &usize| *end < self.len() && !(verb..*end).any(|at| self.replaceable(at).is_some());
        end.filter(|end| changed && typed(end)).map_or(0, |end| end - at)
    }

    /// "was moved from A to B", "used to be A".
    fn former(self, found: &mut Corrections) {
        /// The most words between a verb of change and "from", of A, and of B.
        const LONGEST: usize = 8;
        let joined = |at: usize| self.pause(at) < Pause::Turn;
        let now = |at: usize| matches!(self.word(at), "is" | "are" | "now");
        let ends = |at: &usize| self.begins(*at) > Begins::Inside || !self.joined(*at) || now(*at);
        let until = |first: usize| (first + 1..first + LONGEST).find(ends).unwrap_or(first + LONGEST);
        for at in (0..self.len()).filter(|at| self.is(*at, Marks::FORMER)) {
            if self.word(at) == "from" {
                let before = || (at.saturating_sub(LONGEST)..at).rev().take_while(move |at| joined(at + 1));
                let changes = before().any(|at| self.is_in(at, &CORRECTIONS.changes));
                let mut behind = (at + 2..=at + LONGEST).take_while(|at| joined(*at));
                if let Some(to) = behind.find(|at| self.word(*at) == "to").filter(|_| changes) {
                    found.former.push(at + 1..to);
                } else if changes && before().any(|to| self.word(to) == "to" && self.is_like(to + 1, at + 1)) {
                    // "updated to B from A"
                    mark(&mut found.words, at + 1..until(at + 1));
                }
            } else if let Some(length) = self.length(at, &CORRECTIONS.former) {
                mark(&mut found.words, at + length..until(at + length));
            }
        }
    }

    /// Both words begin a value of one class, or both a name.
    fn is_like(self, one: usize, other: usize) -> bool {
        let may_be = |at: usize| self.kind(at) != Some(Kind::Word) || self.is_capital(at);
        self.class(one) == self.class(other)
            && self.is_month(one) == self.is_month(other)
            && may_be(one)
            && may_be(other)
    }

    fn turn_start(self, at: usize) -> usize {
        self.text.words_in(self.segment(at), 0..0).0.max(at.saturating_sub(FAR_BACK))
    }

    /// The first word of a word's sentence in its own turn.
    fn sentence_in_turn(self, at: usize) -> usize {
        self.turn_start(at).max(self.sentence_start(at))
    }

    /// The sentence goes on with a word that replaces nothing: "my bad, go ahead".
    fn is_idle(self, at: usize) -> bool {
        // "my mistake, I forgot to give you the reason"
        let of_self = self.word(at) == "i"
            && matches!(
                (self.word(at + 1), self.word(at + 2)),
                ("forgot", _) | ("did", "not") | ("was", "muted" | "on")
            );
        self.pause(at) < Pause::Sentence && (of_self || self.is_in(at, &CORRECTIONS.no_word))
    }

    /// The word begins a clause, or is behind a pause.
    fn is_parted(self, at: usize) -> bool {
        at == 0 || self.begins(at) > Begins::Inside || !self.joined(at)
    }

    /// The number of words of an expression that takes back the sentence before it, if it is a clause of its own.
    fn retracts(self, at: usize) -> Option<usize> {
        /// The words of an expression that means nothing else, whatever follows.
        const LONG: usize = 4;
        let begins = self.is_parted(at) && !self.determines(at);
        if self.disowns(at).is_some() {
            return None;
        }
        let at_end = self.length(at, &CORRECTIONS.retracts_at_end);
        let length = at_end.or_else(|| self.length(at, &CORRECTIONS.retracts))?;
        let end = at + length;
        if self.word(at) == "my" && self.is_idle(end) {
            return None;
        }
        let ends = match at_end {
            Some(_) => self.begins(end) >= Begins::Sentence,
            // "wait that's not right it's only been six weeks"
            None => self.is_parted(end) || (self.is_open(at) && length >= LONG),
        };
        // with a new value behind it, it is that value's
        let new = self.marker(at).is_some() && (end..=end + FAR_BEHIND).any(|at| self.replaceable(at).is_some());
        (ends && begins && !new && !self.asked_behind(end - 1)).then_some(length)
    }

    /// The number of words of a clause by which those before it are of another thing: "that is the old plan", "that is his".
    fn disowns(self, at: usize) -> Option<usize> {
        /// The most words of the clause behind "that is".
        const LONGEST: usize = 5;
        let again = at >= 2 && (0..2).all(|next| self.word(at - 2 + next) == self.word(at + next));
        // "this is Terrence wrong chart", not "the wrong chart"
        let wrong = self.word(at) == "wrong" && self.is_open(at) && {
            let before = at.saturating_sub(1);
            let verb = self.is_verb(before) && self.word(before) != "wait";
            !verb && !self.is_in(before, &CLAUSES.determiners)
        };
        if !self.is_parted(at) && !again && !wrong {
            return None;
        }
        // "I am looking at the wrong line", "hold on, I am looking at the old plan"
        let looking = |length: &usize| {
            let of = at + length + 1;
            let other = self.is_in(of, &CORRECTIONS.others) && self.is_behind_opening(at);
            let object = self.word(of - 1);
            // "sorry, I was looking at chiropractic"
            let opened = || self.is_behind_opening(at) || self.begins_surprised(self.turn_start(at), at);
            let verb = self.word(at + 2);
            let looks = verb == "still"
                || (matches!(verb, "looking" | "reading") && (self.word(at + 1) == "was" || object.ends_with('s')));
            let past = looks && !matches!(object, "it" | "that" | "you") && opened();
            self.joined(of - 1) && (past || (object == "the" && self.joined(of) && (self.word(of) == "wrong" || other)))
        };
        let looking = || self.length(at, &CORRECTIONS.looking).filter(looking).map(|length| length + 3);
        let known = self.length(at, &CORRECTIONS.of_another).or_else(looking);
        let length = known.or_else(|| {
            let of = at + 2 + usize::from(self.word(at + 2) == "for");
            let is = self.word(at) == "that" && matches!(self.word(at + 1), "is" | "was");
            let noun = of + usize::from(self.is_in(of, &CLAUSES.determiners) || self.word(of) == "a");
            let listed = self.word(noun) == "wrong" || self.is_in(noun, &CORRECTIONS.others);
            let person = noun > of && CORRECTIONS.persons.contains(self.word(noun).trim_end_matches('s'));
            let own = matches!(self.word(of), "mine" | "yours" | "hers" | "ours" | "theirs");
            let open = (listed || person || own) && self.is_open(at);
            let open = open.then(|| if own { of + 1 } else { noun + 1 + usize::from(listed) });
            let end = (of + 1..=of + LONGEST).find(|end| self.is_parted(*end)).or(open).filter(|_| is)?;
            // "that is Mary's"
            let name = || self.is_capital(of) && self.word(of).ends_with('s');
            let whose = of + 1 == end && (own || self.word(of) == "his" || name());
            // "No, that's the only one." ends a list
            let only = matches!(self.word(noun), "only" | "last" | "right" | "same" | "new" | "1");
            let one = noun > of && self.word(end - 1) == "1" && !only;
            // "No, sorry, that's Rosa Salas."
            let named = (of..end).all(|at| self.is_capital(at) && self.class(at).is_none()) && end > of + 1;
            let other = listed || person || whose || one || named;
            (self.word(noun) == "wrong" || (other && self.is_behind_opening(at))).then_some(end - at)
        });
        // "That was another member?" asks.
        length.filter(|length| !self.asked_behind(at + length - 1)).or_else(|| self.reason(at))
    }

    /// The word behind which a correction may begin is right before one: "no", "wait", "hold on".
    fn is_behind_opening(self, at: usize) -> bool {
        let before = (0..at).rev().find(|at| !self.is(*at, Marks::HESITATION));
        before.is_some_and(|before| match self.word(before) {
            "no" | "oh" | "wait" | "sorry" | "well" | "oops" | "actually" | "2nd" | "moment" => true,
            "on" => matches!(self.word_before(before), "hold" | "hang"),
            // "wait let me look that's the old one"
            "look" | "check" | "see" => self.word_before(before) == "me",
            _ => false,
        })
    }

    /// The number of words of a reason between an opening and a value like the one before it: "Tuesday. Oh no, that's my
    /// birthday. Wednesday."
    fn reason(self, at: usize) -> Option<usize> {
        const LONGEST: usize = 12;
        let is = self.word(at) == "that" && matches!(self.word(at + 1), "is" | "was");
        let opened = is && !matches!(self.word_before(at), "oh" | "well") && self.is_behind_opening(at);
        if opened && self.is_open(at) {
            return self.reason_in_open(at);
        }
        let end = (at + 2..=at + LONGEST).find(|end| self.pause(*end) == Pause::Sentence).filter(|_| opened)?;
        let goes_on = |at: &usize| *at == end || self.pause(*at) < Pause::Sentence;
        let mut new = (end..=end + FAR_BEHIND).take_while(goes_on).filter(|at| self.replaceable(*at).is_some());
        let old = self.turn_start(at).max(self.sentence_before(at))..at;
        let like =
            |new: usize| old.clone().any(|old| self.class(old) == self.class(new) && self.word(old) != self.word(new));
        new.any(like).then_some(end - at)
    }

    /// The same without punctuation, behind what says something: "it was approved oh no | that's the left knee". A value like
    /// one before it replaces that.
    fn reason_in_open(self, at: usize) -> Option<usize> {
        let start = self.turn_start(at);
        let idle = |at: usize| self.is(at, Marks::HESITATION) || matches!(self.word(at), "i" | "am");
        let mut before = (start..at).rev().filter(|at| !idle(*at)).map(|at| self.word(at));
        // "they said no that's the policy", "we can't sorry that's the rule"
        let first = before.next();
        let alone = matches!(first, Some("no" | "sorry" | "actually"));
        let alone = alone && !matches!(before.next(), Some("oh" | "no" | "wait" | "sorry" | "actually" | "on"));
        let hesitates = at > start + 1 && self.is(at - 2, Marks::HESITATION);
        let alone = alone && (first != Some("no") || (self.is_told(at - 1) && !hesitates));
        let of = at + 2 + usize::from(self.word(at + 2) == "for");
        let article = self.word(of) == "a";
        let noun = of + usize::from(article || self.is_in(of, &CLAUSES.determiners));
        // not "that's the right number"
        let same = match self.word(noun) {
            "right" => !self.joined(noun + 1) || self.is_in(noun + 1, &CORRECTIONS.any_thing),
            _ => self.is_in(noun, &CORRECTIONS.same),
        };
        // "oh wait that's a holiday let me see the tenth works"
        let holiday = || {
            let mut new = (noun + 2..=noun + 2 + FAR_UNIT).filter_map(|at| self.replaceable(at));
            new.any(|class| (start..at).any(|old| self.class(old) == Some(class)))
        };
        let determined = noun > at + 2 && (!article || holiday()) && self.kind(noun) == Some(Kind::Word);
        let named = (determined && !same) || matches!(self.word(noun), "where" | "when" | "what");
        // "oh wait no that's roy senior", about the turn before
        let surprised = self.is_opening(start, at) && matches!(self.word_before(at), "no" | "on") && {
            let plain = self.kind(noun) == Some(Kind::Word) && self.class(noun).is_none();
            at > start + 2 && plain && !same && !self.is_in(noun, &SMALL) && !self.is_in(noun, &CORRECTIONS.no_word)
        };
        if surprised && self.joined(noun + 1) && self.kind(noun + 1) == Some(Kind::Word) {
            return Some(noun + 1 - at);
        }
        let class = self.replaceable(noun);
        let like = class.is_some() && (start..at).any(|old| self.class(old) == class);
        (named && !alone && !like && !self.is_opening(start, at)).then_some(noun + 1 - at)
    }

    /// Doubts what an expression takes back. With `disowns` it may be about the turn before, too: "oh wait | that's his".
    fn retract(self, at: usize, disowns: bool, found: &mut Corrections) {
        let (turn, mut sentence) = (self.turn_start(at), self.sentence_in_turn(at));
        let segment = self.segment(at);
        let earlier = || Earlier { segment, answer: false, own: segment > 0, of: Vec::new(), new: New::Nothing };
        // "you're right it's the fifteenth I misread it"
        if (turn..at.min(turn + FAR_BEHIND)).any(|at| self.word(at) == "right" && self.word_before(at) == "are") {
            found.earlier.push(earlier());
            return;
        }
        // "approved, no wait, that was another member": the words before it in its own sentence
        if !self.is_opening(sentence, at) {
            mark(&mut found.perhaps, sentence..at);
            if disowns && self.begins_surprised(turn, at) {
                found.earlier.push(earlier());
            }
            if self.is_open(at) {
                return;
            }
        }
        let before = |sentence: usize| self.sentence_in_turn(sentence - 1);
        while sentence > turn && self.is_opening(before(sentence), sentence) {
            sentence = before(sentence);
        }
        // "Looking at this again, I misspoke.": the sentence before it in this turn, else the turn before it
        if sentence > turn {
            mark(&mut found.perhaps, before(sentence)..sentence);
        } else if turn > 0 {
            mark(&mut found.perhaps, self.turn_start(turn - 1)..turn);
        } else {
            found.earlier.push(Earlier { own: false, ..earlier() });
        }
    }

    /// A turn begins as if its speaker saw a mistake: "oh hold on", "yeah, wait", "sorry".
    fn begins_surprised(self, turn: usize, at: usize) -> bool {
        /// The most words before the first one of these.
        const FAR: usize = 3;
        let answers = |at: usize| {
            self.is_in(at, &CLAUSES.openers)
                || self.is_in(at, &FILLERS)
                || matches!(self.word(at), "yes" | "yeah" | "hmm")
        };
        let marks = |at: usize| self.marker(at).is_some() || self.begins_with(at, &CORRECTIONS.waits);
        (turn..at.min(turn + FAR)).take_while(|at| *at == turn || answers(at - 1)).any(marks)
    }

    /// Only openings, apologies and sentences such as "Let me check." lie between two words.
    fn is_opening(self, from: usize, to: usize) -> bool {
        /// The most words of a sentence that only asks to wait.
        const LONGEST: usize = 7;
        let waits = |at: usize| {
            let end = (at + 1..=at + LONGEST).find(|end| !self.joined(*end)).filter(|end| *end <= to);
            let length = self.length(at, &CORRECTIONS.waits)?;
            end.map(|end| end - at).or(Some(length).filter(|_| self.is_open(at)))
        };
        let mut at = from;
        while at < to {
            let opens = self.is_in(at, &CLAUSES.openers) || self.is_in(at, &FILLERS);
            match self.marker(at).or_else(|| waits(at)).or(opens.then_some(1)) {
                Some(length) => at += length,
                None => return false,
            }
        }
        true
    }

    /// The words behind a marker up to the end of their clause that replace others: without "it is the".
    fn core(self, from: usize) -> Vec<usize> {
        const LONGEST: usize = 6;
        /// The most words that replace as many.
        const SHORT: usize = 3;
        let ends = |at: &usize| {
            !self.joined(*at)
                || self.begins(*at) > Begins::Inside
                || matches!(self.word(*at), "and" | "or" | "on" | "at" | "for" | "in")
        };
        let end = (from + 1..=from + LONGEST).find(ends).filter(|end| *end <= self.len());
        let small = |at: &usize| self.is_in(*at, &SMALL) || self.is(*at, Marks::AUXILIARY);
        let mut core: Vec<usize> = (from..end.unwrap_or(from)).skip_while(small).collect();
        // "amoxicillin | is what he reacted to", not "the denial was overturned"
        if core.len() > SHORT {
            let verb = core.iter().position(|at| self.is(*at, Marks::AUXILIARY));
            core.truncate(verb.unwrap_or(core.len()));
        }
        core
    }

    /// Words, and whether each begins with a capital.
    fn written(self, words: &[usize]) -> Vec<(String, bool)> {
        words.iter().map(|at| (self.word(*at).to_owned(), self.is_capital(*at))).collect()
    }

    /// Takes back what the words behind a row replace; false if nothing is found that they replace.
    fn replace(self, row: Row, reaches: &[Reach], found: &mut Corrections) -> bool {
        const LONGEST: usize = 3;
        let Row { start, new, sure, far, answer, admits, disowns, .. } = row;
        let goes_on = |at: &usize| *at == new || self.pause(*at) < Pause::Sentence;
        let typed = (new..=new + row.reach().1).take_while(goes_on).find_map(|at| {
            let class = self.replaceable(at).filter(|_| !self.is_thing(at))?;
            Some((class, at))
        });
        // "mine ends in 0 2": a part of the new value
        let part = |value: usize| disowns && matches!(self.word_before(value), "in" | "with");
        let typed = typed.filter(|(_, value)| !part(*value)).or_else(|| self.told_again(row));
        let mut dates = (new..=new + row.reach().1).take_while(goes_on).map(|at| self.date_at(at));
        let date = dates.find(|date| date.last().is_some()).unwrap_or_default();
        // "sorry, and 20 mg of atorvastatin" adds
        if matches!(self.word(new), "and" | "also") && !disowns {
            return true;
        }
        // "sorry, you are confirmed for Friday"
        let you = self.word(new) == "you" && self.word(new + 1) == "are" && self.word(new + 2) != "right";
        let value = typed.map(|(_, at)| at).or(date.last()).filter(|_| (!far || disowns) && !self.is_change(start));
        // "you are denied for the MRI"
        let answers = typed.is_some_and(|(class, _)| matches!(class, Class::Answer(_)));
        let behind = |at: usize| (at + 1..self.len()).take(FAR_BACK).take_while(|at| self.joined(*at));
        let whole = |value: usize| self.names((new..value).chain(behind(value).filter(|_| answers)));
        let names = |value: usize| if you { whole(value) } else { self.value_of(row, value) };
        let of = value.map(names).unwrap_or_default();
        if self.is_regret(row, typed, reaches) {
            return false;
        }
        let taken = self.take_value(row, typed, date, &of, found);
        let opening = self.is_opening(self.turn_start(start), start);
        if disowns && !(opening && value.is_some()) {
            if !taken || !self.has_named(start.saturating_sub(FAR_BACK)..start, &of) {
                self.retract(start, true, found);
            }
            return true;
        }
        if self.is_change(start) {
            // "was Dr. Lee but is now Dr. Park"
            let names = self.written(&self.core(new));
            let before = start.checked_sub(names.len() + 1).filter(|_| typed.is_none() && !names.is_empty());
            if before.is_some_and(|at| self.is(at, Marks::AUXILIARY)) && names.iter().all(|(_, capital)| *capital) {
                self.take_words(start, &names, true, &mut found.words);
            }
            return true;
        }
        if let Some(old) = self.so_instead(row).filter(|_| !opening && !taken) {
            mark(&mut found.perhaps, old);
            return true;
        }
        // a "no" alone may answer the other party
        let alone = !self.begins_with(start, &CORRECTIONS.all);
        // "no 86" denies nothing
        let denied = if answer && self.joined(new) { Vec::new() } else { self.denied(new, reaches) };
        // "sorry, it is not", "sorry, that is not approved", "sorry, to the CVS"
        let that = || !denied.is_empty() && self.word(new) == "that" && self.is(new + 1, Marks::AUXILIARY);
        let place = new + 1 + usize::from(self.is_in(new + 1, &CLAUSES.determiners));
        let again = || self.words_before(start).any(|at| self.word(at) == "to" && self.word(at + 1) == "the");
        let to = || {
            self.word(new) == "to"
                && (self.is_capital(place) || (place > new + 1 && self.pause(new) > Pause::None && again()))
        };
        if !alone && (self.denies(new) || that() || to()) {
            self.retract(start, false, found);
            return true;
        }
        if !sure && !you && self.word(new) != "i" && self.is_in(new, &CORRECTIONS.else_about) {
            return false;
        }
        let (segment, from) = (self.segment(start), self.turn_start(start));
        let next = segment > 0 && !alone;
        let later = |of: Vec<String>, new: New| Earlier { segment, answer, own: next && new.is_clear(), of, new };
        if !denied.is_empty() {
            let whole = || self.names((new..self.len()).take(FAR_BACK).take_while(goes_on));
            let of = if you { whole() } else { self.denied_of(new, reaches) };
            let same = self.has_named(from..start, &of);
            let into = if same { &mut found.words } else { &mut found.perhaps };
            self.take_denied(from..start, &denied, reaches, into);
            if opening && !answer {
                found.earlier.push(later(of, New::Denied(denied)));
            }
            return true;
        }
        if opening {
            self.earlier_values(typed, date, |new| found.earlier.push(later(of.clone(), new)));
        }
        if let Some((class, value)) = typed.filter(|_| taken || opening || !far) {
            let differs = !taken && !opening && self.differs(start, class, value);
            if differs {
                self.retract(start, false, found);
            } else if !taken && !opening {
                self.doubt_before(row, reaches, found);
            }
            return taken || opening || differs;
        }
        let core = self.core(new);
        let stops = |at: &usize| {
            let pause = self.is_moment(*at) || self.is_thing(*at);
            pause || self.is_in(*at, &CORRECTIONS.no_word) || self.word(*at).ends_with("ly")
        };
        // "sorry, I was muted" takes nothing back
        // "I have Aetna. Sorry, I have Cigna."
        let repeats = || {
            let before = start.checked_sub(1).map_or(start, |last| self.sentence_in_turn(last));
            before < start && (0..2).all(|at| self.word(before + at) == self.word(new + at))
        };
        let of_self = you || (!sure && self.word(new) == "i" && !repeats());
        if of_self || core.first().is_some_and(stops) {
            if !of_self && sure && !opening {
                self.doubt_before(Row { sure: false, ..row }, reaches, found);
            }
            return false;
        }
        if core.is_empty() || core.len() > LONGEST {
            if far {
                self.retract(start, false, found);
            } else if !opening {
                self.doubt_before(row, reaches, found);
            }
            return far;
        }
        let words = self.written(&core);
        if opening {
            found.earlier.push(later(Vec::new(), New::Words { words: words.clone(), row }));
            if from == 0 || !far {
                return true;
            }
        }
        // an apology parts the words around it
        if (far || admits) && self.pause(start) >= Pause::Turn {
            let mut near = (start.saturating_sub(FAR_UNIT)..=start).rev();
            if !near.any(|end| self.take_words(end, &words, true, &mut found.words)) {
                self.take_words(start, &words, false, &mut found.words);
                self.retract(start, false, found);
            }
        } else if sure || !self.joined(start) || self.is_open(start) {
            let like = self.pause(start) == Pause::Sentence && self.word_before(new) == "mean";
            let taken = self.take_words(start, &words, like, &mut found.words);
            if !taken {
                self.doubt_before(row, reaches, found);
            }
        }
        true
    }

    /// The words of the turn that "no not" repeats, and the end of what it repeats: "it's Cigna no not Cigna | Humana".
    pub(super) fn contrast(self, at: usize) -> Option<(Range<usize>, usize)> {
        const LONGEST: usize = 4;
        /// The most words before it.
        const FAR: usize = 40;
        let opens = matches!(self.word_before(at), "no" | "sorry" | "wait" | "oh");
        if self.word(at) != "not" || !opens {
            return None;
        }
        let from = self.turn_start(at).max(at.saturating_sub(FAR));
        // "ferritin and a TSH no not the TSH"
        let first = at + 1 + usize::from(self.is_in(at + 1, &CLAUSES.determiners));
        let again =
            |length: usize, old: usize| (0..length).all(|next| self.word(old + next) == self.word(first + next));
        (1..=LONGEST).rev().find_map(|length| {
            let named = (first..first + length).any(|at| is_content(self.word(at)) || self.class(at).is_some());
            let whole = (first + 1..first + length).all(|at| self.joined(at)) && named;
            let old = (from..at.saturating_sub(length)).rev().find(|old| whole && again(length, *old))?;
            Some((old..old + length, first + length))
        })
    }

    /// The value of a sentence that begins as the one before a marker and a short reason: "It's 60614. Oh, wait, we moved. It's
    /// 60641 now."
    fn told_again(self, row: Row) -> Option<(Class, usize)> {
        /// The most words of the reason.
        const LONGEST: usize = 4;
        let end = (row.new + 1..=row.new + LONGEST).find(|at| self.pause(*at) == Pause::Sentence)?;
        let before = self.sentence_before(row.start).max(self.turn_start(row.start));
        let again = end < self.len() && (0..2).all(|at| self.word(before + at) == self.word(end + at));
        let value = (end..=end + FAR_BEHIND).find(|at| self.replaceable(*at).is_some()).filter(|_| again)?;
        Some((self.replaceable(value)?, value))
    }

    /// The value that another one replaces for a reason: "eight fifteen oh wait I have to take the kids so seven thirty".
    fn so_instead(self, row: Row) -> Option<Range<usize>> {
        /// The most words between "so" and the value.
        const FAR: usize = 3;
        let goes_on = |at: &usize| self.pause(*at) < Pause::Sentence || *at == row.new;
        let so = (row.new..=row.new + FAR_UNIT).take_while(goes_on).find(|at| self.word(*at) == "so")?;
        let new = (so + 1..=so + FAR).find(|at| self.replaceable(*at).is_some())?;
        let class = self.replaceable(new)?;
        let from = self.turn_start(row.start).max(row.start.saturating_sub(FAR_UNIT));
        let old = (from..row.start).rev().find(|old| self.replaceable(*old) == Some(class))?;
        Some(self.run_start(old, class)..old + 1)
    }

    /// The words of a row's sentence and the one before it.
    fn words_before(self, start: usize) -> Range<usize> {
        self.sentence_before(start).max(start.saturating_sub(FAR_BACK))..start
    }

    fn is_start_of_sentence(self, at: usize) -> bool {
        self.sentence_start(at) == at
    }

    /// The thing behind "no not" and its end: "oh no not | doctor hale | sorry doctor bell", "no not | Monday | Tuesday".
    pub(super) fn not_that(self, at: usize) -> Option<(Range<usize>, usize)> {
        const LONGEST: usize = 2;
        let opens = matches!(self.word_before(at), "no" | "sorry" | "wait" | "oh");
        if self.word(at) != "not" || !opens || !self.is_open(at) {
            return None;
        }
        let from = at + 1;
        let ends = |at: &usize| self.marker(*at).is_some() || !self.joined(*at) || self.is(*at, Marks::AUXILIARY);
        let end = match self.replaceable(from) {
            Some(class) => self.run_end(from, class) + 1,
            None => (from + 1..=from + LONGEST).find(ends).filter(|end| self.marker(*end).is_some())?,
        };
        Some((from..end, end))
    }

    /// Doubts the clause before a marker behind which no word is like an old one: "it is in network wait no | that location
    /// is not", "she has Humana no | she switched", "the Walgreens on Mill Road sorry the CVS on Mill Road".
    fn doubt_before(self, row: Row, reaches: &[Reach], found: &mut Corrections) {
        const LONGEST: usize = 8;
        /// The most words of a noun and what is before it.
        const SMALL_FAR: usize = 4;
        let Row { start, new, sure, .. } = row;
        if start == 0 || self.is_idle(new) {
            return;
        }
        let strong = match (self.word_before(new - 1), self.word_before(new)) {
            ("wait" | "actually" | "sorry", "no") => true,
            (_, "mean" | "no" | "that" | "rather") => false,
            _ => sure || row.several,
        };
        if !self.is_open(start) {
            // "It was sent to the lab, sorry, to the clinic", "add a TSH. Actually, sorry, a free T4."
            let place = matches!(self.word(new), "to" | "for" | "at" | "from" | "with");
            let place = place && self.words_before(start).any(|at| self.word(at) == self.word(new));
            // "The nurse will be Angela. No, I'm sorry, it's going to be Denise."
            let name = |at: &usize| self.is_capital(*at) && self.word(*at) != "i" && !self.is_start_of_sentence(*at);
            let end = (new + 1..=new + LONGEST).find(|at| self.pause(*at) == Pause::Sentence).unwrap_or(new);
            let names = strong && (new..end).any(|at| name(&at)) && self.words_before(start).any(|at| name(&at));
            if !self.joined(start) && (place || row.several || names) {
                self.retract(start, false, found);
            }
            return;
        }
        let old = self.clause_start(start - 1).max(self.turn_start(start));
        let clause = self.begins(new) > Begins::Inside;
        let same = || clause && self.is_in(new, &CLAUSES.pronouns) && self.word(old) == self.word(new);
        let verb = |at: usize| is_content(self.word(at)) && !self.is(at, Marks::AUXILIARY);
        let again = match self.word_before(new) {
            "no" | "actually" => same(),
            // "we mailed it I mean | we faxed it"
            "mean" => same() && verb(old + 1) && verb(new + 1) && self.word(old + 1) != self.word(new + 1),
            _ => false,
        };
        let end = (new + 1..=new + LONGEST).find(|at| self.begins(*at) > Begins::Inside).unwrap_or(new + LONGEST);
        let mut shared = (new..end).filter(|at| verb(*at));
        let shared = shared.any(|at| (old..start).any(|old| self.word(old) == self.word(at)));
        // "it is not covered sorry | it is covered"
        let said = |at: usize| reaches.get(at).map(|reach| reach.said);
        let other = |at: usize, old: usize| self.word(old) == self.word(at) && said(old) != said(at);
        let contrary = clause && (new..end).any(|at| verb(at) && (old..start).any(|old| other(at, old)));
        // "doctor Rios sorry the doctor Medina"
        let nouns = !clause && self.is_in(new, &CLAUSES.determiners) && {
            let near = (old.max(start.saturating_sub(SMALL_FAR))..start).any(|at| self.is_in(at, &CLAUSES.determiners));
            near && self.word_before(new) == "sorry"
        };
        // "Oak um sorry Elm Street"
        let bare = !clause && self.is(start - 1, Marks::HESITATION) && verb(new) && self.word_before(new) == "sorry";
        if strong || again || contrary || nouns || bare || (shared && !clause) {
            mark(&mut found.perhaps, old..start);
        }
    }

    /// The sentence before a row that begins its own has another value of a class: "It was approved on the third. Oh wait,
    /// sorry. The CT was denied."
    fn differs(self, start: usize, class: Class, value: usize) -> bool {
        let sentence = self.sentence_in_turn(start);
        let mut before = sentence.checked_sub(1).map_or(0, |last| self.sentence_in_turn(last))..sentence;
        let other = |at: usize| self.replaceable(at) == Some(class) && self.word(at) != self.word(value);
        let another = (start..value).any(|at| matches!(self.word(at), "other" | "2nd" | "next" | "also"));
        class != Class::Run && !another && self.is_opening(sentence, start) && before.any(other)
    }

    /// Values behind a marker that may replace those of an earlier turn.
    fn earlier_values(self, typed: Option<(Class, usize)>, date: Date, mut put: impl FnMut(New)) {
        for (at, month) in [(date.month, true), (date.day, false)] {
            let Some(at) = at else { continue };
            put(New::Date { month, whole: date.is_whole(), text: self.said(at, at) });
        }
        // "Friday, June 12th"
        if let Some((class, start)) = typed.filter(|(class, _)| date.last().is_none() || *class == Class::Day) {
            let end = self.run_end(start, class);
            let unit = Some(self.word(end + 1).to_owned()).filter(|_| self.joined(end + 1));
            put(New::Value { class, text: self.said(start, end), unit });
        }
    }

    fn denied(self, from: usize, reaches: &[Reach]) -> Vec<String> {
        let ends = |at: usize| at > from && self.begins(at) == Begins::Sentence;
        (from..self.len())
            .take(FAR_BACK)
            .take_while(|at| !ends(*at))
            .filter(|at| reaches.get(*at).is_some_and(|reach| reach.said == Said::Negated))
            .map(|at| self.word(at).to_owned())
            .filter(|word| is_content(word))
            .collect()
    }

    /// The words before the first one that is denied: "MRI" of "the MRI is not approved".
    fn denied_of(self, from: usize, reaches: &[Reach]) -> Vec<String> {
        let plain = |at: &usize| reaches.get(*at).is_some_and(|reach| reach.said != Said::Negated);
        self.names((from..self.len()).take(FAR_BACK).take_while(plain))
    }

    /// The words that name what a new value is of: those on the other side of its verb, and what it counts. "Deductible" of
    /// "30 dollars is the deductible", "visits" of "2 visits".
    fn value_of(self, row: Row, value: usize) -> Vec<String> {
        /// The most characters of a number that may be counted, too: no identifier.
        const LONGEST: usize = 3;
        let from = self.clause_start(value).max(row.new);
        let ends = |at: &usize| !self.joined(*at) || self.begins(*at) > Begins::Inside;
        let end = (value + 1..self.len()).find(ends).unwrap_or(self.len());
        let side = match (from..end).find(|at| self.is(*at, Marks::AUXILIARY)) {
            Some(verb) if verb < value => from..verb,
            Some(verb) => verb..end,
            None => end..end,
        };
        let counts = self.class(value).filter(|class| matches!(class, Class::Run | Class::Ordinal));
        // "twenty, sorry, thirty visits"
        let bare = (0..row.start).rev().find(|at| !self.is(*at, Marks::HESITATION));
        let bare = bare.is_some_and(|old| self.class(old) == counts && self.word(old).len() <= LONGEST);
        let noun = counts.map(|class| self.run_end(value, class) + 1).filter(|at| *at < end && !bare);
        let counted = |at: &usize| {
            self.kind(*at) == Some(Kind::Word) && !is_unit(self.word(*at)) && !matches!(self.word(*at), "am" | "pm")
        };
        // what was denied before may be paid now, and what was approved is
        let paid = Some(value).filter(|at| self.word(*at) == "paid");
        let named = side.chain(noun.filter(counted)).chain(paid);
        self.names(named.filter(|at| !self.is_in(*at, &CORRECTIONS.any_thing)))
    }

    fn names(self, words: impl Iterator<Item = usize>) -> Vec<String> {
        let named = words.filter(|at| !self.is_in(*at, &SMALL) && !self.is(*at, Marks::AUXILIARY));
        named.map(|at| self.word(at).to_owned()).collect()
    }

    /// Each of these names is in a range of words.
    fn has_named(self, range: Range<usize>, names: &[String]) -> bool {
        let one = |name: &str| name.trim_end_matches('s').to_owned();
        names.iter().all(|name| range.clone().any(|at| one(self.word(at)) == one(name)))
    }

    fn take_denied(self, range: Range<usize>, denied: &[String], reaches: &[Reach], words: &mut [bool]) {
        for at in range {
            let plain = reaches.get(at).is_some_and(|reach| reach.said == Said::Plain);
            if plain && denied.iter().any(|denied| denied == self.word(at)) {
                mark(words, at..at + 1);
            }
        }
    }

    /// Marks the words right before `at` that others replace; with `like`, only those that are like them.
    fn take_words(self, at: usize, new: &[(String, bool)], like: bool, words: &mut [bool]) -> bool {
        // "Oak, um, sorry, Elm"
        let at = (0..=at).rev().find(|at| *at == 0 || !self.is(at - 1, Marks::HESITATION)).unwrap_or(at);
        let Some(from) = at.checked_sub(new.len()) else { return false };
        if (from + 1..at).any(|at| self.pause(at) >= Pause::Turn) {
            return false;
        }
        let pairs = || (from..at).map(move |at| (at, self.word(at))).zip(new);
        let shared = pairs().any(|((_, old), (new, _))| old == new);
        let single = new.len() == 1 && pairs().all(|((_, old), (new, _))| is_content(old) && is_content(new));
        let named = |at: usize| self.is_capital(at) && (!like || new.len() > 1 || single);
        let capital = pairs().all(|((at, _), (_, capital))| *capital && named(at));
        if pairs().all(|((_, old), (new, _))| old == new) || !(shared || capital || single && !like) {
            return false;
        }
        pairs().filter(|((_, old), (new, _))| old != new).for_each(|((at, _), _)| mark(words, at..at + 1));
        true
    }

    /// Takes back the words that a later turn replaces: in the turns of some segments, the last that fit. Where an echo is
    /// given, they are in it.
    pub(super) fn take_earlier(
        self,
        later: &Earlier,
        turns: Range<usize>,
        echo: &[String],
        reaches: &[Reach],
        found: &mut Corrections,
    ) {
        let begin = |segment: usize| self.text.words_in(segment, 0..0).0;
        let (start, end) = (begin(turns.start), begin(turns.end));
        let all = start..end;
        let same = self.has_named(all.clone(), &later.of);
        let into = if same { &mut found.words } else { &mut found.perhaps };
        let echoed = |first: usize, last: usize| {
            let old: Vec<&str> = (first..=last).map(|at| self.word(at)).collect();
            let repeats = || echo.windows(old.len()).any(|part| *part == *old);
            echo.is_empty() || (echo.len() <= old.len() + AROUND && repeats())
        };
        match &later.new {
            New::Value { class: kind, text: new, unit } => {
                let unit = unit.as_deref();
                let measured = unit.is_some_and(is_unit);
                let fits = |at: &usize| {
                    self.replaceable(*at) == Some(*kind)
                        // a part of an identifier is not taken back
                        && self.run_end(*at, *kind) == *at
                        && (*kind != Class::Run || !measured || !echo.is_empty() || Some(self.word(at + 1)) == unit)
                        // "no, it is 2 1 9" says a part of it again
                        && (measured || !is_part(&self.said(self.run_start(*at, *kind), *at), new))
                        && echoed(self.run_start(*at, *kind), *at)
                };
                // the value of the thing that is named, else the last
                let named = |at: &usize| self.has_named(self.clause_start(*at)..*at, &later.of);
                let counted = |at: &usize| self.joined(at + 1) && Some(self.word(at + 1)) == unit;
                let fitting = || all.clone().rev().filter(fits);
                let to = fitting().find(|at| named(at) && counted(at)).or_else(|| fitting().find(named));
                let Some(to) = to.or_else(|| fitting().next()) else { return };
                let first = self.run_start(to, *kind);
                if self.said(first, to) != *new || is_of_another(*kind, same) {
                    mark(into, first..to + 1);
                }
            }
            New::Date { month, whole, text: new } => {
                let part = |date: Date| if *month { date.month } else { date.day };
                let dates = || all.clone().rev().map(move |at| self.date_at(at));
                let whole = dates().filter(|date| *whole && date.is_whole()).find_map(part);
                let at = whole.or_else(|| dates().find_map(part));
                if let Some(at) = at.filter(|at| self.said(*at, *at) != *new && echoed(*at, *at)) {
                    mark(into, at..at + 1);
                }
            }
            New::Words { words, row } => {
                // the last word that a sentence says, else a word like it; first a word like it, where it is sure
                let likely = words.len() > 1 || words.iter().all(|(_, capital)| *capital) || row.sure;
                let least = if likely { end.saturating_sub(FAR_UNIT).max(start) } else { end };
                let inside = |end: &usize| end.checked_sub(words.len()).is_some_and(|from| echoed(from, end - 1));
                let ends = (least..=end).rev().filter(inside);
                let mut take = |like| ends.clone().any(|end| self.take_words(end, words, like, &mut found.words));
                let sure = row.far || row.admits;
                if !sure || !take(true) {
                    // "sent to the Walgreens on Fifth Street": it is not clear which name
                    let names = take(false) && matches!(words.as_slice(), [(_, true)]) && {
                        let named = |at: &usize| self.is_capital(*at) && is_content(self.word(*at));
                        (self.turn_start(end.saturating_sub(1))..end).filter(named).nth(1).is_some()
                    };
                    if sure || names {
                        self.doubt_last(end, found);
                    }
                }
            }
            New::Denied(denied) => self.take_denied(all, denied, reaches, into),
            New::Nothing => self.doubt_last(end, found),
        }
    }

    /// The last turn before a word was perhaps taken back, unless it says nothing.
    fn doubt_last(self, end: usize, found: &mut Corrections) {
        let from = self.turn_start(end.saturating_sub(1));
        let agrees = self.length(from, &ACKNOWLEDGEMENTS).is_some_and(|length| from + length >= end);
        if !agrees && !self.is_opening(from, end) {
            mark(&mut found.perhaps, from..end);
        }
    }

    /// Marks the value that the one behind a marker, of something named, replaces, if there is one.
    fn take_value(
        self,
        row: Row,
        new: Option<(Class, usize)>,
        date: Date,
        of: &[String],
        found: &mut Corrections,
    ) -> bool {
        let same = self.has_named(row.start.saturating_sub(FAR_BACK)..row.start, of);
        let words = if same { &mut found.words } else { &mut found.perhaps };
        let mut taken = false;
        if let Some((kind, start)) = new
            && let Some((from, to)) = self.value_behind_row(row, kind, start)
            && (!self.is_change(row.start) || (to + 2 >= row.start && start <= row.new + 1))
            && (self.said(from, to) != self.said(start, self.run_end(start, kind)) || is_of_another(kind, same))
        {
            mark(words, from..to + 1);
            taken = true;
        }
        let old = self.date_before(row, row.far && date.is_whole());
        for (old, new) in [(old.month, date.month), (old.day, date.day)] {
            if let Some((old, new)) = old.zip(new)
                && self.said(old, old) != self.said(new, new)
            {
                mark(words, old..old + 1);
                taken = true;
            }
        }
        taken
    }

    /// The value that the new one at `start` replaces.
    fn value_behind_row(self, row: Row, kind: Class, start: usize) -> Option<(usize, usize)> {
        if !row.disowns {
            return self.of_the_unit(row.start, kind, start).or_else(|| self.value_before(row, kind));
        }
        // in the turn, first one of the same unit
        let unit = |at: usize| Some(self.word(at + 1)).filter(|_| self.joined(at + 1));
        let new = unit(self.run_end(start, kind));
        let ends = |at: &usize| self.replaceable(*at) == Some(kind) && self.run_end(*at, kind) == *at;
        let ends = || (self.turn_start(row.start)..row.start).rev().filter(ends);
        let to = ends().find(|to| unit(*to) == new).or_else(|| ends().next())?;
        Some((self.run_start(to, kind), to))
    }

    /// An apology behind bad news: what follows replaces nothing. "There's no fax, sorry. Mail only."
    fn is_regret(self, row: Row, typed: Option<(Class, usize)>, reaches: &[Reach]) -> bool {
        let bad = |at: usize| {
            self.is_in(at, &CORRECTIONS.bad_news) || reaches.get(at).is_some_and(|reach| reach.said == Said::Negated)
        };
        let sorry = matches!(self.word_before(row.new), "sorry" | "apologies" | "apologize");
        let number = matches!(typed, Some((Class::Run, at)) if self.names(row.new..at).is_empty());
        let inside = row.start > self.sentence_in_turn(row.start) && self.pause(row.new) == Pause::Sentence;
        let weak = !row.sure && !row.admits;
        weak && sorry && !number && inside && (self.clause_start(row.start - 1)..row.start).any(bad)
    }

    /// A marker of a change replaces only a value right before it: "was 80 dollars but is now 95 dollars".
    fn is_change(self, start: usize) -> bool {
        matches!(self.word(start), "and" | "but" | "until" | "now")
    }

    fn is_month(self, at: usize) -> bool {
        self.word(at) == "may" || self.is_in(at, &STANCE.months)
    }

    fn is_day(self, at: usize) -> bool {
        match self.kind(at) {
            Some(Kind::Ordinal) => !self.is_moment(at),
            Some(Kind::Number) => self.word(at).len() <= 2,
            _ => false,
        }
    }

    /// The date that begins with a word: "march 3rd", "march the 3rd", "the 3rd of march"; a month or an ordinal alone.
    fn date_at(self, at: usize) -> Date {
        let behind = |small: &str| if self.word(at + 1) == small { at + 2 } else { at + 1 };
        if self.is_month(at) {
            return Date { month: Some(at), day: Some(behind("the")).filter(|at| self.is_day(*at)) };
        }
        if self.is_day(at) {
            let month = Some(behind("of")).filter(|at| self.is_month(*at));
            let ordinal = self.kind(at) == Some(Kind::Ordinal);
            return Date { month, day: Some(at).filter(|_| ordinal || month.is_some()) };
        }
        Date::default()
    }

    /// The date shortly before a row, with both parts where it must be whole.
    fn date_before(self, row: Row, whole: bool) -> Date {
        /// "the 3rd of march".
        const LONGEST: usize = 4;
        let (at, most) = (row.start, row.reach().0);
        let dates = (at.saturating_sub(most + LONGEST)..at).map(|at| self.date_at(at));
        let near = |date: &Date| date.last().is_some_and(|last| last < at && at - last <= most + 1);
        // of two that end at one place, the first is the whole
        dates
            .filter(|date| near(date) && (!whole || date.is_whole()))
            .fold(Date::default(), |best, date| if date.last() > best.last() { date } else { best })
    }

    /// The number of words of the marker at `at`.
    fn marker(self, at: usize) -> Option<usize> {
        if let Some(length) = self.length(at, &CORRECTIONS.all).filter(|_| !self.determines(at)) {
            // "I'm sorry about the music" does not correct
            let about = self.joined(at + length) && matches!(self.word(at + length), "about" | "for" | "to" | "if");
            // "we filed a correction"
            let filed = self.word(at) == "correction"
                && self.written_pause(at) == Pause::None
                && CLAUSES.determiners.contains(self.word_before(at));
            return Some(length).filter(|_| !about && !filed);
        }
        // "the fifteenth, no, the sixteenth"
        let paused = |at: usize| at < self.len() && self.written_pause(at) != Pause::None;
        let no = self.word(at) == "no" && ((paused(at) && paused(at + 1)) || self.answers_itself(at));
        (no || matches!(self.exchange(at), Some((_, _, true)))).then_some(1).or_else(|| self.disowns(at))
    }

    /// A bare "no" inside a turn, before a clause: "it has been met no | it has not".
    fn answers_itself(self, at: usize) -> bool {
        let clause = self.joined(at) && self.joined(at + 1) && self.begins(at + 1) > Begins::Inside;
        self.is_open(at) && clause && !self.is_told(at)
    }

    /// The speaker tells of the "no", or opens with it: "he said no", "so no".
    fn is_told(self, at: usize) -> bool {
        let before = (self.turn_start(at)..at).rev().find(|at| !self.is(*at, Marks::HESITATION));
        before.is_none_or(|before| {
            // not "let me see no"
            let takes = self.is_in(before, &CLAUSES.takes) && self.word_before(before) != "me";
            self.is_verb(before) || takes || self.is_in(before, &CLAUSES.openers)
        })
    }

    /// A bare "no" between two values of one kind, the last word of the one and the first of the other: "forty no fifty". False
    /// if it may deny the second as well: "thirty tablets no two refills", "the left eye no right eye".
    pub(super) fn exchange(self, at: usize) -> Option<(usize, usize, bool)> {
        /// The most words before the "no", and between it and the new value.
        const FAR: usize = 4;
        if self.word(at) != "no" || !self.joined(at) || !self.joined(at + 1) {
            return None;
        }
        let sound = |at: usize| self.is(at, Marks::HESITATION);
        let small = |at: &usize| {
            sound(*at)
                || matches!(
                    self.word(*at),
                    "no" | "the" | "it" | "is" | "was" | "on" | "at" | "my" | "his" | "her" | "your"
                )
        };
        let new = (at + 1..=at + FAR).find(|at| !small(at)).filter(|new| (at + 1..=*new).all(|at| self.joined(at)))?;
        let near = (at.saturating_sub(FAR)..at).rev().take_while(|old| self.joined(old + 1));
        let month = |at: usize| self.is_month(at) && self.date_at(at).is_whole();
        // "no, it is right"
        let right = |at: usize| self.word(at) == "right" && matches!(self.word_before(at), "is" | "was");
        // "no m as in mary 4 4 2 7"
        let spelled = |at: usize| self.kind(at) == Some(Kind::Letter) && matches!(self.word(at + 1), "as" | "like");
        let kind = |at: usize| match at {
            at if month(at) => Some(Class::Month),
            at if spelled(at) => Some(Class::Run),
            at => self.replaceable(at).filter(|_| !right(at)),
        };
        let Some(class) = kind(new) else {
            // "the rep was Linda no Brenda", "she has aetna uh no cigna"
            let old = near.clone().find(|old| !sound(*old))?;
            let name = |at: usize| self.kind(at) == Some(Kind::Word) && is_content(self.word(at));
            let marked = sound(at - 1) || (self.is_capital(old) && self.is_capital(new));
            return (marked && new == at + 1 && name(old) && name(new) && !self.joined(new + 1))
                .then_some((old, new, false));
        };
        let old = near.clone().find(|old| kind(*old) == Some(class))?;
        let noun = |last: usize| {
            let next = Some(last + 1).filter(|at| self.joined(*at) && self.kind(*at) == Some(Kind::Word))?;
            (is_content(self.word(next)) && !sound(next)).then(|| self.word(next).trim_end_matches('s'))
        };
        let (one, other) = (noun(old), noun(self.run_end(new, class)));
        let sure = match class {
            Class::Answer(_) => new > at + 1 || (sound(at - 1) && other.is_none()),
            _ => one.is_none() || other.is_none() || one == other,
        };
        Some((old, new, sure))
    }

    /// The number of words of a "no" that begins the stretch and answers the turn before: "No, fifty dollars."
    fn answer(self, at: usize) -> Option<usize> {
        let denies = (1..=3).any(|at| self.word(at) == "not");
        // "no it's w 4 5"
        let small = |at: &usize| self.is_in(*at, &SMALL);
        let value = || (1..=3).find(|at| !small(at)).and_then(|at| self.class(at));
        let open = || self.is_open(0) && value().is_some_and(|class| !matches!(class, Class::Answer(_)));
        let paused = self.written_pause(1) != Pause::None;
        let answers = at == 0 && self.word(0) == "no" && self.len() > 1 && (paused || open());
        (answers && !denies && self.marker(1).is_none()).then_some(1)
    }

    /// The class of a value that others of its class replace: "right" and "yes" mean something else as often.
    fn replaceable(self, at: usize) -> Option<Class> {
        self.class(at).filter(|_| !matches!(self.word(at), "yes" | "no") && !self.is_moment(at))
    }

    /// No count begins here, as a new value: "one thing", "one more question".
    fn is_thing(self, at: usize) -> bool {
        let more = matches!(self.word(at + 1), "more" | "last");
        self.word(at) == "1" && matches!(self.word(at + 1 + usize::from(more)), "thing" | "question")
    }

    /// The words are those of a pause: "one moment", "a second".
    fn is_moment(self, at: usize) -> bool {
        match self.word(at) {
            "1" => matches!(self.word(at + 1), "moment" | "2nd"),
            // "a second opinion" is one of several
            "2nd" => {
                let ends = !self.joined(at + 1) || self.begins(at + 1) > Begins::Inside;
                matches!(self.word_before(at), "a" | "1") && ends
            }
            _ => false,
        }
    }

    /// A word goes on with the value before it.
    fn runs_on(self, at: usize, kind: Class) -> bool {
        kind == Class::Run && self.class(at) == Some(kind) && self.pause(at) < Pause::Sentence
    }

    pub(super) fn run_end(self, start: usize, kind: Class) -> usize {
        (start + 1..self.len()).take_while(|at| self.runs_on(*at, kind)).last().unwrap_or(start)
    }

    /// The first word of the value that ends at `to`.
    fn run_start(self, to: usize, kind: Class) -> usize {
        /// Longer than any value that is read out.
        const LONGEST: usize = 40;
        let goes_on = |at: &usize| self.runs_on(at + 1, kind) && self.class(*at) == Some(kind);
        (to.saturating_sub(LONGEST)..to).rev().take_while(goes_on).last().unwrap_or(to)
    }

    /// The value before `at`, in the same sentence, that has the same word behind it as the new one.
    fn of_the_unit(self, at: usize, kind: Class, start: usize) -> Option<(usize, usize)> {
        let goes_on = |index: usize| Some(self.word(index)).filter(|_| self.pause(index) < Pause::Sentence);
        // not "M as in Mary"
        let unit = goes_on(self.run_end(start, kind) + 1).filter(|unit| !SMALL.contains(unit))?;
        let back =
            (at.saturating_sub(FAR_UNIT + 1)..at.saturating_sub(1)).rev().take_while(|end| goes_on(end + 1).is_some());
        let mut values = back.filter(|end| self.class(*end) == Some(Class::Run) && goes_on(end + 1) == Some(unit));
        values.next().filter(|_| kind == Class::Run).map(|to| (self.run_start(to, kind), to))
    }

    /// The first and the last word of the last value of a class that ends shortly before a row, also behind values of other
    /// classes: "Monday at 3, sorry, Friday". A row that reaches far passes over measured ones.
    fn value_before(self, row: Row, kind: Class) -> Option<(usize, usize)> {
        let measured = |at: usize| UNITS.contains_key(self.word(at));
        // a number replaces the value right before it, or none
        let passes =
            |at: &usize| self.replaceable(*at).is_some_and(|own| own == kind || kind == Class::Run && !row.far);
        let fits = |at: &usize| passes(at) && !(row.far && measured(at + 1));
        let to = (row.start.saturating_sub(row.reach().0 + 1)..row.start).rev().find(fits)?;
        (self.replaceable(to) == Some(kind)).then(|| (self.run_start(to, kind), to))
    }

    /// Its first words admit a mistake, or see one: "oh", "sorry", "you're right".
    pub(super) fn admits(self) -> bool {
        /// The most words before.
        const FAR: usize = 12;
        let sees = |at: usize| match self.word(at) {
            "oh" | "mistake" | "misread" | "misspoke" | "apologize" | "apologies" => true,
            "sorry" => self.marker(at).is_some(),
            "right" => self.word_before(at) == "are",
            _ => false,
        };
        (0..self.len().min(FAR)).any(sees)
    }

    /// The values of these words for which their speaker later says another one, which the other party has said.
    pub(super) fn taken_over(self, answer: Self, later: Self) -> Vec<Range<usize>> {
        /// The most words to read of each.
        const FAR: usize = 64;
        let values = |text: Self| {
            let starts = (0..text.len().min(FAR)).filter_map(move |at| Some((at, text.replaceable(at)?)));
            let first = move |(at, class): &(usize, Class)| {
                let before = at.checked_sub(1).and_then(|before| text.replaceable(before));
                before != Some(*class) || !text.runs_on(*at, *class)
            };
            starts.filter(first).map(move |(at, class)| {
                let end = text.run_end(at, class);
                (class, at..end + 1, text.said(at, end))
            })
        };
        let (answered, own): (Vec<_>, Vec<_>) = (values(answer).collect(), values(self).collect());
        let known = |class: Class, said: &str, of: &[(Class, Range<usize>, String)]| {
            of.iter().any(|(other, _, text)| *other == class && text == said)
        };
        let mut found = Vec::new();
        for (class, new, said) in values(later) {
            if !known(class, &said, &answered) || known(class, &said, &own) {
                continue;
            }
            let unit = |text: Self, end: usize| Some(text.word(end)).filter(|_| text.joined(end));
            // not "one" of something else
            let like = |old: &Range<usize>, text: &str| {
                let counted = unit(self, old.end).filter(|one| Some(*one) == unit(later, new.end));
                class != Class::Run || counted.is_some() || (text.len() == said.len() && said.len() > 1)
            };
            let old = own.iter().filter(|(other, old, text)| *other == class && like(old, text));
            found.extend(old.map(|(_, old, _)| old.clone()));
        }
        found
    }

    /// The day without a month that an answer denies: "so that's the ninth", "no, the nineteenth".
    pub(super) fn denied_day(self, answer: Self) -> Option<usize> {
        /// The most words before the new day, and behind the old one.
        const FAR: usize = 4;
        const FAR_BACK: usize = 16;
        let day = |text: Self, at: usize| text.kind(at) == Some(Kind::Ordinal) && text.is_day(at);
        let denies = |at: usize| matches!(answer.word(at), "no" | "nope" | "nah" | "actually");
        let opens = |at: usize| denies(at) || answer.is_in(at, &CLAUSES.openers) || answer.is_in(at, &SMALL);
        let new = (1..=FAR).find(|at| day(answer, *at)).filter(|new| (0..*new).all(opens) && (0..*new).any(denies))?;
        let old = (self.len().saturating_sub(FAR_BACK)..self.len()).rev().find(|at| day(self, *at))?;
        let alone = answer.date_at(new).month.is_none();
        (alone && self.word(old) != answer.word(new)).then_some(old)
    }

    /// The words of a value, a day by its digits.
    pub(super) fn said(self, from: usize, to: usize) -> String {
        let digits = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
        let words = (from..=to).map(|at| self.word(at));
        words.map(|word| if digits(word) { word.trim_end_matches(char::is_alphabetic) } else { word }).collect()
    }
}

/// The same answer may be given again of something else: "Aetna is primary. Sorry, Medicare is primary."
fn is_of_another(class: Class, same: bool) -> bool {
    !same && matches!(class, Class::Answer(_))
}

/// The speaker says some characters of an identifier again.
fn is_part(whole: &str, part: &str) -> bool {
    /// The least characters of a part, and of an identifier: no numbers of their own.
    const LEAST: (usize, usize) = (3, 7);
    part.len() >= LEAST.0 && whole.len() >= LEAST.1 && part.len() < whole.len() && whole.contains(part)
}

fn is_content(word: &str) -> bool {
    !SMALL.contains(word) && word.len() > 2
}
