//! An entry of a JSON list of turns.

use std::ops::Range;

use candor_json::Value;
use candor_json::value::RawValue;

use super::error::TurnProblem;
use super::gaps::unthought;
use super::members::Members;
use super::timed::{millionths, millis, words};
use super::{Format, TimedWord, Turn};
use crate::tables::{RECORDS, SPEAKERS, UNREAD};

/// Members that mark an interim result when they hold `true`, and when they hold `false`.
const INTERIM_IF_TRUE: [&str; 5] = ["interim", "is_interim", "partial", "is_partial", "isPartial"];
const INTERIM_IF_FALSE: [&str; 3] = ["is_final", "isFinal", "final"];

/// The text of a turn that was spoken and whose words are not in the record.
const UNHEARD: &str = "[inaudible]";

/// Why it is not known which words of a spoken entry were played, as the end of a sentence.
pub(crate) fn cut_off(entry: &Value) -> Option<String> {
    let status = entry.get("status")?.as_str().filter(|status| RECORDS.cut_off.contains(&*letters(status)))?;
    let flagged = |keys: &[&str], flag| keys.iter().any(|key| entry.get(key) == Some(&Value::Bool(flag)));
    let interim = flagged(&INTERIM_IF_TRUE, true) || flagged(&INTERIM_IF_FALSE, false);
    (!interim && !is_unspoken(entry)).then(|| format!("was cut off: its `status` is {status:?}"))
}

/// Is an entry a call of a tool, its answer, a thought or an instruction?
pub(super) fn is_unspoken(entry: &Value) -> bool {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    text("type").is_some_and(|kind| RECORDS.unspoken.contains(kind))
        || ["role", "speaker"].into_iter().any(|key| text(key).and_then(party) == Some(UNREAD))
}

/// The letters of a name, in lower case: `IN_PROGRESS` and `inProgress` are one.
pub(super) fn letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect()
}

/// Members that make an entry without text a call of a tool, or its answer (ElevenLabs).
pub(super) const CALLS: [&str; 4] = ["tool_calls", "function_call", "tool_call", "tool_results"];

/// Reads an entry, of any list of turns or of the format that is named; `None` for an interim result.
pub(super) fn read(
    entry: RawValue<'_>,
    span: Range<usize>,
    format: Option<Format>,
) -> Result<Option<Turn>, TurnProblem> {
    let members = Members::read(entry).ok_or(TurnProblem::NotAnObject)?;
    let get = |key: &'static str| members.get(key).map_err(|_| TurnProblem::Twice(key));
    for key in INTERIM_IF_TRUE.into_iter().chain(INTERIM_IF_FALSE) {
        if flag(get(key)?, key)? == Some(INTERIM_IF_TRUE.contains(&key)) {
            return Ok(None);
        }
    }
    if get("status")?.is_some() && candor_json::from_str(entry.get()).is_ok_and(|entry| cut_off(&entry).is_some()) {
        return Ok(None);
    }
    let speaker = label(get("speaker")?, "speaker")?;
    let role = label(get("role")?, "role")?;
    // Bland names a speaker so
    let speaker = match (&speaker, &role) {
        (None, None) => get("user")?.and_then(string),
        _ => speaker,
    };
    let party = |label: &Option<String>| label.as_deref().and_then(party);
    if let (Some(speaker), Some(role)) = (party(&speaker), party(&role))
        && speaker != role
    {
        return Err(TurnProblem::TwoSpeakers);
    }
    let unread = party(&speaker) == Some(UNREAD) || party(&role) == Some(UNREAD);
    let kind = get("type")?.and_then(string);
    let unspoken = kind.as_deref().is_some_and(|kind| RECORDS.unspoken.contains(kind));
    let calls = CALLS.into_iter().any(|key| members.has(key));
    let called = |key| get(key).is_ok_and(|call| call.is_some_and(|call| !matches!(call.get(), "null" | "[]")));
    let unheard = || (!unspoken && !unread && !CALLS.into_iter().any(called)).then(|| UNHEARD.to_owned());
    let content = get("content")?.or(get("message")?);
    let text = match get("text")? {
        Some(_) if format == Some(Format::Messages) => None,
        text => text,
    };
    let text = match (text, content.filter(|_| format != Some(Format::Native))) {
        _ if unspoken => None,
        (Some(text), None) => read_text(text, "text", unread)?,
        (None, Some(content)) => read_text(content, "content", unread)?,
        (Some(text), Some(content)) => {
            let (text, content) = (read_text(text, "text", unread)?, read_text(content, "content", unread)?);
            if text.is_some() && content.is_some() && text != content {
                return Err(TurnProblem::TwoTexts);
            }
            text.or(content)
        }
        (None, None) if calls || unread => None,
        (None, None) => return Err(TurnProblem::NoText),
    };
    let text = text.map(|text| unthought(&text)).or_else(unheard);
    let start = get("start")?.or(get("secondsFromStart")?);
    let (start, end) = (start.and_then(seconds), get("end")?.and_then(seconds));
    let confidence = get("confidence")?.and_then(confidence);
    let silent = text.as_deref().is_none_or(|text| text.trim().is_empty());
    let spoken = !unspoken && (!calls || !silent);
    let text = text.unwrap_or_default();
    let words = match get("words")? {
        Some(list) => match candor_json::from_str::<Vec<Value>>(list.get()) {
            Ok(list) => words(&list, &text, confidence, None),
            Err(_) => return Err(TurnProblem::Type("words")),
        },
        None => match confidence {
            Some(_) if !silent => vec![TimedWord { span: 0..text.len(), start, end, confidence, speaker: None }],
            _ => Vec::new(),
        },
    };
    Ok(Some(Turn { speaker, role, text, spoken, span, start, end, words, doubtful: false }))
}

