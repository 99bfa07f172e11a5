//! What an audit changes of the turn in which something was said, and why each is a harm or none. Transcripts in JSON alone.

use candor_check::operators::{Change, Operator, Target};
use candor_check::strict_json::{self, Edit, append, find, get, items};
use serde_json::Value;

/// The operators of turns.
#[rustfmt::skip]
pub const OPERATORS: &[Operator] = &[
    Operator::harm("voice/negated", |target| around(target, "It is not true that: ", "", "negated"),
        "What is denied was not said to be so."),
    Operator::harm("voice/hypothetical", |target| around(target, "If it were the case that ", ", I would tell you.", "put as a condition"),
        "What is supposed was not said to be so."),
    Operator::harm("voice/asked", |target| around(target, "Can you tell me whether ", "?", "put as a question"),
        "Who asks does not say."),
    Operator::harm("voice/reported", |target| around(target, "Some other caller claimed that ", "", "reported of somebody else"),
        "What somebody else is said to have said was not said on this call."),
    Operator::harm("voice/taken-back", taken_back,
        "What is corrected in the next turn does not hold."),
    Operator::harm("voice/other-speaker", other_speaker,
        "It was said by the other side of the call."),
    Operator::equivalent("voice/fillers", |target| around(target, "Um, well, ", "", "begun with fillers"),
        "Fillers are transcribed by some recognizers and left out by others."),
    Operator::breach("voice/forbidden-phrase", forbidden_phrase,
        "What the criterion forbids to say is said."),
];

/// The turn, where it is an object with a text.
fn turn<'a>(target: &Target<'a>) -> Option<&'a str> {
    target.place.span?;
    target.record().filter(|turn| turn.starts_with('{') && strict_json::check(turn).is_ok())
}

fn around(target: &Target<'_>, before: &str, after: &str, what: &str) -> Vec<Change> {
    let Some(turn) = turn(target) else { return Vec::new() };
    // What stands before a sentence says something of that sentence alone.
    let is_one = |text: &str| !text.trim_end_matches(['"', '.', '?', '!']).contains(['.', '?', '!']);
    let found = find(turn, &["text"]).filter(|text| text.len() > 2 && turn.get(text.clone()).is_some_and(is_one));
    let Some(text) = found else { return Vec::new() };
    let edits = [(text.start + 1, before), (text.end - 1, after)];
    let edits = edits.into_iter().filter(|(_, with)| !with.is_empty());
    let edits = edits.map(|(at, with)| Edit { span: at..at, with: with.to_owned() });
    vec![target.change(edits, format!("The turn at byte {} of {} is {what}.", target.start(), target.place.locator))]
}

fn taken_back(target: &Target<'_>) -> Vec<Change> {
    let Some(turn) = turn(target) else { return Vec::new() };
    let Some(speaker) = get(turn, &["speaker"]) else { return Vec::new() };
    let next = format!(", {{\"speaker\": {speaker}, \"text\": \"Sorry, I was wrong, that is not correct.\"}}");
    let edit = Edit { span: turn.len()..turn.len(), with: next };
    vec![target.change(
        [edit],
        format!("The turn at byte {} of {} is taken back in the next one.", target.start(), target.place.locator),
    )]
}

fn other_speaker(target: &Target<'_>) -> Vec<Change> {
    let (Some(turn), Some(file)) = (turn(target), target.file()) else { return Vec::new() };
    let Some(was) = get(turn, &["speaker"]) else { return Vec::new() };
    let turns = match file.trim_start().starts_with('[') {
        true => Some(file.trim()),
        false => get(file, &["turns"]),
    };
    let other =
        turns.into_iter().flat_map(items).filter_map(|turn| get(turn, &["speaker"])).find(|speaker| *speaker != was);
    let edit = other.and_then(|other| strict_json::put(turn, &[], "speaker", other));
    let sentence = |edit: &Edit| {
        format!(
            "The turn at byte {} of {} was said by {} (it was {was}).",
            target.start(),
            target.place.locator,
            edit.with
        )
    };
    edit.map(|edit| target.change([edit.clone()], sentence(&edit))).into_iter().collect()
}

/// Each phrase that is forbidden, said in a last turn by whoever must not say it.
fn forbidden_phrase(target: &Target<'_>) -> Vec<Change> {
    let (Some(file), Some(assertion)) = (target.file(), target.forbidden) else { return Vec::new() };
    if !file.trim_start().starts_with('[') || strict_json::check(file).is_err() {
        return Vec::new();
    }
    // Another call is no place for it.
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
