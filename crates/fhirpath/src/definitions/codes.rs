//! The codes that required bindings allow.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::nearest;
use super::table::Releases;

/// The required codes, a row for each element with a required binding: its path and the codes. A code that R4 does not
/// have is followed by `@` and its releases.
const TABLE: &str = include_str!("../../data/required-codes.tsv");

static ROWS: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| TABLE.lines().filter_map(|line| line.split_once('\t')).collect());

/// The codes that the required binding of an element allows in R4, R4B or R5.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Codes {
    /// The elements: several where a path may lead to one of several.
    elements: Vec<&'static str>,
    codes: Vec<(&'static str, Releases)>,
}

impl Codes {
    /// Those of an element by its path (`Task.status`), where it has a required binding that can be enumerated.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let (path, row) = ROWS.get_key_value(path)?;
        let codes = row.split_ascii_whitespace().map(|code| match code.split_once('@') {
            Some((code, marks)) => (code, Releases::marked(marks)),
            None => (code, Releases::ALL),
        });
        Some(Self { elements: vec![path], codes: codes.collect() })
    }

    /// Those of several elements together; nothing where one of them allows other codes.
    pub(super) fn of_all(paths: &[String]) -> Option<Self> {
        let mut all = paths.iter().map(|path| Self::of(path));
        let mut first = all.next()??;
        for other in all {
            let other = other?;
            first.elements.extend(other.elements);
            first.codes.extend(other.codes);
        }
        first.elements.dedup();
        Some(first)
    }

    /// The path of the element: `Task.status`.
    #[must_use]
    pub fn element(&self) -> &'static str {
        self.elements.first().copied().unwrap_or_default()
    }

    /// The codes.
    pub fn iter(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.codes.iter().map(|(code, _)| *code)
    }

    /// The releases that have a code.
    #[must_use]
    pub fn releases(&self, code: &str) -> Option<Releases> {
        let of = self.codes.iter().filter(|(known, _)| *known == code).map(|(_, releases)| *releases);
        of.reduce(Releases::and)
    }

    /// The code that is most like another, when one is like it at all.
    #[must_use]
    pub fn nearest(&self, code: &str) -> Option<&'static str> {
        nearest(code, self.iter())
    }
}
