//! One field assertion over the values its path selected.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Value, json};

use super::{Expected, Field, FieldPath, FieldReason, FieldResult, Place, Quantifier};
use crate::compare::{
    As, DateForm, Datum, Judged, Manner, Operator, References, Rule, applied, between, equal, lists_equal, order,
};

/// One value that a path selected, with its place in the candidate's file where that is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<'a> {
    /// The value.
    pub datum: Datum<'a>,
    /// Its bytes in the file that the candidate's locator names.
    pub span: Option<Range<u64>>,
}

impl Found<'_> {
    /// The same, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Found<'static> {
        let datum = match self.datum {
            Datum::Json(value) => Datum::Json(Cow::Owned(value.into_owned())),
            Datum::Text(text) => Datum::Text(Cow::Owned(text.into_owned())),
        };
        Found { datum, span: self.span }
    }
}

/// What a path selected, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection<'a> {
    /// The values.
    pub values: Vec<Found<'a>>,
    /// Whether an array at the end of the path stands for its elements (dotted paths) or for itself (JSONPath).
    pub expands: bool,
    /// Whether what is selected stays open, for reading it would be a guess or has no bound: nothing is decided by it.
    pub open: bool,
}

impl<'a> Selection<'a> {
    /// Values of data that carries text only.
    #[must_use]
    pub fn texts(values: Vec<Found<'a>>) -> Self {
        Self { values, expands: false, open: false }
    }

    /// A selection that stays open.
    #[must_use]
    pub fn open() -> Self {
        Self { open: true, ..Self::default() }
    }

    /// The same, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Selection<'static> {
        let Self { values, expands, open } = self;
        Selection { values: values.into_iter().map(Found::into_owned).collect(), expands, open }
    }
}

/// The candidate that values are read from, as a field result needs to know it.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The candidate's locator, for the field results' `source`.
    pub locator: &'a str,
    /// The candidate's own span, used where a value has none.
    pub span: Option<(u64, u64)>,
    /// What FHIR references resolve to.
    pub references: &'a References,
}

impl<P: FieldPath> Field<P> {
    /// Judges the values that the path selected in one candidate.
    #[must_use]
    pub fn evaluate(&self, selection: Selection<'_>, reading: Reading<'_>) -> FieldResult {
        self.evaluate_dated(selection, reading, P::DATES)
    }
}

impl<P> Field<P> {
    /// As [`Field::evaluate`], with the date notations of the data given.
    #[must_use]
    pub fn evaluate_dated(&self, selection: Selection<'_>, reading: Reading<'_>, dates: &[DateForm]) -> FieldResult {
        let Selection { values, expands, open } = selection;
        if open {
            return self.unjudged(FieldReason::Undecidable, reading);
        }
        let first_span = values.first().and_then(|found| found.span.clone());
        let whole_list =
            matches!(&self.expected, Expected::Equals(Value::Array(_)) | Expected::NotEquals(Value::Array(_)));
        let selected: Vec<Datum<'_>> = values.into_iter().map(|found| found.datum).collect();
        let data = if expands && !(whole_list && selected.len() == 1) { elements(selected) } else { selected };
        let judge = |rules: &[Rule]| {
            self.judge(&data, &Manner { read_as: self.read_as, rules, dates, references: reading.references })
        };
        let judged = judge(&self.rules);
        let passed = judged == Judged::Holds || (judged == Judged::Absent && self.absent_passes);
        let span = first_span.map(|span| (span.start, span.end)).or(reading.span);
        FieldResult {
            path: self.path_text.clone(),
            operator: self.operator,
            expected: self.expected_value.clone(),
            actual: self.actual(&data),
            passed,
            rules: deciding(&self.rules, judged, judge),
            reason: match judged {
                _ if passed => None,
                Judged::Absent => Some(FieldReason::Absent),
                Judged::Undecidable => Some(FieldReason::Undecidable),
                Judged::TypeMismatch => Some(FieldReason::TypeMismatch),
                Judged::Holds | Judged::Fails => None,
            },
            source: Some(Place { locator: reading.locator.to_owned(), span }),
            weight: self.weight.clone(),
        }
    }

    /// The result for values that could not be read or compared, and why.
    #[must_use]
    pub fn unjudged(&self, reason: FieldReason, reading: Reading<'_>) -> FieldResult {
        FieldResult {
            path: self.path_text.clone(),
            operator: self.operator,
            expected: self.expected_value.clone(),
            actual: Value::Null,
            passed: false,
            rules: Vec::new(),
            reason: Some(reason),
            source: Some(Place { locator: reading.locator.to_owned(), span: reading.span }),
            weight: self.weight.clone(),
        }
    }

