//! The segments of a JSONPath, and of the queries in its filters: which values the path goes on from.

use candor_json::Value;
use serde_json_path::JsonPath;

use super::cost::after_text;
use super::plain::{self, is_of_name};
use super::text::{any_child, holds_shut, is_shut};

/// The segments behind the `$` of a path, or behind the `@` of a query.
#[derive(Clone, Debug)]
pub(super) struct Segments {
    text: String,
    list: Vec<Segment>,
}

#[derive(Clone, Debug)]
struct Segment {
    /// In bytes of the text.
    end: usize,
    descends: bool,
    /// The queries in its filters.
    queries: Vec<Segments>,
}

impl Segments {
    /// The segments that a text begins with, and the text after them. `None` if a filter reads the whole document.
    pub(super) fn of(text: &str) -> Option<(Self, &str)> {
        let (mut list, mut rest) = (Vec::new(), text);
        while let Some((segment, after)) = split(rest) {
            let (queries, descends) = (queries(segment)?, segment.trim_start().starts_with(".."));
            list.push(Segment { end: text.len() - after.len(), descends, queries });
            rest = after;
        }
        Some((Self { text: text.strip_suffix(rest).unwrap_or(text).to_owned(), list }, rest))
    }

    /// The path up to each segment that has a filter.
    pub(super) fn filters(&self) -> impl Iterator<Item = Option<JsonPath>> {
        self.list.iter().filter(|segment| !segment.queries.is_empty()).map(|segment| self.path(segment.end))
    }

    /// The members whose values the filters may compare, or values in these. `None` if a filter may compare any value.
    pub(super) fn compared(&self) -> Option<Vec<&str>> {
        let mut names = Vec::new();
        for query in self.list.iter().flat_map(|segment| &segment.queries) {
            names.push(query.last_name()?);
            names.extend(query.compared()?);
        }
        Some(names)
    }

    /// The last member that the path names: it selects this member, or values in it.
    fn last_name(&self) -> Option<&str> {
        let starts = std::iter::once(0).chain(self.list.iter().map(|segment| segment.end));
        let parts: Vec<&str> =
            starts.zip(&self.list).filter_map(|(start, segment)| self.text.get(start..segment.end)).collect();
        parts.into_iter().rev().find_map(|part| {
            let part = part.trim();
            let part = part.strip_prefix('.').filter(|rest| rest.starts_with('.')).unwrap_or(part);
            let part = part.strip_prefix('.').filter(|rest| rest.starts_with('[')).unwrap_or(part);
            first(part).filter(|(_, rest)| rest.is_empty()).map(|(name, _)| name)
        })
    }

    /// True if the path, or a query in a filter of it, goes on into text that is not read.
    pub(super) fn go_into_shut(&self, root: &Value) -> bool {
        let mut from = vec![root];
        for segment in &self.list {
            let is_in_the_way = |value: &&Value| match segment.descends {
                true => holds_shut(value),
                false => is_shut(value) || segment.tests_shut(value),
            };
            if from.iter().any(is_in_the_way) {
                return true;
            }
            let Some(path) = self.path(segment.end) else { return true };
            from.clear();
            plain::select(&path, root, false, |value, _| from.push(value));
        }
        false
    }

    fn path(&self, end: usize) -> Option<JsonPath> {
        JsonPath::parse(&format!("${}", self.text.get(..end)?)).ok()
    }
}

impl Segment {
    fn tests_shut(&self, value: &Value) -> bool {
        any_child(value, |child| self.queries.iter().any(|query| query.go_into_shut(child)))
    }
}

/// Splits a text behind the segment that it begins with: `.name`, `..name`, `[…]`, `..[…]`.
fn split(text: &str) -> Option<(&str, &str)> {
    let dots = text.trim_start();
    let name = dots.trim_start_matches('.');
    let after = match name.strip_prefix('[') {
        Some(selectors) => after_bracket(selectors),
        None if name.len() == dots.len() => return None,
        None => name.trim_start_matches(|character: char| character == '*' || is_of_name(character)),
    };
    text.split_at_checked(text.len() - after.len())
}

/// The rest behind the bracket that closes.
fn after_bracket(mut rest: &str) -> &str {
    let mut open = 1;
    while open > 0
        && let Some(character) = rest.chars().next()
    {
        rest = &rest[character.len_utf8()..];
        match character {
            '\'' | '"' => rest = after_text(rest, character),
            '[' => open += 1,
            ']' => open -= 1,
            _ => {}
        }
    }
    rest
}

/// The queries of the filters in a segment. `None` if one reads the whole document.
fn queries(mut rest: &str) -> Option<Vec<Segments>> {
    let mut queries = Vec::new();
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match character {
            '\'' | '"' => rest = after_text(rest, character),
            '$' => return None,
            '@' => {
                let (query, after) = Segments::of(rest)?;
                queries.push(query);
                rest = after;
            }
            _ => {}
        }
    }
    Some(queries)
}

/// The first name of the segments of a path, and the segments after it.
pub(super) fn first(segments: &str) -> Option<(&str, &str)> {
    if let Some(rest) = segments.strip_prefix('.') {
        let end = rest.find(|c: char| matches!(c, '.' | '[') || c.is_whitespace()).unwrap_or(rest.len());
        return rest.split_at_checked(end).filter(|(name, _)| !name.is_empty() && *name != "*");
    }
    let rest = segments.strip_prefix('[')?;
    let quote = if rest.starts_with('\'') { '\'' } else { '"' };
    let (name, rest) = rest.strip_prefix(quote)?.split_once(quote)?;
    let rest = rest.strip_prefix(']')?;
    (!name.contains('\\')).then_some((name, rest))
}
