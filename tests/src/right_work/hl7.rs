//! Messages: each component of each repetition at its place.

use std::collections::BTreeMap;

use candor_hl7v2::{Message, Path, messages};
use candor_json::{Value, json};

use super::Work;

/// Asserts every `every`th place of a file. To read them all takes longer than to judge these.
pub(super) fn work(name: &str, bytes: Vec<u8>, every: usize) -> Option<Work> {
    let read: Vec<Message<'_>> = messages(&bytes).filter_map(Result::ok).collect();
    let mut number: BTreeMap<String, usize> = BTreeMap::new();
    for message in &read {
        *number.entry(value(message, "MSH.10").unwrap_or_default()).or_default() += 1;
    }
    let mut all = Vec::new();
    for message in &read {
        let Some(id) = value(message, "MSH.10") else { continue };
        if number.get(&id) == Some(&1) {
            all.extend(places(message).into_iter().map(|path| (message, id.clone(), path)));
        }
    }
    let made = all.into_iter().step_by(every).filter_map(|(message, id, path)| {
        let expected = value(message, &path)?;
        Some(assertion(&id, &path, &expected))
    });
    let assertions = made.collect();
    Some(Work { files: vec![(format!("hl7/{name}.hl7"), bytes.clone())], assertions })
}

fn assertion(id: &str, path: &str, expected: &str) -> Value {
    json!({
        "assert": "hl7-structural", "correlate_by": {"control_id": id},
        "fields": [{"path": path, "expected": expected}],
    })
}

fn value(message: &Message<'_>, path: &str) -> Option<String> {
    let path = Path::parse(path).ok()?;
    let text = path.select(message).next()?.text().text.into_owned();
    Some(text)
}

/// The path of every component that holds something, but for the delimiters in MSH-1 and MSH-2.
fn places(message: &Message<'_>) -> Vec<String> {
    let mut nth: BTreeMap<[u8; 3], usize> = BTreeMap::new();
    let mut paths = Vec::new();
    for segment in message.segments() {
        let at = nth.entry(segment.id()).or_default();
        *at += 1;
        let id = String::from_utf8_lossy(&segment.id()).into_owned();
        for (number, field) in segment.filled() {
            if field.is_opaque() || id == "MSH" && number <= 2 {
                continue;
            }
            for (repetition, piece) in field.repetitions().enumerate() {
                for (component, _) in piece.components(message.delimiters()).enumerate() {
                    paths.push(format!("{id}[{at}].{number}[{}].{}", repetition + 1, component + 1));
                }
            }
        }
    }
    paths
}
