//! Paths of fields: dotted, JSONPath, or a FHIRPath expression.

use std::borrow::Cow;

use candor_check::compare::{DateForm, Datum};
use candor_check::field::{Field, FieldPath, FieldReason, FieldResult, Found, PathProblem, ReadFrom, Selection};
use candor_check::json_path::DottedPath;
use candor_fhirpath::{
    Context, EvaluationError, Expression, Item, Limits, OpenComparison, Problem, Quantity, Resolver, System, Unit,
};
use serde_json::{Value, json};

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

    fn parse(text: &str) -> Result<Self, PathProblem> {
        DottedPath::parse(text).map(Self::Plain)
    }

    /// What could never be judged over a recording, or only by what it does not hold, is refused here.
    fn parse_fhirpath(text: &str) -> Result<Self, PathProblem> {
        let problem = |offset: usize, message: String| PathProblem { offset, message };
        let expression = Expression::parse(text)
            .map_err(|error| problem(error.position, format!("{}; expected {}", error.found, error.expected)))?;
        if let Some((name, at)) = expression.undefined_variables().first() {
            return Err(problem(
                *at,
                format!("the variable %{name} is not defined; expected %resource, %context or another of FHIR's"),
            ));
        }
        let refused = |message: &str| Err(problem(0, message.to_owned()));
        if expression.uses_clock() {
            return refused(
                "now(), today() and timeOfDay() differ from one judgement to the next; write the date that is meant",
            );
        }
        if expression.uses_value_sets() {
            return refused("memberOf() needs a value set, and none is given; compare the codes that are meant");
        }
        match expression.refused_functions().first() {
            Some(name) => {
                Err(problem(0, format!("{name}() needs profiles or a terminology server and is not supported")))
            }
            None => Ok(Self::Expression(Box::new(expression))),
        }
    }
}

impl FhirPath {
    /// The expression, when it is one.
    pub(crate) fn expression(&self) -> Option<&Expression> {
        match self {
            Self::Plain(_) => None,
            Self::Expression(expression) => Some(expression),
        }
    }
}

/// What came of a field, and what it looked at.
pub(crate) struct Judged<'a> {
    pub result: FieldResult,
    /// The elements that were compared.
    pub selected: Vec<&'a Value>,
    /// The elements that the expression reached on the way.
    pub looked_at: Vec<&'a Value>,
    /// The elements that the expression found equal to a literal.
    pub named: Vec<&'a Value>,
}

/// Judges a field over a resource. `hidden` tells that a reference may be to something that could not be read.
pub(crate) fn judge<'a>(
    field: &Field<FhirPath>,
    resource: &'a Value,
    resolver: &'a dyn Resolver,
    hidden: bool,
    reading: ReadFrom<'_>,
) -> Judged<'a> {
    match &field.path {
        FhirPath::Plain(path) => {
            let selection = path.select(resource);
            let selected = borrowed(&selection);
            Judged { result: field.evaluate(selection, reading), selected, looked_at: Vec::new(), named: Vec::new() }
        }
        FhirPath::Expression(expression) => {
            let evaluated = |open: OpenComparison| evaluate(expression, resource, resolver, open);
            let first = match evaluated(OpenComparison::Empty) {
                Ok(first) => first,
                Err(error) => {
                    let result = field.unjudged(reason(&error), reading);
                    return Judged { result, selected: Vec::new(), looked_at: Vec::new(), named: Vec::new() };
                }
            };
            let selected = borrowed(&first.selection);
            let mut result = field.evaluate(first.selection, reading);
            // Where dates leave a comparison open, the answer counts when it is the same whichever way they lie.
            let passes = |open: OpenComparison| {
                evaluated(open).map(|other| field.evaluate(other.selection, reading).passed).ok()
            };
            let hangs = first.undecided
                && [OpenComparison::True, OpenComparison::False]
                    .into_iter()
                    .any(|open| passes(open) != Some(result.passed));
            if hangs || (hidden && expression.uses_references()) {
                result = FieldResult { passed: false, rules: Vec::new(), ..result }.because(FieldReason::Undecidable);
            }
            Judged { result, selected, looked_at: first.looked_at, named: first.named }
        }
    }
}

struct Evaluated<'a> {
    selection: Selection<'a>,
    looked_at: Vec<&'a Value>,
    named: Vec<&'a Value>,
    undecided: bool,
}

/// Evaluates an expression over a resource: what judging compares, and what observing follows references by.
fn evaluate<'a>(
    expression: &Expression,
    resource: &'a Value,
    resolver: &'a dyn Resolver,
    open: OpenComparison,
) -> Result<Evaluated<'a>, EvaluationError> {
    let context = Context::new().with_resolver(resolver).with_limits(LIMITS).with_open_comparisons(open).with_notes();
    let collection = expression.evaluate(resource, &context)?;
    let (looked_at, undecided) = (collection.looked_at().to_vec(), collection.is_undecided());
    let named = collection.named().to_vec();
    let values = collection.iter().map(|item| Found { datum: Datum::Json(datum(item)), span: None }).collect();
    Ok(Evaluated { selection: Selection::texts(values), looked_at, named, undecided })
}

/// Asks `resolver` for everything that judging may ask it for.
pub(crate) fn follow<'a>(expression: &Expression, resource: &'a Value, resolver: &'a dyn Resolver) {
    for open in [OpenComparison::Empty, OpenComparison::True, OpenComparison::False] {
        // What is wrong with the evaluation shows when the field is judged.
        let _ = evaluate(expression, resource, resolver, open);
    }
}

/// An item as it is compared: a quantity that the expression made as FHIR writes one.
fn datum<'a>(item: &Item<'a>) -> Cow<'a, Value> {
    match item {
        Item::System(System::Quantity(quantity)) => Cow::Owned(written(quantity)),
        other => other.json(),
    }
}

fn written(quantity: &Quantity) -> Value {
    let code = match &quantity.unit {
        Unit::Calendar(unit) => unit.ucum_code(),
        Unit::Ucum(code) => code,
    };
    let value = Item::System(System::Decimal(quantity.value.clone())).json().into_owned();
    json!({"value": value, "unit": code, "system": "http://unitsofmeasure.org", "code": code})
}

fn borrowed<'a>(selection: &Selection<'a>) -> Vec<&'a Value> {
    let borrowed = |found: &Found<'a>| match &found.datum {
        Datum::Json(Cow::Borrowed(value)) => Some(*value),
        _ => None,
    };
    selection.values.iter().filter_map(borrowed).collect()
}

/// Values of a wrong kind or number stand in the resource; everything else leaves the question open.
fn reason(error: &EvaluationError) -> FieldReason {
    match error.problem {
        Problem::Mismatch { .. } => FieldReason::TypeMismatch,
        _ => FieldReason::Undecidable,
    }
}
