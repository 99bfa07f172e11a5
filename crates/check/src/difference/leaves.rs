//! A JSON value as the fields of a record, and as a digest that is the same for equal values.

use std::borrow::Cow;

use candor_json::Value;
use sha2::{Digest, Sha256};

use crate::compare::Decimal;
use crate::strict_json;

/// The leaves of a value by their paths, as field results write them: `status`, `member.id`, `codes.0`. Empty arrays and
/// objects are leaves. A value that is neither an array nor an object has the path `""`.
///
/// ```
/// use candor_check::difference::leaves;
/// let paths: Vec<String> = leaves(&candor_json::json!({"id": 7, "codes": ["a"]})).into_iter().map(|leaf| leaf.0).collect();
/// assert_eq!(paths, ["id", "codes.0"]);
/// ```
#[must_use]
pub fn leaves(value: &Value) -> Vec<(String, Value)> {
    let mut leaves = Vec::new();
    // A list and not the stack: values may be nested deeply.
    let mut open = vec![(String::new(), value)];
    let below = |path: &str, step: &str| if path.is_empty() { step.to_owned() } else { format!("{path}.{step}") };
    while let Some((path, value)) = open.pop() {
        match value {
            Value::Object(members) if !members.is_empty() => {
                open.extend(members.iter().rev().map(|(name, value)| (below(&path, name), value)));
            }
            Value::Array(items) if !items.is_empty() => {
                open.extend(items.iter().enumerate().rev().map(|(at, value)| (below(&path, &at.to_string()), value)));
            }
            leaf => leaves.push((path, leaf.clone())),
        }
    }
    leaves
}

