//! Words that name their own speaker: a turn in which several speak becomes a turn for each.
//!
//! A word belongs to the speaker that its own label names. A word without a label belongs to the speaker of the words
//! on both sides; between two speakers it has no speaker, and neither have words of the text that no list contains. If
//! turns have other labels than words, as when a person renamed them, words show only that another person speaks, and
//! not who.

use std::collections::HashSet;
use std::ops::Range;

use super::turn::party;
use super::{TimedWord, Turn};
use crate::tables::UNREAD;

/// Cuts turns where the speakers of their words change.
pub(crate) fn split(turns: Vec<Turn>) -> Vec<Turn> {
    let of_words: HashSet<&String> =
        turns.iter().flat_map(|turn| &turn.words).filter_map(|w| w.speaker.as_ref()).collect();
    if of_words.is_empty() {
        return turns;
    }
    let mut labels = turns.iter().filter_map(label).peekable();
    let shared = labels.peek().is_none() || labels.any(|label| of_words.contains(label));
    turns.into_iter().flat_map(|turn| parts(turn, shared)).collect()
}

fn label(turn: &Turn) -> Option<&String> {
    turn.speaker.as_ref().or(turn.role.as_ref())
}

struct Part {
    words: Range<usize>,
    text: Range<usize>,
    speaker: Option<String>,
}

fn parts(mut turn: Turn, shared: bool) -> Vec<Turn> {
    let mut own: Vec<Option<String>> = turn.words.iter_mut().map(|word| word.speaker.take()).collect();
    fill(&mut own);
    let whole = label(&turn).cloned();
    let unread = [&turn.speaker, &turn.role].into_iter().flatten().any(|label| party(label) == Some(UNREAD));
    let one = own.windows(2).all(|pair| pair.first() == pair.last());
    let told = shared || whole.is_none();
    if unread || !turn.spoken || own.is_empty() || (one && (!told || own.first() == Some(&None))) {
        return vec![turn];
    }
    let mut parts: Vec<Part> = Vec::new();
    // the labels on both sides of a change, where words have labels of another kind
    let mut before: Option<Option<String>> = None;
    for (index, (word, own)) in turn.words.iter().zip(own).enumerate() {
        let from = parts.last().map_or(0, |part| part.text.end);
        let gap = turn.text.get(from..word.span.start).unwrap_or_default();
        let goes_on = before.as_ref() == Some(&own) || (before.is_none() && own == whole);
        let speaker = own.clone().filter(|_| told);
        before = Some(own);
        match parts.last_mut() {
            Some(part) if goes_on => {
                part.words.end = index + 1;
                part.text.end = word.span.end;
                continue;
            }
            _ => {}
        }
        let mut begin = from;
        if gap.contains(char::is_alphanumeric) && !goes_on {
            parts.push(Part { words: index..index, text: from..word.span.start, speaker: None });
            begin = word.span.start;
        } else if let Some(part) = parts.last_mut() {
            // marks behind a word are that word's
            begin += gap.rfind(char::is_whitespace).unwrap_or_default();
            part.text.end = begin;
        }
        parts.push(Part { words: index..index + 1, text: begin..word.span.end, speaker });
    }
    finish(&turn, parts, whole.as_ref())
}

/// Makes turns of the parts. The text after the last word belongs to it, unless that text contains words.
fn finish(turn: &Turn, mut parts: Vec<Part>, whole: Option<&String>) -> Vec<Turn> {
    let until = parts.last().map_or(0, |part| part.text.end);
    let untold = turn.text.get(until..).is_some_and(|rest| rest.contains(char::is_alphanumeric));
    match parts.last_mut() {
        Some(last) if !untold || last.speaker.as_ref() == whole => last.text.end = turn.text.len(),
        last => {
            let words = last.map_or(0, |part| part.words.end);
            parts.push(Part { words: words..words, text: until..turn.text.len(), speaker: None });
        }
    }
    let count = parts.len();
    let part = |(index, part): (usize, Part)| {
        let text = turn.text.get(part.text.clone()).unwrap_or_default();
        let from = part.text.start + (text.len() - text.trim_start().len());
        let words = turn.words.get(part.words).unwrap_or_default().iter().cloned();
        let moved = |word: TimedWord| TimedWord {
            span: word.span.start.saturating_sub(from)..word.span.end.saturating_sub(from),
            ..word
        };
        let words: Vec<TimedWord> = words.map(moved).collect();
        let first = turn.start.filter(|_| index == 0);
        let last = turn.end.filter(|_| index + 1 == count);
        Turn {
            // a role is the whole turn's
            role: turn.role.clone().filter(|_| part.speaker.as_ref() == whole),
            speaker: part.speaker,
            text: text.trim().to_owned(),
            start: first.or_else(|| words.first()?.start),
            end: last.or_else(|| words.last()?.end),
            words,
            ..turn.clone()
        }
    };
    parts.into_iter().enumerate().map(part).collect()
}

/// Gives words without a label the one of the words on both sides, where it is one.
fn fill(own: &mut [Option<String>]) {
    let mut at = 0;
    while at < own.len() {
        let end = (at..own.len()).find(|index| own.get(*index).is_some_and(Option::is_some)).unwrap_or(own.len());
        let before = at.checked_sub(1).and_then(|before| own.get(before)).cloned().flatten();
        let behind = own.get(end).cloned().flatten();
        let one = match (before, behind) {
            (Some(one), Some(other)) => Some(one).filter(|one| *one == other),
            (one, other) => one.or(other),
        };
        for place in own.iter_mut().take(end).skip(at) {
            place.clone_from(&one);
        }
        at = end + 1;
    }
}
