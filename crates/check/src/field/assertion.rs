//! A field assertion, validated: what cannot be judged cannot be built.

use std::sync::Arc;

use candor_json::{Value, json};
use regex::Regex;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::fhir_types::{is_quantity, typed_rules};
use super::members::Members;
use crate::compare::{
    CompareAs, DateForm, DateValue, Decimal, OPERATORS, Operator, Order, Quantity, RULES, Rule, Zone,
};
use crate::meaning::{Concept, Meaning};
use crate::outcome::Share;
use crate::settings::{Cardinality, nearest, one_of};

/// A path of one grammar. Implemented by every check for the grammar of its data.
pub trait FieldPath: Sized {
    /// The notations in which the data behind these paths writes dates.
    const DATES: &'static [DateForm];

    /// True if definitions of types say how the data is read where `as` does not: those of FHIR's elements.
    const DEFINED: bool = false;

    /// Reads a path.
    ///
    /// # Errors
    /// Where the text is not a path, or one that can never select: what is wrong, with the place and a suggestion.
    fn parse(text: &str) -> Result<Self, PathProblem>;

    /// Reads what `fhirpath` holds in place of `path`: for checks of FHIR resources.
    ///
    /// # Errors
    /// As [`FieldPath::parse`], and for every text where the data is not FHIR.
    fn parse_fhirpath(_text: &str) -> Result<Self, PathProblem> {
        let message = "FHIRPath is for FHIR resources; write a `path` in its place".to_owned();
        Err(PathProblem { offset: 0, message })
    }

    /// The meanings that its data can be held against: `concept`, `dosage`.
    const MEANINGS: &'static [&'static str] = &[];

    /// Reads the meaning that a field asserts by one of [`FieldPath::MEANINGS`].
    ///
    /// # Errors
    /// A member that is malformed, with the reason.
    fn meaning(member: &str, value: &Value) -> Result<Arc<dyn Meaning>, String> {
        match member {
            "concept" => Ok(Arc::new(Concept::read(value)?)),
            other => Err(format!("`{other}` is not a meaning of this data")),
        }
    }

    /// Reads the selector of an item group that lies in the items of `within`, the outermost first.
    ///
    /// # Errors
    /// As [`FieldPath::parse`], and for every text where the data has no items.
    fn parse_item(_text: &str, _within: &[Self]) -> Result<Self, PathProblem> {
        Err(PathProblem { offset: 0, message: "this data has no items; write fields with a `path`".to_owned() })
    }

    /// Reads what `fhirpath` holds in `item`.
    ///
    /// # Errors
    /// As [`FieldPath::parse_item`], and for every text if the data is not FHIR's.
    fn parse_fhirpath_item(text: &str, _within: &[Self]) -> Result<Self, PathProblem> {
        Self::parse_fhirpath(text)
    }

    /// Reads a path that begins at an item of the last of `within`.
    ///
    /// # Errors
    /// As [`FieldPath::parse`].
    fn parse_inside(text: &str, _within: &[Self]) -> Result<Self, PathProblem> {
        Self::parse(text)
    }

    /// Reads a FHIRPath that begins at an item of the last of `within`.
    ///
    /// # Errors
    /// As [`FieldPath::parse_fhirpath`].
    fn parse_fhirpath_inside(text: &str, _within: &[Self]) -> Result<Self, PathProblem> {
        Self::parse_fhirpath(text)
    }
}

/// Why a text is not a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathProblem {
    /// Where in the path, in bytes from its start.
    pub offset: usize,
    /// A sentence: what is wrong there, and what to write instead.
    pub message: String,
}

impl PathProblem {
    /// The path, the character where it goes wrong, and why.
    #[must_use]
    pub fn told(&self, path: &str) -> String {
        format!("`{path}`, at character {}: {}", characters(path, self.offset) + 1, self.message)
    }
}

/// Which of several values must satisfy the operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quantifier {
    /// At least one.
    #[default]
    Any,
    /// Every one.
    All,
    /// Not one.
    None,
    /// A single one.
    ExactlyOne,
}

