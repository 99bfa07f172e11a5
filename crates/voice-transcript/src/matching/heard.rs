//! The turns of one call, prepared once for any number of phrases.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use super::answers::denied;
use super::clauses::{Begins, Clauses, Spoken};
use super::corrections::{Corrections, mark};
use super::groups::{Group, grouped, same};
use super::language::foreign;
use super::listing::{Listed, Lists};
use super::negation::{Reach, Said, doubt};
use super::phrase::{Needle, Phrase};
use super::speakers::{Speaker, Speakers};
use super::stance::{Stance, stances};
use super::two::Two;
use crate::marks::Marks;
use crate::normalize::{Cut, Kind, Normalized, Pause, Vocabulary, Word};
use crate::tables::is_unit;
use crate::transcript::{TimedWord, Turn};

/// The turns of one call, as stretches of consecutive turns of one speaker. Unread turns are in no stretch and interrupt
/// none. Turns with times are in the order of their times.
pub struct Heard<'a> {
    stretches: Vec<Stretch<'a>>,
    vocabulary: Arc<Vocabulary>,
}

struct Stretch<'a> {
    index: usize,
    all: &'a [Turn],
    /// Its turns are the segments of `words`.
    group: Group,
    texts: Vec<&'a str>,
    words: Two,
    clauses: Clauses,
    reaches: Vec<Reach>,
    corrections: Corrections,
    stances: Vec<Stance>,
    lists: Lists,
    /// The segments that are not in the language that is read, and whether they are plainly in another.
    foreign: Vec<(usize, bool)>,
}

/// The number of earlier turns of the same speaker that a correction reaches.
const BEFORE: usize = 2;

/// A place in a call at which a speaker said a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// How the speaker meant it.
    pub said: Said,
    /// The turn it begins in.
    pub turn: usize,
    /// Where it begins: how many turns were read before, and the byte of the turn's text.
    pub at: (usize, usize),
    /// The turn it ends in.
    pub last_turn: usize,
    /// The byte of that turn's text behind its end, a negation right behind it included.
    pub end: usize,
    /// Where it ends, as `at`.
    pub until: (usize, usize),
    /// Turn and byte of the negation that reaches it; its own beginning when none does.
    pub negation: (usize, usize),
    /// The reasons why it is not stated: it is asked, hedged, under a condition, in reported speech.
    pub stance: Stance,
    /// A later word of it is not stated, because of its own words: "it will be denied".
    pub(crate) plans: bool,
    /// Why it is doubtful, where it is.
    pub(crate) doubt: &'static str,
    /// The least confidence of its words, in millionths, where the recording tells.
    pub confidence: Option<u32>,
    /// When it begins and ends, in milliseconds, where the recording tells.
    pub time: Option<(u64, u64)>,
    /// It is in a list of possible answers, with others that are not part of it.
    pub(crate) listed: Listed,
    stretch: usize,
    sentence: u32,
}

impl Occurrence {
    /// The sentence it begins in: two in one sentence have the same.
    pub(crate) fn sentence(&self) -> (usize, u32) {
        (self.stretch, self.sentence)
    }
}

/// The words, and what was made of them to find fuzzy phrases.
impl fmt::Debug for Heard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.stretches.iter().map(|stretch| &stretch.words)).finish()
    }
}

impl<'a> Heard<'a> {
    /// Prepares the turns of one call.
    pub fn new(turns: &'a [Turn], speakers: &Speakers) -> Self {
        let groups = grouped(turns, speakers).into_iter().enumerate();
        let vocabulary = Arc::clone(speakers.vocabulary());
        let stretches = groups.map(|(index, group)| Stretch::of(index, group, turns, &vocabulary)).collect();
        let mut heard = Self { stretches, vocabulary };
        heard.take_earlier();
        heard.take_denied();
        heard.take_over();
        heard.doubt_suppositions();
        heard
    }

