//! Drafts assertions about a call: the sentences that only this call can hold, those with a number or an outcome in
//! them.

use std::collections::BTreeMap;

use candor_check::draft::{Came, Selection};
use candor_json::{Value, json};

use crate::tables::DRAFT;

/// The most phrases of one speaker.
const MOST: usize = 6;
/// The most words of a phrase.
const LONGEST: usize = 14;

/// True if a sentence is specific to its call: it has a number or an outcome.
fn is_telling(sentence: &str) -> bool {
    let words = || sentence.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let numbers = words().filter(|word| DRAFT.numbers.contains(word)).count();
    sentence.chars().any(|c| c.is_ascii_digit()) || numbers > 1 || words().any(|word| DRAFT.outcomes.contains(&word))
}

/// Sentences with a number or an outcome in them, by speaker; in a call without any, its longest sentence.
pub(crate) fn selections(came: &Came<'_>) -> Vec<Selection> {
    let mut turns: Vec<(String, String)> = Vec::new();
    let mut speakers: BTreeMap<&str, &str> = BTreeMap::new();
    for (path, value) in came.fields {
        let (Some((turn, member)), Some(text)) = (path.rsplit_once('.'), value.as_str()) else { continue };
        match member {
            "role" => drop(speakers.insert(turn, text)),
            "speaker" => drop(speakers.entry(turn).or_insert(text)),
            "text" => turns.push((speakers.get(turn).copied().unwrap_or_default().to_owned(), text.to_owned())),
            _ => {}
        }
    }
    let mut by_speaker: Vec<(String, Vec<String>)> = Vec::new();
    for (speaker, text) in &turns {
        let phrases = sentences(text).filter(|sentence| is_telling(sentence));
        match by_speaker.iter_mut().find(|(known, _)| known == speaker) {
            Some((_, all)) => all.extend(phrases),
            None => by_speaker.push((speaker.clone(), phrases.collect())),
        }
    }
    if by_speaker.iter().all(|(_, phrases)| phrases.is_empty()) {
        let all = turns.iter().flat_map(|(speaker, text)| sentences(text).map(move |phrase| (speaker, phrase)));
        let longest = all.max_by_key(|(_, phrase)| phrase.len());
        by_speaker = longest.into_iter().map(|(speaker, phrase)| (speaker.clone(), vec![phrase])).collect();
    }
    by_speaker
        .into_iter()
        .filter(|(_, phrases)| !phrases.is_empty())
        .map(|(speaker, phrases)| selection(&speaker, phrases))
        .collect()
}

fn selection(speaker: &str, mut phrases: Vec<String>) -> Selection {
    phrases.dedup();
    phrases.truncate(MOST);
    let what = match (speaker, phrases.as_slice()) {
        ("", [first, ..]) => format!("It was said: {first}"),
        (speaker, [first, ..]) => format!("The {speaker} said: {first}"),
        (speaker, []) => format!("The {speaker} said something"),
    };
    // A question that holds the same words says nothing.
    let stated: Vec<Value> = phrases.into_iter().map(|phrase| json!({"phrase": phrase, "stated": true})).collect();
    let assertion = match speaker {
        "" => json!({"assert": "voice-transcript", "contains": stated}),
        speaker => json!({"assert": "voice-transcript", "speaker": speaker, "contains": stated}),
    };
    Selection { assertion, fields: None, what, came: "", by: Vec::new() }
}

fn sentences(text: &str) -> impl Iterator<Item = String> {
    let mut found = Vec::new();
    let mut sentence = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let ends = matches!(c, '.' | '!' | '?') && chars.peek().is_none_or(|next| next.is_whitespace());
        if !ends {
            sentence.push(c);
            continue;
        }
        let whole = std::mem::take(&mut sentence);
        if c != '?' {
            found.push(whole);
        }
    }
    found.push(sentence);
    found
        .into_iter()
        .map(|one| one.trim().to_owned())
        .filter(|one| (2..=LONGEST).contains(&one.split_whitespace().count()))
}
