//! A field assertion over the values its path selected.

use std::borrow::Cow;
use std::ops::Range;

use candor_json::{Value, json};

use super::{Expected, Field, FieldPath, FieldReason, FieldResult, Location, Quantifier};
use crate::compare::{
    CompareAs, Comparison, DateForm, Datum, ElementTypes, MatchMode, Operator, References, Rule, amounts, any, applied,
    between, equal, lists_equal, order,
};
use crate::identity::is_unseen;
use crate::meaning::{Understanding, Understood};

/// A value that a path selected, with its place in the candidate's file where that is known.
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

/// The values that a path selected, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection<'a> {
    /// The values.
    pub values: Vec<Found<'a>>,
    /// True if an array at the end of the path represents its elements (dotted paths) or itself (JSONPath).
    pub expands: bool,
    /// True if what is selected stays open, for reading it would be a guess or has no bound: nothing is decided by it.
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
pub struct ReadFrom<'a> {
    /// The candidate's locator, for the field results' `source`.
    pub locator: &'a str,
    /// The candidate's own span, used for a value without a span.
    pub span: Option<(u64, u64)>,
    /// The targets of FHIR references.
    pub references: &'a References,
}

impl<P: FieldPath> Field<P> {
    /// Judges the values that the path selected in one candidate.
    #[must_use]
    pub fn evaluate(&self, selection: Selection<'_>, reading: ReadFrom<'_>) -> FieldResult {
        self.evaluate_as(selection, reading, P::DATES, None)
    }

    /// Says whether [`Field::evaluate`] passes for these values, without a result: `None` where it is undecidable.
    pub fn decides<'a>(&self, mut values: impl Iterator<Item = Datum<'a>>, references: &References) -> Option<bool> {
        let zone = self.zone.as_ref();
        let manner =
            MatchMode { read_as: self.read_as, rules: &self.rules, dates: P::DATES, references, zone, types: None };
        let judged = match (&self.expected, values.next(), values.next()) {
            (Expected::Meaning(_), first, second) => {
                let found = |datum| Found { datum, span: None };
                let all = first.into_iter().chain(second).chain(values).map(found).collect();
                let result = self.evaluate(Selection::texts(all), ReadFrom { locator: "", span: None, references });
                return (!result.is_undecidable()).then_some(result.passed);
            }
            (_, None, _) => self.judge(&[], &manner),
            (_, Some(one), None) => self.judge(&[one], &manner),
            (_, Some(first), Some(second)) => {
                self.judge(&[first, second].into_iter().chain(values).collect::<Vec<_>>(), &manner)
            }
        };
        match judged {
            Comparison::Holds => Some(true),
            Comparison::Absent => Some(self.absent_passes),
            Comparison::Undecidable | Comparison::Vague => None,
            Comparison::Fails | Comparison::TypeMismatch => Some(false),
        }
    }

    /// As [`Field::evaluate`], where definitions say how elements are read.
    #[must_use]
    pub fn evaluate_defined(
        &self,
        selection: Selection<'_>,
        reading: ReadFrom<'_>,
        types: &ElementTypes,
    ) -> FieldResult {
        self.evaluate_as(selection, reading, P::DATES, Some(types))
    }
}

impl<P> Field<P> {
    /// As [`Field::evaluate`], with the date notations of the data given.
    #[must_use]
    pub fn evaluate_dated(&self, selection: Selection<'_>, reading: ReadFrom<'_>, dates: &[DateForm]) -> FieldResult {
        self.evaluate_as(selection, reading, dates, None)
    }

    fn evaluate_as(
        &self,
        selection: Selection<'_>,
        reading: ReadFrom<'_>,
        dates: &[DateForm],
        types: Option<&ElementTypes>,
    ) -> FieldResult {
        let Selection { values, expands, open } = selection;
        if open {
            return self.unjudged(FieldReason::Undecidable, reading);
        }
        let spans = values.iter().map_while(|found| found.span.as_ref().map(|span| (span.start, span.end)));
        let spans: Vec<(u64, u64)> = spans.collect();
        let first_span = spans.first().copied();
        let whole_list =
            matches!(&self.expected, Expected::Equals(Value::Array(_)) | Expected::NotEquals(Value::Array(_)));
        let selected: Vec<Datum<'_>> = values.into_iter().map(|found| found.datum).collect();
        if let Expected::Meaning(meaning) = &self.expected {
            let values: Vec<Value> = selected.iter().map(Datum::to_value).collect();
            let span = first_span.or(reading.span);
            return self.meant(meaning.understood(&values), span, reading);
        }
        let data = if expands && !(whole_list && selected.len() == 1) { elements(selected) } else { selected };
        let judge = |rules: &[Rule]| {
            let (references, zone) = (reading.references, self.zone.as_ref());
            self.judge(&data, &MatchMode { read_as: self.read_as, rules, dates, references, zone, types })
        };
        let judged = judge(&self.rules);
        let passed = judged == Comparison::Holds || (judged == Comparison::Absent && self.absent_passes);
        let decisive = first_span.and(self.decisive(judged)).and_then(|outcome| {
            let (rules, references, zone) = (self.rules.as_slice(), reading.references, self.zone.as_ref());
            let manner = MatchMode { read_as: self.read_as, rules, dates, references, zone, types };
            let at = data.iter().position(|datum| self.one(datum, &manner) == outcome)?;
            spans.get(at).copied()
        });
        let span = decisive.or(first_span).or(reading.span);
        FieldResult {
            path: self.path_text.clone(),
            operator: self.operator,
            expected: self.expected_value.clone(),
            actual: self.actual(&data),
            passed,
            rules: deciding(&self.rules, judged, judge),
            reason: match judged {
                _ if passed => None,
                Comparison::Absent => Some(FieldReason::Absent),
                Comparison::Undecidable => Some(FieldReason::Undecidable),
                Comparison::Vague => Some(FieldReason::Vague),
                Comparison::TypeMismatch => Some(FieldReason::TypeMismatch),
                Comparison::Holds | Comparison::Fails => None,
            },
            source: Some(Location { locator: reading.locator.to_owned(), span }),
            weight: self.weight.clone(),
            among: None,
            contradiction: None,
        }
    }

