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
        let width = style.width.saturating_sub(indent).max(8);
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

/// Text in lines of a terminal's width. A wider line continues below, at the column of its second cell or else
/// indented, and no word is cut. Colours take no columns.
#[must_use]
pub fn folded(text: &str, style: Style) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        fold(line, style.width, &mut out);
    }
    out
}

fn fold(line: &str, width: usize, out: &mut String) {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let half = width / 2;
    let cell = second_cell(line, indent).filter(|cell| *cell <= half);
    let below = cell.unwrap_or(indent + 2).max(BELOW).min(half);
    let mut column = 0;
    let mut is_blank = true;
    for word in line.split_inclusive(' ') {
        let own = word.trim_end_matches([' ', '\n']);
        if !own.is_empty() && !is_blank && column + columns(own) > width {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', below));
            column = below;
        }
        out.push_str(word);
        column += columns(word);
        is_blank &= own.is_empty();
    }
}

/// The column after the first two or more spaces within a line.
fn second_cell(line: &str, indent: usize) -> Option<usize> {
    let gap = indent + line.get(indent..)?.find("  ")?;
    let rest = line.get(gap..)?;
    let end = gap + (rest.len() - rest.trim_start_matches(' ').len());
    line.get(..end).map(columns)
}

/// The columns of a text without its colours.
pub(crate) fn columns(text: &str) -> usize {
    let mut columns = 0;
    let mut is_color = false;
    for c in text.chars() {
        is_color |= c == '\u{1b}';
        if !is_color {
            columns += c.width().unwrap_or_default();
        }
        is_color &= c != 'm';
    }
    columns
}
