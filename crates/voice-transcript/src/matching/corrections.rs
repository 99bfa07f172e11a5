//! Values that the speaker took back: "the fifteenth, sorry, the sixteenth". The last stated value wins.

use crate::marks::Marks;
use crate::normalize::{Kind, Normalized, Pause};
use crate::tables::{CORRECTIONS, STANCE};

/// The most words between a value and what takes it back ("fifteen milligrams, sorry").
const FAR_BEFORE: usize = 3;
/// The most words between what takes it back and the new value ("sorry, it is the sixteenth").
const FAR_BEHIND: usize = 5;
/// The most words between a value and what takes it back where the new value has the same unit ("fifteen milligrams twice
/// a day with food, sorry, fifty milligrams").
const FAR_UNIT: usize = 12;

/// Kinds of values that can replace one another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Run,
    Ordinal,
    Day,
    Month,
}

/// What a marker begins with.
const MARKER: Marks = Marks::CORRECTION.and(Marks::NO);

/// For each word whether it is part of a value that was taken back.
pub(super) fn corrected(text: &Normalized) -> Vec<bool> {
    let mut marks = vec![false; text.len()];
    if !text.may_have(MARKER) {
        return marks;
    }
    let word = |at: usize| text.word(at).map(|word| word.text);
    let mut at = 0;
    while at < text.len() {
        let marked = text.marks_at(at).any(MARKER);
        let Some(length) = marked.then(|| marker(text, at, word)).flatten() else {
            at += 1;
            continue;
        };
        let new = (at + length..=at + length + FAR_BEHIND)
            .take_while(|index| {
                text.word(*index).is_some_and(|word| word.pause < Pause::Sentence || *index == at + length)
            })
            .find_map(|index| Some((class(text, index)?, index)));
        let old = new.and_then(|new| of_the_unit(text, at, new)).or_else(|| value_before(text, at));
        if let (Some((kind, from, to)), Some((new_kind, start))) = (old, new)
            && kind == new_kind
        {
            let end = run_end(text, start, kind);
            if said(text, from, to) != said(text, start, end) {
                for mark in marks.iter_mut().take(to + 1).skip(from) {
                    *mark = true;
                }
            }
        }
        let new = date_behind(text, at + length);
        let old = date_before(text, at);
        for (old, new) in [(old.month, new.month), (old.day, new.day)] {
            let changed = old.zip(new).filter(|(old, new)| said(text, *old, *old) != said(text, *new, *new));
            if let Some((old, _)) = changed
                && let Some(mark) = marks.get_mut(old)
            {
                *mark = true;
            }
        }
        at += length;
    }
    marks
}

/// Where the month and the day of a date stand.
#[derive(Clone, Copy, Default)]
struct Date {
    month: Option<usize>,
    day: Option<usize>,
}

fn is_month(text: &Normalized, at: usize) -> bool {
    text.word(at).is_some_and(|word| word.text == "may" || STANCE.months.contains(word.text))
}

fn is_day(text: &Normalized, at: usize) -> bool {
    text.word(at).is_some_and(|word| word.kind == Kind::Ordinal || (word.kind == Kind::Number && word.text.len() <= 2))
}

/// The date that begins with a word: "march 3rd", "march the 3rd", "the 3rd of march"; a month or an ordinal alone.
fn date_at(text: &Normalized, at: usize) -> Date {
    let word = |at: usize| text.word(at).map(|word| word.text);
    let some = |at: usize, is: fn(&Normalized, usize) -> bool| Some(at).filter(|at| is(text, *at));
    if is_month(text, at) {
        let day = if word(at + 1) == Some("the") { at + 2 } else { at + 1 };
        return Date { month: Some(at), day: some(day, is_day) };
    }
    if is_day(text, at) {
        let month = if word(at + 1) == Some("of") { at + 2 } else { at + 1 };
        let ordinal = text.word(at).is_some_and(|word| word.kind == Kind::Ordinal);
        let month = some(month, is_month);
        return Date { month, day: Some(at).filter(|_| ordinal || month.is_some()) };
    }
    Date::default()
}