    /// Takes back what a speaker corrects in one of the next two turns of theirs.
    fn take_earlier(&mut self) {
        /// Longer than any value that is repeated, in words.
        const ECHO: usize = 64;
        for later in 0..self.stretches.len() {
            let (before, rest) = self.stretches.split_at_mut(later);
            let taken = |found: &Corrections| found.words.iter().chain(&found.perhaps).filter(|word| **word).count();
            let Some(own) = rest.first_mut().filter(|own| !own.corrections.earlier.is_empty()) else { continue };
            own.take_own();
            let own = &*own;
            let theirs = |one: &Stretch<'_>| same(&one.group.speaker, &own.group.speaker);
            for earlier in &own.corrections.earlier {
                let other = before.last().filter(|last| earlier.answer && !theirs(last));
                let words = other.into_iter().flat_map(|other| other.words.labelled().words());
                let echo: Vec<String> = words.take(ECHO).map(|word| word.text.to_owned()).collect();
                if earlier.answer && echo.is_empty() {
                    continue;
                }
                let mut left = BEFORE.saturating_sub(earlier.segment);
                // turns of this stretch are the speaker's next ones as well
                let near = if earlier.answer { BEFORE } else { BEFORE * 4 };
                for stretch in before.iter_mut().rev().take(near).filter(|one| theirs(one)) {
                    if left == 0 {
                        break;
                    }
                    let turns = stretch.group.turns.len();
                    let from = turns.saturating_sub(left);
                    left = left.saturating_sub(turns);
                    let Stretch { words, clauses, texts, reaches, corrections, .. } = stretch;
                    let spoken = Spoken { text: words.labelled(), clauses, segments: texts };
                    let before = taken(corrections);
                    spoken.take_earlier(earlier, from..turns, &echo, reaches, corrections);
                    if taken(corrections) > before {
                        break;
                    }
                }
            }
        }
    }

    /// Takes back, or doubts, values that the other party denies.
    fn take_denied(&mut self) {
        /// The speaker answers, and both speak once more.
        const FAR: usize = 3;
        for at in 1..self.stretches.len() {
            let (before, rest) = self.stretches.split_at_mut(at);
            let (Some(said), Some((answer, later))) = (before.last_mut(), rest.split_first()) else { continue };
            let own = later.iter().take(FAR).filter(|one| same(&one.group.speaker, &said.group.speaker));
            let own: Vec<&Normalized> = own.map(|one| &**one.words.meant()).collect();
            if same(&answer.group.speaker, &said.group.speaker) {
                continue;
            }
            for denied in denied(said.words.meant(), answer.words.meant(), &own) {
                let (first, last) = said.words.said_of(denied.first, denied.last);
                let is_asked = said.stances.get(first).is_some_and(|stance| stance.any(Stance::ASKED));
                let Corrections { words, perhaps, asked, asked_perhaps, .. } = &mut said.corrections;
                let into = match (is_asked, denied.is_replaced) {
                    (false, true) => words,
                    (false, false) => perhaps,
                    (true, true) => asked,
                    (true, false) => asked_perhaps,
                };
                mark(into, first..last + 1);
            }
            if let Some(day) = said.spoken().denied_day(answer.spoken()) {
                mark(&mut said.corrections.perhaps, day..day + 1);
            }
        }
    }

    /// Doubts values for which their speaker takes over the other party's: "the eighteenth", "I have the seventeenth", "oh, sorry,
    /// the seventeenth".
    fn take_over(&mut self) {
        for at in 2..self.stretches.len() {
            let (before, rest) = self.stretches.split_at_mut(at);
            let (Some((answer, before)), Some(own)) = (before.split_last_mut(), rest.first()) else { continue };
            let Some(said) = before.last_mut().filter(|said| same(&said.group.speaker, &own.group.speaker)) else {
                continue;
            };
            if own.spoken().admits() && !same(&answer.group.speaker, &own.group.speaker) {
                for old in said.spoken().taken_over(answer.spoken(), own.spoken()) {
                    mark(&mut said.corrections.perhaps, old);
                }
            }
        }
    }

    /// Doubts what a speaker may only suppose or ask if the other party answers at once: "so it is approved", "not yet".
    fn doubt_suppositions(&mut self) {
        for at in 1..self.stretches.len() {
            let (before, rest) = self.stretches.split_at_mut(at);
            let (Some((said, earlier)), Some(answer)) = (before.split_last_mut(), rest.first()) else { continue };
            let answers = earlier.last().is_some_and(|one| one.spoken().may_be_question(&one.stances));
            let denied = said.spoken().supposition().filter(|_| answer.spoken().denies_first());
            let asked = || said.spoken().asks_by_tone(answers).filter(|_| answer.spoken().affirms_first());
            let from = denied.or_else(asked).unwrap_or(usize::MAX);
            for stance in said.stances.iter_mut().skip(from) {
                *stance = stance.and(Stance::DEPENDS);
            }
        }
    }

    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// How many turns were read, of a role or of all.
    pub fn turns_read(&self, role: Option<&str>) -> usize {
        self.stretches_of(role).map(|stretch| stretch.group.turns.len()).sum()
    }

