//! FHIRPath over a resource that was dropped as a file. Elements compare as JSON, by what `as` says.

use std::cell::OnceCell;

use candor_check::compare::{DateForm, Datum};
use candor_check::field::{Field, FieldReason, FieldResult, Found, ReadFrom, Selection};
use candor_check::json_path::{JsonItem, JsonItems, JsonPlaces};
use candor_fhirpath::{
    CertainItems, Collection, Context, EvaluationError, Expression, Item, Limits, OpenComparison, Problem,
    TypedElements,
};
use candor_json::Value;

use crate::content::ContentPath;

/// How much one field's expression may take over one file.
const LIMITS: Limits = Limits { steps: 2_000_000, items: 200_000, text: 1_000_000 };

/// A resource, with what its definitions say and where its elements are, as far as that was asked.
pub(crate) struct Resource<'c> {
    root: &'c Value,
    typed: OnceCell<TypedElements<'c>>,
    places: OnceCell<JsonPlaces<'c>>,
}

impl<'c> Resource<'c> {
    pub(crate) fn of(root: &'c Value) -> Self {
        Self { root, typed: OnceCell::new(), places: OnceCell::new() }
    }

    fn collected(
        &self,
        expression: &Expression,
        at: &'c Value,
        open: OpenComparison,
    ) -> Result<Collection<'c>, EvaluationError> {
        let typed = self.typed.get_or_init(|| TypedElements::of(self.root));
        let item = typed.find(at).unwrap_or_else(|| Item::of_element(at));
        let context = Context::new().with_limits(LIMITS).with_open_comparisons(open).with_resource(self.root);
        expression.evaluate_on(Collection::of_item(item), &context)
    }

    /// The items that an expression selects, each at its own place; what it makes itself is behind `before`.
    pub(crate) fn items(&self, expression: &Expression, at: &'c Value, before: &str) -> JsonItems<'c> {
        let CertainItems { items, open, .. } = CertainItems::of(|open| self.collected(expression, at, open));
        let places = self.places.get_or_init(|| JsonPlaces::of(self.root));
        let placed = |(index, item): (usize, Item<'c>)| {
            let own = item.element().and_then(|value| places.place(value));
            JsonItem { place: own.unwrap_or_else(|| format!("{before}[{index}]")), value: item.fhir_json() }
        };
        JsonItems { items: items.into_iter().enumerate().map(placed).collect(), open }
    }

    pub(crate) fn judge(
        &self,
        expression: &Expression,
        at: &'c Value,
        field: &Field<ContentPath>,
        reading: ReadFrom<'_>,
    ) -> FieldResult {
        let selected = |collection: &Collection<'c>| {
            let found = |item: &Item<'c>| Found { datum: Datum::Json(item.fhir_json()), span: None };
            Selection::texts(collection.iter().map(found).collect())
        };
        let judged = |selection| field.evaluate_dated(selection, reading, &[DateForm::Iso]);
        let first = match self.collected(expression, at, OpenComparison::Empty) {
            Ok(first) => first,
            Err(error) => return field.unjudged(reason(&error), reading),
        };
        let no_condition = field.compares_several_conditions(&selected(&first));
        let result = judged(selected(&first));
        // Where dates leave a comparison open, the answer counts when it is the same whichever way they lie.
        let passes = |open| self.collected(expression, at, open).map(|other| judged(selected(&other)).passed).ok();
        let hangs = first.is_undecided()
            && [OpenComparison::True, OpenComparison::False]
                .into_iter()
                .any(|open| passes(open) != Some(result.passed));
        if no_condition || hangs {
            return FieldResult { passed: false, rules: Vec::new(), ..result }.because(FieldReason::Undecidable);
        }
        result
    }
}

/// Values of a wrong kind or number are in the file; everything else leaves the question open.
fn reason(error: &EvaluationError) -> FieldReason {
    match error.problem {
        Problem::Mismatch { .. } => FieldReason::TypeMismatch,
        _ => FieldReason::Undecidable,
    }
}
