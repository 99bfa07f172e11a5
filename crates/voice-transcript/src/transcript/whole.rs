//! Finds signs in a record that it is not the whole call: the call is not over, the record holds words that no reader
//! understands, or its two copies of the call differ.

use std::collections::BTreeMap;

use candor_json::Value;

use super::lines;
use super::turn::{CALLS, cut_off, is_unspoken, letters};
use crate::tables::RECORDS;

/// Members that hold the turns of a record.
const LISTS: [&str; 6] = ["turns", "messages", "transcript_object", "transcript", "transcripts", "items"];

/// Why a document is not the whole call; `None` where nothing speaks against it.
pub(super) fn missing(document: &Value) -> Option<String> {
    records(document).into_iter().find_map(|record| {
        let differs = || copies(record).or_else(|| channels(record));
        let whole = not_over(record).or_else(differs).or_else(|| words(record));
        whole.or_else(|| entry_cut_off(record))
    })
}

fn records(document: &Value) -> Vec<&Value> {
    const DEEPEST: usize = 3;
    let mut records = vec![document];
    let mut level = vec![document];
    for _ in 0..DEEPEST {
        let inner = level.iter().flat_map(|record| {
            ["message", "data", "call", "artifact", "payload"].into_iter().filter_map(|key| record.get(key))
        });
        level = inner.filter(|record| record.is_object()).collect();
        records.extend(&level);
    }
    records
}

fn not_over(record: &Value) -> Option<String> {
    let members = record.as_object()?;
    let status = members.iter().filter(|(key, _)| RECORDS.status.contains(&*letters(key))).find_map(|(key, status)| {
        let status = status.as_str()?;
        let plain = letters(status);
        let how = match plain.as_str() {
            plain if RECORDS.not_over.contains(plain) => "the call is not over",
            plain if RECORDS.broken_off.contains(plain) || RECORDS.cut_off.contains(plain) => {
                "the call or its recognition broke off"
            }
            _ => return None,
        };
        Some(format!("{how}: its `{key}` is {status:?}"))
    });
    let is_open = || record.get("completed") == Some(&Value::Bool(false));
    status.or_else(|| is_open().then(|| "the call is not over: its `completed` is false".to_owned()))
}

/// The first entry that was cut off: of its words it is not known which were played.
fn entry_cut_off(record: &Value) -> Option<String> {
    let lists = LISTS.iter().filter_map(|key| record.get(key)?.as_array()).chain(record.as_array());
    let mut entries = lists.flat_map(|list| list.iter().enumerate());
    entries.find_map(|(index, entry)| Some(format!("entry {index} {}", cut_off(entry)?)))
}

/// The difference between the two copies of a call in a record, if their words differ.
fn copies(record: &Value) -> Option<String> {
    let list = record.get("transcript_object")?.as_array()?;
    let text = record.get("transcript")?.as_str()?;
    let told = list.iter().filter_map(|entry| entry.get("content").and_then(Value::as_str));
    let written = lines::read(text, 0).ok()?;
    let one = plain(told);
    let other = plain(written.iter().map(|turn| turn.text.as_str()));
    (one != other).then(|| "its `transcript` and its `transcript_object` are not the same call".to_owned())
}

/// The difference between the phrases of a record and the text of all phrases of a channel, if their words differ.
fn channels(record: &Value) -> Option<String> {
    let names = [("combinedRecognizedPhrases", "recognizedPhrases"), ("combinedPhrases", "phrases")];
    names.into_iter().find_map(|(whole, single)| {
        let [combined, phrases] = [whole, single].map(|key| record.get(key).and_then(Value::as_array));
        let phrases = by_channel(phrases?);
        let own = |channel: Option<u64>| phrases.get(&channel).map_or("", String::as_str);
        let differs = by_channel(combined?).into_iter().any(|(channel, text)| own(channel) != text);
        differs.then(|| format!("its `{whole}` and its `{single}` are not the same call"))
    })
}

/// The words of each channel. An entry without a text is left out.
fn by_channel(entries: &[Value]) -> BTreeMap<Option<u64>, String> {
    let mut words: BTreeMap<Option<u64>, String> = BTreeMap::new();
    for entry in entries {
        let best = entry.get("nBest").and_then(Value::as_array).and_then(|best| best.first()).unwrap_or(entry);
        if let Some(text) = best.get("display").or_else(|| entry.get("text")).and_then(Value::as_str) {
            let channel = entry.get("channel").and_then(Value::as_u64);
            words.entry(channel).or_default().push_str(&plain(std::iter::once(text)));
        }
    }
    words
}

fn plain<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts.flat_map(str::chars).filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The problem of an entry whose only words are in a member that is not read.
fn words(record: &Value) -> Option<String> {
    LISTS.iter().find_map(|key| {
        let list = record.get(key)?.as_array()?;
        list.iter().enumerate().find_map(|(index, entry)| {
            let member = unread(entry)?;
            Some(format!("entry {index} of its `{key}` holds words in `{member}`, which is not read"))
        })
    })
}

fn unread(entry: &Value) -> Option<&str> {
    let members = entry.as_object()?;
    let blank = |key: &str| match members.get(key) {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.trim().is_empty(),
        _ => false,
    };
    let calls = CALLS.iter().any(|key| members.contains_key(*key));
    if !["text", "content", "message"].into_iter().all(blank) || calls || is_unspoken(entry) {
        return None;
    }
    let said = |value: &Value| value.as_str().is_some_and(|text| text.split_whitespace().count() >= 2);
    members
        .iter()
        .find(|(key, value)| !RECORDS.no_words.contains(key.as_str()) && said(value))
        .map(|(key, _)| key.as_str())
}
