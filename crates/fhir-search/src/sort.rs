//! `_sort`. Source: FHIR R4, Search, 3.1.1.5.1.

use std::cmp::Reverse;

use candor_json::Value as Json;
use num_rational::BigRational;

use crate::compile::{compiled, supported};
use crate::path::{Item, Path};
use crate::subject::{Members, Subject};
use crate::table::Kind;
use crate::{SearchError, date, quantity, string};

#[derive(Clone, Debug)]
pub(crate) struct Key {
    path: Path,
    kind: Kind,
    descending: bool,
}

/// Where a resource comes by one key. What has no value comes last, whatever the direction.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    Up(Value),
    Down(Reverse<Value>),
    Nowhere,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    Number(BigRational),
    Time(i128),
    Text(String),
}

/// The keys of a value of `_sort`: names of parameters, a `-` before one for descending.
pub(crate) fn keys(resource_type: &str, value: &str) -> Result<Vec<Key>, SearchError> {
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
            if parameter.kind == Kind::Composite {
                return Err(SearchError::unsupported(code, "a composite parameter has no order"));
            }
            Ok(Key { path: compiled(&parameter)?, kind: parameter.kind, descending })
        })
        .collect()
}

/// The place of a resource by each key. With several values, the first in the wanted order counts.
pub(crate) fn places(keys: &[Key], subject: &Subject<'_>) -> Vec<Place> {
    keys.iter().map(|key| key.place(subject)).collect()
}

pub(crate) fn members(keys: &[Key]) -> Members<'static> {
    let all: Option<Vec<_>> = keys.iter().map(|key| key.path.first_members()).collect();
    all.map_or_else(Members::all, |members| Members::named(members.concat()))
}

impl Key {
    fn place(&self, subject: &Subject<'_>) -> Place {
        let items = self.path.select(subject);
        let values = items.iter().filter_map(|item| self.of(item));
        if self.descending {
            values.max().map_or(Place::Nowhere, |value| Place::Down(Reverse(value)))
        } else {
            values.min().map_or(Place::Nowhere, Place::Up)
        }
    }

    fn of(&self, item: &Item<'_>) -> Option<Value> {
        if self.kind == Kind::Date {
            let (start, end) = date::covered(item)?.ends();
            return Some(Value::Time(if self.descending { end } else { start }));
        }
        if matches!(self.kind, Kind::Number | Kind::Quantity) {
            let interval = quantity::Stored::of(item.value)?.interval()?;
            let (first, second) =
                if self.descending { (interval.high, interval.low) } else { (interval.low, interval.high) };
            return first.or(second).map(|(point, _)| Value::Number(point.exact().clone()));
        }
        let text = |name: &str| item.value.get(name).and_then(Json::as_str);
        let code = || item.value.pointer("/coding/0/code").and_then(Json::as_str);
        let found = match item.value {
            Json::String(text) => Some(text.as_str()),
            Json::Bool(yes) => Some(if *yes { "true" } else { "false" }),
            _ => ["family", "text", "reference", "code", "value", "city"].into_iter().find_map(text).or_else(code),
        };
        found.map(|text| Value::Text(string::fold(text)))
    }
}
