//! Two criteria that select one record by different keys: a record for each may satisfy them, where one is meant.

use candor_check::Evidence;
use candor_check::field::Location;
use candor_check::operators::Change;
use candor_check::strict_json::Edit;
use candor_json::Value;

use crate::leaf::{Asserted, alone};
use crate::values::others;

/// The record that two criteria passed on.
pub(crate) fn shared(one: &Evidence, other: &Evidence) -> Option<Location> {
    let mut places = one.sources.iter().map(|source| source.place());
    places.find(|place| other.sources.iter().any(|source| source.place() == *place))
}

/// A value as the record has it, and another one for it.
fn key(one: &Asserted) -> Option<(&str, String)> {
    let (_, text) = one.spans.first()?;
    Some((text, other(text)?))
}

fn other(text: &str) -> Option<String> {
    others(text).into_iter().find(|other| other != text)
}

pub(crate) fn names(assertion: &Value, one: &Asserted) -> bool {
    key(one).is_some_and(|(text, _)| match candor_json::from_str::<String>(text) {
        Ok(value) => has(assertion, &value),
        Err(_) => has(assertion, text),
    })
}

/// Returns `true` if an assertion has the value in it, by itself.
pub(crate) fn has(own: &Value, value: &str) -> bool {
    match own {
        // A number of records is not a value of one.
        Value::Object(members) => members.iter().any(|(name, own)| name != "count" && has(own, value)),
        Value::Array(items) => items.iter().any(|own| has(own, value)),
        Value::String(text) => alone(text, value).next().is_some(),
        Value::Number(number) => number.to_string() == value,
        Value::Null | Value::Bool(_) => false,
    }
}

/// The text with another value in each place where the value is by itself.
fn replaced(text: &str, value: &str, other: &str) -> String {
    let (mut made, mut from) = (String::new(), 0);
    for at in alone(text, value) {
        made.push_str(text.get(from..at).unwrap_or_default());
        made.push_str(other);
        from = at + value.len();
    }
    made + text.get(from..).unwrap_or_default()
}

/// The record with another value of one key, and a copy of it with another value of the other key. `copy` adds the copy.
/// `None` where the added text does not hold both values.
pub(crate) fn split(copy: &Change, lost: &Asserted, lost_by_copy: &Asserted) -> Option<Change> {
    let ((kept, gone), (value, _)) = (key(lost)?, key(lost_by_copy)?);
    let without = |text: &str| {
        // One form of a concept holds up another, so that all of them are replaced.
        let forms = lost_by_copy.spans.iter().filter_map(|(_, form)| Some((form, other(form)?)));
        forms.fold(text.to_owned(), |text, (form, other)| replaced(&text, form, &other))
    };
    let holds = |edit: &Edit, value: &str| alone(&edit.with, value).next().is_some();
    let is_copy = |edit: &Edit| edit.span.is_empty() && holds(edit, kept) && holds(edit, value);
    if kept == value || copy.edits.iter().filter(|edit| is_copy(edit)).count() != 1 || !copy.files.is_empty() {
        return None;
    }
    let of_copy = copy.edits.iter().map(|edit| match is_copy(edit) {
        true => Edit { span: edit.span.clone(), with: without(&edit.with) },
        false => edit.clone(),
    });
    let of_record = lost.spans.iter().map(|(span, _)| Edit { span: span.clone(), with: gone.clone() });
    let sentence = format!("A second record took over: {kept} is in one of them, {value} in the other.");
    if copy.locator == lost.locator {
        let mut edits: Vec<Edit> = of_copy.chain(of_record).collect();
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        return Some(Change::new(lost.locator.as_str(), edits, sentence));
    }
    let content: String = of_copy.map(|edit| edit.with).collect();
    let change = Change::new(lost.locator.as_str(), of_record.collect(), sentence);
    Some(change.with_file(copy.locator.as_str(), Some(content.into_bytes().into())))
}