    /// The turns that were read, in order, each with its number, its speaker's role and its text. A label without a role is
    /// its own.
    pub fn spoken(&self) -> impl Iterator<Item = (usize, &str, &str)> {
        self.stretches.iter().flat_map(|stretch| {
            let speaker = match &stretch.group.speaker {
                Speaker::Known { role, .. } => role.as_str(),
                Speaker::Perhaps(label) => label.as_str(),
                _ => "unknown",
            };
            let all = stretch.all;
            let text = move |turn: usize| all.get(turn).map_or("", |turn| turn.text.as_str());
            stretch.group.turns.iter().map(move |turn| (*turn, speaker, text(*turn)))
        })
    }

    pub(crate) fn meant(&self) -> impl Iterator<Item = (usize, &Normalized)> {
        self.stretches.iter().map(|stretch| (stretch.index, &**stretch.words.meant()))
    }

    /// The call in clauses, cut where the labels change. A clause that is negated is negated with its subject and the
    /// negation itself, so that every word is in one of them.
    pub(crate) fn pieces(&self) -> Vec<Piece> {
        let mut placed: Vec<(usize, Piece)> = Vec::new();
        for stretch in &self.stretches {
            let spoken = stretch.spoken();
            let from = placed.len();
            for (at, word) in stretch.words.said.words().enumerate() {
                let Some((order, piece)) = stretch.piece(at, &word) else { continue };
                // "but" begins a clause, and so does what follows it
                let joins =
                    |at: usize| spoken.is(at, Marks::JOINS.and(Marks::ENDS)) && spoken.begins(at) > Begins::Inside;
                let inside = spoken.begins(at) == Begins::Inside || at.checked_sub(1).is_some_and(joins);
                let last = placed.get_mut(from..).and_then(<[_]>::last_mut).map(|(_, last)| last);
                match last.filter(|last| last.turn == piece.turn) {
                    // two words of one contraction
                    Some(last) if word.span.start < last.to => last.to = last.to.max(piece.to),
                    // the unit of a number goes with it
                    Some(last) if last.said == Said::Corrected && word.pause == Pause::None && is_unit(word.text) => {
                        last.to = piece.to;
                    }
                    Some(last) if inside && last.goes_on(&piece, stretch.reaches.get(at)) => {
                        *last = Piece { turn: last.turn, from: last.from, ..piece };
                    }
                    _ => placed.push((order, piece)),
                }
            }
        }
        placed.sort_by_key(|(order, piece)| (*order, piece.from));
        placed.into_iter().map(|(_, piece)| piece).collect()
    }

    pub(crate) fn turns_of(&self, role: Option<&str>) -> Vec<usize> {
        self.stretches_of(role).flat_map(|stretch| stretch.group.turns.iter().copied()).collect()
    }

    /// A turn as a whole; `None` where it holds no word.
    pub(crate) fn whole_turn(&self, turn: usize) -> Option<Occurrence> {
        self.stretches.iter().find_map(|stretch| {
            let segment = stretch.group.turns.iter().position(|own| *own == turn)?;
            stretch.whole(segment)
        })
    }

    /// A turn of a role that is plainly in another language, as a whole.
    pub(crate) fn foreign_turn(&self, role: Option<&str>) -> Option<Occurrence> {
        self.stretches_of(role).find_map(|stretch| {
            let (segment, _) = stretch.foreign.iter().find(|(_, plainly)| *plainly)?;
            stretch.whole(*segment)
        })
    }

    /// How many turns do not say for sure who spoke them.
    pub fn turns_unattributed(&self) -> usize {
        let unknown = self.stretches.iter().map(|stretch| &stretch.group).filter(|group| group.speaker.is_doubtful());
        unknown.map(|group| group.turns.len()).sum()
    }

