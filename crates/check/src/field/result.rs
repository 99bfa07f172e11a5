//! Field results: what evidence is made of.

use std::fmt;
use std::ops::Range;

use candor_json::Value;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::compare::{Operator, Rule};
use crate::outcome::Share;

/// Where something is in the ground truth.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Location {
    /// The file, row, message or URL: a path relative to the sandbox for a folder source.
    pub locator: String,
    /// First byte and the byte after the last one, in what `locator` names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<(u64, u64)>,
}

impl Location {
    /// A whole file, row, message or URL.
    #[must_use]
    pub fn whole(locator: impl Into<String>) -> Self {
        Self { locator: locator.into(), span: None }
    }

    /// Some bytes of a file.
    #[must_use]
    pub fn bytes(locator: impl Into<String>, span: Range<u64>) -> Self {
        Self { locator: locator.into(), span: Some((span.start, span.end)) }
    }
}

/// Why a field result did not pass, where it is not simply another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldReason {
    /// The path selected nothing.
    Absent,
    /// The value is not of a kind that can be compared this way.
    TypeMismatch,
    /// It is not decided, and not because of how the value is written.
    Undecidable,
    /// The value is written too vaguely to decide it. Evidence says `undecidable`, as for every other doubt.
    Vague,
    /// The number of items is not the one asserted.
    CountMismatch,
    /// Several items satisfy what exactly one must.
    AmbiguousMatch,
    /// A code of the standard behind the data, for constraints: X12's `IK502`, HL7's table 0357.
    Code(&'static str),
}

impl FieldReason {
    /// The reason as evidence names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::TypeMismatch => "type_mismatch",
            Self::Undecidable | Self::Vague => "undecidable",
            Self::CountMismatch => "count_mismatch",
            Self::AmbiguousMatch => "ambiguous_match",
            Self::Code(code) => code,
        }
    }
}

/// A comparison: what was asserted, what was seen, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldResult {
    /// The path as the author wrote it; `$count` and the like for constraints.
    pub path: String,
    /// The operator; evidence leaves `equals` out.
    pub operator: Operator,
    /// The expected value.
    pub expected: Value,
    /// The value there: null for nothing, an array for several values.
    pub actual: Value,
    /// True if it passed.
    pub passed: bool,
    /// The equivalence rules that made the difference.
    pub rules: Vec<Rule>,
    /// Why it did not pass, where there is more to say.
    pub reason: Option<FieldReason>,
    /// Where the actual value is.
    pub source: Option<Location>,
    /// Weight in the criterion's share.
    pub weight: Share,
    /// Of how many values the actual one is the first, where it did not pass and a path near its own selects all of them.
    pub among: Option<Box<Among>>,
    /// A second form of the value that means something else, as the rest of a sentence.
    pub contradiction: Option<Box<str>>,
}

/// The values that a path selects, of which another takes the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Among {
    /// Their number, above 1.
    pub number: usize,
    /// The path that selects them.
    pub path: String,
}

impl Among {
    /// Nothing where there is no other value.
    #[must_use]
    pub fn of(number: usize, path: impl Into<String>) -> Option<Box<Self>> {
        (number > 1).then(|| Box::new(Self { number, path: path.into() }))
    }
}

impl fmt::Display for Among {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the first of {} that `{}` selects", self.number, self.path)
    }
}

impl FieldResult {
    /// A constraint that is not a field assertion (`$count`, a cardinality, a size): weight 1.
    #[must_use]
    pub fn constraint(path: impl Into<String>, expected: Value, actual: Value, passed: bool) -> Self {
        Self {
            path: path.into(),
            operator: Operator::Equals,
            expected,
            actual,
            passed,
            rules: Vec::new(),
            reason: None,
            source: None,
            weight: Share::one(),
            among: None,
            contradiction: None,
        }
    }

    /// Returns true when the result failed on a single value, which may be the first of several.
    #[must_use]
    pub fn is_of_one(&self) -> bool {
        !self.passed && !self.actual.is_null() && !self.actual.is_array()
    }

    /// The same with another operator.
    #[must_use]
    pub fn with_operator(self, operator: Operator) -> Self {
        Self { operator, ..self }
    }

    /// The same with the place its actual value was read from.
    #[must_use]
    pub fn at(self, source: Location) -> Self {
        Self { source: Some(source), ..self }
    }

    /// The same with a reason.
    #[must_use]
    pub fn because(self, reason: FieldReason) -> Self {
        Self { reason: Some(reason), ..self }
    }

    /// Returns `true` if this did not pass only because it could not be decided.
    #[must_use]
    pub fn is_undecidable(&self) -> bool {
        !self.passed && matches!(self.reason, Some(FieldReason::Undecidable | FieldReason::Vague))
    }

    /// Returns `true` if this did not pass because what was written is too vague to decide it.
    #[must_use]
    pub fn is_vague(&self) -> bool {
        !self.passed && self.reason == Some(FieldReason::Vague)
    }
}

impl Serialize for FieldResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &self.path)?;
        map.serialize_entry("expected", &self.expected)?;
        map.serialize_entry("actual", &shown(&self.actual))?;
        map.serialize_entry("passed", &self.passed)?;
        if self.operator != Operator::Equals {
            map.serialize_entry("op", self.operator.name())?;
        }
        if !self.rules.is_empty() {
            map.serialize_entry("rule", &self.rules.iter().map(|r| r.name()).collect::<Vec<_>>())?;
        }
        if let Some(reason) = self.reason {
            map.serialize_entry("reason", reason.name())?;
        }
        if let Some(source) = &self.source {
            map.serialize_entry("source", source)?;
        }
        map.end()
    }
}

/// The longest string that evidence holds, in characters.
const LONGEST_TEXT: usize = 2000;
/// The most values of an array that evidence holds.
const MOST_VALUES: usize = 20;

/// A value of the ground truth as evidence holds it: verbatim, strings cut at 2,000 characters and the top array at 20
/// values, each cut marked; a larger structure by its text, cut likewise.
#[must_use]
pub fn shown(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(cut(text)),
        Value::Array(items) => {
            let mut kept: Vec<Value> = items.iter().take(MOST_VALUES).map(shown_whole).collect();
            if items.len() > MOST_VALUES {
                kept.push(Value::String(format!("… {} more values", items.len() - MOST_VALUES)));
            }
            Value::Array(kept)
        }
        other => shown_whole(other),
    }
}

fn shown_whole(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(cut(text)),
        Value::Array(_) | Value::Object(_) => {
            let text = value.to_string();
            if text.len() > LONGEST_TEXT { Value::String(cut(&text)) } else { value.clone() }
        }
        other => other.clone(),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((at, _)) => {
            let total = text.chars().count();
            format!("{}… [cut: {total} characters]", text.get(..at).unwrap_or_default())
        }
        None => text.to_owned(),
    }
}
