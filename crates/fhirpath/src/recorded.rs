//! Expressions over a recording: those that no clock, server or terminology decides, and what they select for certain.

use std::collections::{HashMap, HashSet};

use candor_json::Value;

use crate::collection::Collection;
use crate::context::OpenComparison;
use crate::error::EvaluationError;
use crate::expression::Expression;
use crate::item::Item;

/// Why an expression cannot be evaluated over a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRecorded {
    /// The byte of the expression where it goes wrong.
    pub offset: usize,
    /// The fault there, and the text to write instead.
    pub message: String,
}

impl Expression {
    /// As [`Expression::parse`], and refuses what could never be evaluated over a recording, or only by what it does not hold.
    ///
    /// ```
    /// use candor_fhirpath::Expression;
    /// assert!(Expression::parse_recorded("birthDate < @2000-01-01").is_ok());
    /// assert!(Expression::parse_recorded("birthDate < today()").unwrap_err().message.contains("write the date"));
    /// ```
    ///
    /// # Errors
    /// The fault, with its place and the text to write instead.
    pub fn parse_recorded(text: &str) -> Result<Self, NotRecorded> {
        let problem = |offset: usize, message: String| NotRecorded { offset, message };
        let expression = Self::parse(text)
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
            None => Ok(expression),
        }
    }
}

/// The items that an expression selects whichever way the comparisons lie that dates leave open.
#[derive(Clone, Debug, Default)]
pub struct CertainItems<'a> {
    /// The items.
    pub items: Vec<Item<'a>>,
    /// True if there may be others.
    pub open: bool,
    /// The elements that were found equal to a literal.
    pub named: Vec<&'a Value>,
}

impl<'a> CertainItems<'a> {
    /// Evaluates an expression, once or for every way in which open comparisons may lie.
    pub fn of(evaluated: impl Fn(OpenComparison) -> Result<Collection<'a>, EvaluationError>) -> Self {
        let unknown = || Self { open: true, ..Self::default() };
        let Ok(collection) = evaluated(OpenComparison::Empty) else { return unknown() };
        let named = collection.named().to_vec();
        let mut items: Vec<Item<'a>> = collection.items().to_vec();
        let mut open = false;
        if collection.is_undecided() {
            for way in [OpenComparison::True, OpenComparison::False] {
                let Ok(other) = evaluated(way) else { return Self { named, ..unknown() } };
                let address = |item: &Item<'a>| item.element().map(std::ptr::from_ref);
                let others: HashSet<_> = other.iter().map(address).collect();
                open |= other.len() != items.len() || !items.iter().map(address).all(|item| others.contains(&item));
                items.retain(|item| item.element().is_some() && others.contains(&address(item)));
            }
        }
        Self { items, open, named }
    }
}

/// The elements of a resource with what their definitions say, by their address.
#[derive(Debug)]
pub struct TypedElements<'a>(HashMap<*const Value, Item<'a>>);

impl<'a> TypedElements<'a> {
    /// Those of a resource, itself included.
    #[must_use]
    pub fn of(resource: &'a Value) -> Self {
        let mut typed = HashMap::new();
        let mut open = vec![Item::of_element(resource)];
        while let Some(item) = open.pop() {
            open.extend(item.children());
            if let Some(value) = item.element() {
                typed.insert(std::ptr::from_ref(value), item);
            }
        }
        Self(typed)
    }

    /// An element with what its definition says of it. Nothing for an element of another resource.
    #[must_use]
    pub fn find(&self, value: &Value) -> Option<Item<'a>> {
        self.0.get(&std::ptr::from_ref(value)).cloned()
    }
}
