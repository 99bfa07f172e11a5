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
