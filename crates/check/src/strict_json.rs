//! JSON as a grader must read it: where the parser would silently choose, this refuses.
//!
//! Of two members with one name `candor_json` keeps the last, and another reader of the same file may keep the first: a
//! verdict on either would be a guess. No name is reserved: a member `$serde_json::private::Number`, which `serde_json`
//! can take for a number, is a member as any other.

mod edit;

use std::borrow::Cow;

use candor_json::text::{self, survey, unquoted};
pub use candor_json::text::{MAX_DEPTH, items, members};
pub use edit::{Edit, Leaf, append, edited, find, get, leaves, put, remove, reversed_members};

/// A fault of a text, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The kind of flaw.
    pub kind: FlawKind,
    /// Bytes from the start of the text.
    pub offset: usize,
    /// The fault there.
    pub what: String,
}

/// A kind of flaw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlawKind {
    /// The text is not a JSON value.
    NotJson,
    /// JSON that is nested deeper than [`MAX_DEPTH`]: a limit of the reader, not a fault of who wrote it.
    TooDeep,
    /// JSON that another reader may read in another way: an object has a member twice.
    Ambiguous,
}

/// Checks that `text` is one JSON value that can be read in one way only.
///
/// # Errors
/// The first flaw: not JSON, nested deeper than [`MAX_DEPTH`], or an object with two members of one name.
pub fn check(text: &str) -> Result<(), Flaw> {
    let found = survey(text);
    if let Some(error) = &found.error {
        let offset = offset_of(text, error.line(), error.column());
        return Err(Flaw { kind: FlawKind::NotJson, offset, what: not_json(error) });
    }
    match found.flaws.first() {
        None => Ok(()),
        Some(&(offset, text::Flaw::TooDeep)) => {
            let what = format!("nested deeper than {MAX_DEPTH} levels");
            Err(Flaw { kind: FlawKind::TooDeep, offset, what })
        }
        Some(&(offset, text::Flaw::Repeated(key))) => {
            let name: String = unquoted(key).unwrap_or(Cow::Borrowed(key)).chars().take(40).collect();
            let what = format!("an object has the member `{name}` twice");
            Err(Flaw { kind: FlawKind::Ambiguous, offset, what })
        }
    }
}

/// The error without serde's own place: the place is given in bytes of the file.
fn not_json(error: &candor_json::Error) -> String {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    format!("not JSON: {what}")
}

/// The byte at a line and column (both from 1) as `candor_json` counts them.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (start + column.saturating_sub(1)).min(text.len())
}
