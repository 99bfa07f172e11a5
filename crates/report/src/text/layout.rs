//! Columns, lines and colours.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::Style;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Color {
    Bold,
    Green,
    Red,
    Yellow,
}

/// The text in a colour, where colours are shown.
pub(crate) fn painted(style: Style, color: Color, text: &str) -> String {
    let code = match color {
        Color::Bold => 1,
        Color::Red => 31,
        Color::Green => 32,
        Color::Yellow => 33,
    };
    if style.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// The text in exactly that many columns: cut with an ellipsis, or filled with spaces.
pub(crate) fn fitted(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    if text.width() <= width {
        out.push_str(text);
        used = text.width();
    } else {
        for c in text.chars() {
            let columns = c.width().unwrap_or_default();
            if used + columns + 1 > width {
                break;
            }
            out.push(c);
            used += columns;
        }
        out.push('…');
        used += 1;
    }
    out.extend(std::iter::repeat_n(' ', width.saturating_sub(used)));
    out
}

/// Where the second and later lines of a text begin at the least, so that none of them is taken for a verdict.
pub(crate) const BELOW: usize = 4;

/// The text on as many lines as it takes, indented; a word longer than a line has one of its own. The lines below the first
/// of an item of a list begin where its text does.
pub(crate) fn wrapped(text: &str, indent: usize, style: Style) -> String {
    let below = indent.max(BELOW) + if text.starts_with("- ") { 2 } else { 0 };
    let mut indent = indent;
    let mut out = String::new();
    let mut line = String::new();
    let mut flush = |line: &mut String, indent: usize| {
        if !line.is_empty() {
            out.extend(std::iter::repeat_n(' ', indent));
            out.push_str(line);
            out.push('\n');
            line.clear();
        }
    };
    for word in text.split_whitespace() {
        let width = style.width.saturating_sub(indent).max(20);
        if !line.is_empty() && line.width() + 1 + word.width() > width {
            flush(&mut line, indent);
            indent = below;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    flush(&mut line, indent);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_fitted_text_takes_its_columns(text in "\\PC{0,30}", width in 1usize..20) {
            prop_assert!(fitted(&text, width).width() <= width.max(1) + 1);
        }

        #[test]
        fn wrapping_loses_no_word(text in "\\PC{0,80}", indent in 0usize..8) {
            let style = Style { color: false, width: 40 };
            let wrapped = wrapped(&text, indent, style);
            prop_assert_eq!(
                wrapped.split_whitespace().collect::<Vec<_>>(),
                text.split_whitespace().collect::<Vec<_>>()
            );
        }
    }
}
