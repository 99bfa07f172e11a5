//! Comments of YAML files that accept findings of lint: `# candor: ignore[code] because …`.

use saphyr_parser::{Event, Parser};

const BEGINS: &str = "candor: ignore[";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comment {
    /// Its line, from 1.
    pub line: usize,
    /// Its column, from 1.
    pub column: usize,
    /// The line that it is about: its own, or the next line with content if the comment has a line of its own.
    pub about: usize,
    /// The codes that it accepts.
    pub codes: Vec<String>,
    /// True if it gives a reason.
    pub has_reason: bool,
}

pub(super) fn read(text: &str) -> Vec<Comment> {
    if !text.contains(BEGINS) {
        return Vec::new();
    }
    let texts = spans_of_texts(text);
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some((column, codes, has_reason)) = comment(line) else { continue };
        let place = (index + 1, column);
        if texts.iter().any(|(start, end)| *start <= place && place < *end) {
            continue;
        }
        let alone = line.trim_start().starts_with('#');
        let says = |line: &str| !line.trim_start().starts_with('#') && !line.trim().is_empty();
        let next = || lines.iter().skip(index + 1).position(|line| says(line)).map(|after| index + 2 + after);
        let about = if alone { next() } else { Some(index + 1) };
        let about = about.unwrap_or(index + 1);
        found.push(Comment { line: place.0, column, about, codes, has_reason });
    }
    found
}

/// The column of the comment of a line, from 1, the codes in it, and whether it gives a reason.
fn comment(line: &str) -> Option<(usize, Vec<String>, bool)> {
    let (at, _) = line.match_indices('#').find(|(at, _)| {
        let (before, after) = line.split_at(*at);
        let begins = before.chars().next_back().is_none_or(char::is_whitespace);
        begins && after.trim_start_matches('#').trim_start().starts_with(BEGINS)
    })?;
    let (before, after) = line.split_at(at);
    let (_, inside) = after.split_once(BEGINS)?;
    let (codes, reason) = inside.split_once(']').unwrap_or((inside, ""));
    let codes = codes.split(',').map(|code| code.trim().to_owned()).filter(|code| !code.is_empty()).collect();
    let has_reason = reason.trim_start().strip_prefix("because").is_some_and(|reason| !reason.trim().is_empty());
    Some((before.chars().count() + 1, codes, has_reason))
}

/// The spans of the document's texts: in them, `#` does not begin a comment.
fn spans_of_texts(text: &str) -> Vec<((usize, usize), (usize, usize))> {
    let mut parser = Parser::new_from_str(text);
    let mut spans = Vec::new();
    while let Some(Ok((event, span))) = parser.next_event() {
        if let Event::Scalar(..) = event {
            let place = |line: usize, column: usize| (line, column + 1);
            spans.push((place(span.start.line(), span.start.col()), place(span.end.line(), span.end.col())));
        }
    }
    spans
}
