//! When a rule applies.

use candor_hl7v2::{Message, Path, Segment};
use regex::Regex;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::value::{Parsed, Pattern, Text};

#[derive(Debug)]
pub(crate) enum Condition {
    Value(Path, Test),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
}

#[derive(Debug)]
pub(crate) enum Test {
    In(Vec<String>),
    Pattern(Regex),
    /// The value is present, or absent.
    Valued(bool),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    path: Option<Parsed>,
    equals: Option<Text>,
    r#in: Option<Vec<Text>>,
    pattern: Option<Pattern>,
    valued: Option<bool>,
    all: Option<Vec<Condition>>,
    any: Option<Vec<Condition>>,
    not: Option<Box<Condition>>,
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Members { path, equals, r#in, pattern, valued, all, any, not } = Members::deserialize(deserializer)?;
        let tests: Vec<Test> = [
            equals.map(|text| Test::In(vec![text.0])),
            r#in.map(|texts| Test::In(texts.into_iter().map(|text| text.0).collect())),
            pattern.map(|pattern| Test::Pattern(pattern.0)),
            valued.map(Test::Valued),
        ]
        .into_iter()
        .flatten()
        .collect();
        let combined: Vec<Self> =
            [all.map(Self::All), any.map(Self::Any), not.map(Self::Not)].into_iter().flatten().collect();
        let one = |mut conditions: Vec<Self>| conditions.pop().filter(|_| conditions.is_empty());
        let wrong =
            "a condition is a `path` with one of `equals`, `in`, `pattern`, `valued`; or one of `all`, `any`, `not`";
        match (path, tests.len(), combined.len()) {
            (Some(path), 1, 0) => {
                Ok(tests.into_iter().next().map_or_else(|| Self::All(Vec::new()), |test| Self::Value(path.0, test)))
            }
            (None, 0, 1) => one(combined).ok_or_else(|| D::Error::custom(wrong)),
            _ => Err(D::Error::custom(wrong)),
        }
    }
}

impl Condition {
    /// True if it is read in the segment of the rule, so that it may hold in one and not in another.
    pub(super) fn looks_into(&self, segment_id: &str) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.looks_into(segment_id)),
            Self::Not(not) => not.looks_into(segment_id),
            Self::Value(path, _) => path.segment_id() == segment_id && !selects_segments(path),
        }
    }

    /// True if it holds. A path into the same kind of segment as the rule's is read in that very segment, unless it
    /// says itself which segments it means.
    pub(super) fn holds(&self, message: &Message<'_>, segment: Option<Segment<'_>>) -> bool {
        match self {
            Self::All(all) => all.iter().all(|condition| condition.holds(message, segment)),
            Self::Any(any) => any.iter().any(|condition| condition.holds(message, segment)),
            Self::Not(not) => !not.holds(message, segment),
            Self::Value(path, test) => {
                let same = segment
                    .filter(|segment| segment.id() == path.segment_id().as_bytes())
                    .filter(|_| !selects_segments(path));
                let mut values = match same {
                    Some(segment) => {
                        path.places_in(segment).into_iter().flatten().map(|v| v.text().text.into_owned()).collect()
                    }
                    None => path.select(message).map(|value| value.text().text.into_owned()).collect::<Vec<_>>(),
                }
                .into_iter();
                match test {
                    Test::Valued(valued) => values.next().is_some() == *valued,
                    Test::In(list) => values.any(|value| list.contains(&value)),
                    Test::Pattern(pattern) => values.any(|value| pattern.is_match(&value)),
                }
            }
        }
    }
}

fn selects_segments(path: &Path) -> bool {
    path.as_str().as_bytes().get(3) == Some(&b'[')
}
