//! Text that a path goes on into: JSON, text that was or begins like JSON, or any other.

use candor_json::Value;
use candor_json::text::survey;

use crate::strict_json::{self, FlawKind};

/// A text, as a path that goes on reads it.
pub(super) enum Text {
    /// The JSON object or array that the text is.
    Json(Value),
    /// Text that may hold values which Candor does not read: it is cut off, has a member twice, or is JSON that was
    /// encoded twice.
    Shut,
    /// Text without values in it.
    Plain,
}

impl Text {
    pub(super) fn of(text: &str) -> Self {
        let text = text.trim_start();
        if !text.starts_with(['{', '[', '"']) {
            return Self::Plain;
        }
        match strict_json::check(text) {
            Ok(()) => match candor_json::from_str(text) {
                Ok(Value::String(inner)) if !may_hold_values(&inner) => Self::Plain,
                Ok(Value::String(_)) | Err(_) => Self::Shut,
                Ok(value) => Self::Json(value),
            },
            Err(flaw) if flaw.kind != FlawKind::NotJson || begins_as_json(text) => Self::Shut,
            Err(_) => Self::Plain,
        }
    }
}

/// True for a text that begins with `{"`, `[{` or `["`, and for JSON that is cut off. Python writes single quotes. JSON
/// that was encoded twice begins with a quotation mark. A note begins otherwise: `[x]`, `{patient seen}`.
fn begins_as_json(text: &str) -> bool {
    let twice = text.strip_prefix('"');
    let json = twice.unwrap_or(text);
    let Some(inside) = json.strip_prefix(['{', '[']) else { return false };
    let inside = inside.trim_start().trim_start_matches('\\');
    inside.starts_with(['"', '\''])
        || (json.starts_with('[') && inside.starts_with('{'))
        || (twice.is_none() && survey(text).error.is_some_and(|error| error.is_eof()))
}

fn may_hold_values(text: &str) -> bool {
    match Text::of(text) {
        Text::Json(value) => any_child(&value, |_| true),
        Text::Shut => true,
        Text::Plain => false,
    }
}

/// True for text that may hold values, in a document whose texts were unpacked: JSON that is left was encoded twice.
pub(super) fn is_shut(value: &Value) -> bool {
    value.as_str().is_some_and(may_hold_values)
}

/// The same of a value, or of a value in it. Recursion is bounded by the depth to which documents are read.
pub(super) fn holds_shut(value: &Value) -> bool {
    is_shut(value) || any_child(value, holds_shut)
}

pub(super) fn any_child(value: &Value, is: impl FnMut(&Value) -> bool) -> bool {
    match value {
        Value::Array(items) => items.iter().any(is),
        Value::Object(members) => members.values().any(is),
        _ => false,
    }
}

/// The texts of a document, for a path that goes on from one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Texts {
    /// Each is text.
    #[default]
    Closed,
    /// The path goes on into text that is JSON.
    Opened,
    /// The document is such a text: no text in it is opened.
    Nested,
}

impl Texts {
    pub(super) fn new(into_text: bool) -> Self {
        if into_text { Self::Opened } else { Self::Closed }
    }

    pub(super) fn read(self, text: &str) -> Text {
        match self {
            Self::Closed => Text::Plain,
            Self::Opened => Text::of(text),
            Self::Nested if may_hold_values(text) => Text::Shut,
            Self::Nested => Text::Plain,
        }
    }
}
