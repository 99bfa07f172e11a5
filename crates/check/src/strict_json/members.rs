//! The members of an object and the items of an array in text that is known to be sound JSON, found without parsing what is
//! in them.

use std::borrow::Cow;

use super::string_end;

/// The members of the object that a text is, each with its name and its text; none when it is not an object.
///
/// ```
/// use candor_check::strict_json::members;
/// let found: Vec<_> = members(r#"{"a": {"b": 1}, "c": [2]}"#).map(|(_, value)| value).collect();
/// assert_eq!(found, [r#"{"b": 1}"#, "[2]"]);
/// ```
#[must_use]
pub fn members(text: &str) -> Scan<'_> {
    let at = if text.starts_with('{') { 1 } else { text.len() };
    Scan { text, at }
}

/// See [`members`].
#[derive(Clone, Debug)]
pub struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Scan<'a> {
    type Item = (Cow<'a, str>, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let skip = |mut at: usize| {
            while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t' | b',' | b':')) {
                at += 1;
            }
            at
        };
        let start = skip(self.at);
        if bytes.get(start) != Some(&b'"') {
            self.at = bytes.len();
            return None;
        }
        let end = string_end(bytes, start);
        let value = skip(end);
        self.at = value_end(bytes, value);
        let quoted = self.text.get(start..end)?;
        let name = if quoted.contains('\\') {
            Cow::Owned(candor_json::from_str(quoted).ok()?)
        } else {
            Cow::Borrowed(quoted.get(1..quoted.len().checked_sub(1)?)?)
        };
        Some((name, self.text.get(value..self.at)?))
    }
}

/// The items of the array that a text is, each by its text; none when it is not an array.
///
/// ```
/// use candor_check::strict_json::items;
/// assert_eq!(items(r#"[1, {"a": []}, "x"]"#).collect::<Vec<_>>(), ["1", r#"{"a": []}"#, "\"x\""]);
/// ```
pub fn items(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = if text.starts_with('[') { 1 } else { text.len() };
    std::iter::from_fn(move || {
        while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t' | b',')) {
            at += 1;
        }
        if matches!(bytes.get(at), None | Some(b']')) {
            at = bytes.len();
            return None;
        }
        let start = at;
        at = value_end(bytes, start).max(start + 1);
        text.get(start..at)
    })
}

/// The place behind the value that begins at `at`.
fn value_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b'"') => return string_end(bytes, at),
        Some(b'{' | b'[') => {}
        _ => {
            let rest = bytes.get(at..).unwrap_or_default();
            let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t');
            return rest.iter().position(ends).map_or(bytes.len(), |length| at + length);
        }
    }
    let (mut at, mut depth) = (at, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use candor_json::{Map, Value, json};
    use proptest::prelude::*;

    use super::{items, members};

    fn scanned(text: &str) -> Map<String, Value> {
        members(text).map(|(name, value)| (name.into_owned(), candor_json::from_str(value).unwrap())).collect()
    }

    #[test]
    fn members_are_found_where_they_stand() {
        let text = "{ \"a\" : {\"b\":[1,\"}\\\"\"]} ,\"\\u0063\":-1.5e3,\"d\":\"x\\\\\",\"e\":null, \"f\":[ ] }";
        assert_eq!(Value::Object(scanned(text)), candor_json::from_str::<Value>(text).unwrap());
        assert_eq!(
            (members("{}").count(), members("[1]").count(), members("1").count(), members("").count()),
            (0, 0, 0, 0)
        );
    }

    proptest! {
        #[test]
        fn they_are_what_the_parser_finds(names in prop::collection::btree_map(any::<String>(), any::<String>(), 0..5), pretty in any::<bool>()) {
            let value = json!({"nested": names, "list": [names], "n": 1.5});
            let text = if pretty { candor_json::to_string_pretty(&value) } else { candor_json::to_string(&value) }.unwrap();
            prop_assert_eq!(Value::Object(scanned(&text)), value);
            let names: Vec<String> = names.into_keys().collect();
            let text = candor_json::to_string(&names).unwrap();
            let found: Vec<String> = items(&text).map(|item| candor_json::from_str(item).unwrap()).collect();
            prop_assert_eq!(found, names);
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), open in any::<bool>()) {
            let text = if open { format!("{{\"{text}") } else { text };
            prop_assert!(members(&text).count() <= text.len());
            let text = format!("[{text}");
            prop_assert!(items(&text).count() <= text.len());
        }
    }
}
