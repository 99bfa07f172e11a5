//! JSON files.

use std::collections::HashSet;

use candor_json::Value;
use candor_json::text::{items, span, unquoted, written_members};

use super::SyntaxError;
use super::places::Places;

pub(super) fn read(text: &str) -> Result<(Value, Places), SyntaxError> {
    let value = candor_json::from_str(text).map_err(|e| {
        let message = e.to_string();
        // The error shows the position once, in front.
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        (Some((e.line().max(1), e.column().max(1))), format!("it is not JSON: {message}"))
    })?;
    let mut walk = Walk { text, lines: Lines::new(text), steps: Vec::new(), places: Places::default() };
    walk.inside(text.trim())?;
    Ok((value, walk.places))
}

/// Notes the place of every name and item of a text that is known to be JSON.
struct Walk<'a> {
    text: &'a str,
    lines: Lines<'a>,
    steps: Vec<String>,
    places: Places,
}

impl Walk<'_> {
    fn inside(&mut self, value: &str) -> Result<(), SyntaxError> {
        let mut names = HashSet::new();
        for (written, value) in written_members(value) {
            let name = unquoted(written).unwrap_or_default().into_owned();
            let position = self.lines.at(span(self.text, written).start);
            if !names.insert(name.clone()) {
                return Err((Some(position), format!("the member `{name}` occurs twice in one object")));
            }
            self.below(name, position, value)?;
        }
        for (index, item) in items(value).enumerate() {
            let position = self.lines.at(span(self.text, item).start);
            self.below(index.to_string(), position, item)?;
        }
        Ok(())
    }

    fn below(&mut self, step: String, position: (usize, usize), value: &str) -> Result<(), SyntaxError> {
        self.steps.push(step);
        self.places.set(&self.steps, position);
        self.inside(value)?;
        self.steps.pop();
        Ok(())
    }
}

struct Lines<'a> {
    text: &'a str,
    offset: usize,
    line: usize,
    column: usize,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, offset: 0, line: 1, column: 1 }
    }

    fn at(&mut self, offset: usize) -> (usize, usize) {
        for c in self.text.get(self.offset..offset).unwrap_or_default().chars() {
            if c == '\n' {
                (self.line, self.column) = (self.line + 1, 1);
            } else {
                self.column += 1;
            }
        }
        self.offset = offset;
        (self.line, self.column)
    }
}
