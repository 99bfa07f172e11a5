//! Both readings of a stretch side by side. A phrase is found where either of its readings lies in the same reading of the
//! text, and a number must be whole in both.

use std::sync::Arc;

use super::fuzzy::{self, Sounded};
use super::phrase::Words;
use crate::normalize::{Cut, Kind, Normalized, Readings, Sep, Vocabulary, Word};

/// The words of a stretch: as they were said, and as they are meant where that differs.
#[derive(Debug)]
pub(super) struct Two {
    pub(super) said: Sounded,
    meant: Option<Sounded>,
    glossed: Option<Normalized>,
    vocabulary: Arc<Vocabulary>,
}

/// The words of a phrase as they were said: first, last, and how sure both ends are.
pub(super) type Found = (usize, usize, Cut);

impl Two {
    pub(super) fn of(vocabulary: &Arc<Vocabulary>, segments: &[&str], reads_on: &[usize]) -> Self {
        let Readings { said, meant, glossed } = Normalized::readings(vocabulary, segments, reads_on);
        Self { said: said.into(), meant: meant.map(Sounded::from), glossed, vocabulary: Arc::clone(vocabulary) }
    }

    /// The words by which clauses are labelled, one for each spoken word.
    pub(super) fn labelled(&self) -> &Normalized {
        self.glossed.as_ref().unwrap_or(&self.said)
    }

    pub(super) fn meant(&self) -> &Sounded {
        self.meant.as_ref().unwrap_or(&self.said)
    }

    /// The words that were said in place of words of the second reading.
    pub(super) fn said_of(&self, first: usize, last: usize) -> (usize, usize) {
        let ((first, _), (_, last)) = (self.said_at(first), self.said_at(last));
        (first, last.max(first))
    }

    /// A phrase may be found here; without this it is not.
    pub(super) fn may_hold(&self, phrase: &Words) -> bool {
        !phrase.times.is_empty()
            || self.said.may_hold(&phrase.said)
            || ((self.meant.is_some() || phrase.meant.is_some()) && self.meant().may_hold(phrase.meant()))
    }

    /// The places of a phrase word by word, in order; with a threshold, also the places of words that sound like it.
    pub(super) fn find(&self, phrase: &Words, threshold: Option<u32>) -> Vec<Found> {
        let find = |text: &Sounded, phrase: &Sounded| match threshold {
            Some(threshold) => fuzzy::find(text, phrase, &self.vocabulary, threshold),
            None if text.may_hold(phrase) => find(text, phrase).collect(),
            None => Vec::new(),
        };
        let mut found = find(&self.said, &phrase.said);
        found.retain_mut(|(first, last, cut)| match self.whole(*first, *last) {
            Cut::Never => false,
            other => {
                *cut = (*cut).min(other).min(if phrase.signed { Cut::Doubtful } else { Cut::Free });
                !phrase.is_other_half(&self.said, *last)
            }
        });
        if self.meant.is_none() && phrase.meant.is_none() && phrase.times.is_empty() {
            return found;
        }
        let times = phrase.times.iter().flat_map(|(form, sure)| {
            let found = find(self.meant(), form).into_iter();
            found.map(|(first, last, cut)| (first, last, cut.min(if *sure { Cut::Free } else { Cut::Doubtful })))
        });
        let meant = find(self.meant(), phrase.meant()).into_iter().chain(times);
        let meant =
            meant.filter(|(_, last, _)| !phrase.is_other_half(self.meant(), *last)).map(|(first, last, cut)| {
                let (first, last) = self.said_of(first, last);
                (first, last, cut)
            });
        let mut all: Vec<Found> = found.into_iter().chain(meant).collect();
        all.sort_by_key(|(first, last, cut)| (*first, *last, std::cmp::Reverse(*cut)));
        let mut merged: Vec<Found> = Vec::with_capacity(all.len());
        for one in all {
            match merged.last_mut() {
                // one place in both readings: the same, or one within the other
                Some(before) if one.0 <= before.1 && (one.0 == before.0 || one.1 <= before.1) => {
                    before.2 = before.2.max(one.2);
                }
                _ => merged.push(one),
            }
        }
        merged
    }

