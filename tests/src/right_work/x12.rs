//! Transaction sets: each element, or component of a composite element, at its place.

use std::collections::BTreeMap;

use candor_json::json;
use candor_x12::{Reader, Token};

use super::Work;

/// The transactions that the check reads. Invoices and shipping notices are not among them.
const TRANSACTIONS: [&str; 13] =
    ["270", "271", "275", "276", "277", "278", "820", "824", "834", "835", "837", "997", "999"];

/// A transaction set: its segments, each as its elements, each as its components.
type Set = Vec<Vec<Vec<String>>>;

pub(super) fn work(name: &str, bytes: Vec<u8>) -> Option<Work> {
    let sets = sets(&bytes)?;
    let control = |set: &Set| Some(set.first()?.get(2)?.first()?.clone());
    let mut number: BTreeMap<String, usize> = BTreeMap::new();
    for set in &sets {
        *number.entry(control(set).unwrap_or_default()).or_default() += 1;
    }
    let mut assertions = Vec::new();
    for set in &sets {
        let Some(id) = control(set) else { continue };
        let Some(transaction) = set.first().and_then(|st| st.get(1)?.first().cloned()) else { continue };
        if number.get(&id) == Some(&1) && TRANSACTIONS.contains(&transaction.as_str()) {
            assertions.extend(places(set).into_iter().map(|(path, expected)| {
                json!({
                    "assert": "x12-response", "transaction": transaction, "correlate_by": {"ST.2": id},
                    "fields": [{"path": path, "expected": expected}],
                })
            }));
        }
    }
    Some(Work { files: vec![(format!("x12/{name}.x12"), bytes)], assertions })
}

/// The sets of a file, or nothing where it cannot be read to its end.
fn sets(bytes: &[u8]) -> Option<Vec<Set>> {
    let mut reader = Reader::from_slice(bytes);
    let mut sets: Vec<Set> = Vec::new();
    let mut open = false;
    while let Some(token) = reader.next_token().ok()? {
        let Token::Segment(segment) = token else { return None };
        let delimiters = segment.delimiters();
        let id = segment.id().as_str().to_owned();
        open |= id == "ST";
        if open {
            if id == "ST" {
                sets.push(Vec::new());
            }
            let elements = segment.elements().map(|element| {
                // A repeating element is left alone: its first repetition is what a path without a number reads.
                let first = element.repetitions(delimiters).next();
                first.map_or_else(Vec::new, |piece| {
                    piece.components(delimiters).map(|component| component.text().into_owned()).collect()
                })
            });
            sets.last_mut()?.push(std::iter::once(vec![id.clone()]).chain(elements).collect());
        }
        open &= id != "SE";
    }
    Some(sets)
}

fn places(set: &Set) -> Vec<(String, String)> {
    let mut nth: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for segment in set {
        let Some(id) = segment.first().and_then(|id| id.first()) else { continue };
        let at = nth.entry(id).or_default();
        *at += 1;
        for (number, components) in segment.iter().enumerate().skip(1) {
            for (component, text) in components.iter().enumerate() {
                if text.is_empty() {
                    continue;
                }
                let path = if components.len() == 1 {
                    format!("{id}[{at}].{number}")
                } else {
                    format!("{id}[{at}].{number}.{}", component + 1)
                };
                found.push((path, text.clone()));
            }
        }
    }
    found
}