    /// The turns that have words of a normalized phrase, in order.
    pub(crate) fn close<'b>(&'b self, phrase: &'b Phrase, role: Option<&'b str>) -> Vec<Close<'b>> {
        let Some(needle) = phrase.words() else { return Vec::new() };
        let wanted: HashSet<&str> = needle.said.words().map(|word| word.text).collect();
        let mut found = Vec::new();
        for stretch in self.stretches_of(role) {
            let words: Vec<Word<'_>> = stretch.words.said.words().collect();
            for said in words.chunk_by(|one, other| one.segment == other.segment) {
                let met: HashSet<&str> = said.iter().filter_map(|word| wanted.get(word.text).copied()).collect();
                let turn = said.first().and_then(|word| stretch.group.turns.get(word.segment));
                if let Some(turn) = turn.filter(|_| !met.is_empty()) {
                    let missing = needle.said.words().map(|word| word.text).filter(|word| !met.contains(word));
                    found.push(Close { turn: *turn, met: met.len(), of: wanted.len(), missing: missing.collect() });
                }
            }
        }
        found
    }

    /// The first of the turns with the most words of a normalized phrase.
    pub(crate) fn nearest<'b>(&'b self, phrase: &'b Phrase, role: Option<&'b str>) -> Option<Close<'b>> {
        self.close(phrase, role).into_iter().rev().max_by_key(|close| close.met)
    }

    /// The places at which a role, or anybody, said a phrase, in order.
    pub fn occurrences<'b>(
        &'b self,
        phrase: &'b Phrase,
        role: Option<&'b str>,
    ) -> impl Iterator<Item = Occurrence> + 'b {
        let stretches = self.stretches_of(role).filter(|stretch| stretch.may_hold(phrase));
        stretches.flat_map(|stretch| stretch.occurrences(phrase))
    }

    /// The places of a phrase in turns that do not say for sure who spoke them.
    pub fn unattributed<'b>(&'b self, phrase: &'b Phrase) -> impl Iterator<Item = Occurrence> + 'b {
        let stretches = self.stretches.iter().filter(|stretch| stretch.group.speaker.is_doubtful());
        stretches.flat_map(|stretch| stretch.occurrences(phrase))
    }

    fn stretches_of<'b>(&'b self, role: Option<&'b str>) -> impl Iterator<Item = &'b Stretch<'a>> {
        self.stretches.iter().filter(move |stretch| role.is_none_or(|role| stretch.group.speaker.is(role)))
    }

    /// The words at an occurrence, from the negation on if one reaches it. A space parts the words of several turns.
    pub fn quote(&self, occurrence: &Occurrence) -> String {
        self.text_from(occurrence, occurrence.negation)
    }

    /// The words at an occurrence, without a negation before it.
    pub(crate) fn text(&self, occurrence: &Occurrence) -> String {
        self.text_from(occurrence, (occurrence.turn, occurrence.at.1))
    }

    fn text_from(&self, occurrence: &Occurrence, (first, start): (usize, usize)) -> String {
        let Some(stretch) = self.stretches.get(occurrence.stretch) else { return String::new() };
        let place = |turn: usize| stretch.group.turns.iter().position(|own| *own == turn);
        let (Some(first), Some(last)) = (place(first), place(occurrence.last_turn)) else { return String::new() };
        let part = |(index, text): (usize, &&'a str)| {
            let from = if index == first { start } else { 0 };
            text.get(from..if index == last { occurrence.end } else { text.len() }).unwrap_or_default()
        };
        stretch.texts.iter().enumerate().take(last + 1).skip(first).map(part).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn behind<'b>(
        &'b self,
        place: &Occurrence,
        role: Option<&'b str>,
        turns: usize,
    ) -> impl Iterator<Item = Part<'b>> {
        let last = place.until.0.saturating_add(turns);
        let (own, until) = (place.stretch, place.until);
        // stretches are in the order of their first turns
        let near = self.stretches.iter().skip(own);
        let near = near.take_while(move |stretch| stretch.group.order.first().is_some_and(|first| *first <= last));
        let of_role = near.filter(move |stretch| role.is_none_or(|role| stretch.group.speaker.is(role)));
        of_role.filter_map(move |stretch| {
            let words: &Normalized = stretch.words.meant();
            let from = match stretch.group.order.binary_search(&until.0) {
                Ok(segment) if stretch.index == own => words.words_in(segment, 0..until.1).1 + 1,
                _ => 0,
            };
            let segment = stretch.group.order.partition_point(|order| *order <= last).checked_sub(1)?;
            let to = words.words_in(segment, 0..usize::MAX).1 + 1;
            let to = to.min(words.len());
            (from < to).then_some(Part { words, from, to, stretch: stretch.index, of: stretch })
        })
    }

    /// The words of the next stretch of the same speaker, if another's alone lies between.
    pub(crate) fn said_next(&self, stretch: usize) -> impl Iterator<Item = &Normalized> {
        let own = self.stretches.get(stretch).map(|own| &own.group.speaker);
        let next = self.stretches.iter().skip(stretch + 2).take(1);
        next.filter(move |one| own.is_some_and(|own| same(own, &one.group.speaker))).map(|one| &**one.words.meant())
    }

    pub(crate) fn at_words(&self, stretch: usize, first: usize, last: usize) -> Option<Occurrence> {
        let stretch = self.stretches.get(stretch)?;
        let (first, last) = stretch.words.said_of(first, last);
        stretch.said(first, last, Cut::Free, doubt::PART)
    }
}

