//! The messages of a recognizer that writes while it listens, one after the other: Deepgram and AssemblyAI.
//!
//! Each says which of its results are final; the others are dropped. Messages about the connection hold no speech.

use std::ops::Range;

use candor_json::Value;
use candor_json::value::RawValue;

use super::Turn;
use super::vendors::{Read, Reader};

/// Reads a stream by the first message that shows its recognizer: the stream's name, and its turns. `None` for other
/// lists.
pub(super) fn read(entries: &[(RawValue<'_>, Range<usize>)]) -> Option<(&'static str, Read)> {
    let parsed = |entry: &RawValue<'_>| candor_json::from_str::<Value>(entry.get()).ok();
    let of_deepgram = entries.iter().find_map(|(entry, _)| is_of_deepgram(&parsed(entry)?))?;
    let messages = entries.iter().filter_map(|(entry, span)| Some((parsed(entry)?, span.clone())));
    Some(match of_deepgram {
        true => ("a stream of Deepgram", deepgram(messages)),
        false => ("a stream of AssemblyAI", assembly(messages)),
    })
}

fn text<'a>(message: &'a Value, key: &str) -> Option<&'a str> {
    message.get(key)?.as_str()
}

/// Checks if a message is Deepgram's, and not AssemblyAI's; `None` if it is of neither.
fn is_of_deepgram(message: &Value) -> Option<bool> {
    match (text(message, "type"), text(message, "message_type")) {
        (Some("Results"), _) if message.get("channel").is_some_and(Value::is_object) => Some(true),
        (Some("Turn"), _) if message.get("turn_order").is_some() => Some(false),
        (_, Some("FinalTranscript" | "PartialTranscript")) => Some(false),
        _ => None,
    }
}

/// <https://developers.deepgram.com/docs/live-streaming-audio>: what is final stays; a result without words was silence.
fn deepgram(messages: impl Iterator<Item = (Value, Range<usize>)>) -> Read {
    let mut turns = Vec::new();
    for (message, span) in messages {
        if text(&message, "type") != Some("Results") {
            continue;
        }
        let last =
            message.get("is_final").and_then(Value::as_bool).ok_or("a result that does not say if it is final")?;
        if !last {
            continue;
        }
        let channel = message.get("channel").ok_or("a result without a channel")?;
        // [which, of how many]
        let several = message.get("channel_index").and_then(|index| index.get(1)?.as_u64()).is_some_and(|of| of > 1);
        let of_channel = message.get("channel_index").and_then(|index| index.get(0)?.as_u64()).filter(|_| several);
        turns.extend(Reader { span: &span }.deepgram_channel(channel, of_channel, message.get("start"))?);
    }
    Ok(turns)
}

/// <https://www.assemblyai.com/docs/api-reference/streaming-api/streaming-api>: a turn comes as it grows, and once more with
/// punctuation; the last message of each that ends it stays.
fn assembly(messages: impl Iterator<Item = (Value, Range<usize>)>) -> Read {
    let mut turns: Vec<(Option<u64>, Turn)> = Vec::new();
    for (message, span) in messages {
        let reader = Reader { span: &span };
        match (text(&message, "type"), text(&message, "message_type")) {
            (Some("Turn"), _) => {
                if message.get("end_of_turn") != Some(&Value::Bool(true)) {
                    continue;
                }
                let order = message.get("turn_order").and_then(Value::as_u64);
                let turn = reader.assembly_message(&message, "transcript")?;
                match turns.last_mut().filter(|(last, _)| order.is_some() && *last == order) {
                    Some(last) => last.1 = turn,
                    None => turns.push((order, turn)),
                }
            }
            (_, Some("FinalTranscript")) => turns.push((None, reader.assembly_message(&message, "text")?)),
            _ => {}
        }
    }
    Ok(turns.into_iter().map(|(_, turn)| turn).filter(|turn| !turn.text.is_empty()).collect())
}
