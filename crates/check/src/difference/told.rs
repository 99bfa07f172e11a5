//! Differences as a person would tell them.

use std::fmt::Write as _;

use candor_json::Value;

use super::{Change, Difference, FieldChange};

/// The most fields of one record that a sentence names.
const MOST_FIELDS: usize = 6;
/// The longest value that a sentence shows, in characters.
const LONGEST: usize = 80;

impl Difference {
    /// The change of the record: `orders/77: status changed from open to cancelled`, `orders/79 was added`.
    #[must_use]
    pub fn told(&self) -> String {
        match &self.change {
            Change::Added => format!("{} was added", self.record),
            Change::Removed => format!("{} was removed", self.record),
            Change::Changed { fields } => {
                // What it is as a whole says more than what it holds.
                let whole = fields.iter().position(|field| field.path == super::CONTENT);
                let fields = whole.and_then(|at| fields.get(at..=at)).unwrap_or(fields);
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
            (Some(Value::String(before)), Some(Value::String(after))) if before.len().min(after.len()) > LONGEST => {
                let (before, after) = apart(before, after);
                format!("{path} changed from {} to {}", shown(&before.into()), shown(&after.into()))
            }
            (Some(Value::String(before)), Some(Value::String(after))) if path == super::CONTENT => {
                format!("it was {before}, and is {after} now")
            }
            // Only for bytes is the hash all that can be shown.
            (Some(_), Some(_)) if path == "$sha256" => "its bytes changed".to_owned(),
            (Some(before), Some(after)) => {
                let (was, is) = (shown(before), shown(after));
                match was == is {
                    true => format!("{path} changed from {before} to {after}"),
                    false => format!("{path} changed from {was} to {is}"),
                }
            }
            (None, Some(after)) => format!("{path} was added ({})", shown(after)),
            (Some(before), None) => format!("{path} was removed (it was {})", shown(before)),
            (None, None) if path == super::CONTENT => "it is ordered or nested in another way now".to_owned(),
            (None, None) => format!("{path} changed"),
        }
    }
}

/// Two long texts from a little before where they begin to differ.
fn apart(before: &str, after: &str) -> (String, String) {
    const KEPT: usize = 21;
    let same = before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count();
    let from = |text: &str| match same.checked_sub(KEPT).filter(|skipped| *skipped > 0) {
        Some(skipped) => format!("…{}", text.chars().skip(skipped).collect::<String>()),
        None => text.to_owned(),
    };
    (from(before), from(after))
}

/// A word is shown as written; a text with blanks or signs in it is shown in quotation marks.
fn shown(value: &Value) -> String {
    let cut = |text: &str| match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    };
    match value {
        Value::String(text) => {
            let is_sign = |c: char| matches!(c, '_' | '-' | '.' | ':' | '/' | '+');
            let is_word =
                !text.is_empty() && !text.ends_with('.') && text.chars().all(|c| c.is_alphanumeric() || is_sign(c));
            if is_word { cut(text) } else { Value::String(cut(text)).to_string() }
        }
        other => cut(&other.to_string()),
    }
}
