//! The difference of two sandboxes.

use candor_json::Value;

use super::read::Object;

/// The differences between two sandboxes.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// How many records were added, removed and changed.
    pub counts: (u64, u64, u64),
    /// The records, in the order of the difference.
    pub records: Vec<ChangedRecord>,
    /// The places that could not be read, a sentence each.
    pub unread: Vec<String>,
}

/// A record that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedRecord {
    /// `fhir`, `portal`, …
    pub part: String,
    /// `orders/77`
    pub record: String,
    /// `added`, `removed` or `changed`.
    pub change: String,
    /// Of one that changed: path, before, after.
    pub fields: Vec<(String, Value, Value)>,
}

impl Difference {
    pub(crate) fn read(value: &Value) -> Result<Self, String> {
        let difference = Object::of(value, "")?;
        let count = |name: &str| value.get(name).and_then(Value::as_u64).unwrap_or_default();
        let unread = value.get("unread").and_then(Value::as_array).into_iter().flatten();
        let told = |one: &Value| {
            let word = |name: &str| one.get(name).and_then(Value::as_str).unwrap_or_default();
            let place = [word("part"), word("side"), word("place")].into_iter().filter(|word| !word.is_empty());
            format!("{}: {}", place.collect::<Vec<_>>().join(" "), word("what"))
        };
        Ok(Self {
            counts: (count("added"), count("removed"), count("changed")),
            records: difference.required("records", ChangedRecord::read)?,
            unread: unread.map(told).collect(),
        })
    }
}

impl ChangedRecord {
    fn read(value: &Value, place: &str) -> Result<Self, String> {
        let one = Object::of(value, place)?;
        let field = |value: &Value, place: &str| {
            let member = |name: &str| value.get(name).cloned().unwrap_or_default();
            Ok((Object::of(value, place)?.text("path")?.to_owned(), member("before"), member("after")))
        };
        Ok(Self {
            part: one.text("part")?.to_owned(),
            record: one.text("record")?.to_owned(),
            change: one.text("change")?.to_owned(),
            fields: one.list("fields", field)?.unwrap_or_default(),
        })
    }
}