    /// The outcome of the one value that decides over several.
    fn decisive(&self, judged: Comparison) -> Option<Comparison> {
        match (self.quantifier, judged) {
            (Quantifier::Any | Quantifier::ExactlyOne, Comparison::Holds) | (Quantifier::None, Comparison::Fails) => {
                Some(Comparison::Holds)
            }
            (Quantifier::All, Comparison::Fails) => Some(Comparison::Fails),
            _ => None,
        }
    }

    /// The result for values that were held against a meaning.
    #[must_use]
    pub fn meant(&self, understood: Understood, span: Option<(u64, u64)>, reading: ReadFrom<'_>) -> FieldResult {
        let Understood { state, actual, contradiction } = understood;
        let result = self.unjudged(FieldReason::Undecidable, ReadFrom { span, ..reading });
        let passed = state == Understanding::Holds || state == Understanding::Absent && self.absent_passes;
        let reason = match state {
            _ if passed => None,
            Understanding::Holds | Understanding::Fails => None,
            Understanding::Several => Some(FieldReason::AmbiguousMatch),
            Understanding::Absent => Some(FieldReason::Absent),
            Understanding::Mismatch => Some(FieldReason::TypeMismatch),
            Understanding::Unknown => Some(FieldReason::Undecidable),
        };
        FieldResult { actual, passed, reason, contradiction: contradiction.map(String::into_boxed_str), ..result }
    }

    /// Returns `true` if several booleans are compared with one, and the author does not say how several are read.
    #[must_use]
    pub fn compares_several_conditions(&self, selection: &Selection<'_>) -> bool {
        let compares = match &self.expected {
            Expected::Equals(value) | Expected::NotEquals(value) => value.is_boolean(),
            Expected::In(values) | Expected::NotIn(values) => values.iter().any(Value::is_boolean),
            _ => false,
        };
        let is_boolean = |found: &Found<'_>| matches!(&found.datum, Datum::Json(value) if value.is_boolean());
        compares && !self.quantifier_given && selection.values.len() > 1 && selection.values.iter().all(is_boolean)
    }

