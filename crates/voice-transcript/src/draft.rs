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
    let numbers = words().filter(|word| DRAFT.numbers.contains(word.as_str())).count();
    sentence.chars().any(|c| c.is_ascii_digit()) || numbers > 1 || words().any(|word| DRAFT.outcomes.contains(&*word))
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

/// The sentences of a few words that are not questions, without their last mark.
fn sentences(text: &str) -> impl Iterator<Item = String> {
    const ENDS: [char; 3] = ['.', '!', '?'];
    let words: Vec<&str> = text.split_whitespace().collect();
    let all = words.split_inclusive(|word| word.ends_with(ENDS)).map(|words| words.join(" "));
    let stated = all.filter(|one| !one.ends_with('?'));
    let bare = stated.map(|one| one.strip_suffix(ENDS).unwrap_or(&one).trim_end().to_owned());
    bare.filter(|one| (2..=LONGEST).contains(&one.split_whitespace().count())).collect::<Vec<_>>().into_iter()
}
