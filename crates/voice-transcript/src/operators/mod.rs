//! Changes that an audit makes to the turn that evidence quotes, and the reason why each is a harm or not. Only for
//! transcripts in JSON.

mod equivalents;
mod harms;

use std::ops::Range;

use candor_check::operators::{Change, Operator, Target};
use candor_check::strict_json::{self, Edit, find, get, items};

use equivalents as same;
use harms::around;

/// The operators of turns.
#[rustfmt::skip]
pub const OPERATORS: &[Operator] = &[
    Operator::harm("voice/negated", |target| one(around(target, "It is not true that: ", "", "negated")),
        "What is denied was not said to be so."),
    Operator::harm("voice/hypothetical", |target| one(around(target, "If it were the case that ", ", I would tell you.", "put as a condition")),
        "What is supposed was not said to be so."),
    Operator::harm("voice/asked", |target| one(around(target, "Is it right that ", "?", "put as a question")),
        "Who asks does not say."),
    Operator::harm("voice/reported", |target| one(around(target, "Some other caller claimed that ", "", "reported of somebody else")),
        "A claim that is reported of another person was not made on this call."),
    Operator::harm("voice/listed", |target| one(harms::listed(target)),
        "Who names what is possible does not say which of it is so."),
    Operator::harm("voice/taken-back", |target| one(harms::taken_back(target)),
        "What is corrected in the next turn does not hold."),
    Operator::harm("voice/other-speaker", |target| one(harms::other_speaker(target)),
        "The other side of the call said it."),
    Operator::equivalent("voice/fillers", |target| one(around(target, "Um, well, ", "", "begun with fillers")),
        "Fillers are transcribed by some recognizers and left out by others."),
    Operator::equivalent("voice/number-words", |target| one(same::number_words(target)),
        "Recognizers write numbers in digits or in words; the spoken words are the same."),
    Operator::equivalent("voice/digits", |target| one(same::digits(target)),
        "Recognizers write numbers in words or in digits; the spoken words are the same."),
    Operator::equivalent("voice/case-and-punctuation", |target| one(same::case_and_punctuation(target)),
        "The recognizer adds case and the full stop at the end of a turn: they are not spoken."),
    Operator::equivalent("voice/split-in-turns", |target| one(same::split_in_turns(target)),
        "Recognizers end a turn at a pause: two turns of one speaker are what one turn is."),
    Operator::equivalent("voice/interim-results", |target| one(same::interim_results(target)),
        "The recognizer took an interim result back when it was sure: the final result replaces it."),
    Operator::equivalent("voice/as-vtt", same::as_vtt,
        "WebVTT names who speaks by a voice span, <v>; the call is the same."),
    Operator::equivalent("voice/as-srt", same::as_srt,
        "SubRip has no speakers, so they are written before the text; the call is the same."),
    Operator::breach("voice/forbidden-phrase", harms::forbidden_phrase,
        "A speaker says the words that the criterion forbids."),
];

fn one(change: Option<Change>) -> Vec<Change> {
    change.into_iter().collect()
}

/// The turn, where it is an object with a text.
fn turn<'a>(target: &Target<'a>) -> Option<&'a str> {
    target.place.span?;
    target.record().filter(|turn| turn.starts_with('{') && strict_json::check(turn).is_ok())
}

/// The words of a turn, and their place between the quotes. `None` if the text has escapes, since its places are then
/// not those of the words.
fn said(turn: &str) -> Option<(Range<usize>, &str)> {
    let span = find(turn, &["text"]).filter(|span| span.len() > 2)?;
    let inner = span.start + 1..span.end - 1;
    let text = turn.get(inner.clone()).filter(|text| !text.contains('\\'))?;
    turn.get(span)?.starts_with('"').then_some((inner, text))
}

fn retold(target: &Target<'_>, text: impl Fn(&str) -> Option<String>, what: &str) -> Option<Change> {
    let (span, was) = said(turn(target)?)?;
    let with = text(was).filter(|with| with != was)?;
    let sentence = format!("The turn at byte {} of {} {what}.", target.start(), target.place.locator);
    Some(target.change([Edit { span, with }], sentence))
}

fn turns<'a>(target: &Target<'a>) -> Vec<&'a str> {
    let Some(file) = target.file().map(str::trim).filter(|file| strict_json::check(file).is_ok()) else {
        return Vec::new();
    };
    let list = if file.starts_with('[') { Some(file) } else { get(file, &["turns"]) };
    list.into_iter().flat_map(items).collect()
}
