//! Which rows `correlate_by` selects.

use std::borrow::Cow;

use candor_check::{DateForm, Datum, FieldPath as _, Judged, Manner, References, Selection, equal, quoted};
use serde_json::Value;

use crate::path::ColumnPath;
use crate::rows::Content;

/// The member `correlate_by`, validated.
#[derive(Clone, Debug)]
pub struct CorrelateBy {
    /// The table or collection.
    pub resource: String,
    /// What a row must meet, `key` first.
    pub conditions: Vec<Condition>,
}

/// A condition on one column.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The column.
    pub path: ColumnPath,
    /// What must stand there.
    pub wanted: Wanted,
}

/// What must stand in a column.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// Anything but null.
    NotNull,
    /// This value; null means that nothing stands there.
    Value(Value),
}

/// Whether a row meets a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    Yes,
    /// Only by comparing values of different types as text.
    AsText,
    No,
}

const DATES: &[DateForm] = ColumnPath::DATES;

impl Condition {
    /// Compares as fields do, and as text where the types differ.
    pub(crate) fn met_by(&self, row: &Content) -> Met {
        let wanted = match &self.wanted {
            Wanted::NotNull => return yes(!self.path.select(row).values.is_empty()),
            Wanted::Value(Value::Null) => return yes(self.path.select(row).values.is_empty()),
            Wanted::Value(wanted) => wanted,
        };
        let selection = self.path.select_for(row, wanted);
        let references = References::default();
        let manner = Manner { read_as: None, rules: &[], dates: DATES, references: &references };
        let data = data(&selection, wanted);
        if data.iter().any(|datum| equal(datum, wanted, &manner) == Judged::Holds) {
            return Met::Yes;
        }
        match data.iter().any(|datum| equal_as_text(datum, wanted)) {
            true => Met::AsText,
            false => Met::No,
        }
    }

    /// Whether a row meets it once case and everything but letters and digits are left out: what makes of two rows that
    /// do not meet it the nearer one, and nothing else.
    pub(crate) fn nearly_met_by(&self, row: &Content) -> bool {
        let Wanted::Value(wanted) = &self.wanted else { return false };
        let wanted = Datum::Json(Cow::Borrowed(wanted));
        let Some(wanted) = wanted.scalar() else { return false };
        let alike = |text: &str| bare(text).eq(bare(&wanted));
        self.path.select(row).values.iter().any(|found| found.datum.scalar().is_some_and(|text| alike(&text)))
    }

    /// What stands there, as evidence shows it.
    pub(crate) fn actual(&self, row: &Content) -> Value {
        let mut values: Vec<Value> = self.path.select(row).values.iter().map(|found| found.datum.to_value()).collect();
        match values.len() {
            0 => Value::Null,
            1 => values.swap_remove(0),
            _ => Value::Array(values.into_iter().take(20).collect()),
        }
    }

    /// What must stand there, as evidence shows it.
    pub(crate) fn expected(&self) -> Value {
        match &self.wanted {
            Wanted::NotNull => Value::String("any value".to_owned()),
            Wanted::Value(value) => value.clone(),
        }
    }

    /// The condition as a clause: `request_id "PA-1001"`.
    fn described(&self) -> String {
        let column = self.path.as_str();
        match &self.wanted {
            Wanted::NotNull => format!("any {column}"),
            Wanted::Value(Value::Null) => format!("no {column}"),
            Wanted::Value(value) => format!("{column} {}", quoted(value)),
        }
    }
}

impl CorrelateBy {
    /// What it asks for, as the rest of a sentence; empty when it asks for every row.
    pub(crate) fn described(&self) -> String {
        match self.conditions.as_slice() {
            [] => String::new(),
            conditions => {
                let clauses: Vec<String> = conditions.iter().map(Condition::described).collect();
                format!("with {}", clauses.join(" and "))
            }
        }
    }
}

fn yes(met: bool) -> Met {
    if met { Met::Yes } else { Met::No }
}

/// The values to compare: an array stands for its elements unless an array is wanted.
fn data<'a>(selection: &'a Selection<'a>, wanted: &Value) -> Vec<Datum<'a>> {
    let mut data = Vec::with_capacity(selection.values.len());
    for found in &selection.values {
        match &found.datum {
            Datum::Json(value) if selection.expands && !wanted.is_array() => match value.as_ref() {
                Value::Array(items) => data.extend(items.iter().map(|item| Datum::Json(Cow::Borrowed(item)))),
                value => data.push(Datum::Json(Cow::Borrowed(value))),
            },
            Datum::Json(value) => data.push(Datum::Json(Cow::Borrowed(value.as_ref()))),
            Datum::Text(text) => data.push(Datum::Text(Cow::Borrowed(text.as_ref()))),
        }
    }
    data
}

fn equal_as_text(datum: &Datum<'_>, wanted: &Value) -> bool {
    let same_type = match datum {
        Datum::Text(_) => wanted.is_string(),
        Datum::Json(value) => std::mem::discriminant(value.as_ref()) == std::mem::discriminant(wanted),
    };
    let wanted = Datum::Json(Cow::Borrowed(wanted));
    !same_type && datum.scalar().zip(wanted.scalar()).is_some_and(|(found, wanted)| found == wanted)
}

fn bare(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}