pub(super) const QUANTIFIERS: &[(&str, Quantifier)] = &[
    ("any", Quantifier::Any),
    ("all", Quantifier::All),
    ("none", Quantifier::None),
    ("exactly_one", Quantifier::ExactlyOne),
];

const KINDS: &[(&str, CompareAs)] = &[
    ("string", CompareAs::String),
    ("number", CompareAs::Number),
    ("date", CompareAs::Date),
    ("reference", CompareAs::Reference),
    ("quantity", CompareAs::Quantity),
];

/// The assertion about the values a path selects: the operator with what it needs, so that an operator without it
/// cannot be built.
#[derive(Clone, Debug)]
pub enum Expected {
    /// `equals`
    Equals(Value),
    /// `notEquals`
    NotEquals(Value),
    /// `in`
    In(Vec<Value>),
    /// `notIn`
    NotIn(Vec<Value>),
    /// `greaterThan`, `greaterOrEqual`, `lessThan`, `lessOrEqual`
    Ordered(Order, Value),
    /// `between`
    Between(Value, Value),
    /// `contains`
    Contains(String),
    /// `notContains`
    NotContains(String),
    /// `matches`: the whole value against the expression
    Matches(Regex),
    /// `empty`
    Empty,
    /// `notEmpty`
    NotEmpty,
    /// `count`
    Count(Cardinality),
    /// `concept`, `dosage`
    Meaning(Arc<dyn Meaning>),
}

/// A field assertion over paths of the grammar `P`.
///
/// ```
/// use candor_check::field::Field;
/// use candor_check::json_path::DottedPath;
/// let field: Field<DottedPath> = candor_json::from_str(r#"{"path": "status", "op": "in", "expected": ["booked", "arrived"]}"#)?;
/// assert_eq!(field.path_text, "status");
/// let wrong = candor_json::from_str::<Field<DottedPath>>(r#"{"path": "status", "op": "within", "expected": 1}"#).unwrap_err();
/// assert!(wrong.to_string().contains("`within`"));
/// # Ok::<(), candor_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Field<P> {
    /// The path.
    pub path: P,
    /// The path as the author wrote it.
    pub path_text: String,
    /// The operator as the author wrote it.
    pub operator: Operator,
    /// The member `expected` as the author wrote it; null if the author wrote none.
    pub expected_value: Value,
    /// The assertion.
    pub expected: Expected,
    /// Which of several values must satisfy it.
    pub quantifier: Quantifier,
    /// True if the author wrote the quantifier.
    pub quantifier_given: bool,
    /// True if selecting nothing passes where it otherwise would not.
    pub absent_passes: bool,
    /// Equivalence rules.
    pub rules: Vec<Rule>,
    /// How values are read.
    pub read_as: Option<CompareAs>,
    /// The zone in which days are days.
    pub zone: Option<Zone>,
    /// Weight in the criterion's share.
    pub weight: Share,
}

impl<P> Field<P> {
    /// The same assertion with its path replaced: for a check whose grammar is known only when the data is.
    ///
    /// # Errors
    /// The error of `path`.
    pub fn with_path<Q, E>(&self, path: impl FnOnce(&P) -> Result<Q, E>) -> Result<Field<Q>, E> {
        Ok(Field {
            path: path(&self.path)?,
            path_text: self.path_text.clone(),
            operator: self.operator,
            expected_value: self.expected_value.clone(),
            expected: self.expected.clone(),
            quantifier: self.quantifier,
            quantifier_given: self.quantifier_given,
            absent_passes: self.absent_passes,
            rules: self.rules.clone(),
            read_as: self.read_as,
            zone: self.zone.clone(),
            weight: self.weight.clone(),
        })
    }

    /// Gives the criterion's zone to a field without a zone of its own.
    pub fn set_zone(&mut self, zone: &Zone) {
        self.zone.get_or_insert_with(|| zone.clone());
    }
}

impl<P> Field<P> {
    /// The same for data in which an empty text is absent (HL7 v2, X12): there, to expect `""` is to expect nothing.
    #[must_use]
    pub fn where_empty_is_nothing(mut self) -> Self {
        let nothing = |value: &mut Value| {
            if value.as_str().is_some_and(str::is_empty) {
                *value = Value::Null;
            }
        };
        match &mut self.expected {
            Expected::Equals(value) | Expected::NotEquals(value) => nothing(value),
            Expected::In(values) | Expected::NotIn(values) => values.iter_mut().for_each(nothing),
            _ => {}
        }
        self
    }
}

