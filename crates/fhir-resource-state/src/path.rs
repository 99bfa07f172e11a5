//! Paths of fields: dotted, JSONPath, or a FHIRPath expression.

use std::borrow::Cow;
use std::sync::Arc;

use candor_check::compare::{CompareAs, DateForm, Datum, ElementTypes};
use candor_check::field::{
    Expected, Field, FieldPath, FieldReason, FieldResult, Found, PathProblem, ReadFrom, Selection,
};
use candor_check::json_path::DottedPath;
use candor_check::meaning::{Concept, Meaning};
use candor_fhirpath::{
    Collection, Context, EvaluationError, Expression, Item, Limits, NotRecorded, OpenComparison, Problem, Resolver,
};
use candor_json::{Value, json};

use crate::concepts::{self, Meant};
use crate::dosage::Dosage;
use crate::types;

/// How much one field's expression may take over one resource.
const LIMITS: Limits = Limits { steps: 2_000_000, items: 200_000, text: 1_000_000 };

/// A path over a FHIR resource.
#[derive(Clone, Debug)]
pub enum FhirPath {
    /// Dotted or JSONPath.
    Plain(DottedPath),
    /// FHIRPath.
    Expression(Box<Expression>),
}

impl FieldPath for FhirPath {
    const DATES: &'static [DateForm] = DottedPath::DATES;
    const DEFINED: bool = true;
    const MEANINGS: &'static [&'static str] = &["concept", "dosage"];

    fn meaning(member: &str, value: &Value) -> Result<Arc<dyn Meaning>, String> {
        match member {
            "dosage" => Ok(Arc::new(Dosage::read(value)?)),
            _ => Ok(Arc::new(Concept::read(value)?)),
        }
    }

    fn parse(text: &str) -> Result<Self, PathProblem> {
        DottedPath::parse(text).map(Self::Plain)
    }

    fn parse_item(text: &str, _within: &[Self]) -> Result<Self, PathProblem> {
        Self::parse(text)
    }

    /// Refuses an expression that could never be judged over a recording, or only by the absence of something from it.
    fn parse_fhirpath(text: &str) -> Result<Self, PathProblem> {
        match Expression::parse_recorded(text) {
            Ok(expression) => Ok(Self::Expression(Box::new(expression))),
            Err(NotRecorded { offset, message }) => Err(PathProblem { offset, message }),
        }
    }
}

impl FhirPath {
    pub(crate) fn expression(&self) -> Option<&Expression> {
        match self {
            Self::Plain(_) => None,
            Self::Expression(expression) => Some(expression),
        }
    }
}

pub(crate) struct Judged<'a> {
    pub result: FieldResult,
    /// The elements that were compared.
    pub selected: Vec<&'a Value>,
    /// The elements that the expression reached on the way.
    pub looked_at: Vec<&'a Value>,
    /// The elements that the expression found equal to a literal.
    pub named: Vec<&'a Value>,
}

/// The beginning of paths: a resource, or an item in one.
#[derive(Clone)]
pub(crate) struct Focus<'a> {
    pub resource: &'a Value,
    /// The resource itself, or the item with what its definition says of it.
    pub item: Item<'a>,
}

impl<'a> Focus<'a> {
    pub(crate) fn resource(resource: &'a Value) -> Self {
        Self { resource, item: Item::of_element(resource) }
    }

    /// The item in which the types of elements are looked up, where an expression may go on from it or from the
    /// resource.
    fn typed(&self, expression: &Expression) -> Item<'a> {
        if expression.text().contains('%') { Item::of_element(self.resource) } else { self.item.clone() }
    }
}

/// Judges a field over a resource or an item of it. `hidden` tells that a reference may be to something that could not be read.
pub(crate) fn judge<'a>(
    field: &Field<FhirPath>,
    focus: &Focus<'a>,
    resolver: &'a dyn Resolver,
    hidden: bool,
    reading: ReadFrom<'_>,
) -> Judged<'a> {
    if let Expected::Meaning(meaning) = &field.expected {
        return judge_meaning(field, meaning.as_ref(), focus, resolver, hidden, reading);
    }
    match &field.path {
        FhirPath::Plain(path) => {
            let selection = focus.item.element().map_or_else(Selection::default, |value| path.select(value));
            let selected = borrowed(&selection);
            let result = match types::matter(field) {
                true => field.evaluate_defined(selection, reading, &types::of([focus.item.clone()], field)),
                false => field.evaluate(selection, reading),
            };
            Judged { result, selected, looked_at: Vec::new(), named: Vec::new() }
        }
        FhirPath::Expression(expression) => {
            let evaluated = |open: OpenComparison| evaluate(expression, focus, resolver, open, Some(field));
            let first = match evaluated(OpenComparison::Empty) {
                Ok(first) => first,
                Err(error) => {
                    let result = field.unjudged(reason(&error), reading);
                    return Judged { result, selected: Vec::new(), looked_at: Vec::new(), named: Vec::new() };
                }
            };
            let selected = borrowed(&first.selection);
            let no_condition = field.compares_several_conditions(&first.selection);
            let judged = |evaluated: Evaluated<'_>| match evaluated.dates && types::expects_dates(field) {
                true => {
                    let field = Field { read_as: Some(CompareAs::Date), ..field.clone() };
                    field.evaluate(evaluated.selection, reading)
                }
                false => field.evaluate_defined(evaluated.selection, reading, &evaluated.types),
            };
            let (undecided, looked_at, named) = (first.undecided.clone(), first.looked_at.clone(), first.named.clone());
            let mut result = judged(first);
            // Where dates leave a comparison open, the answer counts when it is the same whichever way they lie.
            let passes = |open: OpenComparison| evaluated(open).map(|other| judged(other).passed).ok();
            let hangs = undecided.is_some()
                && [OpenComparison::True, OpenComparison::False]
                    .into_iter()
                    .any(|open| passes(open) != Some(result.passed));
            if let Some([a, b]) = undecided.filter(|_| hangs && result.passed) {
                result.actual = json!(format!("open: {a} against {b}"));
            }
            if no_condition || hangs || (hidden && expression.uses_references()) {
                result = FieldResult { passed: false, rules: Vec::new(), ..result }.because(FieldReason::Undecidable);
            }
            Judged { result, selected, looked_at, named }
        }
    }
}

