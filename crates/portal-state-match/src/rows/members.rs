//! The members of a JSON object, before it becomes a value: a name that occurs twice would otherwise hide what the
//! first one said.

use std::borrow::Cow;
use std::collections::HashSet;

use candor_check::strict_json::MAX_DEPTH;

/// Why an object is not taken as a row.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum MemberFault {
    /// A name occurs twice in one object.
    Twice(String),
    TooDeep,
    /// There are more values than may be held.
    TooMany,
}

/// Counts the values in text that is valid JSON, or somewhat more, at most `most`.
pub(super) fn count(json: &str, most: u64) -> Result<u64, MemberFault> {
    // The names so far in each open object; `None` for an array.
    let mut open: Vec<Option<HashSet<Cow<'_, str>>>> = Vec::new();
    let mut name_next = false;
    let mut values = 1;
    let mut rest = json;
    while let Some(at) = rest.find(['"', '{', '[', '}', ']', ',']) {
        let (token, after) = rest.get(at..).and_then(|text| text.split_at_checked(1)).unwrap_or_default();
        rest = after;
        match token {
            "\"" => {
                let (text, after) = after.split_at_checked(string_length(after)).unwrap_or((after, ""));
                rest = after.get(1..).unwrap_or_default();
                if name_next && let Some(Some(names)) = open.last_mut() {
                    note_name(text, names)?;
                    name_next = false;
                }
            }
            "{" | "[" => {
                if open.len() == MAX_DEPTH {
                    return Err(MemberFault::TooDeep);
                }
                name_next = token == "{";
                open.push(name_next.then(HashSet::new));
                values += 1;
            }
            "," => {
                name_next = matches!(open.last(), Some(Some(_)));
                values += 1;
            }
            _ => {
                open.pop();
                name_next = false;
            }
        }
        if values > most {
            return Err(MemberFault::TooMany);
        }
    }
    Ok(values)
}

/// The number of bytes to the quotation mark that closes a string.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    });
    end.unwrap_or(text.len())
}

fn note_name<'a>(written: &'a str, names: &mut HashSet<Cow<'a, str>>) -> Result<(), MemberFault> {
    let name = match written.contains('\\') {
        true => candor_json::from_str::<String>(&format!("\"{written}\"")).map_or(Cow::Borrowed(written), Cow::Owned),
        false => Cow::Borrowed(written),
    };
    if names.contains(&name) {
        return Err(MemberFault::Twice(name.into_owned()));
    }
    names.insert(name);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_names_that_stand_twice_at_any_depth() {
        let twice = |name: &str| Err(MemberFault::Twice(name.to_owned()));
        assert_eq!(count(r#"{"a": 1, "a": 2}"#, 99), twice("a"));
        assert_eq!(count(r#"{"a": 1, "\u0061": 2}"#, 99), twice("a"));
        assert_eq!(count(r#"{"x": [{"b": {}, "c": [], "b": 1}]}"#, 99), twice("b"));
        assert_eq!(count(r#"{"\\": 1, "\"": 2, "a\\": 3, "b": ","}"#, 99), Ok(5));
        assert_eq!(count(r#"{"a": {"a": "a"}, "b": ["a", "a", {"a": "{"}]}"#, 99), Ok(8));
        assert_eq!(count(r#"{"a": [1, 2, 3]}"#, 3), Err(MemberFault::TooMany));
        assert_eq!(count(r#"{"$serde_json::private::Number": "1"}"#, 9), Ok(2));
        assert_eq!(count(&"[".repeat(128), u64::MAX), Err(MemberFault::TooDeep));
    }
}
