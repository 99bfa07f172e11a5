//! String parameters, and `:text` of tokens. Source: FHIR R4, Search, 3.1.1.4.8.

use std::borrow::Cow;

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::text;

/// How a text is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// An element starts with it, case and accents aside.
    Starts,
    /// An element holds it anywhere, case and accents aside.
    Contains,
    /// An element is it, to the character.
    Exact,
    /// As `Starts`, in what a token is called: `:text`.
    OfToken,
}

/// One alternative of a string search.
#[derive(Clone, Debug)]
pub(super) struct Text {
    wanted: String,
    how: How,
}

/// The parts of a HumanName and of an Address that are searched.
const PARTS: &[&str] =
    &["text", "family", "given", "prefix", "suffix", "line", "city", "district", "state", "postalCode", "country"];

impl Text {
    /// Reads one alternative.
    pub(super) fn parse(escaped: &str, how: How) -> Result<Self, Cow<'static, str>> {
        let plain = text::unescape(escaped);
        let wanted = if how == How::Exact { plain.into_owned() } else { fold(&plain) };
        if wanted.is_empty() {
            return Err("nothing is left of it without accents and white space".into());
        }
        Ok(Self { wanted, how })
    }

    /// Whether it finds an element: a string, or a HumanName or Address by any of its parts.
    pub(super) fn matches(&self, value: &Value) -> bool {
        match value {
            _ if self.how == How::OfToken => self.finds_token(value),
            Value::String(text) => self.finds(text),
            Value::Object(members) => PARTS.iter().filter_map(|part| members.get(*part)).any(|part| match part {
                Value::String(text) => self.finds(text),
                Value::Array(texts) => texts.iter().filter_map(Value::as_str).any(|text| self.finds(text)),
                _ => false,
            }),
            _ => false,
        }
    }

    fn finds_token(&self, value: &Value) -> bool {
        let found = |of: Option<&Value>| of.and_then(Value::as_str).is_some_and(|text| self.finds(text));
        let concept = value.get("concept").unwrap_or(value);
        let codings = concept.get("coding").and_then(Value::as_array);
        found(concept.get("text"))
            || found(value.get("display"))
            || found(value.get("type").and_then(|kind| kind.get("text")))
            || codings.into_iter().flatten().any(|coding| found(coding.get("display")))
    }

    fn finds(&self, text: &str) -> bool {
        match self.how {
            How::Exact => text == self.wanted,
            How::Contains => fold(text).contains(&self.wanted),
            How::Starts | How::OfToken => fold(text).starts_with(&self.wanted),
        }
    }
}

/// Without case and accents, white space folded.
pub(super) fn fold(text: &str) -> String {
    let plain: String = text.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect();
    // Lower case of some letters brings a mark of its own (`İ`).
    let plain: String = plain.nfd().filter(|c| !is_combining_mark(*c)).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
