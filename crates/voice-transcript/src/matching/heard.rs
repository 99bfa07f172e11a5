//! The turns of one call, prepared once for any number of phrases.

use std::collections::HashSet;

use super::find::find;
use super::negation::{Reach, Said, negated_behind, reaches};
use super::phrase::{Needle, Phrase};
use super::speakers::{Speaker, Speakers};
use crate::normalize::{Cut, Normalized};
use crate::transcript::Turn;

/// The turns of one call, as stretches of consecutive turns of one speaker. Turns that are not read
/// stand in no stretch and interrupt none.
pub struct Heard<'a> {
    turns: &'a [Turn],
    stretches: Vec<Stretch>,
}

struct Stretch {
    speaker: Speaker,
    /// Indexes into the call's turns; the segments of `words`.
    turns: Vec<usize>,
    words: Normalized,
    reaches: Vec<Reach>,
}

/// One place where a phrase was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// How it was said.
    pub said: Said,
    /// The turn it begins in.
    pub turn: usize,
    /// The byte of that turn's text it begins at.
    pub start: usize,
    /// The turn it ends in.
    pub last_turn: usize,
    /// The byte of that turn's text behind its end, a negation right behind it included.
    pub end: usize,
    /// Turn and byte of the negation that reaches it; its own beginning when none does.
    pub negation: (usize, usize),
}

impl<'a> Heard<'a> {
    /// Prepares the turns of one call.
    pub fn new(turns: &'a [Turn], speakers: &Speakers) -> Self {
        let mut groups: Vec<(Speaker, Vec<usize>)> = Vec::new();
        for (index, turn) in turns.iter().enumerate() {
            let speaker = speakers.speaker(turn);
            if speaker == Speaker::Unread {
                continue;
            }
            match groups.last_mut() {
                Some((last, list)) if same(last, &speaker) => list.push(index),
                _ => groups.push((speaker, vec![index])),
            }
        }
        let stretches = groups
            .into_iter()
            .map(|(speaker, indexes)| {
                let texts: Vec<&str> =
                    indexes.iter().filter_map(|index| Some(turns.get(*index)?.text.as_str())).collect();
                let words = Normalized::of(&texts);
                let reaches = reaches(&words);
                Stretch { speaker, turns: indexes, words, reaches }
            })
            .collect();
        Self { turns, stretches }
    }

    /// How many turns were read, of a role or of all.
    pub fn turns_read(&self, role: Option<&str>) -> usize {
        self.stretches_of(role).map(|stretch| stretch.turns.len()).sum()
    }

    /// How many turns do not say who spoke them.
    pub fn turns_unattributed(&self) -> usize {
        let unknown = self.stretches.iter().filter(|stretch| stretch.speaker == Speaker::Unknown);
        unknown.map(|stretch| stretch.turns.len()).sum()
    }

    /// The first turn that was read.
    pub fn first_turn(&self, role: Option<&str>) -> Option<usize> {
        self.stretches_of(role).next()?.turns.first().copied()
    }

    /// The turn with the most words of a normalized phrase in it: the turn, how many, and of how many. `None` when no
    /// turn has any.
    pub fn nearest(&self, phrase: &Phrase, role: Option<&str>) -> Option<(usize, usize, usize)> {
        let Needle::Normalized(needle) = &phrase.needle else { return None };
        let wanted: HashSet<&str> = needle.words().map(|word| word.text).collect();
        let mut best: Option<(usize, usize, usize)> = None;
        for stretch in self.stretches_of(role) {
            let mut met: HashSet<&str> = HashSet::new();
            let mut segment = 0;
            for word in stretch.words.words() {
                if word.segment != segment {
                    segment = word.segment;
                    met.clear();
                }
                if wanted.contains(word.text) && met.insert(word.text) {
                    let turn = *stretch.turns.get(segment)?;
                    if best.is_none_or(|(_, most, _)| met.len() > most) {
                        best = Some((turn, met.len(), wanted.len()));
                    }
                }
            }
        }
        best
    }

