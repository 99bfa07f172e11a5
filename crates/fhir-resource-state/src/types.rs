//! How elements are read by the definitions of their types: dates as dates, references by their target, quantities by
//! value and unit.

use candor_check::compare::{CompareAs, DateForm, DateValue, ElementTypes, Rule};
use candor_check::field::{Expected, Field};
use candor_fhirpath::{Item, System};
use candor_json::Value;

const DATES: [&str; 3] = ["dateTime", "instant", "date"];

/// True if the definitions can matter to a field. Most fields expect a code or a text, and no resource is walked for
/// them.
pub(crate) fn matter<P>(field: &Field<P>) -> bool {
    field.read_as.is_none() && expected(field).into_iter().any(concerns)
}

/// Returns `true` if a field expects dates, and does not say itself how values are read.
pub(crate) fn expects_dates<P>(field: &Field<P>) -> bool {
    let expected = expected(field);
    let is_date = |value: &&Value| value.as_str().is_some_and(is_date);
    field.read_as.is_none() && !expected.is_empty() && expected.iter().all(is_date)
}

fn expected<P>(field: &Field<P>) -> Vec<&Value> {
    match &field.expected {
        Expected::Equals(value) | Expected::NotEquals(value) | Expected::Ordered(_, value) => vec![value],
        Expected::In(values) | Expected::NotIn(values) => values.iter().collect(),
        Expected::Between(low, high) => vec![low, high],
        _ => Vec::new(),
    }
}

fn concerns(expected: &Value) -> bool {
    match expected {
        Value::String(text) => is_date(text) || text.contains(['/', ':', '#']),
        Value::Array(_) | Value::Object(_) => true,
        _ => false,
    }
}

fn is_date(text: &str) -> bool {
    DateValue::parse(text, DateForm::Iso).is_some()
}

pub(crate) fn of<'a, P>(items: impl IntoIterator<Item = Item<'a>>, field: &Field<P>) -> ElementTypes {
    // Where the author names the rule, the result says that the rule decided.
    let by_rule = field.rules.contains(&Rule::Reference);
    let mut types = ElementTypes::default();
    let mut open: Vec<Item<'a>> = items.into_iter().collect();
    while let Some(item) = open.pop() {
        match item.element() {
            Some(text @ Value::String(written)) => {
                if DATES.iter().any(|date| item.is_of(date)) {
                    types.insert(text, CompareAs::Date);
                } else if item.is_defined() && is_date(written) {
                    // A text that looks like a date has no order.
                    types.insert(text, CompareAs::String);
                }
            }
            Some(members @ Value::Object(_)) => {
                // The JSON alone says what elements of later releases are.
                let unknown = !item.is_defined();
                if item.is_of("Quantity") || unknown && members.get("value").is_some_and(Value::is_number) {
                    types.insert(members, CompareAs::Quantity);
                }
                if let Some(reference) =
                    members.get("reference").filter(|_| !by_rule && (unknown || item.is_of("Reference")))
                {
                    types.insert(reference, CompareAs::Reference);
                }
            }
            _ => {}
        }
        open.extend(item.children());
    }
    types
}

/// Returns `true` if an expression made dates, which no element's definition knows.
pub(crate) fn are_dates(items: &[Item<'_>]) -> bool {
    let is_date = |item: &Item<'_>| match item {
        Item::System(System::Temporal(date)) => is_date(&date.to_string()),
        _ => false,
    };
    !items.is_empty() && items.iter().all(is_date)
}
