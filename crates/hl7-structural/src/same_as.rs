//! `same_as`: a value that another message has as well.

use std::collections::HashMap;

use candor_check::compare::Operator;
use candor_check::field::{Field, FieldReason, FieldResult, Location};
use candor_hl7v2::Message;
use candor_json::{Value, json};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::correlation::{Correlation, Selected, Sent};
use crate::here::Here;
use crate::items::{self, Judging, SelectedValues};
use crate::path::MessagePath;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    path: String,
    #[serde(rename = "in")]
    within: Correlation,
    at: String,
}

#[derive(Debug)]
pub(crate) struct SameAs {
    pub(crate) field: Field<MessagePath>,
    within: Correlation,
    at: Field<MessagePath>,
}

impl<'de> Deserialize<'de> for SameAs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Members { path, within, at } = Members::deserialize(deserializer)?;
        if !within.selects() {
            return Err(D::Error::custom(
                "`same_as`: `in` is empty, which every message is; name the others as in `correlate_by`",
            ));
        }
        let read = |path: &str| items::there(path).map_err(|problem| D::Error::custom(format!("`same_as`: {problem}")));
        Ok(Self { field: read(&path)?, within, at: read(&at)? })
    }
}

/// `same_as`: a list, or one.
pub(crate) fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SameAs>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let items = match value {
        Value::Array(items) if items.is_empty() => return Err(D::Error::custom("`same_as` is empty; leave it out")),
        Value::Array(items) => items,
        one => vec![one],
    };
    items.into_iter().map(|item| candor_json::from_value(item).map_err(D::Error::custom)).collect()
}

/// The value of another message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OtherValue {
    value: String,
    place: Location,
    label: String,
}

/// The values that other messages have at a path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Others {
    values: Vec<OtherValue>,
    found: u64,
    /// Why it is not known of one whether it is meant, or what it has.
    open: Option<String>,
}

impl SameAs {
    pub(crate) fn set_zone(&mut self, zone: &candor_check::compare::Zone) {
        self.within.set_zone(zone);
    }

    /// Gathers what a message has, if it is one of the others. Gives how many bytes are kept.
    pub(crate) fn gather(&self, message: &Message<'_>, here: &Here<'_>, others: &mut Others) -> u64 {
        match self.within.select(&Sent { message, at: here.at() }) {
            Selected::No(_) => return 0,
            Selected::Undecidable => {
                let label = here.label();
                others.open.get_or_insert_with(|| format!("whether {label} is meant is not known"));
                return 0;
            }
            Selected::Yes => {}
        }
        others.found += 1;
        let (place, label) = (here.place(), here.label());
        let judging = Judging::new(message, None);
        match items::selected(&self.at, &judging) {
            SelectedValues::Unknown(why) => {
                others.open.get_or_insert_with(|| format!("{label}: {why}"));
                0
            }
            SelectedValues::Known(values) => {
                let mut kept = 0;
                for value in values {
                    let value = value.text().text.into_owned();
                    kept += (value.len() + place.locator.len() + label.len()) as u64 + 100;
                    others.values.push(OtherValue { value, place: place.clone(), label: label.to_owned() });
                }
                kept
            }
        }
    }

    pub(crate) fn judge(&self, judging: &Judging<'_>, others: &ByValue<'_>, place: &Location) -> FieldResult {
        const MOST: usize = 20;
        let path = &*self.field.path_text;
        let asked = self.within.described().trim_start_matches("with ").to_owned();
        let wanted = format!("the {} of another message with {asked}", self.at.path_text);
        let open = |why: &str| {
            let result = FieldResult::constraint(path, json!(wanted), json!(why), false);
            result.because(FieldReason::Undecidable).at(place.clone())
        };
        let values = match items::selected(&self.field, judging) {
            SelectedValues::Unknown(why) => return open(&why),
            SelectedValues::Known(values) => values,
        };
        let own: Vec<(String, Location)> =
            values.iter().map(|value| (value.text().text.into_owned(), judging.location(value, place))).collect();
        let shared = own.iter().find_map(|(value, at)| Some((value, at, others.other(value, place)?)));
        if let Some((value, at, other)) = shared {
            let result = FieldResult::constraint(path, json!(other.value), json!(value), true);
            return result.at(at.clone());
        }
        if let Some(why) = &others.all.open {
            return open(why);
        }
        let there = others.all.values.iter().filter(|other| other.place != *place).map(|other| &other.value);
        let mut different: Vec<&String> = there.take(MOST * MOST).collect();
        different.sort();
        different.dedup();
        different.truncate(MOST);
        let actual = match own.as_slice() {
            [] => Value::Null,
            [(one, _)] => json!(one),
            several => several.iter().take(MOST).map(|(value, _)| json!(value)).collect(),
        };
        let (expected, operator) = match different.as_slice() {
            [] => (json!(wanted), Operator::Equals),
            [one] => (json!(one), Operator::Equals),
            several => (json!(several), Operator::In),
        };
        let at = own.first().map_or(place, |(_, at)| at).clone();
        let result = FieldResult::constraint(path, expected, actual, false).with_operator(operator).at(at);
        if own.is_empty() || different.is_empty() { result.because(FieldReason::Absent) } else { result }
    }
}

pub(crate) struct ByValue<'o> {
    all: &'o Others,
    /// Of each value the first that has it, and one in another message.
    by_value: HashMap<&'o str, (&'o OtherValue, Option<&'o OtherValue>)>,
}

impl<'o> ByValue<'o> {
    pub(crate) fn of(all: &'o Others) -> Self {
        let mut by_value: HashMap<&str, (&OtherValue, Option<&OtherValue>)> = HashMap::new();
        for other in &all.values {
            let (first, second) = by_value.entry(other.value.as_str()).or_insert((other, None));
            if second.is_none() && first.place != other.place {
                *second = Some(other);
            }
        }
        Self { all, by_value }
    }

    fn other(&self, value: &str, own: &Location) -> Option<&'o OtherValue> {
        let (first, second) = self.by_value.get(value)?;
        if first.place == *own { *second } else { Some(first) }
    }
}
