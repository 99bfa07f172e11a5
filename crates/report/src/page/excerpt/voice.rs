//! The turns of a call around those that decided.

use serde_json::Value;

use super::{Row, Wanted, around};

const NEIGHBOURS: usize = 2;
const TURNS: [&str; 6] = ["turns", "segments", "utterances", "messages", "transcript", "results"];
const SPEAKER: [&str; 5] = ["speaker", "role", "speaker_label", "channel", "participant"];
const SAID: [&str; 5] = ["text", "content", "transcript", "message", "utterance"];

/// Nothing where it is not a list of turns, each with what was said.
pub(super) fn rows(wanted: &Wanted<'_>) -> Option<Vec<Row>> {
    let value: Value = serde_json::from_slice(wanted.bytes).ok()?;
    let turns = match &value {
        Value::Array(turns) => turns,
        other => TURNS.iter().find_map(|name| other.get(name)?.as_array())?,
    };
    let text = |turn: &Value, names: &[&str]| names.iter().find_map(|name| turn.get(name)?.as_str().map(str::to_owned));
    let mut rows = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        let said = text(turn, &SAID)?;
        let speaker = text(turn, &SPEAKER).unwrap_or_default();
        rows.push(Row {
            gutter: speaker,
            pieces: marked(&said, &wanted.quotes),
            note: format!("turn {number}"),
            ..Row::default()
        });
    }
    rows.iter().any(Row::is_hit).then(|| around(rows, NEIGHBOURS, "turn"))
}

/// The text with the first quote that is in it marked.
fn marked(said: &str, quotes: &[String]) -> Vec<(String, bool)> {
    let found = quotes
        .iter()
        .filter(|quote| !quote.is_empty())
        .find_map(|quote| Some((said.find(quote.as_str())?, quote.len())));
    let Some((at, length)) = found else { return vec![(said.to_owned(), false)] };
    let part = |from: usize, to: usize| said.get(from..to).unwrap_or_default().to_owned();
    let pieces = [(part(0, at), false), (part(at, at + length), true), (part(at + length, said.len()), false)];
    pieces.into_iter().filter(|(text, _)| !text.is_empty()).collect()
}