impl<P: FieldPath> Field<P> {
    /// The assertion that the values at `path` equal `expected`: what a `correlate_by` entry says.
    ///
    /// # Errors
    /// When `path` is not a path of this grammar.
    pub fn equals(path: &str, expected: Value) -> Result<Self, String> {
        Ok(Self {
            path: parse_path(path)?,
            path_text: path.to_owned(),
            operator: Operator::Equals,
            expected_value: expected.clone(),
            expected: Expected::Equals(expected),
            quantifier: Quantifier::Any,
            quantifier_given: false,
            absent_passes: false,
            rules: Vec::new(),
            read_as: None,
            zone: None,
            weight: Share::one(),
        })
    }
}

fn parse_path<P: FieldPath>(text: &str) -> Result<P, String> {
    P::parse(text).map_err(|problem| sentence("path", text, &problem))
}

pub(super) fn sentence(member: &str, text: &str, problem: &PathProblem) -> String {
    format!("{member} {}", problem.told(text))
}

fn characters(text: &str, offset: usize) -> usize {
    text.char_indices().take_while(|(at, _)| *at < offset).count()
}

impl<'de, P: FieldPath> Deserialize<'de> for Field<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Members::deserialize(deserializer)?;
        validated(members, P::parse, P::parse_fhirpath).map_err(D::Error::custom)
    }
}

/// Validates a field whose paths are read by `parse` and `parse_fhirpath`.
pub(super) fn validated<P: FieldPath>(
    members: Members,
    parse: impl FnOnce(&str) -> Result<P, PathProblem>,
    parse_fhirpath: impl FnOnce(&str) -> Result<P, PathProblem>,
) -> Result<Field<P>, String> {
    let meaning = match (&members.concept, &members.dosage) {
        (Some(_), Some(_)) => return Err("both `concept` and `dosage` are given; write one field for each".into()),
        (Some(value), None) => Some(("concept", value)),
        (None, Some(value)) => Some(("dosage", value)),
        (None, None) => None,
    };
    let expected_meaning = meaning.map(|(member, value)| asserted_meaning::<P>(member, value, &members)).transpose()?;
    let meant = meaning.map(|(member, value)| (member, json!({ (member): value })));
    let (path, path_text) = match (members.path, members.fhirpath) {
        // Where a resource has its dosage its type says.
        (None, None) if meant.as_ref().is_some_and(|(member, _)| *member == "dosage") => {
            let text = "dosage".to_owned();
            (parse(&text).map_err(|problem| sentence("path", &text, &problem))?, text)
        }
        (Some(_), Some(_)) => return Err("both `path` and `fhirpath` are given; write one of them".into()),
        (Some(text), None) => (parse(&text).map_err(|problem| sentence("path", &text, &problem))?, text),
        (None, Some(text)) => (parse_fhirpath(&text).map_err(|problem| sentence("fhirpath", &text, &problem))?, text),
        (None, None) => return Err("`path` is missing".into()),
    };
    let absent_passes = match members.absent.as_deref() {
        None | Some("fail") => false,
        Some("pass") => true,
        Some(other) => return Err(format!("`absent` is `{other}`; expected `fail` or `pass`")),
    };
    let weight = members.weight.as_ref().map_or_else(|| Ok(Share::one()), self::weight)?;
    if let Some((expected, (_, expected_value))) = expected_meaning.zip(meant) {
        return Ok(Field {
            path,
            path_text,
            operator: Operator::Equals,
            expected_value,
            expected: Expected::Meaning(expected),
            quantifier: Quantifier::Any,
            quantifier_given: false,
            absent_passes,
            rules: Vec::new(),
            read_as: None,
            zone: None,
            weight,
        });
    }
    let operator = match members.op.as_deref() {
        None => Operator::Equals,
        Some(name) => Operator::named(name).ok_or_else(|| match Operator::usually_named(name) {
            Some(meant) => format!("`{name}` is not an operator; did you mean `{meant}`?"),
            None => unknown("operator", name, OPERATORS),
        })?,
    };
    let read_as = members.read_as.as_deref().map(|name| one_of("`as`", name, KINDS)).transpose()?;
    let rules: Vec<Rule> = members.using.unwrap_or_default().iter().map(|name| rule(name)).collect::<Result<_, _>>()?;
    let order = Orderable { read_as, quantities: rules.contains(&Rule::Ucum) || P::DEFINED, dates: P::DEFINED };
    let expected = expected(operator, members.expected.as_ref(), &order, P::DATES)?;
    typed_rules(&rules, operator, members.expected.as_ref(), read_as)?;
    Ok(Field {
        path,
        path_text,
        operator,
        expected_value: members.expected.unwrap_or(Value::Null),
        expected,
        quantifier: members
            .quantifier
            .as_deref()
            .map_or(Ok(Quantifier::Any), |name| one_of("`quantifier`", name, QUANTIFIERS))?,
        quantifier_given: members.quantifier.is_some(),
        absent_passes,
        rules,
        read_as,
        zone: members.zone.as_deref().map(|zone| Zone::named(zone).map_err(|e| format!("`zone`: {e}"))).transpose()?,
        weight,
    })
}

