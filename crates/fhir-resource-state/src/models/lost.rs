//! Finds the members of the JSON that a model does not keep.

use candor_check::compare::{DateForm, DateValue, Decimal};
use candor_json::{Number, Value};

/// The first place at which the model says less, or something else. The parser has a limit of nesting.
pub(super) fn lost(source: &Value, model: &Value, path: &str) -> Option<String> {
    let same = match (source, model) {
        (Value::Object(source), Value::Object(model)) => {
            return source.iter().find_map(|(name, value)| {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                lost(value, model.get(name).unwrap_or(&Value::Null), &path)
            });
        }
        (Value::Array(source), Value::Array(model)) if source.len() == model.len() => {
            return source
                .iter()
                .zip(model)
                .enumerate()
                .find_map(|(at, (source, model))| lost(source, model, &format!("{path}.{at}")));
        }
        (Value::Number(source), Value::Number(model)) => {
            let read = |number: &Number| Decimal::json(&number.to_string());
            read(source).is_some() && read(source) == read(model)
        }
        (Value::String(source), Value::String(model)) => source == model || same_moment(source, model),
        // Nothing to lose.
        (Value::Array(source), Value::Null) => source.is_empty(),
        _ => source == model,
    };
    (!same).then(|| path.to_owned())
}

/// Two ways to write one instant, to the same fraction of a second.
fn same_moment(source: &str, model: &str) -> bool {
    let read = |text: &str| match DateValue::parse(text, DateForm::Iso) {
        Some(DateValue::At(date)) if text.contains('T') && date.is_zoned() => Some(date.bounds().0),
        _ => None,
    };
    read(source).is_some() && read(source) == read(model)
}
