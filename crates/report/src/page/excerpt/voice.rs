//! The turns of a call around those that decided.

use candor_json::Value;
use candor_json::value::RawValue;

use super::{Row, Wanted, around};

const NEIGHBOURS: usize = 2;
const SPEAKER: [&str; 5] = ["speaker", "role", "speaker_label", "channel", "participant"];
const SAID: [&str; 5] = ["text", "content", "transcript", "message", "utterance"];
/// So deep within a document a list of turns is looked for.
const DEEPEST: usize = 8;

/// A turn: where it is, and what is in it.
type Turn = (usize, usize, Value);

/// The rows of a transcript, if it has a list of turns that holds the deciding one.
pub(super) fn rows(wanted: &Wanted<'_>) -> Option<Vec<Row>> {
    let document: RawValue<'_> = candor_json::from_slice(wanted.bytes).ok()?;
    let turns = turns(document, wanted, DEEPEST)?;
    let is_whole = turns.iter().all(|(_, _, turn)| said(turn).is_some());
    let row = |(number, (start, end, turn)): (usize, &Turn)| {
        let said = said(turn)?;
        let decided = wanted.spans.is_empty() || wanted.touches(*start, *end);
        Some(Row {
            gutter: speaker(turn),
            pieces: if decided { marked(said, wanted) } else { vec![(said.to_owned(), false)] },
            // Of a list that holds other things, too, the number of an item is not that of a turn.
            note: if is_whole { format!("turn {number}") } else { String::new() },
            ..Row::default()
        })
    };
    let rows: Vec<Row> = turns.iter().enumerate().filter_map(row).collect();
    rows.iter().any(Row::is_hit).then(|| around(rows, NEIGHBOURS, "turn"))
}

fn said(turn: &Value) -> Option<&str> {
    SAID.iter().find_map(|name| turn.get(name)?.as_str())
}

fn speaker(turn: &Value) -> String {
    let name = |value: &Value| match value {
        Value::String(name) => Some(name.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    SPEAKER.iter().find_map(|member| name(turn.get(member)?)).unwrap_or_default()
}

/// The outermost list of turns that holds the deciding one.
fn turns(value: RawValue<'_>, wanted: &Wanted<'_>, deepest: usize) -> Option<Vec<Turn>> {
    let inner: Vec<RawValue<'_>> = match candor_json::from_str::<Vec<RawValue<'_>>>(value.get()) {
        Ok(items) => {
            let found: Vec<Turn> = items.iter().map(|item| turn(*item, wanted.bytes)).collect::<Option<_>>()?;
            let decides = |(start, end, item): &Turn| {
                said(item).is_some() && (wanted.spans.is_empty() || wanted.touches(*start, *end))
            };
            if found.iter().any(decides) {
                return Some(found);
            }
            items
        }
        Err(_) => candor_json::from_str::<std::collections::BTreeMap<String, RawValue<'_>>>(value.get())
            .ok()?
            .into_values()
            .collect(),
    };
    inner.into_iter().filter(|_| deepest > 0).find_map(|one| turns(one, wanted, deepest - 1))
}

fn turn(item: RawValue<'_>, bytes: &[u8]) -> Option<Turn> {
    let start = item.get().as_ptr().addr().checked_sub(bytes.as_ptr().addr())?;
    Some((start, start + item.get().len(), candor_json::from_str(item.get()).ok()?))
}

/// The text with the quotes that are in it marked; all of it where none is, as where a quote goes over several turns.
fn marked(said: &str, wanted: &Wanted<'_>) -> Vec<(String, bool)> {
    let quotes = wanted.quotes.iter().filter(|quote| !quote.is_empty());
    let mut found: Vec<(usize, usize)> =
        quotes.filter_map(|quote| said.find(quote.as_str()).map(|at| (at, at + quote.len()))).collect();
    found.sort_unstable();
    if found.is_empty() {
        return vec![(said.to_owned(), !wanted.spans.is_empty())];
    }
    let mut pieces = Vec::new();
    let mut at = 0;
    let part = |from: usize, to: usize| said.get(from..to).unwrap_or_default().to_owned();
    for (from, to) in found {
        let from = from.max(at);
        if from < to {
            pieces.extend([(part(at, from), false), (part(from, to), true)]);
            at = to;
        }
    }
    pieces.push((part(at, said.len()), false));
    pieces.into_iter().filter(|(text, _)| !text.is_empty()).collect()
}
