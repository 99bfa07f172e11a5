//! Text from outside, made harmless for where it goes.

pub use candor_check::explain::{is_steering, plain};

/// JSON text in which no string has a character that [`is_steering`]. Each becomes a `\u` escape of JSON, so the document is
/// the same.
///
/// ```
/// let text = candor_report::plain_json("\"\u{9b}2J\"\n".into());
/// assert_eq!(text, br#""\u009b2J"
/// "#);
/// ```
#[must_use]
pub fn plain_json(text: Vec<u8>) -> Vec<u8> {
    // JSON escapes those of ASCII before the space, or has them between its tokens.
    let is_escaped = |c: char| c >= ' ' && is_steering(c);
    match std::str::from_utf8(&text) {
        Ok(json) if json.contains(is_escaped) => {
            let mut out = String::with_capacity(json.len() + 16);
            for c in json.chars() {
                if is_escaped(c) {
                    out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
                } else {
                    out.push(c);
                }
            }
            out.into_bytes()
        }
        _ => text,
    }
}

/// As the text of an XML element or attribute: what XML 1.0 forbids, and what reorders or hides text, becomes a visible escape.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            '\u{fffe}' | '\u{ffff}' => out.extend(c.escape_unicode()),
            c if is_steering(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// An id within a line of Markdown: as code where nothing in it could end the code or a table's cell.
pub(crate) fn markdown_id(id: &str) -> String {
    match !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
        true => format!("`{id}`"),
        false => markdown(id),
    }
}

/// As text within a line of Markdown: nothing in it is markup, a link, or the end of a table's cell. What a renderer leaves
/// alone stays, so that the line can be read in a mail.
pub(crate) fn markdown(text: &str) -> String {
    let text = plain(text);
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // Entities, so that no renderer makes a link of `https://…`, `www.…` or an address, or a picture of `:smile:`.
            ':' if after.is_some_and(|next| !next.is_whitespace()) => out.push_str("&#58;"),
            '@' => out.push_str("&#64;"),
            '.' if ends_in_www(before) => out.push_str("&#46;"),
            // A list or a heading begins a line only.
            '.' | ')' | '-' | '+' | '=' if !before.trim_end_matches(|c: char| c.is_ascii_digit()).is_empty() => {
                out.push(c)
            }
            // Brackets make a link by what follows them only.
            ']' if after.is_some_and(|next| matches!(next, '(' | '[' | ':')) => out.push_str("\\]"),
            '_' if is_within_a_word(before, after) => out.push(c),
            '"' | '\'' | ',' | ';' | ':' | '(' | '/' | '%' | '?' | '{' | '}' | '^' | '[' | ']' => out.push(c),
            c if c.is_ascii_punctuation() => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

fn is_within_a_word(before: &str, after: Option<char>) -> bool {
    before.chars().next_back().is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)
}

fn ends_in_www(text: &str) -> bool {
    let end = text.len().checked_sub(3).and_then(|start| text.get(start..));
    end.is_some_and(|end| end.eq_ignore_ascii_case("www"))
}