/// Reads the meaning that a field asserts, without members that say otherwise what is expected.
fn asserted_meaning<P: FieldPath>(member: &str, value: &Value, members: &Members) -> Result<Arc<dyn Meaning>, String> {
    let others = [
        ("expected", members.expected.is_some()),
        ("op", members.op.is_some()),
        ("quantifier", members.quantifier.is_some()),
        ("using", members.using.is_some()),
        ("as", members.read_as.is_some()),
        ("zone", members.zone.is_some()),
    ];
    if let Some((other, _)) = others.into_iter().find(|(_, given)| *given) {
        return Err(format!("`{other}` does not go with `{member}`, which says what is expected; leave it out"));
    }
    match P::MEANINGS {
        known if known.contains(&member) => P::meaning(member, value),
        [] => Err(format!("`{member}` is for FHIR resources, HL7 v2 fields and rows; write `expected` in its place")),
        known => Err(format!("`{member}` does not go with this data; known here is `{}`", known.join("`, `"))),
    }
}

fn unknown<T>(what: &str, name: &str, table: &[(&str, T)]) -> String {
    let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
    match nearest(name, &names) {
        Some(near) => format!("unknown {what} `{name}`; did you mean `{near}`?"),
        None => format!("unknown {what} `{name}`; expected one of {}", names.join(", ")),
    }
}

fn rule(name: &str) -> Result<Rule, String> {
    Rule::named(name).ok_or_else(|| unknown("equivalence rule", name, RULES))
}

/// A weight: an exact decimal, zero or more.
pub(super) fn weight(value: &Value) -> Result<Share, String> {
    let decimal = match value {
        Value::Number(number) => Decimal::json(&number.to_string()),
        _ => None,
    };
    let weight = decimal.and_then(|decimal| Share::of_fraction(decimal.to_fraction()?));
    weight.ok_or_else(|| format!("`weight` is {value}; expected a finite number of 0 or more"))
}

