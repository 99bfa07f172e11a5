//! Text from outside, as a page may hold it.

use maud::{Markup, PreEscaped, html};

use crate::escape::plain;

/// The most characters of one text that a page shows.
const LONGEST: usize = 4000;

/// A text in an element: markup, control characters and what turns the direction of writing are shown, not obeyed. A long
/// one is cut, and the cut named.
pub(super) fn text(value: &str) -> Markup {
    let (shown, cut) = cut(value);
    html! {
        (escaped(shown))
        @if let Some(total) = cut { span.cut { " … cut: " (total) " characters" } }
    }
}

/// The beginning of a text, and its length in characters where that is not all.
pub(super) fn cut(value: &str) -> (&str, Option<usize>) {
    match value.char_indices().nth(LONGEST) {
        Some((at, _)) => (value.get(..at).unwrap_or_default(), Some(value.chars().count())),
        None => (value, None),
    }
}

/// The same without a cut.
pub(super) fn escaped(value: &str) -> Markup {
    let mut out = String::with_capacity(value.len() + 16);
    let mut clean = String::new();
    for c in value.chars() {
        let mut buffer = [0; 4];
        let one: &str = c.encode_utf8(&mut buffer);
        let shown = plain(one);
        if shown == one {
            clean.push(c);
            continue;
        }
        push_clean(&mut out, &mut clean);
        // An escape is backslashes, letters, digits and braces.
        out.push_str("<span class=\"esc\">");
        out.push_str(&shown);
        out.push_str("</span>");
    }
    push_clean(&mut out, &mut clean);
    PreEscaped(out)
}

fn push_clean(out: &mut String, clean: &mut String) {
    for c in clean.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    clean.clear();
}

/// A text in an attribute, or in an element that holds text alone. The template escapes markup in it.
pub(super) fn attribute(value: &str) -> String {
    const SHORT: usize = 300;
    let shown = plain(value);
    match shown.char_indices().nth(SHORT) {
        Some((at, _)) => format!("{}…", shown.get(..at).unwrap_or_default()),
        None => shown,
    }
}

/// An id of an element, unique where `number` is: the name itself where it can be one.
pub(super) fn anchor(prefix: &str, number: usize, name: &str) -> String {
    const LONGEST_NAME: usize = 60;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_plain) {
        true => format!("{prefix}c-{name}"),
        false => format!("{prefix}c{number}"),
    }
}

/// A text of several lines in a `pre`: its line ends are line ends, everything else is shown as in [`text`].
pub(super) fn lines(value: &str) -> Markup {
    const LARGEST: usize = 128 << 10;
    let end = value.floor_char_boundary(LARGEST);
    html! {
        @for (at, line) in value.get(..end).unwrap_or_default().lines().enumerate() {
            @if at > 0 { "\n" }
            (escaped(line))
        }
        @if end < value.len() { span.cut { " … cut: " (value.len()) " bytes" } }
    }
}
