//! The cost of a JSONPath over a document, computed before the query runs: descents within descents select the same
//! value once for every way there, and no library bounds that.

use candor_json::Value;

/// The most values that a path may visit; a document of 10 MB has about a million.
const MOST: u64 = 50_000_000;

/// The deepest nesting of brackets and parentheses. The library takes stack for each level, and twice the time for each
/// filter in a filter. Paths of the suite of RFC 9535 nest 4 levels.
pub(super) const MOST_NESTED: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    pub(super) descents: u32,
    /// How many times over the selectors of its brackets can select one value: 2 for `$[0, 0]`.
    pub(super) copies: u64,
    /// Queries of the whole document within filters, which are asked anew for every value.
    pub(super) whole: u32,
}

impl Cost {
    pub(super) fn of(path: &str) -> Self {
        let mut cost = Self { descents: 0, copies: 1, whole: 0 };
        let mut selectors: Vec<u64> = Vec::new();
        let mut rest = path;
        while let Some(character) = rest.chars().next() {
            rest = &rest[character.len_utf8()..];
            match character {
                '\'' | '"' => rest = after_text(rest, character),
                '.' if rest.starts_with('.') => cost.descents += 1,
                '[' => selectors.push(1),
                ',' => selectors.iter_mut().last().into_iter().for_each(|number| *number += 1),
                ']' => cost.copies = cost.copies.saturating_mul(selectors.pop().unwrap_or(1)),
                '$' if !selectors.is_empty() && selects_many(rest) => cost.whole += 1,
                _ => {}
            }
        }
        cost
    }

    /// True if the path selects each value at most once, with one selector for each level.
    pub(super) fn is_one_way(self) -> bool {
        self.descents == 0 && self.copies == 1
    }

    /// True if a path of this cost may visit more values in a document than [`MOST`].
    pub(super) fn is_too_much(self, document: &Value) -> bool {
        if self == (Self { descents: 0, copies: 1, whole: 0 }) {
            return false;
        }
        let (ways, values) = count(document, self.descents, 1, 0);
        let whole = (0..self.whole).fold(1, |whole: u64, _| whole.saturating_mul(values));
        ways.saturating_mul(self.copies).saturating_mul(whole) > MOST
    }
}

/// The byte where brackets and parentheses outside of texts nest deeper than [`MOST_NESTED`].
pub(super) fn too_deep(path: &str) -> Option<usize> {
    let (mut open, mut rest) = (0_usize, path);
    while let Some(character) = rest.chars().next() {
        let offset = path.len() - rest.len();
        rest = &rest[character.len_utf8()..];
        match character {
            '\'' | '"' => rest = after_text(rest, character),
            '[' | '(' if open == MOST_NESTED => return Some(offset),
            '[' | '(' => open += 1,
            ']' | ')' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    None
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

/// The ways in which descents can lead to a value, over all values, and the number of values. `ways` of `depth` levels
/// and `descents` descents: the combinations of `depth + descents` things, of which `descents` are taken. Recursion is
/// bounded by the depth to which documents are read.
pub(super) fn count(value: &Value, descents: u32, ways: u64, depth: u64) -> (u64, u64) {
    let below = |(all, number): (u64, u64), value| {
        let next = u128::from(ways) * (u128::from(depth) + 1 + u128::from(descents)) / (u128::from(depth) + 1);
        let (ways, values) = count(value, descents, u64::try_from(next).unwrap_or(u64::MAX), depth + 1);
        (all.saturating_add(ways), number + values)
    };
    match value {
        Value::Array(items) => items.iter().fold((ways, 1), below),
        Value::Object(members) => members.values().fold((ways, 1), below),
        _ => (ways, 1),
    }
}
