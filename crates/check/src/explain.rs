//! Explanations of ground truth for people and programs: the two forms, the outcome, and the list that JSON is.

use std::io::{self, Write};

use serde::Serialize;

/// How an explanation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Indented lines for people.
    Text,
    /// A JSON list, an entry for each record.
    Json,
}

/// The outcome of an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explained {
    /// True if the input has a record, or a part of one.
    pub any: bool,
    /// How many places cannot be read, or disagree with what the input says of itself.
    pub findings: usize,
}

/// A JSON list that is written entry by entry, so that a long input takes little memory.
#[derive(Debug, Default)]
pub struct Entries {
    written: usize,
}

impl Entries {
    /// Writes one more entry.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn add(&mut self, entry: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
        out.write_all(if self.written == 0 { b"[\n" } else { b",\n" })?;
        self.written += 1;
        candor_json::to_writer_pretty(out, entry)?;
        Ok(())
    }

    /// Ends the list.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn end(self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", if self.written == 0 { "[]" } else { "\n]" })
    }
}

/// A text on one line: U+FFFD takes the place of each control character, and a text of more than `most` characters is cut
/// and ends with its length.
///
/// ```
/// use candor_check::explain::on_one_line;
/// assert_eq!(on_one_line("a\nb", 5), "a\u{fffd}b");
/// assert_eq!(on_one_line("abcdef", 3), "abc… (6 characters)");
/// ```
#[must_use]
pub fn on_one_line(text: &str, most: usize) -> String {
    let plain = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    let mut characters = text.chars();
    let mut shown: String = characters.by_ref().take(most).map(plain).collect();
    let more = characters.count();
    if more > 0 {
        shown += &format!("… ({} characters)", more.saturating_add(most));
    }
    shown
}

/// As a terminal may show it, on one line: control characters, those that turn the direction of writing and those that
/// no one sees become visible escapes (`\n`, `\u{1b}`).
#[must_use]
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_steering(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Checks for a character that steers a terminal (C0 and C1 controls), turns the direction of writing, or is not seen.
#[must_use]
pub fn is_steering(c: char) -> bool {
    c.is_control() || is_invisible(c)
}

/// Format characters that reorder or hide text, and the separators that end a line.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
