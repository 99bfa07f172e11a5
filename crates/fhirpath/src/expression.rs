//! An expression, parsed once.

use std::fmt;
use std::sync::Arc;

use candor_json::Value;

use crate::ast::{Call, Expr, Operation, Step};
use crate::collection::Collection;
use crate::context::Context;
use crate::error::{EvaluationError, ParseError};
use crate::evaluate;
use crate::functions::Function;
use crate::item::{Item, System};
use crate::parser;

/// A FHIRPath expression.
///
/// ```
/// use candor_fhirpath::{Context, Expression};
/// let observation = candor_json::json!({"resourceType": "Observation", "valueQuantity": {"value": 7.20, "unit": "mmol/L"}});
/// let expression = Expression::parse("value.ofType(Quantity).value = 7.2")?;
/// assert_eq!(expression.evaluate(&observation, &Context::new())?.boolean(), Some(true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Expression {
    text: Arc<str>,
    root: Arc<Expr>,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// The text found, the text expected, and its byte: wrong syntax, functions and types that do not exist, a wrong
    /// number of arguments, invalid regular expressions, and expressions longer than 64 KiB or nested too deep.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Ok(Self { root: Arc::new(parser::parse(text)?), text: text.into() })
    }

    /// The text of the expression, unchanged.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn root(&self) -> &Expr {
        &self.root
    }

    /// Evaluates over a resource, or over another element of a resource that the context names.
    ///
    /// # Errors
    /// With the place in the expression: a wrong number or kind of values for an operator or a function, a variable
    /// that is not defined, something that needs what the context lacks, or a limit that was reached.
    pub fn evaluate<'a>(&self, focus: &'a Value, context: &Context<'a>) -> Result<Collection<'a>, EvaluationError> {
        evaluate::run(&self.root, Collection::of_element(focus), context)
    }

    /// Evaluates over items that another expression gave, as one collection.
    ///
    /// # Errors
    /// As [`Expression::evaluate`].
    pub fn evaluate_on<'a>(
        &self,
        focus: Collection<'a>,
        context: &Context<'a>,
    ) -> Result<Collection<'a>, EvaluationError> {
        evaluate::run(&self.root, focus, context)
    }

    /// True if the result depends on the time: `now()`, `today()` or `timeOfDay()` is called.
    #[must_use]
    pub fn uses_clock(&self) -> bool {
        self.any(|part| matches!(part, Part::Call(Function::Now | Function::Today | Function::TimeOfDay)))
    }

    /// True if `resolve()` is called.
    #[must_use]
    pub fn uses_references(&self) -> bool {
        self.any(|part| matches!(part, Part::Call(Function::Resolve)))
    }

    /// True if `memberOf()` is called.
    #[must_use]
    pub fn uses_value_sets(&self) -> bool {
        self.any(|part| matches!(part, Part::Call(Function::MemberOf)))
    }

    /// The names of variables that neither FHIRPath and FHIR give nor the expression defines, each with its place.
    #[must_use]
    pub fn undefined_variables(&self) -> Vec<(&str, usize)> {
        let (mut used, mut defined) = (Vec::new(), Vec::new());
        let mut defines_any = false;
        self.any(|part| {
            match part {
                Part::Variable(name, at) if !evaluate::is_standard(name) => used.push((name, at)),
                Part::Defined(Some(name)) => defined.push(name),
                Part::Defined(None) => defines_any = true,
                _ => {}
            }
            false
        });
        used.retain(|(name, _)| !defines_any && !defined.contains(name));
        used.sort_unstable_by_key(|(_, at)| *at);
        used
    }

    /// The names of functions in the expression that this crate knows and does not evaluate, `conformsTo` among them: it is
    /// answered only where the type alone denies it.
    #[must_use]
    pub fn refused_functions(&self) -> Vec<&'static str> {
        let mut refused = Vec::new();
        self.any(|part| {
            if let Part::Call(function) = part
                && (evaluate::refused_for(function).is_some() || function == Function::ConformsTo)
                && !refused.contains(&function.name())
            {
                refused.push(function.name());
            }
            false
        });
        refused
    }

    /// True if any part of the expression satisfies the test; parts are visited without recursion.
    fn any<'s>(&'s self, mut test: impl FnMut(Part<'s>) -> bool) -> bool {
        let mut open: Vec<&Expr> = vec![&self.root];
        let mut calls: Vec<&Call> = Vec::new();
        loop {
            if let Some(call) = calls.pop() {
                if test(Part::Call(call.function)) || (call.function == Function::DefineVariable && test(defined(call)))
                {
                    return true;
                }
                open.extend(&call.arguments);
                continue;
            }
            let Some(expression) = open.pop() else { return false };
            match expression {
                Expr::Empty | Expr::Literal(_) | Expr::This | Expr::Index | Expr::Total | Expr::Member(_) => {}
                Expr::Variable { name, at } => {
                    if test(Part::Variable(name, *at)) {
                        return true;
                    }
                }
                Expr::Call(call) => calls.push(call),
                Expr::Path { head, steps } => {
                    open.push(head);
                    for step in steps {
                        match step {
                            Step::Member(_) => {}
                            Step::Call(call) => calls.push(call),
                            Step::Index { index, .. } => open.push(index),
                        }
                    }
                }
                Expr::Sign { operand, .. } => open.push(operand),
                Expr::Chain { first, rest } => {
                    open.push(first);
                    open.extend(rest.iter().filter_map(|link| match &link.operation {
                        Operation::Binary(_, right) => Some(right),
                        Operation::Is(_) | Operation::As(_) => None,
                    }));
                }
            }
        }
    }
}

/// A part that [`Expression::any`] visits.
enum Part<'s> {
    Call(Function),
    Variable(&'s str, usize),
    /// The name that `defineVariable` defines; `None` if it is not a literal.
    Defined(Option<&'s str>),
}

fn defined(call: &Call) -> Part<'_> {
    Part::Defined(match call.arguments.first() {
        Some(Expr::Literal(Item::System(System::String(name)))) => Some(name),
        _ => None,
    })
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Expression").field(&self.text).finish()
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::str::FromStr for Expression {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}
