//! The last step: where one token ends and the next begins, and where a phrase may begin and end.
//!
//! Digits and single letters that follow one another are one run of characters: "W 1 2 3", "W123" and
//! "W one twenty-three" are all `w123`. Inside a run token boundaries do not
//! count for equality, and a phrase may not begin or end there, so that `W123` is never found in `W1234`.

use super::spoken::is_word_letter;
use super::token::{Kind, Pause, Sep, Text, Token, Tokens};
use crate::tables::UNITS;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cut {
    /// The characters on both sides belong together.
    Never,
    /// They may: a run goes on over the end of a sentence or turn, or begins with a letter that may be
    /// the article or the pronoun.
    Doubtful,
    Free,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Boundary {
    pub(crate) required: bool,
    pub(crate) cut: Cut,
    /// The sign written between two groups of digits: the other side must have a boundary here too, with the same sign
    /// or without one.
    pub(crate) sep: Sep,
}

impl Boundary {
    const EDGE: Self = Self { required: false, cut: Cut::Free, sep: Sep::None };
}

/// The characters of all tokens in a row, and the boundary at each byte of them and at the end. Token
/// texts point into the characters afterwards.
pub(super) fn join(tokens: &mut Tokens) -> (String, Vec<Option<Boundary>>) {
    let boundaries = boundaries(tokens);
    let mut chars = String::with_capacity(tokens.arena.len());
    let mut marks = Vec::with_capacity(tokens.arena.len() + 1);
    let mut list = std::mem::take(&mut tokens.list);
    for (token, boundary) in list.iter_mut().zip(boundaries) {
        marks.push(Some(boundary));
        let from = super::token::short(chars.len());
        chars.push_str(tokens.text(token));
        marks.resize(chars.len(), None);
        token.text = Text { from, to: super::token::short(chars.len()), ..token.text };
    }
    marks.push(Some(Boundary::EDGE));
    tokens.list = list;
    (chars, marks)
}

/// The boundary before each token.
fn boundaries(tokens: &Tokens) -> Vec<Boundary> {
    let pairs = tokens.list.iter().zip(tokens.list.iter().skip(1));
    let inner = pairs.map(|(before, token)| between(before, token));
    let mut found: Vec<Boundary> = std::iter::once(Boundary::EDGE).chain(inner).collect();
    let mut start = 0;
    while start < tokens.list.len() {
        let runs = |at: usize| tokens.list.get(at).is_some_and(|token| token.kind.runs());
        let mut end = start;
        while runs(end) && (end == start || !begins_anew(tokens, end)) {
            end += 1;
        }
        if let Some(boundary) = found.get_mut(start).filter(|_| start > 0 && runs(start) && runs(start - 1)) {
            boundary.required = true;
            boundary.cut = Cut::Free;
        }
        if end > start + 1 {
            cut_run(tokens, start, end, &mut found);
        }
        start = end.max(start + 1);
    }
    found
}

fn between(before: &Token, after: &Token) -> Boundary {
    let lettered = |kind| matches!(kind, Kind::Word | Kind::Letter);
    let numeric = |kind| matches!(kind, Kind::Number | Kind::Decimal | Kind::Ordinal);
    let runs = before.kind.runs() && after.kind.runs();
    let required = !after.glued
        && !runs
        && ((lettered(before.kind) && lettered(after.kind)) || (numeric(before.kind) && numeric(after.kind)));
    let cut = if after.glued { Cut::Never } else { Cut::Free };
    Boundary { required, cut, sep: after.sep }
}

/// True if a token does not belong to the run before it: an amount of money, or the "I" that begins a sentence.
fn begins_anew(tokens: &Tokens, at: usize) -> bool {
    let Some(token) = tokens.list.get(at) else { return false };
    let pronoun = token.pause == Pause::Sentence
        && is_word_letter(tokens.text(token))
        && tokens.goes_on(at + 1)
        && !tokens.is_glued(at)
        && tokens.list.get(at + 1).is_some_and(|next| next.kind == Kind::Word);
    token.apart || pronoun || is_counted(tokens, at)
}

/// Checks if a number is the strength of things that the number before it counts: "2 10 mg tablets".
/// Both are written in digits.
fn is_counted(tokens: &Tokens, at: usize) -> bool {
    let written = |at: usize| {
        tokens.list.get(at).is_some_and(|token| {
            token.kind == Kind::Number && token.text.to - token.text.from == token.span.1 - token.span.0
        })
    };
    let runs = |at: Option<usize>| at.is_some_and(|at| tokens.list.get(at).is_some_and(|token| token.kind.runs()));
    let Some(before) = at.checked_sub(1).filter(|before| written(*before) && written(at)) else { return false };
    let apart = tokens.list.get(at).is_some_and(|token| token.sep == Sep::None && token.pause == Pause::None);
    apart
        && !tokens.is_glued(at)
        && !runs(before.checked_sub(1))
        && tokens.goes_on(at + 1)
        && (UNITS.contains_key(tokens.text_at(at + 1))
            || matches!(tokens.text_at(at + 1), "minute" | "hour" | "day" | "week" | "month" | "year"))
}

/// True if the groups of a run on both sides of a pause are the same, so that the speaker repeated the number.
fn said_twice(tokens: &Tokens, start: usize, end: usize, at: usize) -> bool {
    /// The fewest characters of a number that is repeated; shorter groups may be two groups of one number.
    const FEWEST: usize = 4;
    /// The most tokens of one.
    const MOST: usize = 32;
    let paused = |at: usize| tokens.list.get(at).is_some_and(|token| token.pause >= Pause::Short);
    let text = |from: usize, to: usize| (from..to).map(|at| tokens.text_at(at)).collect::<String>();
    let from = (start.max(at.saturating_sub(MOST))..at).rev().find(|at| paused(*at)).unwrap_or(start);
    let to = (at + 1..end.min(at + MOST)).find(|at| paused(*at)).unwrap_or(end);
    let before = text(from, at);
    to - at <= MOST && at - from <= MOST && before.len() >= FEWEST && before == text(at, to)
}

fn cut_run(tokens: &Tokens, start: usize, end: usize, found: &mut [Boundary]) {
    let word_letter = |at: usize| is_word_letter(tokens.text_at(at)) && !tokens.is_glued(at);
    let leading = (start..end).take_while(|at| word_letter(*at)).count();
    let core_start = start + leading;
    let goes_on = tokens.goes_on(end);
    let trailing = if goes_on { (core_start..end).rev().take_while(|at| word_letter(*at)).count() } else { 0 };
    let core_end = end - trailing;
    let lone = core_end <= core_start + 1;
    let inside = tokens.list.iter().zip(found.iter_mut()).enumerate().take(end).skip(start + 1);
    for (at, (token, boundary)) in inside {
        let inside_core = at > core_start && at < core_end;
        let beside_core = at == core_start || at == core_end;
        let sep = |at: usize| tokens.list.get(at).filter(|_| at < end).map_or(Sep::None, |token| token.sep);
        boundary.cut = if token.glued {
            Cut::Never
        } else if token.sep == Sep::Comma {
            Cut::Doubtful
        } else if token.sep != Sep::None {
            Cut::Never
        } else if sep(at - 1) != Sep::None || sep(at + 1) != Sep::None {
            // a date or a time ends: the digits next to it are another number
            Cut::Free
        } else if inside_core {
            let reads_on = tokens.reads_on.contains(&token.segment)
                && tokens.list.get(at - 1).is_some_and(|before| before.segment != token.segment);
            match token.pause {
                Pause::None => Cut::Never,
                _ if reads_on => Cut::Never,
                _ if said_twice(tokens, start, end, at) => Cut::Free,
                _ => Cut::Doubtful,
            }
        } else if beside_core && !lone {
            Cut::Doubtful
        } else {
            Cut::Free
        };
    }
    // "two ten milligram tablets": two of them, or 210
    let form = UNITS.get(tokens.text_at(end + 1)).is_some_and(|unit| matches!(*unit, "tablet" | "capsule" | "puff"));
    if end == start + 2 && form && tokens.goes_on(end) && UNITS.contains_key(tokens.text_at(end)) {
        for boundary in found.iter_mut().take(end).skip(start) {
            boundary.cut = Cut::Doubtful;
        }
    }
}