/// Seconds, as a number or as text, in milliseconds. What is neither tells no time.
fn seconds(raw: RawValue<'_>) -> Option<u64> {
    millis(&candor_json::from_str(raw.get()).ok()?)
}

fn confidence(raw: RawValue<'_>) -> Option<u32> {
    millionths(&candor_json::from_str(raw.get()).ok()?)
}

/// The role that a label is known to mean.
pub(super) fn party(label: &str) -> Option<&'static str> {
    SPEAKERS.get(label.trim().to_lowercase().as_str()).copied()
}

fn string(raw: RawValue<'_>) -> Option<String> {
    candor_json::from_str(raw.get()).ok()
}

fn flag(raw: Option<RawValue<'_>>, key: &'static str) -> Result<Option<bool>, TurnProblem> {
    let Some(raw) = raw else { return Ok(None) };
    candor_json::from_str(raw.get()).map_err(|_| TurnProblem::Type(key))
}

/// A label: text, or a number as channels have them.
fn label(raw: Option<RawValue<'_>>, key: &'static str) -> Result<Option<String>, TurnProblem> {
    let Some(raw) = raw else { return Ok(None) };
    match candor_json::from_str(raw.get()) {
        Ok(Value::Null) => Ok(None),
        Ok(Value::String(label)) => Ok(Some(label)),
        Ok(Value::Number(number)) => Ok(Some(number.to_string())),
        _ => Err(TurnProblem::Type(key)),
    }
}

/// Text, or a list of content parts. What an entry that is never read holds does not matter.
fn read_text(raw: RawValue<'_>, key: &'static str, unread: bool) -> Result<Option<String>, TurnProblem> {
    let read = match candor_json::from_str(raw.get()) {
        Ok(Value::Null) => Ok(None),
        Ok(Value::String(text)) => Ok(Some(text)),
        Ok(Value::Array(parts)) if key == "content" => read_parts(&parts).map(Some),
        _ => Err(TurnProblem::Type(key)),
    };
    if unread { Ok(read.unwrap_or_default()) } else { read }
}

fn read_parts(parts: &[Value]) -> Result<String, TurnProblem> {
    let mut spoken: Vec<&str> = Vec::new();
    for (part, value) in parts.iter().enumerate() {
        let unknown = TurnProblem::UnknownPart { part };
        let member = |key: &str| value.get(key).and_then(Value::as_str);
        let text = match value {
            Value::String(text) => Some(text.as_str()),
            Value::Object(_) => match member("type") {
                Some("text" | "input_text" | "output_text") => Some(member("text").ok_or(unknown)?),
                Some("refusal") => Some(member("refusal").ok_or(unknown)?),
                // spoken, and its words are not known
                Some("audio" | "input_audio" | "output_audio") => Some(member("transcript").unwrap_or(UNHEARD)),
                Some(kind) if RECORDS.unspoken.contains(kind) => None,
                None if value.get("text").is_some() => Some(member("text").ok_or(unknown)?),
                _ => return Err(unknown),
            },
            _ => return Err(unknown),
        };
        spoken.extend(text);
    }
    Ok(spoken.join(" "))
}