    /// The result for values that could not be read or compared, and why.
    #[must_use]
    pub fn unjudged(&self, reason: FieldReason, reading: ReadFrom<'_>) -> FieldResult {
        FieldResult {
            path: self.path_text.clone(),
            operator: self.operator,
            expected: self.expected_value.clone(),
            actual: Value::Null,
            passed: false,
            rules: Vec::new(),
            reason: Some(reason),
            source: Some(Location { locator: reading.locator.to_owned(), span: reading.span }),
            weight: self.weight.clone(),
            among: None,
            contradiction: None,
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

    fn judge(&self, data: &[Datum<'_>], manner: &MatchMode<'_>) -> Comparison {
        match &self.expected {
            Expected::Count(cardinality) => cardinality.allows(data.len() as u64).into(),
            Expected::Equals(Value::Array(items)) => list(data, items, manner),
            Expected::NotEquals(Value::Array(_)) if data.is_empty() => Comparison::Absent,
            Expected::NotEquals(Value::Array(items)) => list(data, items, manner).negated(),
            Expected::Empty | Expected::Equals(Value::Null) if data.is_empty() => Comparison::Holds,
            _ if data.is_empty() => Comparison::Absent,
            _ => quantified(self.quantifier, data.iter().map(|datum| self.one(datum, manner))),
        }
    }

    fn one(&self, datum: &Datum<'_>, manner: &MatchMode<'_>) -> Comparison {
        let among = |items: &[Value]| any(items.iter().map(|item| equal(datum, item, manner)));
        match &self.expected {
            Expected::Equals(value) => equal(datum, value, manner),
            Expected::NotEquals(value) => equal(datum, value, manner).negated(),
            Expected::In(items) => among(items),
            // A null is not "none of these": nothing was seen that could be one of them.
            Expected::NotIn(items) if datum.is_null() && !items.contains(&Value::Null) => Comparison::Absent,
            Expected::NotIn(items) => among(items).negated(),
            Expected::Ordered(asserted, value) => order(datum, value, *asserted, manner),
            Expected::Between(low, high) => between(datum, low, high, manner),
            Expected::Contains(part) => contains(datum, part, manner),
            Expected::NotContains(part) => contains(datum, part, manner).negated(),
            Expected::Matches(expression) => match self.text(datum) {
                _ if datum.is_null() => Comparison::Absent,
                Some(text) => expression.is_match(&applied(manner.rules, &text, manner.references)).into(),
                None => Comparison::TypeMismatch,
            },
            Expected::Empty => datum.is_empty().into(),
            Expected::NotEmpty => (!datum.is_empty() && is_visible(datum, manner)).into(),
            // Counted over all values, never of one.
            Expected::Count(_) | Expected::Meaning(_) => Comparison::TypeMismatch,
        }
    }

    fn text<'d>(&self, datum: &'d Datum<'_>) -> Option<Cow<'d, str>> {
        if self.read_as == Some(CompareAs::String) { datum.scalar() } else { datum.string().map(Into::into) }
    }
}

/// Would a reader see a value? A text of blanks, or of characters that are not drawn, is nothing to a reader.
fn is_visible(datum: &Datum<'_>, manner: &MatchMode<'_>) -> bool {
    // A braille cell without dots is drawn as a blank.
    let is_hidden = |c: char| c.is_whitespace() || c == '\u{2800}' || is_unseen(c);
    datum.string().is_none_or(|text| !applied(manner.rules, text, manner.references).chars().all(is_hidden))
}

fn contains(datum: &Datum<'_>, part: &str, manner: &MatchMode<'_>) -> Comparison {
    let text = match manner.read_as {
        Some(CompareAs::String) => datum.scalar(),
        _ => datum.string().map(Into::into),
    };
    match text {
        _ if datum.is_null() => Comparison::Absent,
        Some(text) => {
            let is_money = manner.rules.contains(&Rule::Money);
            let ruled = |text| applied(manner.rules, text, manner.references);
            // Of an amount no digits are a part: $1,250.00 is not $250.
            let amounts = is_money.then(|| amounts(manner.rules, &text, part)).flatten();
            amounts.unwrap_or_else(|| ruled(&text).contains(ruled(part).as_ref())).into()
        }
        None => Comparison::TypeMismatch,
    }
}

/// An expected array is held against all values, or against the one array that was selected.
fn list(data: &[Datum<'_>], items: &[Value], manner: &MatchMode<'_>) -> Comparison {
    let whole = match data {
        [Datum::Json(value)] if value.is_array() => {
            equal(&Datum::Json(value.clone()), &Value::Array(items.to_vec()), manner)
        }
        _ => Comparison::Fails,
    };
    match whole {
        Comparison::Holds => Comparison::Holds,
        other => match lists_equal(data, items, manner) {
            Comparison::Fails | Comparison::Absent => other,
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

fn quantified(quantifier: Quantifier, judged: impl Iterator<Item = Comparison>) -> Comparison {
    if quantifier == Quantifier::Any {
        return any(judged);
    }
    let judged: Vec<Comparison> = judged.collect();
    let number = |kind: Comparison| judged.iter().filter(|&&j| j == kind).count();
    let mismatch = || judged.iter().copied().find(|&j| matches!(j, Comparison::Absent | Comparison::TypeMismatch));
    let holding = number(Comparison::Holds);
    let open = [Comparison::Vague, Comparison::Undecidable].into_iter().find(|&open| number(open) > 0);
    match quantifier {
        Quantifier::Any => any(judged.iter().copied()),
        Quantifier::All if holding == judged.len() => Comparison::Holds,
        Quantifier::All if number(Comparison::Fails) > 0 => Comparison::Fails,
        Quantifier::All => mismatch().or(open).unwrap_or(Comparison::Undecidable),
        Quantifier::None if holding > 0 => Comparison::Fails,
        // What could not be compared was not seen to be otherwise.
        Quantifier::None => open.or_else(mismatch).unwrap_or(Comparison::Holds),
        Quantifier::ExactlyOne if holding > 1 => Comparison::Fails,
        Quantifier::ExactlyOne => open.unwrap_or((holding == 1).into()),
    }
}

/// The smallest set of the rules, in their order, without any of which the outcome would have been another.
fn deciding(rules: &[Rule], outcome: Comparison, judge: impl Fn(&[Rule]) -> Comparison) -> Vec<Rule> {
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