pub(crate) struct Part<'a> {
    pub(crate) words: &'a Normalized,
    /// Its first word.
    pub(crate) from: usize,
    /// The word behind its last.
    pub(crate) to: usize,
    pub(crate) stretch: usize,
    of: &'a Stretch<'a>,
}

impl Part<'_> {
    /// A value was taken back, or, if this is not sure, perhaps.
    pub(crate) fn taken_back(&self, first: usize, last: usize, is_sure: bool) -> bool {
        let (first, last) = self.of.words.said_of(first, last);
        let corrections = &self.of.corrections;
        let asked = if is_sure { &corrections.asked } else { &corrections.asked_perhaps };
        (is_sure && corrections.taken_back(first, last)) || asked.get(first..=last).unwrap_or_default().contains(&true)
    }
}

/// A clause, or a part of one with its own labels: its turn, its bytes there, and its labels.
pub(crate) struct Piece {
    pub(crate) turn: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) said: Said,
    /// Why it is doubtful, where it is.
    pub(crate) doubt: &'static str,
    pub(crate) stance: Stance,
    pub(crate) listed: Listed,
}

/// A turn that has some of the words of a phrase.
pub(crate) struct Close<'a> {
    pub(crate) turn: usize,
    /// How many of the words it has.
    pub(crate) met: usize,
    pub(crate) of: usize,
    /// The words that it does not have.
    pub(crate) missing: Vec<&'a str>,
}

impl Piece {
    /// The next word of the clause belongs to it: words before a negation or a "will" have the label of these.
    fn goes_on(&self, next: &Self, reach: Option<&Reach>) -> bool {
        let reached = reach.is_some_and(|reach| reach.said == next.said && reach.said != Said::Plain);
        let negates = self.said == Said::Plain && (next.said == Said::Negated || reached);
        let future = self.stance.is_stated() && next.stance == Stance::FUTURE;
        self.listed == next.listed && (self.stance == next.stance || future) && (self.said == next.said || negates)
    }
}

impl<'a> Stretch<'a> {
    fn of(index: usize, group: Group, all: &'a [Turn], vocabulary: &Arc<Vocabulary>) -> Self {
        let texts: Vec<&str> = group.turns.iter().filter_map(|index| Some(all.get(*index)?.text.as_str())).collect();
        let words = Two::of(vocabulary, &texts, &group.reads_on);
        let text = words.labelled();
        let clauses = Clauses::of(text, &texts);
        let spoken = Spoken { text, clauses: &clauses, segments: &texts };
        let reaches = spoken.reaches();
        let (corrections, stances) = (spoken.corrections(&reaches), stances(spoken));
        let lists = Lists::of(spoken, &reaches, &stances);
        let foreign = foreign(&words.said, vocabulary);
        Self { index, all, group, texts, words, clauses, reaches, corrections, stances, lists, foreign }
    }

