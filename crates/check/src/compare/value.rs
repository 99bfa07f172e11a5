//! The values that are compared, and the way they are.

use std::borrow::Cow;
use std::cmp::Ordering;

use candor_json::Value;

use super::{CompareAs, DateForm, DateValue, Decimal, ElementTypes, References, Rule, Zone, applied};

/// A value that a path selected.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum<'a> {
    /// A typed value of JSON data.
    Json(Cow<'a, Value>),
    /// A value of data that carries text only (HL7 v2, X12, CSV, text).
    Text(Cow<'a, str>),
}

/// Everything about a comparison but the two values.
#[derive(Clone, Debug)]
pub struct MatchMode<'a> {
    /// The member `as`; `None` compares by type.
    pub read_as: Option<CompareAs>,
    /// The equivalence rules of `using`.
    pub rules: &'a [Rule],
    /// The notations a date may have in the data (ISO is always understood in `expected`).
    pub dates: &'a [DateForm],
    /// The targets of FHIR references.
    pub references: &'a References,
    /// The zone in which days are days.
    pub zone: Option<&'a Zone>,
    /// How elements are read by their definition, where `as` does not say it.
    pub types: Option<&'a ElementTypes>,
}

/// The outcome of one comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// It holds.
    Holds,
    /// It does not hold.
    Fails,
    /// The value is null, where the comparison needs one.
    Absent,
    /// It is not decided, and not because of how the value is written.
    Undecidable,
    /// The value is written too vaguely to decide it: a date without its day, a quantity without its unit.
    Vague,
    /// The values are not of a kind that can be compared this way.
    TypeMismatch,
}

impl Comparison {
    /// The opposite of an equality; what is not an answer stays none.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Holds => Self::Fails,
            Self::Fails => Self::Holds,
            other => other,
        }
    }
}

impl From<bool> for Comparison {
    fn from(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }
}

impl Datum<'_> {
    /// Returns `true` if this is JSON's null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Json(value) if value.is_null())
    }

    /// Returns `true` if this is null, `""`, `[]` or `{}`.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::Json(value) => match value.as_ref() {
                Value::Null => true,
                Value::String(text) => text.is_empty(),
                Value::Array(items) => items.is_empty(),
                Value::Object(members) => members.is_empty(),
                _ => false,
            },
        }
    }

    /// The text of a string; `None` for anything else.
    #[must_use]
    pub fn string(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Json(value) => value.as_str(),
        }
    }

    /// The text of a scalar: a string, a number as it is written, `true` or `false`.
    #[must_use]
    pub fn scalar(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Json(value) => scalar(value),
        }
    }

    /// The value as evidence shows it.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Text(text) => Value::String(text.to_string()),
            Self::Json(value) => value.as_ref().clone(),
        }
    }
}

pub(super) fn scalar(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        Value::Bool(truth) => Some(Cow::Borrowed(if *truth { "true" } else { "false" })),
        _ => None,
    }
}

impl<'a> MatchMode<'a> {
    /// Comparison by type under these rules: dates in these notations, days by their own clock.
    #[must_use]
    pub fn new(rules: &'a [Rule], dates: &'a [DateForm], references: &'a References) -> Self {
        Self { read_as: None, rules, dates, references, zone: None, types: None }
    }

    /// A date of the data: as it is, else as the rules leave it.
    pub(super) fn date(&self, text: &str) -> Option<DateValue> {
        let read = |text: &str| self.dates.iter().find_map(|&form| DateValue::parse(text, form));
        read(text).or_else(|| read(&applied(self.rules, text, self.references)))
    }

    /// A date of the assertion: in ISO form, or as the data writes it.
    pub(super) fn expected_date(&self, text: &str) -> Option<DateValue> {
        DateValue::parse(text, DateForm::Iso).or_else(|| self.date(text))
    }

    /// How the value is read: as the assertion says, else by the definition of its element.
    pub(super) fn read_as(&self, value: &Value) -> Option<CompareAs> {
        self.read_as.or_else(|| self.types?.of(value))
    }
}

/// A conjunction. What is vague comes before what is undecidable: it would not hold even if the rest did.
pub(super) fn all(judged: impl Iterator<Item = Comparison>) -> Comparison {
    judged.fold(Comparison::Holds, |so_far, next| match (so_far, next) {
        (Comparison::Fails, _) | (_, Comparison::Fails) => Comparison::Fails,
        (Comparison::Holds, other) | (other, Comparison::Holds) => other,
        (Comparison::Undecidable, other) => other,
        (first, _) => first,
    })
}

/// A disjunction: one that holds is enough, and only certain failures make a failure.
pub(crate) fn any(judged: impl Iterator<Item = Comparison>) -> Comparison {
    judged.fold(Comparison::Fails, |so_far, next| match (so_far, next) {
        (Comparison::Holds, _) | (_, Comparison::Holds) => Comparison::Holds,
        (Comparison::Undecidable, _) | (_, Comparison::Undecidable) => Comparison::Undecidable,
        (Comparison::Vague, _) | (_, Comparison::Vague) => Comparison::Vague,
        (Comparison::Fails, other) => other,
        (first, _) => first,
    })
}

/// The value as a number: as it is, else as the rules leave it.
pub(super) fn number(datum: &Datum<'_>, manner: &MatchMode<'_>) -> Option<Decimal> {
    match datum {
        Datum::Json(value) if value.is_number() => Decimal::json(&value.to_string()),
        other => {
            let text = other.string()?;
            Decimal::plain(text).or_else(|| Decimal::plain(&applied(manner.rules, text, manner.references)))
        }
    }
}

pub(super) fn number_expected(expected: &Value) -> Option<Decimal> {
    match expected {
        Value::Number(number) => Decimal::json(&number.to_string()),
        Value::String(text) => Decimal::plain(text),
        _ => None,
    }
}

/// An ordering that is asserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The value is greater than the expected one.
    Greater,
    /// The value is greater or equal.
    GreaterOrEqual,
    /// The value is less.
    Less,
    /// The value is less or equal.
    LessOrEqual,
}

impl Order {
    pub(super) fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
        }
    }
}
