//! Which turns are read as one: those of one speaker that follow one another, in the order of their times.

use std::collections::HashMap;

use super::speakers::{Speaker, Speakers};
use crate::normalize::{Kind, Normalized, Word};
use crate::tables::ACKNOWLEDGEMENTS;
use crate::transcript::Turn;

/// Turns of one speaker that are read as one.
pub(super) struct Group {
    pub(super) speaker: Speaker,
    /// Their indexes in the call.
    pub(super) turns: Vec<usize>,
    /// For each, how many turns were read before it.
    pub(super) order: Vec<usize>,
}

/// Turns of one speaker that follow one another. A short acknowledgement of somebody else does not part the two halves of a
/// number that is read out: "five five five" ("okay") "one two one two".
pub(super) fn grouped(turns: &[Turn], speakers: &Speakers) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    // for each turn that was read, its group
    let mut group_of: Vec<usize> = Vec::new();
    // a call has few speakers
    let mut known: HashMap<_, Speaker> = HashMap::new();
    for index in by_time(turns) {
        let Some(turn) = turns.get(index) else { continue };
        let label = (turn.speaker.as_deref(), turn.role.as_deref(), turn.spoken, turn.doubtful);
        let speaker = &*known.entry(label).or_insert_with(|| speakers.speaker(turn));
        if *speaker == Speaker::Unread {
            continue;
        }
        let order = group_of.len();
        let before = |back: usize| {
            let at = *group_of.get(order.checked_sub(back)?)?;
            Some((at, groups.get(at)?)).filter(|(_, group)| same(&group.speaker, speaker))
        };
        let between = || {
            let (at, last) = (*group_of.last()?, order.checked_sub(1)?);
            let group = groups.get(at)?;
            group.order.last().filter(|order| **order == last).and(group.turns.last()).copied()
        };
        let reads_on = || {
            let (at, group) = before(2)?;
            reads_on(turns, group, between()?, turn).then_some(at)
        };
        let at = before(1).map(|(at, _)| at).or_else(reads_on).unwrap_or(groups.len());
        match groups.get_mut(at) {
            Some(group) => {
                group.turns.push(index);
                group.order.push(order);
            }
            None => groups.push(Group { speaker: speaker.clone(), turns: vec![index], order: vec![order] }),
        }
        group_of.push(at);
    }
    groups
}

/// Whether a turn goes on with the number that `before` ends with, where `between` only acknowledges.
fn reads_on(turns: &[Turn], before: &Group, between: usize, turn: &Turn) -> bool {
    /// As much of a turn as tells what it begins or ends with.
    const ENOUGH: usize = 64;
    let text = |index: usize| turns.get(index).map(|turn| turn.text.as_str());
    let Some(before) = before.turns.last().and_then(|index| text(*index)) else { return false };
    let Some(between) = text(between).filter(|text| text.len() <= ENOUGH) else { return false };
    if !is_acknowledgement(&Normalized::of(&[between])) {
        return false;
    }
    let cut = before.char_indices().map(|(at, _)| at).find(|at| before.len() - at <= ENOUGH).unwrap_or_default();
    let ends = Normalized::of(&[before.get(cut..).unwrap_or_default()]);
    let cut = turn.text.char_indices().map(|(at, _)| at).find(|at| *at >= ENOUGH).unwrap_or(turn.text.len());
    let begins = Normalized::of(&[turn.text.get(..cut).unwrap_or_default()]);
    let character = |word: Option<Word<'_>>| {
        word.is_some_and(|word| match word.kind {
            Kind::Number => true,
            Kind::Letter => !matches!(word.text, "a" | "i"),
            _ => false,
        })
    };
    character(ends.words().last()) && character(begins.word(0))
}

fn is_acknowledgement(words: &Normalized) -> bool {
    let word = |at: usize| words.word(at).map(|word| word.text);
    let mut at = 0;
    while at < words.len() {
        let Some(length) = ACKNOWLEDGEMENTS.at(at, word) else { return false };
        at += length;
    }
    at > 0
}

/// The indexes of turns in the order in which they were spoken. A turn without a time stays behind the one before it.
fn by_time(turns: &[Turn]) -> Vec<usize> {
    let mut last = 0;
    let mut order: Vec<(u64, usize)> = Vec::with_capacity(turns.len());
    for (index, turn) in turns.iter().enumerate() {
        last = turn.start.unwrap_or(last);
        order.push((last, index));
    }
    order.sort_by_key(|(start, _)| *start);
    order.into_iter().map(|(_, index)| index).collect()
}

/// Whether turns of these speakers are turns of one speaker.
fn same(one: &Speaker, other: &Speaker) -> bool {
    match (one, other) {
        (Speaker::Known { role, .. }, Speaker::Known { role: other, .. }) => role == other,
        (one, other) => one == other,
    }
}