/// Judges a field that asserts a meaning: references lead to what the resources behind them are about.
fn judge_meaning<'a>(
    field: &Field<FhirPath>,
    meaning: &dyn Meaning,
    focus: &Focus<'a>,
    resolver: &'a dyn Resolver,
    hidden: bool,
    reading: ReadFrom<'_>,
) -> Judged<'a> {
    let unjudged = |reason| Judged {
        result: field.unjudged(reason, reading),
        selected: Vec::new(),
        looked_at: Vec::new(),
        named: Vec::new(),
    };
    let selected = match elements(field, focus, resolver) {
        Ok(selected) => selected,
        Err(error) => return unjudged(reason(&error)),
    };
    let Meant { values, unresolved } = concepts::meant(selected.iter().copied(), focus.resource, resolver);
    let result = field.meant(meaning.understood(&values), reading.span, reading);
    let result = match unresolved {
        Some(reference) if !result.passed => {
            let actual = json!(format!("{reference}, which is not there"));
            FieldResult { actual, ..result }.because(FieldReason::Undecidable)
        }
        _ if hidden && !result.passed => result.because(FieldReason::Undecidable),
        _ if result.is_undecidable() && Dosage::is_vague(&field.expected_value, &values) => {
            result.because(FieldReason::Vague)
        }
        _ => result,
    };
    Judged { result, selected, looked_at: Vec::new(), named: Vec::new() }
}

/// The elements that the path of a field selects; of a choice those of each type.
pub(crate) fn elements<'a>(
    field: &Field<FhirPath>,
    focus: &Focus<'a>,
    resolver: &'a dyn Resolver,
) -> Result<Vec<&'a Value>, EvaluationError> {
    match &field.path {
        FhirPath::Plain(path) => {
            let Some(value) = focus.item.element() else { return Ok(Vec::new()) };
            let selected = borrowed(&path.select(value));
            Ok(if selected.is_empty() { concepts::choices(value, &field.path_text) } else { selected })
        }
        FhirPath::Expression(expression) => {
            evaluate(expression, focus, resolver, OpenComparison::Empty, None).map(|found| borrowed(&found.selection))
        }
    }
}

struct Evaluated<'a> {
    selection: Selection<'a>,
    looked_at: Vec<&'a Value>,
    named: Vec<&'a Value>,
    undecided: Option<[String; 2]>,
    /// How the selected elements are read by their definitions, if that was asked for.
    types: ElementTypes,
    dates: bool,
}

pub(crate) fn collected<'a>(
    expression: &Expression,
    focus: &Focus<'a>,
    resolver: &'a dyn Resolver,
    open: OpenComparison,
) -> Result<Collection<'a>, EvaluationError> {
    let context = Context::new().with_resolver(resolver).with_limits(LIMITS).with_open_comparisons(open).with_notes();
    let context = context.with_resource(focus.resource);
    expression.evaluate_on(Collection::of_item(focus.item.clone()), &context)
}

/// Evaluates an expression over a resource or an item of it: what judging compares, and what observing follows references by.
fn evaluate<'a>(
    expression: &Expression,
    focus: &Focus<'a>,
    resolver: &'a dyn Resolver,
    open: OpenComparison,
    field: Option<&Field<FhirPath>>,
) -> Result<Evaluated<'a>, EvaluationError> {
    let collection = collected(expression, focus, resolver, open)?;
    let (looked_at, undecided) = (collection.looked_at().to_vec(), collection.undecided().cloned());
    let named = collection.named().to_vec();
    let values = collection.iter().map(|item| Found { datum: Datum::Json(item.fhir_json()), span: None }).collect();
    // What was selected may be of another resource.
    let all = || collection.iter().cloned().chain([focus.typed(expression)]);
    let typed = field.filter(|field| types::matter(field));
    let types = typed.map(|field| types::of(all(), field)).unwrap_or_default();
    let dates = types::are_dates(collection.items());
    Ok(Evaluated { selection: Selection::texts(values), looked_at, named, undecided, types, dates })
}

/// Asks `resolver` for everything that judging may ask it for.
pub(crate) fn follow<'a>(expression: &Expression, focus: &Focus<'a>, resolver: &'a dyn Resolver) {
    for open in [OpenComparison::Empty, OpenComparison::True, OpenComparison::False] {
        // What is wrong with the evaluation shows when the field is judged.
        let _ = evaluate(expression, focus, resolver, open, None);
    }
}

fn borrowed<'a>(selection: &Selection<'a>) -> Vec<&'a Value> {
    let borrowed = |found: &Found<'a>| match &found.datum {
        Datum::Json(Cow::Borrowed(value)) => Some(*value),
        _ => None,
    };
    selection.values.iter().filter_map(borrowed).collect()
}

/// Values of a wrong kind or number are in the resource; everything else leaves the question open.
fn reason(error: &EvaluationError) -> FieldReason {
    match error.problem {
        Problem::Mismatch { .. } => FieldReason::TypeMismatch,
        _ => FieldReason::Undecidable,
    }
}
