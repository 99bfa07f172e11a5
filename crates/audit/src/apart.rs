//! Two criteria that select one record by different keys: a record for each may satisfy them, where one is meant.

use candor_check::Evidence;
use candor_check::field::Location;
use candor_check::operators::Change;
use candor_check::strict_json::Edit;

use crate::leaf::Asserted;
use crate::values::others;

/// The record that two criteria passed on.
pub(crate) fn shared(one: &Evidence, other: &Evidence) -> Option<Location> {
    let mut places = one.sources.iter().map(|source| source.place());
    places.find(|place| other.sources.iter().any(|source| source.place() == *place))
}

/// A value as the record has it, and another one for it.
fn key(one: &Asserted) -> Option<(&str, String)> {
    let (_, text) = one.spans.first()?;
    Some((text, others(text).into_iter().next()?))
}

/// Returns `true` if an assertion has one of the values in it.
pub(crate) fn names(assertion: &serde_json::Value, keys: &[Asserted]) -> bool {
    let text = assertion.to_string();
    keys.iter().filter_map(key).any(|(value, _)| text.contains(value.trim_matches('"')))
}

/// The record with another value of one key, and a copy of it with another value of the other key. `copy` adds the copy.
/// `None` where the added text does not hold both values.
pub(crate) fn split(copy: &Change, lost: &Asserted, lost_by_copy: &Asserted) -> Option<Change> {
    let ((kept, gone), (value, instead)) = (key(lost)?, key(lost_by_copy)?);
    let is_copy = |edit: &Edit| edit.span.is_empty() && edit.with.contains(kept) && edit.with.contains(value);
    if kept == value || copy.edits.iter().filter(|edit| is_copy(edit)).count() != 1 || !copy.files.is_empty() {
        return None;
    }
    let of_copy = copy.edits.iter().map(|edit| match is_copy(edit) {
        true => Edit { span: edit.span.clone(), with: edit.with.replace(value, &instead) },
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
