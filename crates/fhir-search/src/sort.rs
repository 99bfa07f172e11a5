//! `_sort`. Source: FHIR R4, Search, 3.1.1.5.1.

use std::cmp::Ordering;

use serde_json::Value;

use super::path::{Item, Path};
use super::table::Kind;
use super::{SearchError, Subject, compiled, date, string, supported};

/// One key of an order.
#[derive(Clone, Debug)]
pub(super) struct Key {
    path: Path,
    kind: Kind,
    descending: bool,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Time(i128),
    Text(String),
}

/// The keys of a value of `_sort`: names of parameters, a `-` before one for descending.
pub(super) fn keys(resource_type: &str, value: &str) -> Result<Vec<Key>, SearchError> {
    value
        .split(',')
        .map(|name| {
            let (code, descending) = match name.strip_prefix('-') {
                Some(code) => (code, true),
                None => (name, false),
            };
            if code.trim().is_empty() {
                return Err(SearchError::value("_sort", value, "one of its keys is empty"));
            }
            let parameter = supported(resource_type, code)?;
            Ok(Key { path: compiled(&parameter)?, kind: parameter.kind, descending })
        })
        .collect()
}

/// The order of two resources. One with several values goes by its first in the order that is asked for; one with none
/// comes last.
pub(super) fn compare(keys: &[Key], a: &Subject<'_>, b: &Subject<'_>) -> Ordering {
    keys.iter().map(|key| key.compare(a, b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

impl Key {
    fn compare(&self, a: &Subject<'_>, b: &Subject<'_>) -> Ordering {
        match (self.place(a), self.place(b)) {
            (Some(a), Some(b)) if self.descending => b.cmp(&a),
            (Some(a), Some(b)) => a.cmp(&b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    }

    fn place(&self, subject: &Subject<'_>) -> Option<Place> {
        let items = self.path.select(subject);
        let places = items.iter().filter_map(|item| self.of(item));
        if self.descending { places.max() } else { places.min() }
    }

    fn of(&self, item: &Item<'_>) -> Option<Place> {
        if self.kind == Kind::Date {
            let (start, end) = date::covered(item)?.ends();
            return Some(Place::Time(if self.descending { end } else { start }));
        }
        let text = |name: &str| item.value.get(name).and_then(Value::as_str);
        let code = || item.value.pointer("/coding/0/code").and_then(Value::as_str);
        let found = match item.value {
            Value::String(text) => Some(text.as_str()),
            Value::Bool(yes) => Some(if *yes { "true" } else { "false" }),
            _ => ["family", "text", "reference", "code", "value", "city"].into_iter().find_map(text).or_else(code),
        };
        found.map(|text| Place::Text(string::fold(text)))
    }
}
