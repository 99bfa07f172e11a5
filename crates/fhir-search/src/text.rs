//! The text of search values: alternatives, parts and escapes.
//!
//! Source: FHIR R4, Search, 3.1.1.4.4 (escaping search parameters): `\,` `\|` `\$` `\\`.

use std::borrow::Cow;

/// The parts of `text` between the `separator`s that are not escaped, still escaped.
pub(crate) fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut escaped = false;
    text.split(move |c| {
        let here = c == separator && !escaped;
        escaped = c == '\\' && !escaped;
        here
    })
}

/// The text without its escapes. A `\` before any other character is kept as a `\`.
pub(crate) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c == '\\' {
            let after = rest.as_str();
            if after.starts_with([',', '|', '$', '\\']) {
                plain.extend(rest.next());
                continue;
            }
        }
        plain.push(c);
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(split(r"a,b\,c,\\,d", ',').collect::<Vec<_>>(), ["a", r"b\,c", r"\\", "d"]);
        assert_eq!(split("", ',').collect::<Vec<_>>(), [""]);
        assert_eq!(unescape(r"b\,c\|\$\\\n\"), r"b,c|$\\n\");
    }

    proptest! {
        #[test]
        fn what_is_escaped_comes_back(parts in prop::collection::vec("[a,|$\\\\é]{0,8}", 1..5)) {
            let escape = |part: &String| part.chars().flat_map(|c| [Some('\\').filter(|_| ",|$\\".contains(c)), Some(c)]).flatten().collect::<String>();
            let joined = parts.iter().map(escape).collect::<Vec<_>>().join(",");
            prop_assert_eq!(split(&joined, ',').map(|part| unescape(part).into_owned()).collect::<Vec<_>>(), parts);
        }

        #[test]
        fn parts_joined_are_the_text(text in any::<String>()) {
            prop_assert_eq!(split(&text, '|').collect::<Vec<_>>().join("|"), text);
        }
    }
}