/// SHA-256 of a value: the same for two that are equal, whatever the order of members and however a number is written.
///
/// ```
/// use candor_check::difference::canonical_digest;
/// use candor_json::json;
/// assert_eq!(canonical_digest(&json!({"a": 1, "b": [2]})), canonical_digest(&json!({"b": [2.0], "a": 1})));
/// assert_ne!(canonical_digest(&json!({"a": "1"})), canonical_digest(&json!({"a": 1})));
/// ```
#[must_use]
pub fn canonical_digest(value: &Value) -> [u8; 32] {
    enum Open<'v> {
        Value(&'v Value),
        Name(&'v str),
    }
    let mut canonical = Canonical::default();
    let mut open = vec![Open::Value(value)];
    while let Some(next) = open.pop() {
        match next {
            Open::Name(name) => canonical.put(b'm', name),
            Open::Value(Value::Null) => canonical.put(b'n', ""),
            Open::Value(Value::Bool(truth)) => canonical.put(b'b', if *truth { "1" } else { "0" }),
            Open::Value(Value::Number(number)) => canonical.number(&number.to_string()),
            Open::Value(Value::String(string)) => canonical.put(b's', string),
            Open::Value(Value::Array(items)) => {
                canonical.count(b'a', items.len());
                open.extend(items.iter().rev().map(Open::Value));
            }
            Open::Value(Value::Object(members)) => {
                canonical.count(b'o', members.len());
                let mut sorted: Vec<_> = members.iter().collect();
                sorted.sort_by(|a, b| b.0.cmp(a.0));
                open.extend(sorted.into_iter().flat_map(|(name, value)| [Open::Value(value), Open::Name(name)]));
            }
        }
    }
    canonical.digest()
}

/// As [`canonical_digest`], of the text of a value that is known to be sound ([`strict_json::check`]), without making the
/// value. Of the members of the first object, those named in `without` lose the members named there, and go when they have
/// no other.
///
/// ```
/// use candor_check::difference::{canonical_digest, canonical_digest_of_text};
/// let text = r#"{"b": [2.0], "meta": {"versionId": "7"}, "a": 1}"#;
/// let without = [("meta", &["versionId"][..])];
/// assert_eq!(canonical_digest_of_text(text, &without), canonical_digest(&candor_json::json!({"a": 1, "b": [2]})));
/// ```
#[must_use]
pub fn canonical_digest_of_text(text: &str, without: &[(&str, &[&str])]) -> [u8; 32] {
    let mut canonical = Canonical(Vec::with_capacity(2 * text.len()));
    canonical.text(text, without, 0);
    canonical.digest()
}

/// Values in the one form that is hashed: for each a kind, a length, and a text.
#[derive(Default)]
struct Canonical(Vec<u8>);

impl Canonical {
    fn put(&mut self, kind: u8, text: &str) {
        self.0.push(kind);
        self.0.extend_from_slice(&(text.len() as u64).to_le_bytes());
        self.0.extend_from_slice(text.as_bytes());
    }

    fn count(&mut self, kind: u8, count: usize) {
        self.0.push(kind);
        self.0.extend_from_slice(&(count as u64).to_le_bytes());
    }

    fn number(&mut self, text: &str) {
        match text.bytes().all(|byte| byte.is_ascii_digit()) {
            // JSON writes a whole number in one way.
            true => self.put(b'd', text),
            false => match Decimal::json(text).and_then(|decimal| decimal.to_plain()) {
                Some(plain) => self.put(b'd', &plain),
                None => self.put(b'd', text),
            },
        }
    }

    fn string(&mut self, kind: u8, quoted: &str) {
        let unescaped = || candor_json::from_str::<String>(quoted);
        match (quoted.contains('\\'), quoted.get(1..quoted.len().saturating_sub(1))) {
            (false, Some(text)) => self.put(kind, text),
            // Half of a surrogate pair is not a text: as written it is equal only to itself.
            _ => match unescaped() {
                Ok(text) => self.put(kind, &text),
                Err(_) => self.put(b'?', quoted),
            },
        }
    }

    fn text(&mut self, text: &str, without: &[(&str, &[&str])], depth: usize) {
        let text = text.trim_ascii();
        match text.as_bytes().first() {
            // Sound text is not deeper.
            _ if depth > strict_json::MAX_DEPTH => self.put(b'?', text),
            Some(b'"') => self.string(b's', text),
            Some(b't') => self.put(b'b', "1"),
            Some(b'f') => self.put(b'b', "0"),
            Some(b'n') | None => self.put(b'n', ""),
            Some(b'[') => {
                let start = self.0.len();
                self.count(b'a', 0);
                let mut count = 0u64;
                for item in strict_json::items(text) {
                    count += 1;
                    self.text(item, &[], depth + 1);
                }
                self.set_count(start, count);
            }
            Some(b'{') => {
                let mut members: Vec<_> = strict_json::members(text).collect();
                if without.is_empty() {
                    return self.members(members, depth);
                }
                for (name, inner) in without {
                    let is_left = |value: &str| strict_json::members(value).any(|(name, _)| !inner.contains(&&*name));
                    members.retain(|(own, value)| own != name || !value.starts_with('{') || is_left(value));
                }
                members.sort_by(|a, b| a.0.cmp(&b.0));
                self.count(b'o', members.len());
                for (name, value) in members {
                    self.put(b'm', &name);
                    match without.iter().find(|(own, _)| *own == name).filter(|_| value.starts_with('{')) {
                        None => self.text(value, &[], depth + 1),
                        Some((_, inner)) => self.object_without(value, inner, depth + 1),
                    }
                }
            }
            Some(_) => self.number(text),
        }
    }

    fn object_without(&mut self, text: &str, without: &[&str], depth: usize) {
        self.members(strict_json::members(text).filter(|(name, _)| !without.contains(&&**name)).collect(), depth);
    }

    fn members(&mut self, mut members: Vec<(Cow<'_, str>, &str)>, depth: usize) {
        members.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        self.count(b'o', members.len());
        for (name, value) in members {
            self.put(b'm', &name);
            self.text(value, &[], depth + 1);
        }
    }

    fn set_count(&mut self, start: usize, count: u64) {
        if let Some(place) = self.0.get_mut(start + 1..start + 9) {
            place.copy_from_slice(&count.to_le_bytes());
        }
    }

    fn digest(self) -> [u8; 32] {
        Sha256::digest(self.0).into()
    }
}
