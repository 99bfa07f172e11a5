//! The context of an evaluation, in addition to the document.

use std::collections::HashMap;
use std::fmt;

use candor_json::Value;

use crate::collection::Collection;
use crate::temporal::Temporal;

/// Finds what references point to. `resolve()` asks it for what is neither contained nor in the Bundle at hand.
pub trait Resolver: Sync {
    /// Finds the resource that `reference` points to; `None` if there is no such resource. `from` is the resource that
    /// contains the reference.
    fn resolve<'s>(&'s self, reference: &str, from: &Value) -> Option<&'s Value>;

    /// The resource that has the URL, and the version behind `|`, of a canonical reference. Without an implementation it is
    /// what [`Resolver::resolve`] finds.
    fn resolve_canonical<'s>(&'s self, canonical: &str, from: &Value) -> Option<&'s Value> {
        self.resolve(canonical, from)
    }
}

/// Knows the codes of value sets, for `memberOf`.
pub trait ValueSets: Sync {
    /// True if the value set has the code, of any system if `system` is `None`; `None` if the value set is not known.
    fn contains(&self, value_set: &str, system: Option<&str>, code: &str) -> Option<bool>;
}

/// The release whose suite is followed where they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Release {
    /// R4 and R4B: a fraction of a second is left out when seconds are added to a date-time, as of other units.
    R4,
    /// R5, and FHIRPath 2.0 as it is written: fractions of seconds are added.
    #[default]
    R5,
}

/// The result of a comparison that the precision of its dates leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenComparison {
    /// Nothing, as FHIRPath has it.
    #[default]
    Empty,
    /// True. Together with [`OpenComparison::False`] this shows if a result depends on open comparisons.
    True,
    /// False.
    False,
}

/// How much an evaluation may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Items looked at, and comparisons made.
    pub steps: u64,
    /// Items in one collection.
    pub items: usize,
    /// Bytes of a text that the expression makes.
    pub text: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 10_000_000, items: 1_000_000, text: 1_000_000 }
    }
}

/// The context of an evaluation. An evaluation is a function of the expression, the document and this context: the time
/// is the one in the context.
///
/// ```
/// use candor_fhirpath::{Context, Expression, Temporal};
/// let patient = candor_json::json!({"resourceType": "Patient", "birthDate": "1974-12-25"});
/// let context = Context::new().with_now(Temporal::date_time("2026-11-20T12:00:00Z").unwrap());
/// let result = Expression::parse("birthDate < today() - 18 years")?.evaluate(&patient, &context)?;
/// assert_eq!(result.boolean(), Some(true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Context<'a> {
    pub(crate) resource: Option<&'a Value>,
    pub(crate) variables: HashMap<String, Collection<'a>>,
    pub(crate) resolver: Option<&'a dyn Resolver>,
    pub(crate) value_sets: Option<&'a dyn ValueSets>,
    pub(crate) now: Option<Temporal>,
    pub(crate) release: Release,
    pub(crate) strict: bool,
    pub(crate) strict_order: bool,
    pub(crate) typed_references: bool,
    pub(crate) open: OpenComparison,
    pub(crate) notes: bool,
    pub(crate) limits: Limits,
}

impl<'a> Context<'a> {
    /// Nothing given: `%resource` and `%rootResource` are what is evaluated.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `%resource` and `%rootResource`: the resource that contains the focus.
    #[must_use]
    pub fn with_resource(mut self, resource: &'a Value) -> Self {
        self.resource = Some(resource);
        self
    }

    /// A variable, named without its sign.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<String>, value: Collection<'a>) -> Self {
        self.variables.insert(name.into(), value);
        self
    }

    /// The resolver that `resolve()` asks.
    #[must_use]
    pub fn with_resolver(mut self, resolver: &'a dyn Resolver) -> Self {
        self.resolver = Some(resolver);
        self
    }

    /// The value sets that `memberOf()` asks.
    #[must_use]
    pub fn with_value_sets(mut self, value_sets: &'a dyn ValueSets) -> Self {
        self.value_sets = Some(value_sets);
        self
    }

    /// The time of `now()`, `today()` and `timeOfDay()`, which are refused without it.
    #[must_use]
    pub fn with_now(mut self, now: Temporal) -> Self {
        self.now = Some(now);
        self
    }

    /// The release to follow.
    #[must_use]
    pub fn with_release(mut self, release: Release) -> Self {
        self.release = release;
        self
    }

    /// Strict mode: an element that R4 does not have is an error. Not for R5 resources.
    #[must_use]
    pub fn with_strict_elements(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Makes it an error to call a function that depends on order on a result without an order (`children().first()`).
    #[must_use]
    pub fn with_strict_order(mut self) -> Self {
        self.strict_order = true;
        self
    }

    /// References that are not resolved give an element without a value, of the type they name: enough for
    /// `where(resolve() is Patient)`, as search parameters have it.
    #[must_use]
    pub fn with_typed_references(mut self) -> Self {
        self.typed_references = true;
        self
    }

    /// The result of open comparisons.
    #[must_use]
    pub fn with_open_comparisons(mut self, open: OpenComparison) -> Self {
        self.open = open;
        self
    }

    /// Notes which elements the evaluation looked at: [`Collection::looked_at`].
    #[must_use]
    pub fn with_notes(mut self) -> Self {
        self.notes = true;
        self
    }

    /// How much the evaluation may take.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("now", &self.now).field("limits", &self.limits).finish_non_exhaustive()
    }
}