    fn actual(&self, data: &[Datum<'_>]) -> Value {
        match data {
            _ if self.operator == Operator::Count => json!(data.len()),
            [] => Value::Null,
            [one] => one.to_value(),
            several => Value::Array(several.iter().map(Datum::to_value).collect()),
        }
    }

    fn judge(&self, data: &[Datum<'_>], manner: &Manner<'_>) -> Judged {
        match &self.expected {
            Expected::Count(cardinality) => cardinality.allows(data.len() as u64).into(),
            Expected::Equals(Value::Array(items)) => list(data, items, manner),
            Expected::NotEquals(Value::Array(_)) if data.is_empty() => Judged::Absent,
            Expected::NotEquals(Value::Array(items)) => list(data, items, manner).negated(),
            Expected::Empty | Expected::Equals(Value::Null) if data.is_empty() => Judged::Holds,
            _ if data.is_empty() => Judged::Absent,
            _ => quantified(self.quantifier, data.iter().map(|datum| self.one(datum, manner))),
        }
    }

    fn one(&self, datum: &Datum<'_>, manner: &Manner<'_>) -> Judged {
        let among = |items: &[Value]| any(items.iter().map(|item| equal(datum, item, manner)));
        match &self.expected {
            Expected::Equals(value) => equal(datum, value, manner),
            Expected::NotEquals(value) => equal(datum, value, manner).negated(),
            Expected::In(items) => among(items),
            // A null is not "none of these": nothing was seen that could be one of them.
            Expected::NotIn(items) if datum.is_null() && !items.contains(&Value::Null) => Judged::Absent,
            Expected::NotIn(items) => among(items).negated(),
            Expected::Ordered(asserted, value) => order(datum, value, *asserted, manner),
            Expected::Between(low, high) => between(datum, low, high, manner),
            Expected::Contains(part) => contains(datum, part, manner),
            Expected::NotContains(part) => contains(datum, part, manner).negated(),
            Expected::Matches(expression) => match self.text(datum) {
                _ if datum.is_null() => Judged::Absent,
                Some(text) => expression.is_match(&applied(manner.rules, &text, manner.references)).into(),
                None => Judged::TypeMismatch,
            },
            Expected::Empty => datum.is_empty().into(),
            Expected::NotEmpty => (!datum.is_empty()).into(),
            // Counted over all values, never of one.
            Expected::Count(_) => Judged::TypeMismatch,
        }
    }

    fn text<'d>(&self, datum: &'d Datum<'_>) -> Option<Cow<'d, str>> {
        if self.read_as == Some(As::String) { datum.scalar() } else { datum.string().map(Into::into) }
    }
}

fn contains(datum: &Datum<'_>, part: &str, manner: &Manner<'_>) -> Judged {
    let text = match manner.read_as {
        Some(As::String) => datum.scalar(),
        _ => datum.string().map(Into::into),
    };
    match text {
        _ if datum.is_null() => Judged::Absent,
        Some(text) => {
            let part = applied(manner.rules, part, manner.references);
            applied(manner.rules, &text, manner.references).contains(part.as_ref()).into()
        }
        None => Judged::TypeMismatch,
    }
}

/// An expected array is held against all values, or against the one array that was selected.
fn list(data: &[Datum<'_>], items: &[Value], manner: &Manner<'_>) -> Judged {
    let whole = match data {
        [Datum::Json(value)] if value.is_array() => {
            equal(&Datum::Json(value.clone()), &Value::Array(items.to_vec()), manner)
        }
        _ => Judged::Fails,
    };
    match whole {
        Judged::Holds => Judged::Holds,
        other => match lists_equal(data, items, manner) {
            Judged::Fails | Judged::Absent => other,
            listed => listed,
        },
    }
}

fn elements<'a>(data: Vec<Datum<'a>>) -> Vec<Datum<'a>> {
    let mut out = Vec::with_capacity(data.len());
    for datum in data {
        match datum {
            Datum::Json(Cow::Borrowed(Value::Array(items))) => {
                out.extend(items.iter().map(|item| Datum::Json(Cow::Borrowed(item))));
            }
            Datum::Json(Cow::Owned(Value::Array(items))) => {
                out.extend(items.into_iter().map(|item| Datum::Json(Cow::Owned(item))));
            }
            other => out.push(other),
        }
    }
    out
}

/// A disjunction: one that holds is enough, and only certain failures make a failure.
fn any(judged: impl Iterator<Item = Judged>) -> Judged {
    judged.fold(Judged::Fails, |so_far, next| match (so_far, next) {
        (Judged::Holds, _) | (_, Judged::Holds) => Judged::Holds,
        (Judged::Undecidable, _) | (_, Judged::Undecidable) => Judged::Undecidable,
        (Judged::Fails, other) => other,
        (first, _) => first,
    })
}

fn quantified(quantifier: Quantifier, judged: impl Iterator<Item = Judged>) -> Judged {
    let judged: Vec<Judged> = judged.collect();
    let number = |kind: Judged| judged.iter().filter(|&&j| j == kind).count();
    let unclear =
        || judged.iter().copied().find(|&j| !matches!(j, Judged::Holds | Judged::Fails | Judged::Undecidable));
    let (holding, undecidable) = (number(Judged::Holds), number(Judged::Undecidable));
    match quantifier {
        Quantifier::Any => any(judged.iter().copied()),
        Quantifier::All if holding == judged.len() => Judged::Holds,
        Quantifier::All if number(Judged::Fails) > 0 => Judged::Fails,
        Quantifier::All => unclear().unwrap_or(Judged::Undecidable),
        Quantifier::None if holding > 0 => Judged::Fails,
        Quantifier::None if undecidable > 0 => Judged::Undecidable,
        // What could not be compared was not seen to be otherwise.
        Quantifier::None => unclear().unwrap_or(Judged::Holds),
        Quantifier::ExactlyOne if holding > 1 => Judged::Fails,
        Quantifier::ExactlyOne if undecidable > 0 => Judged::Undecidable,
        Quantifier::ExactlyOne => (holding == 1).into(),
    }
}

/// The smallest set of the rules, in their order, without any of which the outcome would have been another.
fn deciding(rules: &[Rule], outcome: Judged, judge: impl Fn(&[Rule]) -> Judged) -> Vec<Rule> {
    if rules.is_empty() || judge(&[]) == outcome {
        return Vec::new();
    }
    let mut needed = rules.to_vec();
    for rule in rules {
        let without: Vec<Rule> = needed.iter().copied().filter(|kept| kept != rule).collect();
        if judge(&without) == outcome {
            needed = without;
        }
    }
    needed
}