    /// Takes back what a known speaker corrects in a later turn of the stretch.
    fn take_own(&mut self) {
        let Self { group, words, clauses, texts, reaches, corrections, .. } = self;
        let spoken = Spoken { text: words.labelled(), clauses, segments: texts };
        let earlier = std::mem::take(&mut corrections.earlier);
        for later in earlier.iter().filter(|later| later.own && !group.speaker.is_doubtful()) {
            let turns = later.segment.saturating_sub(BEFORE)..later.segment;
            spoken.take_earlier(later, turns, &[], reaches, corrections);
        }
        corrections.earlier = earlier;
    }

    fn spoken(&self) -> Spoken<'_> {
        Spoken { text: self.words.labelled(), clauses: &self.clauses, segments: &self.texts }
    }

    /// A phrase may be found in it; without this it is not.
    fn may_hold(&self, phrase: &Phrase) -> bool {
        match &phrase.needle {
            Needle::Words(needle, None) => self.words.may_hold(needle),
            _ => true,
        }
    }

    fn occurrences<'b>(&'b self, phrase: &'b Phrase) -> Box<dyn Iterator<Item = Occurrence> + 'b> {
        let texts = self.texts.iter().enumerate();
        match &phrase.needle {
            Needle::Words(needle, threshold) => {
                let found = self.words.find(needle, *threshold).into_iter();
                Box::new(found.filter_map(move |(first, last, cut)| self.said(first, last, cut, needle.doubt())))
            }
            Needle::Exact(needle) => Box::new(texts.flat_map(move |(segment, text)| {
                text.match_indices(needle.as_str())
                    .filter_map(move |(start, hit)| self.raw(segment, start, start + hit.len()))
            })),
            Needle::Regex(regex) => Box::new(texts.flat_map(move |(segment, text)| {
                regex
                    .find_iter(text)
                    .filter(|hit| !hit.is_empty())
                    .filter_map(move |hit| self.raw(segment, hit.start(), hit.end()))
            })),
        }
    }

    fn said(&self, first: usize, last: usize, cut: Cut, why: &'static str) -> Option<Occurrence> {
        let words = &self.words.said;
        let (first_word, last_word) = (words.word(first)?, words.word(last)?);
        let number = |word: &Word<'_>| matches!(word.kind, Kind::Number | Kind::Letter);
        if self.group.echo && (number(&first_word) || number(&last_word)) {
            return None;
        }
        let from = (first_word.segment, first_word.span.start);
        let to = (last_word.segment, last_word.span.end);
        let mut found = self.occurrence(first, last, from, to)?;
        if cut == Cut::Doubtful {
            (found.said, found.doubt) = (Said::Doubtful, why);
        }
        Some(found)
    }

    /// The word at an index by itself, and how many turns were read before it.
    fn piece(&self, at: usize, word: &Word<'_>) -> Option<(usize, Piece)> {
        let spoken = self.spoken();
        let behind = spoken.word(at + 1) != "not" && spoken.negated_behind(at).is_some();
        let (said, doubt) = self.taken(at, at, if behind { Said::Negated } else { self.reached(at) });
        let piece = Piece {
            turn: *self.group.turns.get(word.segment)?,
            from: word.span.start,
            to: word.span.end,
            said,
            doubt,
            stance: self.stances.get(at).copied().unwrap_or_default(),
            listed: self.lists.listed(at, at),
        };
        Some((*self.group.order.get(word.segment)?, piece))
    }

    /// How a negation before the word at an index, or behind its clause, lets it be said.
    fn reached(&self, at: usize) -> Said {
        self.reaches.get(at).map_or(Said::Plain, |reach| reach.said)
    }

    fn is_foreign(&self, at: usize) -> bool {
        let foreign = |word: Word<'_>| self.foreign.binary_search_by_key(&word.segment, |(own, _)| *own).is_ok();
        self.words.said.word(at).is_some_and(foreign)
    }

    /// The same with what was taken back from one word to another, and with who may have said it; why, if it is doubtful.
    fn taken(&self, first: usize, last: usize, said: Said) -> (Said, &'static str) {
        let corrections = &self.corrections;
        match said {
            _ if self.group.speaker == Speaker::Aside => (Said::Doubtful, doubt::SPEAKER),
            _ if self.is_foreign(first) => (Said::Doubtful, doubt::LANGUAGE),
            Said::Plain if corrections.taken_back(first, last) => (Said::Corrected, ""),
            Said::Plain if corrections.perhaps.get(first..=last).unwrap_or_default().contains(&true) => {
                (Said::Doubtful, doubt::TAKEN_BACK)
            }
            said => (said, doubt::NEGATION),
        }
    }

    fn whole(&self, segment: usize) -> Option<Occurrence> {
        self.raw(segment, 0, self.texts.get(segment)?.len())
    }

    /// An occurrence at a byte range of a turn's text.
    fn raw(&self, segment: usize, start: usize, end: usize) -> Option<Occurrence> {
        let (first, last) = self.words.said.words_in(segment, start..end);
        self.occurrence(first, last, (segment, start), (segment, end))
    }

    fn occurrence(&self, first: usize, last: usize, from: (usize, usize), to: (usize, usize)) -> Option<Occurrence> {
        let turn_of = |segment: usize| self.group.turns.get(segment).copied();
        let said_word = |at: u32| self.words.said.word(at as usize);
        let (turn, mut last_turn) = (turn_of(from.0)?, turn_of(to.0)?);
        let mut end = to.1;
        let reach = self.reaches.get(first);
        let mut said = self.reached(first);
        let mut negation = (turn, from.1);
        let mut behind = reach.and_then(|reach| reach.until);
        if said == Said::Plain {
            behind = self.spoken().negated_behind(last).and_then(|last| u32::try_from(last).ok());
            said = if behind.is_some() { Said::Negated } else { said };
        } else if behind.is_none()
            && let Some(word) = reach.and_then(|reach| said_word(reach.since))
        {
            negation = (turn_of(word.segment)?, word.span.start);
        }
        if let Some(not) = behind.and_then(said_word)
            && (not.segment, not.span.end) > to
        {
            (last_turn, end) = (turn_of(not.segment)?, not.span.end);
        }
        let (said, doubt) = self.taken(first, last, said);
        let spoken = (from.0..=to.0).flat_map(|segment| {
            let start = if segment == from.0 { from.1 } else { 0 };
            self.timed(segment, start, if segment == to.0 { to.1 } else { usize::MAX })
        });
        let words: Vec<&TimedWord> = spoken.collect();
        let times = words.iter().filter_map(|word| word.start.zip(word.end.or(word.start)));
        let time = times.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        let (one, other) = (self.all.get(turn)?, self.all.get(last_turn)?);
        let order = |segment: usize| self.group.order.get(segment).copied();
        Some(Occurrence {
            said,
            turn,
            at: (order(from.0)?, from.1),
            last_turn,
            end,
            until: (order(to.0)?, to.1),
            negation,
            stance: self.stances.get(first).copied().unwrap_or_default(),
            plans: self.plans(first, last),
            doubt,
            confidence: words.iter().filter_map(|word| word.confidence).min(),
            time: time.or_else(|| one.start.map(|start| (start, other.end.or(other.start).unwrap_or(start)))),
            listed: self.lists.listed(first, last),
            stretch: self.index,
            sentence: u32::try_from(self.spoken().sentence_start(first)).unwrap_or(u32::MAX),
        })
    }

    /// Later words are not stated. What is needed is: "it needs a referral", not "it needs to be sent".
    fn plans(&self, first: usize, last: usize) -> bool {
        let open = |at: &usize| self.stances.get(*at).is_some_and(|stance| !stance.without_past().may_be_stated());
        let needed = |at: usize| {
            let spoken = self.spoken();
            let needs = matches!(spoken.word_before(at), "need" | "needs" | "requires" | "requiring");
            needs && spoken.word(at) != "to" && self.stances.get(at) == Some(&Stance::FUTURE)
        };
        (first + 1..=last).find(open).is_some_and(|at| !needed(at))
    }

    /// The recognizer's words between two bytes of a turn's text.
    fn timed(&self, segment: usize, start: usize, end: usize) -> impl Iterator<Item = &TimedWord> {
        let words = self.group.turns.get(segment).and_then(|turn| self.all.get(*turn));
        let words = words.map(|turn| turn.words.as_slice()).unwrap_or_default();
        let first = words.partition_point(|word| word.span.end <= start);
        words.iter().skip(first).take_while(move |word| word.span.start < end)
    }
}
