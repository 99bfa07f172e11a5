//! String parameters, and `:text` of tokens. Source: FHIR R4, Search, 3.1.1.4.8.

use std::borrow::Cow;

use candor_json::Value;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::text;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// An element starts with it, case and accents aside.
    Starts,
    /// An element holds it anywhere, case and accents aside.
    Contains,
    /// An element is it, to the character.
    Exact,
    /// An element ends with it, case and accents aside. Only `_filter` asks for that.
    Ends,
    /// An element is it, case and accents aside. Only `_filter` asks for that.
    Is,
}

#[derive(Clone, Debug)]
pub(crate) struct Text {
    wanted: String,
    how: How,
}

/// The parts of a HumanName and of an Address that are searched.
pub(crate) const PARTS: &[&str] =
    &["text", "family", "given", "prefix", "suffix", "line", "city", "district", "state", "postalCode", "country"];

impl Text {
    pub(crate) fn parse(escaped: &str, how: How) -> Result<Self, Cow<'static, str>> {
        Self::of(&text::unescape(escaped), how)
    }

    pub(crate) fn of(plain: &str, how: How) -> Result<Self, Cow<'static, str>> {
        let wanted = if how == How::Exact { plain.to_owned() } else { fold(plain) };
        if wanted.is_empty() {
            return Err("nothing is left of it without accents and white space".into());
        }
        Ok(Self { wanted, how })
    }

    pub(crate) fn wanted(&self) -> (&str, How) {
        (&self.wanted, self.how)
    }

    pub(crate) fn finds(&self, text: &str) -> bool {
        match self.how {
            How::Exact => text == self.wanted,
            How::Contains => fold(text).contains(&self.wanted),
            How::Starts => fold(text).starts_with(&self.wanted),
            How::Ends => fold(text).ends_with(&self.wanted),
            How::Is => fold(text) == self.wanted,
        }
    }
}

/// Hands over the texts of an element: a string, or the parts of a HumanName or an Address.
pub(crate) fn texts<'a>(value: &'a Value, each: &mut impl FnMut(&'a str)) {
    match value {
        Value::String(text) => each(text),
        Value::Object(members) => {
            for part in PARTS.iter().filter_map(|part| members.get(*part)) {
                match part {
                    Value::String(text) => each(text),
                    Value::Array(texts) => texts.iter().filter_map(Value::as_str).for_each(&mut *each),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Hands over what a token is called: the text and the displays of a CodeableConcept, the display of a Coding, the text of
/// an Identifier's type.
pub(crate) fn token_texts<'a>(value: &'a Value, each: &mut impl FnMut(&'a str)) {
    let concept = value.get("concept").unwrap_or(value);
    let codings = concept.get("coding").and_then(Value::as_array).into_iter().flatten();
    let displays = codings.filter_map(|coding| coding.get("display"));
    let own = [concept.get("text"), value.get("display"), value.pointer("/type/text")];
    own.into_iter().flatten().chain(displays).filter_map(Value::as_str).for_each(each);
}

/// Without case and accents, white space folded.
pub(crate) fn fold(text: &str) -> String {
    let bare = text.nfd().filter(|c| !is_combining_mark(*c));
    // By way of the capital letter, so that `ß` and `SS`, or the two small sigmas, are one.
    let plain: String = bare.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect();
    // Lower case of some letters brings a mark of its own (`İ`).
    let plain: String = plain.nfd().filter(|c| !is_combining_mark(*c)).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
