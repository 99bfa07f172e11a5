//! Which turns are read as one: those of one speaker that follow one another, in the order of their times.

use std::collections::HashMap;

use super::speakers::{Speaker, Speakers};
use super::two::runs;
use crate::normalize::{Kind, Normalized, Word};
use crate::tables::ACKNOWLEDGEMENTS;
use crate::transcript::Turn;

pub(super) struct Group {
    pub(super) speaker: Speaker,
    pub(super) turns: Vec<usize>,
    /// For each, how many turns were read before it. They rise, and may leave out those of somebody else.
    pub(super) order: Vec<usize>,
    /// Which of them go on with a number that the one before ends with, over what the other party says to it.
    pub(super) reads_on: Vec<usize>,
    /// It repeats a part of a number that the other party reads out in groups: the number is not this.
    pub(super) echo: bool,
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
        let own = before(1).map(|(at, _)| at);
        let on = if own.is_none() { reads_on() } else { None };
        if let (Some(_), Some(echo)) = (on, group_of.last().and_then(|at| groups.get_mut(*at))) {
            echo.echo = echo.turns.len() == 1;
        }
        let closes = own.is_none() && on.is_none() && closes_reading(turns, &groups, &group_of, turn);
        let at = own.or(on).unwrap_or(groups.len());
        match groups.get_mut(at) {
            Some(group) => {
                if on.is_some() {
                    group.reads_on.push(group.turns.len());
                }
                group.turns.push(index);
                group.order.push(order);
                // its other words do not echo
                group.echo = false;
            }
            None => groups.push(Group {
                speaker: speaker.clone(),
                turns: vec![index],
                order: vec![order],
                reads_on: Vec::new(),
                echo: closes,
            }),
        }
        group_of.push(at);
    }
    groups
}

/// The most bytes at the beginning or the end of a turn that decide how a number goes on there.
const ENOUGH: usize = 64;

fn end_of(turn: &Turn) -> Normalized {
    let cut = turn.text.ceil_char_boundary(turn.text.len().saturating_sub(ENOUGH));
    Normalized::canonical(&[turn.text.get(cut..).unwrap_or_default()])
}

/// A turn goes on with the number that `before` ends with, and `between` only acknowledges.
fn reads_on(turns: &[Turn], before: &Group, between: usize, turn: &Turn) -> bool {
    let Some(before) = before.turns.last().and_then(|index| turns.get(*index)) else { return false };
    let Some(between) = turns.get(between).filter(|turn| turn.text.len() <= ENOUGH) else { return false };
    let ends = end_of(before);
    let begins = turn.text.get(..turn.text.ceil_char_boundary(ENOUGH)).unwrap_or_default();
    let begins = Normalized::canonical(&[begins]);
    ends.words().last().is_some_and(|word| runs(&word))
        && begins.word(0).is_some_and(|word| runs(&word))
        && echoes(&between.text, &ends).is_some()
}

/// Checks if a turn repeats the characters that another ends with, perhaps with an "okay"; false for an "okay" alone, and
/// `None` if it says something else.
fn echoes(turn: &str, read: &Normalized) -> Option<bool> {
    let runs = |word: &Word<'_>| matches!(word.kind, Kind::Number | Kind::Letter);
    let words = Normalized::canonical(&[turn]);
    let mut echo = String::new();
    let mut at = 0;
    while let Some(word) = words.word(at) {
        if let Some(length) = ACKNOWLEDGEMENTS.at(at, |at| words.word(at).map(|word| word.text)) {
            at += length;
        } else {
            echo.push_str(Some(word).filter(runs)?.text);
            at += 1;
        }
    }
    let read: Vec<Word<'_>> = read.words().collect();
    let from = read.iter().rposition(|word| !runs(word)).map_or(0, |last| last + 1);
    let read: String = read.iter().skip(from).map(|word| word.text).collect();
    let repeats = !echo.is_empty();
    (!repeats || (echo.len() >= 2 && read.ends_with(&echo))).then_some(repeats)
}

/// A turn repeats the last group of a number that the other party just read out in groups.
fn closes_reading(turns: &[Turn], groups: &[Group], group_of: &[usize], turn: &Turn) -> bool {
    let Some(group) = group_of.last().and_then(|at| groups.get(*at)) else { return false };
    let last = group.turns.len().checked_sub(1);
    if group.reads_on.last().copied() != last || last.is_none() || turn.text.len() > ENOUGH {
        return false;
    }
    let read = group.turns.last().and_then(|index| turns.get(*index)).map(end_of);
    read.is_some_and(|read| echoes(&turn.text, &read) == Some(true))
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

pub(super) fn same(one: &Speaker, other: &Speaker) -> bool {
    match (one, other) {
        (Speaker::Known { role, .. }, Speaker::Known { role: other, .. }) => role == other,
        (one, other) => one == other,
    }
}
