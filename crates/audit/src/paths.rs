//! Paths of a record's fields as an author would write them, the better ones first.

use std::collections::BTreeSet;

use candor_check::draft::{is_segment_path, without_positions};
use candor_json::{Value, json};

/// Ways to write the path of a field. One without positions holds wherever the value is; one that selects by another value
/// of the same segment says which is meant; the path itself comes last.
pub(crate) fn spellings(path: &str, fields: &[(String, Value)]) -> Vec<String> {
    let mut all = match Segment::of(path) {
        Some(segment) => segment.by_value(fields),
        None if path.starts_with('$') => {
            let rows = path.strip_prefix("$rows.").map(str::to_owned);
            rows.into_iter().collect()
        }
        None => vec![without_positions(path)],
    };
    all.push(path.to_owned());
    all.dedup();
    all
}

/// Returns `true` if a path is of another segment than those of its name that an assertion is about: of the claim C1003, where
/// the text of the assertion names C1001.
pub(crate) fn is_of_another(path: &str, fields: &[(String, Value)], assertion: &str) -> bool {
    let Some(own) = Segment::of(path) else { return false };
    let same_id: Vec<(Segment<'_>, &str)> = fields
        .iter()
        .filter_map(|(path, value)| Some((Segment::of(path)?, value.as_str()?)))
        .filter(|(other, _)| other.id == own.id)
        .collect();
    let is_its_own = |(segment, value): &&(Segment<'_>, &str)| {
        let is_shared = |(other, text): &(Segment<'_>, &str)| other.rest == segment.rest && text == value;
        // One or two letters occur in an assertion in many places.
        value.len() > 2 && same_id.iter().filter(|one| is_shared(one)).count() == 1 && names(assertion, value)
    };
    let named: BTreeSet<usize> = same_id.iter().filter(is_its_own).map(|(segment, _)| segment.number).collect();
    !named.is_empty() && !named.contains(&own.number)
}

/// Returns `true` if a text has a value in it, and not as a piece of a longer one.
fn names(text: &str, value: &str) -> bool {
    let is_free = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    text.match_indices(value).any(|(at, _)| {
        let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + value.len()..).unwrap_or_default());
        is_free(before.chars().next_back()) && is_free(after.chars().next())
    })
}

struct Segment<'p> {
    id: &'p str,
    /// Which of that id, from 1.
    number: usize,
    /// `5.1` of `OBX[2].5.1`.
    rest: &'p str,
}

impl<'p> Segment<'p> {
    fn of(path: &'p str) -> Option<Self> {
        if !is_segment_path(path) {
            return None;
        }
        let (segment, rest) = path.split_once('.')?;
        match segment.split_once('[') {
            None => Some(Self { id: segment, number: 1, rest }),
            Some((id, number)) => Some(Self { id, number: number.strip_suffix(']')?.parse().ok()?, rest }),
        }
    }