fn date_behind(text: &Normalized, from: usize) -> Date {
    let goes_on = |at: &usize| *at == from || text.word(*at).is_some_and(|word| word.pause < Pause::Sentence);
    let found = (from..=from + FAR_BEHIND).take_while(goes_on).map(|at| date_at(text, at));
    found.into_iter().find(|date| date.month.is_some() || date.day.is_some()).unwrap_or_default()
}

/// The date that stands shortly before a word, whole.
fn date_before(text: &Normalized, at: usize) -> Date {
    /// "the 3rd of march".
    const LONGEST: usize = 4;
    let dates = (at.saturating_sub(FAR_BEFORE + LONGEST)..at).map(|at| date_at(text, at));
    let near = |date: &Date| date.month.max(date.day).is_some_and(|last| last < at && at - last <= FAR_BEFORE + 1);
    // of two that end at one place, the first is the whole
    dates.filter(near).fold(Date::default(), |best, date| {
        if date.month.max(date.day) > best.month.max(best.day) { date } else { best }
    })
}

/// The number of words of the marker at `at`.
fn marker<'a>(text: &'a Normalized, at: usize, word: impl Fn(usize) -> Option<&'a str>) -> Option<usize> {
    if let Some(length) = CORRECTIONS.at(at, word) {
        return Some(length);
    }
    // "the fifteenth, no, the sixteenth"
    let paused = |at: usize| text.word(at).is_some_and(|word| word.pause != Pause::None);
    let no = text.word(at).is_some_and(|word| word.text == "no");
    (no && paused(at) && paused(at + 1)).then_some(1)
}

fn class(text: &Normalized, at: usize) -> Option<Class> {
    let word = text.word(at)?;
    match word.kind {
        Kind::Number | Kind::Decimal => Some(Class::Run),
        Kind::Ordinal => Some(Class::Ordinal),
        Kind::Letter if !matches!(word.text, "a" | "i") => Some(Class::Run),
        _ if STANCE.days.contains(word.text) => Some(Class::Day),
        _ if STANCE.months.contains(word.text) => Some(Class::Month),
        _ => None,
    }
}

fn same_run(text: &Normalized, start: usize, at: usize, kind: Class) -> bool {
    at == start
        || (kind == Class::Run
            && class(text, at) == Some(kind)
            && text.word(at).is_some_and(|word| word.pause < Pause::Sentence))
}

fn run_end(text: &Normalized, start: usize, kind: Class) -> usize {
    (start..text.len()).take_while(|index| same_run(text, start, *index, kind)).last().unwrap_or(start)
}

/// The value before `at`, in the same sentence, that has the same word behind it as the new one.
fn of_the_unit(text: &Normalized, at: usize, (kind, start): (Class, usize)) -> Option<(Class, usize, usize)> {
    let goes_on = |index: usize| text.word(index).filter(|word| word.pause < Pause::Sentence).map(|word| word.text);
    let unit = goes_on(run_end(text, start, kind) + 1)?;
    let back =
        (at.saturating_sub(FAR_UNIT + 1)..at.saturating_sub(1)).rev().take_while(|end| goes_on(end + 1).is_some());
    let mut values = back.filter(|end| class(text, *end) == Some(Class::Run) && goes_on(end + 1) == Some(unit));
    values.next().filter(|_| kind == Class::Run).map(|to| run_to(text, to, kind))
}

/// The value that ends shortly before `at`: its class and its words.
fn value_before(text: &Normalized, at: usize) -> Option<(Class, usize, usize)> {
    let to = (at.saturating_sub(FAR_BEFORE + 1)..at).rev().find(|index| class(text, *index).is_some())?;
    Some(run_to(text, to, class(text, to)?))
}

/// The value that ends at `to`.
fn run_to(text: &Normalized, to: usize, kind: Class) -> (Class, usize, usize) {
    /// Longer than any value that is read out.
    const LONGEST: usize = 40;
    let mut from = to;
    while kind == Class::Run
        && to - from < LONGEST
        && from > 0
        && class(text, from - 1) == Some(kind)
        && text.word(from).is_some_and(|word| word.pause < Pause::Sentence)
    {
        from -= 1;
    }
    (kind, from, to)
}

fn said(text: &Normalized, from: usize, to: usize) -> String {
    (from..=to).filter_map(|at| text.word(at)).map(|word| word.text).collect()
}
