//! The text of resources, which are parsed when they are examined.
//!
//! A parsed resource takes several times the room of its text, and of a large folder few are ever looked at whole.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use candor_json::Value;
use candor_json::text::unquoted;

use super::json;
use crate::search::Members;
use crate::seen::{SUBSETTED, is_subset};

#[derive(Clone)]
pub(crate) struct Content {
    file: Arc<Vec<u8>>,
    span: Range<usize>,
    parsed: OnceLock<Box<Value>>,
}

impl Content {
    /// The part of a file that was found to be one JSON value.
    pub(crate) fn new(file: Arc<Vec<u8>>, span: Range<usize>) -> Self {
        Self { file, span, parsed: OnceLock::new() }
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// A text of `meta` that is not empty.
    pub(crate) fn text_of_meta(&self, name: &str) -> Option<Cow<'_, str>> {
        unquoted(member(self.meta()?, name)?).filter(|text| !text.is_empty())
    }

    fn meta(&self) -> Option<&str> {
        member(std::str::from_utf8(self.text()).ok()?, "meta")
    }

    /// Returns `true` if its tags say that elements are left out.
    pub(super) fn is_subset(&self) -> bool {
        let marked = self.meta().filter(|meta| meta.contains(SUBSETTED));
        marked.is_some_and(|meta| candor_json::from_str::<Value>(meta).is_ok_and(|meta| is_subset(&meta)))
    }

    /// The whole file.
    pub(crate) fn file(&self) -> &[u8] {
        &self.file
    }

    fn text(&self) -> &[u8] {
        self.file.get(self.span.clone()).unwrap_or_default()
    }

    /// The resource; once parsed it stays.
    pub(super) fn value(&self) -> &Value {
        // What is here was read before, so that there is no error to tell of.
        self.parsed.get_or_init(|| Box::new(candor_json::from_slice(self.text()).unwrap_or_default()))
    }

    /// Hands over the resource with at least the members asked for; what is parsed for that does not stay.
    pub(super) fn with<T>(&self, members: &Members<'_>, look: impl FnOnce(&Value) -> T) -> T {
        match self.parsed.get() {
            Some(parsed) => look(parsed),
            None => {
                let text = std::str::from_utf8(self.text()).unwrap_or_default();
                let asked = json::members(text).filter(|(name, _)| members.include(name));
                let parsed =
                    asked.filter_map(|(name, value)| Some((name.into_owned(), candor_json::from_str(value).ok()?)));
                look(&Value::Object(parsed.collect()))
            }
        }
    }
}

fn member<'t>(of: &'t str, name: &str) -> Option<&'t str> {
    json::members(of).find(|(own, _)| own == name).map(|(_, value)| value)
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Content").field(&self.span).finish()
    }
}
