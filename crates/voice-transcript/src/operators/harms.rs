//! Changes that make the work wrong, and what a criterion forbids.

use candor_check::operators::{Change, Target};
use candor_check::strict_json::{self, Edit, append, find, get, items};
use candor_json::Value;

use super::equivalents::WORDS;
use super::{said, turn, turns};

const SENTENCE_ENDS: [char; 3] = ['.', '?', '!'];

pub(super) fn around(target: &Target<'_>, before: &str, after: &str, what: &str) -> Option<Change> {
    let turn = turn(target)?;
    let text = find(turn, &["text"]).filter(|text| text.len() > 2)?;
    let inner = turn.get(text.start + 1..text.end - 1)?;
    let sentence = inner.trim_end_matches(SENTENCE_ENDS);
    // Words put before a text reach only its first sentence.
    if sentence.contains(SENTENCE_ENDS) {
        return None;
    }
    let end = text.start + 1 + sentence.len();
    // A question ends as one, whatever the sentence ended in.
    let ended = if after.ends_with('?') { text.end - 1 } else { end };
    let edits = [(text.start + 1..text.start + 1, before), (end..ended, after)];
    let edits = edits.into_iter().filter(|(_, with)| !with.is_empty());
    let edits = edits.map(|(span, with)| Edit { span, with: with.to_owned() });
    let sentence = format!("The turn at byte {} of {} is {what}.", target.start(), target.place.locator);
    Some(target.change(edits, sentence))
}

/// Answers, each with the one that replaces it when a speaker corrects it.
const ANSWERS: [(&str, &str); 8] = [
    ("approved", "denied"),
    ("denied", "approved"),
    ("covered", "excluded"),
    ("active", "inactive"),
    ("inactive", "active"),
    ("yes", "no"),
    ("accepted", "rejected"),
    ("confirmed", "cancelled"),
];

pub(super) fn taken_back(target: &Target<'_>) -> Option<Change> {
    let turn = turn(target)?;
    let (_, text) = said(turn)?;
    let speaker = get(turn, &["speaker"])?;
    let other = corrected(text).filter(|other| other != text)?;
    let next = format!(", {{\"speaker\": {speaker}, \"text\": \"Sorry, I was wrong. {other}\"}}");
    let edit = Edit { span: turn.len()..turn.len(), with: next };
    let sentence =
        format!("The turn at byte {} of {} is taken back in the next one.", target.start(), target.place.locator);
    Some(target.change([edit], sentence))
}

fn corrected(text: &str) -> Option<String> {
    let digit = |c: char| match c {
        '0'..='8' => char::from_u32(u32::from(c) + 1).unwrap_or(c),
        '9' => '1',
        other => other,
    };
    let words: Vec<&str> = text.split(' ').collect();
    let other = |word: &str| {
        let own = word.trim_matches(|c: char| !c.is_alphanumeric());
        let answer = ANSWERS.iter().find(|(answer, _)| own.eq_ignore_ascii_case(answer))?;
        Some(word.replace(own, answer.1))
    };
    let changed: Vec<String> =
        words.iter().map(|word| other(word).unwrap_or_else(|| word.chars().map(digit).collect())).collect();
    let changed = changed.join(" ");
    (changed != text).then_some(changed)
}

/// Adds two other answers, or two other numbers, to the one of the turn: alternatives that exclude each other. A turn
/// without an answer or a number has no alternatives, and makes no mutant.
pub(super) fn listed(target: &Target<'_>) -> Option<Change> {
    let of_word = |word: &str| {
        let own = word.trim_matches(|c: char| !c.is_alphanumeric());
        ANSWERS.iter().find(|(answer, _)| own.eq_ignore_ascii_case(answer))
    };
    let (span, text) = said(turn(target)?)?;
    // Behind a full stop there is no list.
    let text = text.trim_end_matches(SENTENCE_ENDS);
    let others = match text.split(' ').find_map(of_word) {
        Some((_, other)) => format!(", or it was {other}, or it is pending"),
        None => ends_in_number(text).then(|| ", or 40118225, or 51229336".to_owned())?,
    };
    let put = |at: usize, with: &str| Edit { span: at..at, with: with.to_owned() };
    let edits = [put(span.start, "It can only be one of these three: "), put(span.start + text.len(), &others)];
    let sentence =
        format!("The turn at byte {} of {} is listed with its alternatives.", target.start(), target.place.locator);
    (!text.contains(SENTENCE_ENDS)).then(|| target.change(edits, sentence))
}

/// True if a text ends in a number of at least three digits, in figures or word by word.
fn ends_in_number(text: &str) -> bool {
    let figures = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let is_digit = |word: &&str| WORDS.iter().any(|digit| word.trim_end_matches(',').eq_ignore_ascii_case(digit));
    figures >= 3 || text.rsplit(' ').take_while(is_digit).count() >= 3
}

pub(super) fn other_speaker(target: &Target<'_>) -> Option<Change> {
    let turn = turn(target)?;
    let was = get(turn, &["speaker"])?;
    let other = turns(target).into_iter().filter_map(|turn| get(turn, &["speaker"])).find(|speaker| *speaker != was)?;
    let edit = strict_json::put(turn, &[], "speaker", other)?;
    let (at, file) = (target.start(), &target.place.locator);
    let sentence = format!("The turn at byte {at} of {file} has the speaker {} (it had {was}).", edit.with);
    Some(target.change([edit], sentence))
}

/// Each phrase that is forbidden, said in a last turn by whoever must not say it.
pub(super) fn forbidden_phrase(target: &Target<'_>) -> Vec<Change> {
    let (Some(file), Some(assertion)) = (target.file(), target.forbidden) else { return Vec::new() };
    if !file.trim_start().starts_with('[') || strict_json::check(file).is_err() {
        return Vec::new();
    }
    // An assertion about another call forbids nothing here.
    let stem = target.place.locator.rsplit('/').next().and_then(|name| name.split('.').next());
    if assertion.get("call").and_then(Value::as_str).is_some_and(|call| Some(call) != stem) {
        return Vec::new();
    }
    let first = items(file.trim()).find_map(|turn| get(turn, &["speaker"])).map(str::to_owned);
    let speaker = match assertion.get("speaker").and_then(Value::as_str) {
        Some(speaker) => Some(Value::from(speaker).to_string()),
        None => first,
    };
    let Some(speaker) = speaker else { return Vec::new() };
    let phrases = assertion.get("not_contains").and_then(Value::as_array).into_iter().flatten();
    let phrases = phrases.filter_map(|phrase| phrase.as_str().or_else(|| phrase.get("text")?.as_str()));
    let said = |phrase: &str| {
        let text = Value::from(format!("I tell you now: {phrase}."));
        let edit = append(file, &[], &format!("{{\"speaker\": {speaker}, \"text\": {text}}}"))?;
        Some(target.change_file([edit], format!("A last turn of {} says {phrase:?}.", target.place.locator)))
    };
    phrases.filter_map(said).collect()
}
