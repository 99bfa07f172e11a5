//! The cost of a JSONPath over a document, computed before the query runs: descents and repeated selectors select a value
//! many times, and no library bounds that.
//!
//! A limit on descents alone does not bound it, as the document decides its depth. Two descents select 400,000 values on
//! level 120 in 48,000,000 ways, each with a place of 120 steps.

use candor_json::Value;

/// The most values that a path may visit; a document of 10 MB has about a million.
const MOST: u64 = 50_000_000;

/// The deepest nesting of brackets and parentheses. The library takes stack for each level, and twice the time for each
/// filter in a filter. Paths of the suite of RFC 9535 nest 4 levels.
const MOST_NESTED: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    pub(super) descents: u32,
    /// How many times over the selectors of its brackets can select one value: 2 for `$[0, 0]`.
    pub(super) copies: u64,
    /// Queries of the whole document within filters, which are asked anew for every value.
    pub(super) whole: u32,
}

impl Cost {
    /// The error is a byte of the path, and the problem there.
    pub(super) fn of(path: &str) -> Result<Self, (usize, &'static str)> {
        let mut cost = Self { descents: 0, copies: 1, whole: 0 };
        let mut open: Vec<u64> = Vec::new();
        let mut rest = path;
        while let Some(character) = rest.chars().next() {
            let offset = path.len() - rest.len();
            rest = &rest[character.len_utf8()..];
            match character {
                '\'' | '"' => rest = after_text(rest, character),
                '.' if rest.starts_with('.') => cost.descents += 1,
                '[' | '(' => open.push(1),
                ',' => open.iter_mut().last().into_iter().for_each(|number| *number += 1),
                ']' => cost.copies = cost.copies.saturating_mul(open.pop().unwrap_or(1)),
                ')' => _ = open.pop(),
                '$' if !open.is_empty() && selects_many(rest) => cost.whole += 1,
                _ => {}
            }
            if cost.descents > 2 {
                return Err((offset, "found a third `..`, expected at most 2; name the members in between"));
            }
            if open.len() > MOST_NESTED {
                return Err((offset, "brackets and parentheses nest 13 levels deep, expected at most 12"));
            }
        }
        Ok(cost)
    }

    /// True if the path selects each value at most once, with one selector for each level.
    pub(super) fn is_one_way(self) -> bool {
        self.descents == 0 && self.copies == 1
    }

    /// True if a path of this cost may visit more values in a document than [`MOST`].
    pub(super) fn is_too_much(self, document: &Value) -> bool {
        steps(document, self.descents, 0).saturating_pow(self.whole + 1).saturating_mul(self.copies) > MOST
    }
}

/// The sum over all values of their level to the power of `descents`: a bound of the ways to them. Recursion is bounded by
/// the depth to which documents are read.
pub(super) fn steps(value: &Value, descents: u32, level: u64) -> u64 {
    let below = |value: &Value| steps(value, descents, level + 1);
    let inside: u64 = match value {
        Value::Array(items) => items.iter().map(below).sum(),
        Value::Object(members) => members.values().map(below).sum(),
        _ => 0,
    };
    level.saturating_pow(descents).saturating_add(inside)
}

/// The rest after a text that `quote` ends.
pub(super) fn after_text(rest: &str, quote: char) -> &str {
    let mut escaped = false;
    for (at, character) in rest.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return &rest[at + 1..],
            _ => {}
        }
    }
    ""
}

/// Returns `true` if the query that goes on with `rest` may select more than one value.
fn selects_many(mut rest: &str) -> bool {
    let mut depth = 0;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match character {
            '\'' | '"' => rest = after_text(rest, character),
            '[' => depth += 1,
            ']' | ')' | ',' | '=' | '!' | '<' | '>' | '&' | '|' if depth == 0 => return false,
            ']' => depth -= 1,
            '*' | ':' | '?' | ',' => return true,
            '.' if rest.starts_with('.') => return true,
            _ => {}
        }
    }
    false
}
