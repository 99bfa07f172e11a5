//! Differences as a person would tell them.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Change, Difference, FieldChange};

/// The most fields of one record that a sentence names.
const MOST_FIELDS: usize = 6;
/// The longest value that a sentence shows, in characters.
const LONGEST: usize = 80;

impl Difference {
    /// What became of the record: `orders/77: status changed from open to cancelled`, `orders/79 was added`.
    #[must_use]
    pub fn told(&self) -> String {
        match &self.change {
            Change::Added => format!("{} was added", self.record),
            Change::Removed => format!("{} was removed", self.record),
            Change::Changed { fields } => {
                let mut text = format!("{}: ", self.record);
                for (number, field) in fields.iter().take(MOST_FIELDS).enumerate() {
                    // Writing into a text cannot fail.
                    let _ = write!(text, "{}{}", if number == 0 { "" } else { ", " }, field.told());
                }
                if fields.len() > MOST_FIELDS {
                    let _ = write!(text, ", and {} more fields", fields.len() - MOST_FIELDS);
                }
                text
            }
        }
    }
}

impl FieldChange {
    fn told(&self) -> String {
        let path = if self.path.is_empty() { "the value" } else { &self.path };
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => format!("{path} changed from {} to {}", shown(before), shown(after)),
            (None, Some(after)) => format!("{path} was added ({})", shown(after)),
            (Some(before), None) => format!("{path} was removed (it was {})", shown(before)),
            (None, None) => format!("{path} changed"),
        }
    }
}

/// A word stands as it is; what has blanks or signs in it stands in quotation marks.
fn shown(value: &Value) -> String {
    let cut = |text: &str| match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    };
    match value {
        Value::String(text) => {
            let is_sign = |c: char| matches!(c, '_' | '-' | '.' | ':' | '/' | '+');
            let is_word = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || is_sign(c));
            if is_word { cut(text) } else { Value::String(cut(text)).to_string() }
        }
        other => cut(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::field::Location;

    fn told(change: Change) -> String {
        let (part, collection, record) = ("portal".to_owned(), "orders".to_owned(), "orders/77".to_owned());
        Difference { part, collection, record, change, place: Location::whole("portal/orders.json") }.told()
    }

    #[test]
    fn a_colleague_would_say_it_so() {
        let field =
            |path: &str, before: Option<Value>, after: Option<Value>| FieldChange { path: path.into(), before, after };
        assert_eq!(told(Change::Added), "orders/77 was added");
        assert_eq!(told(Change::Removed), "orders/77 was removed");
        let fields = vec![
            field("status", Some(json!("open")), Some(json!("cancelled"))),
            field("note", None, Some(json!("by hand, today"))),
            field("units", Some(json!(2)), None),
        ];
        assert_eq!(
            told(Change::Changed { fields }),
            "orders/77: status changed from open to cancelled, note was added (\"by hand, today\"), units was removed (it was 2)"
        );
        let many = (0..9).map(|n| field(&n.to_string(), Some(json!(n)), Some(json!("")))).collect();
        assert!(told(Change::Changed { fields: many }).ends_with("5 changed from 5 to \"\", and 3 more fields"));
    }
}
