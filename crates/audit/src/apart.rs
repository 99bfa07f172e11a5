//! Two criteria that select one record by different keys: a record for each may satisfy them, where one is meant.

use candor_check::Evidence;
use candor_check::field::Location;
use candor_check::operators::Change;
use candor_check::strict_json::Edit;
use serde_json::Value;

use crate::leaf::Asserted;
use crate::values::others;

/// The record that two criteria passed on, where neither assertion holds a value that the other selects by.
pub(crate) fn shared(
    one: (&Evidence, &Value),
    other: (&Evidence, &Value),
    [of_one, of_other]: [&[Vec<String>]; 2],
) -> Option<Location> {
    let names = |assertion: &Value, keys: &[Vec<String>]| {
        let text = assertion.to_string();
        keys.iter().flatten().any(|key| text.contains(key.as_str()))
    };
    if of_one.is_empty() || of_other.is_empty() || names(one.1, of_other) || names(other.1, of_one) {
        return None;
    }
    let places = |evidence: &Evidence| evidence.sources.iter().map(|source| source.place()).collect::<Vec<_>>();
    let others = places(other.0);
    places(one.0).into_iter().find(|place| others.contains(place))
}

/// The record with another value of one key, and a copy of it with another value of the other key. `copy` adds the copy.
/// `None` where the added text does not hold both values.
pub(crate) fn split(copy: &Change, lost: &Asserted, lost_by_copy: &Asserted) -> Option<Change> {
    let other =
        |one: &Asserted| Some((one.spans.first()?.1.clone(), others(&one.spans.first()?.1).into_iter().next()?));
    let ((kept, gone), (value, instead)) = (other(lost)?, other(lost_by_copy)?);
    let is_copy = |edit: &Edit| edit.span.is_empty() && edit.with.contains(&kept) && edit.with.contains(&value);
    if kept == value || copy.edits.iter().filter(|edit| is_copy(edit)).count() != 1 || !copy.files.is_empty() {
        return None;
    }
    let of_copy = copy.edits.iter().map(|edit| match is_copy(edit) {
        true => Edit { span: edit.span.clone(), with: edit.with.replace(&value, &instead) },
        false => edit.clone(),
    });
    let of_record = lost.spans.iter().map(|(span, _)| Edit { span: span.clone(), with: gone.clone() });
    let sentence = format!(
        "A second record took over: {} is in one of them alone, {} in the other.",
        lost.path, lost_by_copy.path
    );
    if copy.locator == lost.locator {
        let mut edits: Vec<Edit> = of_copy.chain(of_record).collect();
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        return Some(Change::new(lost.locator.as_str(), edits, sentence));
    }
    let content: String = of_copy.map(|edit| edit.with).collect();
    let change = Change::new(lost.locator.as_str(), of_record.collect(), sentence);
    Some(change.with_file(copy.locator.as_str(), Some(content.into_bytes().into())))
}
