//! Whether the call bears out what a judge says: its quote stands in it word by word, spoken by who is asked for.

use crate::matching::{Heard, Mode, Occurrence, Phrase, Said};
use crate::normalize::{Kind, Normalized};
use crate::transcript::Turn;

/// What stands behind a judge's yes.
pub(crate) enum Backed {
    /// The quote.
    By(Occurrence),
    /// Nothing that counts: why, as the end of a sentence, and where, if anywhere.
    No(&'static str, Option<Occurrence>),
}

/// Looks for a judge's quote among what was said by a role, or by anybody.
pub(crate) fn backed(
    statement: &str,
    quote: &str,
    turn: Option<usize>,
    role: Option<&str>,
    turns: &[Turn],
    heard: &Heard<'_>,
) -> Backed {
    let Ok(phrase) = Phrase::new(quote, Mode::Exact) else { return Backed::No("it is empty", None) };
    let text = |at: &Occurrence| turns.get(at.turn).map(|turn| turn.text.as_str()).unwrap_or_default();
    let whole = |at: &Occurrence| is_whole(text(at), at.at.1, at.until.1);
    let meant = |at: &&Occurrence| turn.is_none_or(|turn| turn == at.turn);
    let own: Vec<Occurrence> = heard.occurrences(&phrase, role).filter(whole).collect();
    let Some(first) = own.iter().find(meant).or_else(|| own.first()) else {
        let elsewhere = heard.occurrences(&phrase, None).find(|at| whole(at));
        return match elsewhere {
            Some(at) if role.is_some() => {
                Backed::No("it was spoken by somebody else, or by nobody who is known", Some(at))
            }
            _ => Backed::No("it does not stand in the transcript", None),
        };
    };
    let said = |wanted: Said| own.iter().filter(meant).chain(&own).find(|at| at.said == wanted);
    let Some(at) = said(Said::Plain) else {
        return Backed::No(
            "it stands under a negation, was taken back, or cannot be told apart from either",
            Some(first.clone()),
        );
    };
    if !tells_something(quote, text(at)) {
        return Backed::No("a single word of a longer turn says nothing", Some(at.clone()));
    }
    if !holds_numbers(statement, quote) {
        return Backed::No("it does not hold the numbers of the statement", Some(at.clone()));
    }
    Backed::By(at.clone())
}

/// Whether the bytes begin and end no word in two.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let joined = |one: Option<char>, other: Option<char>| {
        one.is_some_and(char::is_alphanumeric) && other.is_some_and(char::is_alphanumeric)
    };
    let (before, quote) = (text.get(..start).unwrap_or_default(), text.get(start..end).unwrap_or_default());
    let behind = text.get(end..).unwrap_or_default();
    !joined(before.chars().next_back(), quote.chars().next())
        && !joined(quote.chars().next_back(), behind.chars().next())
}

/// Whether a quote is more than one word, or all there is.
fn tells_something(quote: &str, turn: &str) -> bool {
    let words = Normalized::of(&[quote]);
    words.len() > 1 || words.len() == 1 && Normalized::of(&[turn]).len() == 1
}

/// Whether every number of the statement stands in the quote: fifteen is never fifty, whoever says so.
fn holds_numbers(statement: &str, quote: &str) -> bool {
    let numbers = |text: &str| -> Vec<String> {
        let words = Normalized::canonical(&[text]);
        let numeric = |kind| matches!(kind, Kind::Number | Kind::Decimal | Kind::Ordinal);
        words.words().filter(|word| numeric(word.kind)).map(|word| word.text.to_owned()).collect()
    };
    let quoted = numbers(quote);
    numbers(statement).iter().all(|number| quoted.contains(number))
}
