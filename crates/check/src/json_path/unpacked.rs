//! Text that is JSON, for a JSONPath that goes on into it: the path reads the copy of the document in `reach`.

use std::borrow::Cow;

use candor_json::Value;
use serde_json_path::{JsonPath, NormalizedPath};

use super::{Query, plain};

impl Query {
    /// Hands over each value that the path selects, also in text that is a JSON object or array. A value in such a text
    /// is owned. Returns `false`, and hands over nothing, if it is not decided what the path selects.
    pub(super) fn select_into_text<'a>(
        &self,
        document: &'a Value,
        mut found: impl FnMut(Cow<'a, Value>, &NormalizedPath<'_>),
    ) -> bool {
        let Some(unpacked) = self.reach.unpacked(document) else {
            let is_decided = !self.is_open(document);
            if is_decided {
                self.select(document, |value, place| found(Cow::Borrowed(value), place));
            }
            return is_decided;
        };
        let inner = &unpacked.document;
        if self.is_open(inner) || self.reach.goes_into_shut(&unpacked) {
            return false;
        }
        if !unpacked.is_inside && self.depends_on_text(document, inner) {
            return false;
        }
        self.select(inner, |value, place| match plain::original(document, place) {
            Some((original, _)) => found(Cow::Borrowed(original), place),
            None => found(Cow::Owned(value.clone()), place),
        });
        true
    }

    /// True if a filter outside of the texts compares one of them as a text, or reads what is in it.
    fn depends_on_text(&self, document: &Value, inner: &Value) -> bool {
        let differs = |path: &JsonPath, other: &Value| {
            self.is_open(document) || places(path, document, document) != places(path, inner, other)
        };
        match &self.reach.segments {
            Some(segments) => segments.filters().any(|path| path.is_none_or(|path| differs(&path, document))),
            None => differs(&self.path, inner),
        }
    }
}

/// The places that a path selects in a document, of those that another one has.
fn places(path: &JsonPath, document: &Value, other: &Value) -> Vec<String> {
    let mut places = Vec::new();
    plain::select(path, document, false, |_, place| {
        if plain::original(other, place).is_some() {
            places.push(place.to_string());
        }
    });
    places
}
