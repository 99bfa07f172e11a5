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

#[cfg(test)]
mod tests {
    use super::*;

    fn flaw(text: &str) -> Flaw {
        check(text).unwrap_err()
    }

    #[test]
    fn plain_json_is_fine() {
        for text in
            ["{}", "[]", "1", r#"{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"a\"a"}"#, " {\"a\" : 1 , \"b\":\"{\\\"\"} "]
        {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_member_given_twice_is_found_at_its_second_place() {
        let found = flaw(r#"{"status":"booked","b":{},"status":"cancelled"}"#);
        assert_eq!(found.offset, 26);
        assert!(found.what.contains("`status` twice"));
    }

    #[test]
    fn a_member_is_the_same_when_it_is_escaped() {
        assert!(flaw(r#"{"a":1,"\u0061":2}"#).what.contains("`a` twice"));
    }

    #[test]
    fn no_name_is_taken_for_a_number_or_unread_text() {
        for name in ["$serde_json::private::RawValue", "$serde_json::private::Number", "$candor_json::Exact"] {
            let text = format!(r#"{{"x":{{"{name}":"1"}}}}"#);
            assert_eq!(check(&text), Ok(()));
            assert_eq!(candor_json::from_str::<candor_json::Value>(&text).unwrap().to_string(), text);
        }
        assert!(flaw(r#"{"$serde_json::private":1,"$serde_json::privat\u0065":2}"#).what.contains("twice"));
    }

    #[test]
    fn depth_is_limited_and_costs_no_stack() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert_eq!(check(&nested(MAX_DEPTH)), Ok(()));
        assert!(candor_json::from_str::<candor_json::Value>(&nested(MAX_DEPTH)).is_ok());
        assert!(flaw(&nested(MAX_DEPTH + 1)).what.contains("nested deeper"));
        assert!(flaw(&nested(1_000_000)).what.contains("nested deeper"));
        assert_eq!(flaw(&nested(1_000_000)).kind, FlawKind::TooDeep);
        assert_eq!(flaw(&"[".repeat(1_000_000)).kind, FlawKind::NotJson);
    }

    #[test]
    fn what_is_not_json_is_placed() {
        let found = flaw("{\"a\": 1,\n \"b\": tru }");
        assert_eq!((found.offset, found.what.starts_with("not JSON: ")), (18, true), "{found:?}");
        assert!(flaw("").what.contains("EOF"));
        assert!(flaw("{} {}").what.contains("trailing"));
    }
}