    /// Where a phrase was said by a role, or by anybody, in order.
    pub fn occurrences<'b>(
        &'b self,
        phrase: &'b Phrase,
        role: Option<&'b str>,
    ) -> impl Iterator<Item = Occurrence> + 'b {
        self.stretches_of(role).flat_map(|stretch| stretch.occurrences(phrase, self.turns))
    }

    /// Where a phrase was said in turns that do not say who spoke them.
    pub fn unattributed<'b>(&'b self, phrase: &'b Phrase) -> impl Iterator<Item = Occurrence> + 'b {
        self.stretches
            .iter()
            .filter(|stretch| stretch.speaker == Speaker::Unknown)
            .flat_map(|stretch| stretch.occurrences(phrase, self.turns))
    }

    fn stretches_of<'b>(&'b self, role: Option<&'b str>) -> impl Iterator<Item = &'b Stretch> {
        self.stretches.iter().filter(move |stretch| role.is_none_or(|role| stretch.speaker.is(role)))
    }

    /// What was said at an occurrence, from the negation on if one reaches it. Parts of several turns
    /// stand with a space between.
    pub fn quote(&self, occurrence: &Occurrence) -> String {
        let (first, start) = occurrence.negation;
        let mut quote = String::new();
        for index in first..=occurrence.last_turn {
            let within = self.stretches.iter().any(|stretch| {
                stretch.turns.binary_search(&occurrence.turn).is_ok() && stretch.turns.binary_search(&index).is_ok()
            });
            let Some(turn) = self.turns.get(index).filter(|_| within) else { continue };
            let from = if index == first { start } else { 0 };
            let to = if index == occurrence.last_turn { occurrence.end } else { turn.text.len() };
            if !quote.is_empty() {
                quote.push(' ');
            }
            quote.push_str(turn.text.get(from..to).unwrap_or_default());
        }
        quote
    }
}

/// Whether turns of these speakers are turns of one speaker.
fn same(one: &Speaker, other: &Speaker) -> bool {
    match (one, other) {
        (Speaker::Known { role, .. }, Speaker::Known { role: other, .. }) => role == other,
        (one, other) => one == other,
    }
}

impl Stretch {
    fn occurrences<'a>(&'a self, phrase: &'a Phrase, turns: &'a [Turn]) -> Box<dyn Iterator<Item = Occurrence> + 'a> {
        match &phrase.needle {
            Needle::Normalized(needle) => {
                Box::new(find(&self.words, needle).filter_map(|(range, cut)| self.aligned(range.start, range.end, cut)))
            }
            Needle::Exact(needle) => Box::new(self.texts(turns).flat_map(move |(segment, text)| {
                text.match_indices(needle.as_str())
                    .filter_map(move |(start, hit)| self.raw(segment, start, start + hit.len()))
            })),
            Needle::Regex(regex) => Box::new(self.texts(turns).flat_map(move |(segment, text)| {
                regex
                    .find_iter(text)
                    .filter(|hit| !hit.is_empty())
                    .filter_map(move |hit| self.raw(segment, hit.start(), hit.end()))
            })),
        }
    }

    fn texts<'a>(&'a self, turns: &'a [Turn]) -> impl Iterator<Item = (usize, &'a str)> {
        self.turns.iter().enumerate().filter_map(|(segment, turn)| Some((segment, turns.get(*turn)?.text.as_str())))
    }

    /// An occurrence at a byte range of the normalized characters.
    fn aligned(&self, start: usize, end: usize, cut: Cut) -> Option<Occurrence> {
        let (first, last) = (self.words.word_at(start), self.words.word_at(end.checked_sub(1)?));
        let (first_word, last_word) = (self.words.word(first)?, self.words.word(last)?);
        let from = (first_word.segment, first_word.span.start);
        let to = (last_word.segment, last_word.span.end);
        let mut found = self.occurrence(first, last, from, to)?;
        if cut == Cut::Doubtful {
            found.said = Said::Doubtful;
        }
        Some(found)
    }

    /// An occurrence at a byte range of a turn's text.
    fn raw(&self, segment: usize, start: usize, end: usize) -> Option<Occurrence> {
        let (first, last) = self.words.words_in(segment, start..end);
        self.occurrence(first, last, (segment, start), (segment, end))
    }

    fn occurrence(&self, first: usize, last: usize, from: (usize, usize), to: (usize, usize)) -> Option<Occurrence> {
        let turn = *self.turns.get(from.0)?;
        let reach = self.reaches.get(first);
        let mut said = reach.map_or(Said::Plain, |reach| reach.said);
        let mut negation = (turn, from.1);
        if let Some(reach) = reach
            && said != Said::Plain
            && let Some(word) = self.words.word(reach.since as usize)
        {
            negation = (*self.turns.get(word.segment)?, word.span.start);
        }
        let mut end = to.1;
        let mut last_turn = *self.turns.get(to.0)?;
        if said == Said::Plain && negated_behind(&self.words, last) {
            said = Said::Negated;
            if let Some(not) = self.words.word(last + 1) {
                last_turn = *self.turns.get(not.segment)?;
                end = not.span.end;
            }
        }
        Some(Occurrence { said, turn, start: from.1, last_turn, end, negation })
    }
}
