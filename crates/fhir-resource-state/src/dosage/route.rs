//! By which way: routes by their codes and words.

use std::sync::LazyLock;

use candor_check::meaning::{Coded, words_of};
use candor_json::Value;

/// A row of the table: name, codes, phrases.
type Row = (&'static str, Vec<&'static str>, Vec<Vec<String>>);

static ROUTES: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let rows = super::rows(include_str!("routes.txt"));
    rows.filter_map(|row| match row.as_slice() {
        [name, snomed, codes, phrases] => {
            let codes = snomed.split(' ').chain(codes.split(' ')).collect();
            Some((*name, codes, phrases.split('|').map(words_of).collect()))
        }
        _ => None,
    })
    .collect()
});

/// A route by a code or a text that is nothing else.
pub(crate) fn named(text: &str) -> Option<&'static str> {
    let code = text.rsplit('|').next().unwrap_or(text).trim();
    let words = words_of(text);
    let is_it = |(name, codes, phrases): &&Row| {
        codes.iter().any(|own| own.eq_ignore_ascii_case(code)) || phrases.contains(&words) || words == [*name]
    };
    ROUTES.iter().find(is_it).map(|(name, ..)| *name)
}

/// The routes that a CodeableConcept names, each once.
pub(crate) fn of_concept(route: &Value) -> Vec<&'static str> {
    let Some(Coded { codings, texts }) = Coded::of_json(route) else { return Vec::new() };
    let displays = codings.iter().filter_map(|coding| coding.display.as_deref());
    let codes = codings.iter().map(|coding| coding.code.as_str());
    let mut found: Vec<&'static str> = Vec::new();
    for name in codes.chain(displays).chain(texts.iter().map(String::as_str)).filter_map(named) {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// The longest name of a route at the start of a text, in its tokens.
pub(crate) fn leading(rest: &[String]) -> Option<(usize, &'static str)> {
    // Two letters are a word as often.
    let is_telling = |phrase: &&Vec<String>| {
        phrase.len() > 1
            || phrase.first().is_some_and(|word| word.len() > 2)
            || SHORT.iter().any(|short| *phrase == &[*short])
    };
    let all = ROUTES.iter().flat_map(|(name, _, phrases)| phrases.iter().map(move |phrase| (phrase, *name)));
    let here = all.filter(|(phrase, _)| is_telling(phrase) && rest.starts_with(phrase));
    here.map(|(phrase, name)| (phrase.len(), name)).max_by_key(|(length, _)| *length)
}

/// Abbreviations of two letters that mean a route in a sentence, too.
const SHORT: [&str; 5] = ["po", "iv", "im", "sc", "sq"];

pub(crate) fn names() -> Vec<&'static str> {
    ROUTES.iter().map(|(name, ..)| *name).collect()
}
