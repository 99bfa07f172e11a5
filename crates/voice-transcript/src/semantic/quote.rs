//! Checks that the call bears out a judge's answer: it contains the quote word by word, spoken by the role asked for.

use crate::matching::{Heard, Mode, Occurrence, Phrase, Said};
use crate::normalize::{Kind, Normalized, Pause, Vocabulary};
use crate::tables::SMALL;
use crate::transcript::Turn;

pub(crate) enum Backed {
    By(Occurrence),
    /// Nothing that counts: why, as the end of a sentence, and where, if anywhere.
    No(&'static str, Option<Occurrence>),
}

pub(crate) fn backed(
    statement: &str,
    quote: &str,
    turn: Option<usize>,
    role: Option<&str>,
    turns: &[Turn],
    heard: &Heard<'_>,
) -> Backed {
    let Ok(phrase) = Phrase::new(&pattern(quote), Mode::Regex) else { return Backed::No("it is empty", None) };
    let text = |at: &Occurrence| turns.get(at.turn).map(|turn| turn.text.as_str()).unwrap_or_default();
    let whole = |at: &Occurrence| is_whole(text(at), at.at.1, at.until.1);
    let meant = |at: &&Occurrence| turn.is_none_or(|turn| turn == at.turn);
    let own: Vec<Occurrence> = heard.occurrences(&phrase, role).filter(whole).collect();
    let Some(first) = own.iter().find(meant).or_else(|| own.first()) else {
        let elsewhere = heard.occurrences(&phrase, None).find(|at| whole(at));
        return match elsewhere {
            Some(at) if role.is_some() => {
                Backed::No("another speaker said it, or one whose role is not known", Some(at))
            }
            _ => Backed::No("the transcript does not contain it", None),
        };
    };
    let said = |wanted: Said| own.iter().filter(meant).chain(&own).find(|at| at.said == wanted);
    let Some(at) = said(Said::Plain) else {
        return Backed::No("it is under a negation, was taken back, or may be either", Some(first.clone()));
    };
    let checks = [
        (tells_something(quote, text(at)), "a single word of a longer turn says nothing"),
        (holds_numbers(statement, quote), "it does not hold the numbers of the statement"),
        (at.stance.is_stated(), "it is asked, supposed, hoped for or reported there, and states nothing"),
        (holds_names(statement, quote, heard.vocabulary()), "it does not hold the names and sides of the statement"),
    ];
    match checks.into_iter().find(|(holds, _)| !holds) {
        Some((_, why)) => Backed::No(why, Some(at.clone())),
        None => Backed::By(at.clone()),
    }
}

/// An expression that matches a quote literally, in upper or lower case and with any form of its quotation marks.
fn pattern(quote: &str) -> String {
    let mut pattern = String::from("(?i)");
    let mut buffer = [0; 4];
    for c in quote.chars() {
        match c {
            '\'' | '\u{2018}' | '\u{2019}' | '`' | '\u{b4}' => pattern.push_str("['\u{2018}\u{2019}`\u{b4}]"),
            '"' | '\u{201c}' | '\u{201d}' => pattern.push_str("[\"\u{201c}\u{201d}]"),
            c => pattern.push_str(&regex::escape(c.encode_utf8(&mut buffer))),
        }
    }
    pattern
}

fn holds_names(statement: &str, quote: &str, vocabulary: &Vocabulary) -> bool {
    let words = Normalized::meant(vocabulary, &[statement]);
    let quoted = Normalized::meant(vocabulary, &[quote]);
    let holds = |text: &str| quoted.words().any(|word| word.text == text);
    words.words().enumerate().all(|(at, word)| {
        let capital =
            statement.get(word.span.start..).and_then(|text| text.chars().next()).is_some_and(char::is_uppercase);
        let opens = at == 0 || word.pause >= Pause::Turn;
        let name = capital && !opens && word.kind == Kind::Word && !SMALL.contains(word.text);
        let side = matches!(word.text, "left" | "right" | "bilateral" | "both" | "upper" | "lower");
        (!name && !side) || holds(word.text)
    })
}

/// True if a turn holds all names, numbers and content words of a statement: then a judge's no proves nothing.
pub(crate) fn may_say(statement: &str, turn: &str, vocabulary: &Vocabulary) -> bool {
    let content = |word: &crate::normalize::Word<'_>| word.kind != Kind::Word || !SMALL.contains(word.text);
    let article = |word: &crate::normalize::Word<'_>| matches!(word.text, "a" | "i");
    let statement = Normalized::meant(vocabulary, &[statement]);
    let turn = Normalized::meant(vocabulary, &[turn]);
    let said: std::collections::HashSet<&str> = turn.words().map(|word| word.text).collect();
    let mut wanted = statement.words().filter(|word| content(word) && !article(word)).peekable();
    wanted.peek().is_some() && wanted.all(|word| said.contains(word.text))
}

/// True if the text from `start` to `end` does not begin or end inside a word.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let joined = |one: Option<char>, other: Option<char>| {
        one.is_some_and(char::is_alphanumeric) && other.is_some_and(char::is_alphanumeric)
    };
    let (before, quote) = (text.get(..start).unwrap_or_default(), text.get(start..end).unwrap_or_default());
    let behind = text.get(end..).unwrap_or_default();
    !joined(before.chars().next_back(), quote.chars().next())
        && !joined(quote.chars().next_back(), behind.chars().next())
}

/// True if a quote has more than one word, or is the whole turn.
fn tells_something(quote: &str, turn: &str) -> bool {
    let words = Normalized::of(&[quote]);
    words.len() > 1 || words.len() == 1 && Normalized::of(&[turn]).len() == 1
}

/// True if the quote holds every number of the statement: fifteen is never fifty, whatever the judge says.
fn holds_numbers(statement: &str, quote: &str) -> bool {
    let numbers = |text: &str| -> Vec<String> {
        let words = Normalized::canonical(&[text]);
        let numeric = |kind| matches!(kind, Kind::Number | Kind::Decimal | Kind::Ordinal);
        words.words().filter(|word| numeric(word.kind)).map(|word| word.text.to_owned()).collect()
    };
    let quoted = numbers(quote);
    numbers(statement).iter().all(|number| quoted.contains(number))
}