    /// The words that were said in place of a word of the second reading, first and last.
    fn said_at(&self, index: usize) -> (usize, usize) {
        let Some(meant) = &self.meant else { return (index, index) };
        let Some(word) = meant.word(index) else { return (index, index) };
        let (first, last) = self.said.words_in(word.segment, word.span.clone());
        // words of one contraction have one place: "can", "not"
        let same = |other: &Word<'_>| other.segment == word.segment && other.span == word.span;
        let before = (0..index).rev().take_while(|at| meant.word(*at).is_some_and(|other| same(&other))).count();
        let one = self.said.word(first + before).is_some_and(|other| same(&other));
        if one { (first + before, first + before) } else { (first, last) }
    }

    /// How sure it is that words are whole in the second reading, too: a number that goes on there is another number.
    fn whole(&self, first: usize, last: usize) -> Cut {
        let Some(meant) = &self.meant else { return Cut::Free };
        let (Some(from), Some(to)) = (self.said.word(first), self.said.word(last)) else { return Cut::Free };
        let (start, _) = meant.words_in(from.segment, from.span.clone());
        let (_, end) = meant.words_in(to.segment, to.span.clone());
        let mut cut = Cut::Free;
        for (index, said, begins) in [(start, &from, true), (end, &to, false)] {
            let Some(word) = meant.word(index) else { continue };
            let elsewhere =
                word.segment != said.segment || word.span.end <= said.span.start || word.span.start >= said.span.end;
            if elsewhere {
                continue;
            }
            let outside = (word.segment, word.span.start) < (from.segment, from.span.start)
                || (word.segment, word.span.end) > (to.segment, to.span.end);
            if outside && matches!(word.kind, Kind::Number | Kind::Decimal) {
                return Cut::Never;
            }
            if runs(said) && runs(&word) {
                cut = cut.min(meant.cut_at(if begins { index } else { index + 1 }));
            }
        }
        cut
    }
}

/// A number, or a letter that is not a word.
pub(super) fn runs(word: &Word<'_>) -> bool {
    word.kind == Kind::Number || (word.kind == Kind::Letter && !matches!(word.text, "a" | "i"))
}

/// The places of a phrase's characters in a text, aligned to its words, in order.
fn find<'a>(text: &'a Normalized, phrase: &'a Normalized) -> impl Iterator<Item = Found> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        let needle = phrase.chars();
        let step = needle.chars().next()?.len_utf8();
        loop {
            let start = from + text.chars().get(from..)?.find(needle)?;
            from = start + step;
            let end = start + needle.len();
            if let Some(cut) = aligned(text, phrase, start, end) {
                return Some((text.word_at(start), text.word_at(end.checked_sub(1)?), cut));
            }
        }
    })
}

/// How sure the ends are, when the boundaries inside agree.
fn aligned(text: &Normalized, phrase: &Normalized, start: usize, end: usize) -> Option<Cut> {
    text.boundary(end)?;
    let mut cut = text.boundary(start)?.cut.min(text.end_at(text.word_at(end.checked_sub(1)?)));
    if cut == Cut::Never {
        return None;
    }
    if text.is_behind_prefix(text.word_at(start)) {
        cut = Cut::Doubtful;
    }
    let agree = (1..end - start).all(|at| match (text.boundary(start + at), phrase.boundary(at)) {
        (Some(boundary), None) | (None, Some(boundary)) => !boundary.required && boundary.sep == Sep::None,
        (Some(one), Some(other)) => one.sep == Sep::None || other.sep == Sep::None || one.sep == other.sep,
        (None, None) => true,
    });
    agree.then_some(cut)
}