    /// The path by a value that no other segment of this id has at its place.
    fn by_value(&self, fields: &[(String, Value)]) -> Vec<String> {
        let same_id: Vec<(Segment<'_>, &Value)> = fields
            .iter()
            .filter_map(|(path, value)| Some((Segment::of(path)?, value)))
            .filter(|(other, _)| other.id == self.id)
            .collect();
        if same_id.iter().all(|(other, _)| other.number == self.number) {
            return Vec::new();
        }
        let own = same_id
            .iter()
            .filter(|(other, value)| other.number == self.number && is_word(value) && other.rest != self.rest);
        let mut keys: Vec<(u8, &str, &str)> = own
            .filter(|(key, value)| {
                let alike = |(other, own): &&(Segment<'_>, &Value)| other.rest == key.rest && own == value;
                same_id.iter().filter(alike).count() == 1
            })
            .filter_map(|(key, value)| Some((rank(key.rest), key.rest, value.as_str()?)))
            .collect();
        keys.sort_by_key(|(rank, ..)| *rank);
        let written = |(_, at, value): &(u8, &str, &str)| format!("{}[{at}={value}].{}", self.id, self.rest);
        keys.iter().take(2).map(written).collect()
    }
}

/// Identifiers of observations and qualifiers come first, running numbers last.
fn rank(at: &str) -> u8 {
    match at {
        "3.1" => 0,
        "1" => 1,
        "3" | "4.1" => 2,
        "1.1" => 9,
        _ => 5,
    }
}

fn is_word(value: &Value) -> bool {
    let simple = |c: char| c.is_ascii_alphanumeric() || c == '-';
    value.as_str().is_some_and(|text| !text.is_empty() && text.len() <= 20 && text.chars().all(simple))
}

/// Fields that hold a place where nothing was, or not so much: `added` are all leaves that came with it.
pub(crate) fn growth(path: &str, added: &[(&str, &Value)], fields: &[(String, Value)]) -> Vec<Value> {
    match Segment::of(path) {
        Some(segment) => grown_segment(path, &segment, added, fields),
        None => grown_json(path, added, fields),
    }
}

fn grown_segment(
    path: &str,
    segment: &Segment<'_>,
    added: &[(&str, &Value)],
    fields: &[(String, Value)],
) -> Vec<Value> {
    let of_id = |path: &str| Segment::of(path).filter(|other| other.id == segment.id).map(|other| other.number);
    let there: BTreeSet<usize> = fields.iter().filter_map(|(path, _)| of_id(path)).collect();
    if there.is_empty() {
        return vec![json!({"path": segment.id, "op": "empty"})];
    }
    if there.contains(&segment.number) && there.len() >= segment.number {
        let empty = |path: String| json!({"path": path, "op": "empty"});
        return spellings(path, fields).into_iter().map(empty).collect();
    }
    let mut all = vec![json!({"item": segment.id, "count": there.len()})];
    let alike = |rest: &str, value: &Value| {
        let is_it = |(path, own): &&(String, Value)| {
            own == value && Segment::of(path).is_some_and(|other| other.id == segment.id && other.rest == rest)
        };
        fields.iter().filter(is_it).count()
    };
    for (path, value) in added {
        let Some(other) = Segment::of(path).filter(|other| other.id == segment.id && other.number == segment.number)
        else {
            continue;
        };
        let count = alike(other.rest, value);
        if count > 0 {
            let selects = json!([{"path": format!("{}.{}", segment.id, other.rest), "expected": value}]);
            all.push(json!({"item": segment.id, "where": selects, "count": count}));
        }
    }
    all
}

fn grown_json(path: &str, added: &[(&str, &Value)], fields: &[(String, Value)]) -> Vec<Value> {
    let steps: Vec<&str> = path.split('.').collect();
    let is_below =
        |path: &str, above: &str| path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let missing = |length: &usize| {
        let above = steps.get(..*length).unwrap_or_default().join(".");
        !fields.iter().any(|(path, _)| is_below(path, &above))
    };
    let Some(length) = (1..=steps.len()).find(missing) else { return Vec::new() };
    let prefix = steps.get(..length).unwrap_or_default().join(".");
    let empty = |path: String| json!({"path": path, "op": "empty"});
    let list = match steps.get(length - 1) {
        Some(last) if length > 1 && last.bytes().all(|byte| byte.is_ascii_digit()) => {
            steps.get(..length - 1).unwrap_or_default().join(".")
        }
        _ => {
            let mut all = vec![empty(without_positions(&prefix)), empty(prefix)];
            all.dedup();
            return all;
        }
    };
    let position = |path: &str| {
        let rest = path.strip_prefix(list.as_str())?.strip_prefix('.')?;
        let (at, rest) = rest.split_once('.').unwrap_or((rest, ""));
        at.parse::<usize>().ok().map(|at| (at, without_positions(rest)))
    };
    let there: Vec<(usize, String, &Value)> =
        fields.iter().filter_map(|(path, value)| position(path).map(|(at, rest)| (at, rest, value))).collect();
    let count: BTreeSet<usize> = there.iter().map(|(at, ..)| *at).collect();
    if count.is_empty() {
        return vec![empty(list)];
    }
    let mut lists = vec![without_positions(&list), list.clone()];
    lists.dedup();
    let mut all: Vec<Value> =
        lists.iter().map(|list| json!({"path": list, "op": "count", "expected": count.len()})).collect();
    for (path, value) in added.iter().filter(|(path, _)| is_below(path, &prefix)) {
        let Some((_, rest)) = position(path).filter(|(_, rest)| !rest.is_empty()) else { continue };
        let alike: BTreeSet<usize> =
            there.iter().filter(|(_, own, other)| *own == rest && other == value).map(|(at, ..)| *at).collect();
        if !alike.is_empty() {
            let selects = json!([{"path": rest, "expected": value}]);
            all.extend(lists.iter().map(|list| json!({"item": list, "where": selects, "count": alike.len()})));
        }
    }
    all
}