fn expected(
    operator: Operator,
    value: Option<&Value>,
    order: &Orderable,
    dates: &[DateForm],
) -> Result<Expected, String> {
    let name = operator.name();
    let required = || value.cloned().ok_or_else(|| format!("`expected` is missing; `{name}` needs it"));
    let typed = |value: Value| readable(&value, order.read_as, dates).map(|()| value);
    let list = || match required()? {
        Value::Array(items) => items.into_iter().map(typed).collect::<Result<Vec<_>, _>>(),
        other => Err(format!("`expected` of `{name}` is {other}; expected an array")),
    };
    let string = || match required()? {
        Value::String(text) => Ok(text),
        other => Err(format!("`expected` of `{name}` is {other}; expected a string")),
    };
    let ordered = |asserted| -> Result<Expected, String> {
        Ok(Expected::Ordered(asserted, order.checked(typed(required()?)?, name)?))
    };
    Ok(match operator {
        Operator::Equals => Expected::Equals(typed(required()?)?),
        Operator::NotEquals => Expected::NotEquals(typed(required()?)?),
        Operator::In => Expected::In(list()?),
        Operator::NotIn => Expected::NotIn(list()?),
        Operator::GreaterThan => ordered(Order::Greater)?,
        Operator::GreaterOrEqual => ordered(Order::GreaterOrEqual)?,
        Operator::LessThan => ordered(Order::Less)?,
        Operator::LessOrEqual => ordered(Order::LessOrEqual)?,
        Operator::Between => match <[Value; 2]>::try_from(list()?) {
            Ok([low, high]) => Expected::Between(order.checked(low, name)?, order.checked(high, name)?),
            Err(items) => return Err(format!("`expected` of `between` has {} values; expected two", items.len())),
        },
        Operator::Contains => Expected::Contains(string()?),
        Operator::NotContains => Expected::NotContains(string()?),
        Operator::Matches => Expected::Matches(whole(&string()?)?),
        Operator::Empty | Operator::NotEmpty => match value {
            None | Some(Value::Null) if operator == Operator::Empty => Expected::Empty,
            None | Some(Value::Null) => Expected::NotEmpty,
            Some(other) => return Err(format!("`{name}` takes no `expected`; found {other}")),
        },
        Operator::Count => Expected::Count(Cardinality::from_value(&required()?)?),
    })
}

fn whole(pattern: &str) -> Result<Regex, String> {
    // First alone, so that an error shows the author's own text and no expression breaks out of the group.
    Regex::new(pattern).map_err(|e| format!("`expected` of `matches` is not a regular expression: {e}"))?;
    Regex::new(&format!(r"\A(?:{pattern})\z")).map_err(|e| format!("`expected` of `matches` cannot be anchored: {e}"))
}

/// Refuses an expectation that `as` can never read.
fn readable(value: &Value, read_as: Option<CompareAs>, dates: &[DateForm]) -> Result<(), String> {
    let date = |text: &str| {
        DateValue::parse(text, DateForm::Iso).is_some() || dates.iter().any(|&f| DateValue::parse(text, f).is_some())
    };
    let fits = match (read_as, value) {
        (None, _) | (Some(_), Value::Null | Value::Array(_)) => true,
        (Some(CompareAs::String), value) => !value.is_object(),
        (Some(CompareAs::Number), Value::String(text)) => Decimal::plain(text).is_some(),
        (Some(CompareAs::Number), value) => value.is_number(),
        (Some(CompareAs::Date), Value::String(text)) => date(text),
        (Some(CompareAs::Reference), value) => value.is_string() || value.is_object(),
        (Some(CompareAs::Quantity), value) => is_quantity(value),
        (Some(CompareAs::Date), _) => false,
    };
    if fits {
        return Ok(());
    }
    let kind = KINDS.iter().find(|(_, kind)| Some(*kind) == read_as).map_or("", |(name, _)| name);
    Err(format!("`expected` is {value}, which is not a {kind} (`as: {kind}`)"))
}

struct Orderable {
    read_as: Option<CompareAs>,
    /// True if objects are quantities without `as`.
    quantities: bool,
    /// True if text is a date without `as`, in whatever notation.
    dates: bool,
}

impl Orderable {
    fn checked(&self, value: Value, operator: &str) -> Result<Value, String> {
        let fits = match &value {
            Value::Number(_) => self.read_as != Some(CompareAs::Quantity),
            Value::String(text) => match self.read_as {
                Some(kind) => matches!(kind, CompareAs::Number | CompareAs::Date),
                None => (self.dates || text.contains('-')) && DateValue::parse(text, DateForm::Iso).is_some(),
            },
            // A quantity with a comparator is not a point that something could lie before or after.
            Value::Object(_) => {
                (self.read_as == Some(CompareAs::Quantity) || self.read_as.is_none() && self.quantities)
                    && Quantity::read(&value).is_some_and(|q| !q.has_comparator())
            }
            _ => false,
        };
        if fits {
            Ok(value)
        } else {
            Err(format!(
                "`expected` of `{operator}` is {value}, which has no order; expected a number or a date (with `as: date` or `as: number` where it is text), or a quantity without comparator (with `as: quantity`)"
            ))
        }
    }
}
