//! Paths in a resource, written out only for findings.

use std::fmt;

#[derive(Clone, Copy)]
enum Step<'a> {
    Name(&'a str),
    Index(usize),
}

/// A path: `Patient.name.0.family`.
#[derive(Clone, Copy)]
pub(crate) struct ElementPath<'a> {
    outer: Option<&'a Self>,
    step: Step<'a>,
}

/// The characters of a name or value that are shown. Any text may be one, and there may be thousands of findings.
const MOST_SHOWN: usize = 100;

/// The beginning of a text, with `…` behind it where it is cut.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

impl<'a> ElementPath<'a> {
    pub(crate) fn root(name: &'a str) -> Self {
        Self { outer: None, step: Step::Name(name) }
    }

    pub(crate) fn member<'b>(&'b self, name: &'b str) -> ElementPath<'b> {
        ElementPath { outer: Some(self), step: Step::Name(name) }
    }

    pub(crate) fn item(&self, index: usize) -> ElementPath<'_> {
        ElementPath { outer: Some(self), step: Step::Index(index) }
    }
}

impl fmt::Display for ElementPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(outer) = self.outer {
            write!(f, "{outer}.")?;
        }
        match self.step {
            Step::Name(name) => f.write_str(&shortened(name)),
            Step::Index(index) => write!(f, "{index}"),
        }
    }
}
