//! Checks of strict mode that need only the expression, whatever the document holds.

use super::{Evaluator, Outcome};
use crate::ast::{Call, Expr, Member, Operation, Step};
use crate::error::{EvaluationError, Problem};
use crate::functions::Function;
use crate::model::model;
use crate::types::TypeSpecifier;

#[derive(Clone, Copy)]
pub(super) enum Before<'e> {
    Head(&'e Expr),
    Step(&'e Step),
}

impl<'e> Before<'e> {
    pub(super) fn head(head: &'e Expr) -> Self {
        Self::Head(head)
    }

    fn call(self) -> Option<&'e Call> {
        match self {
            Self::Head(Expr::Call(call)) | Self::Step(Step::Call(call)) => Some(call),
            _ => None,
        }
    }

    fn of(self) -> Option<&'e TypeSpecifier> {
        match self {
            Self::Head(Expr::Chain { rest, .. }) => match rest.last().map(|link| &link.operation) {
                Some(Operation::As(of)) => Some(of),
                _ => None,
            },
            other => other.call().filter(|call| matches!(call.function, Function::As | Function::OfType))?.of.as_ref(),
        }
    }
}

impl Evaluator<'_, '_> {
    /// Finds an element that the type before it does not have, and a function that needs an order where the input has
    /// no order.
    pub(super) fn check_strictly(&self, before: Before<'_>, step: &Step) -> Outcome<()> {
        if self.context.strict
            && let (Some(of), Step::Member(Member { name, at, .. })) = (before.of(), step)
            && let Some(id) = of.fhir
            && model().is_complete(id)
            && model().element(id, name).is_none()
        {
            let of = model().name(id).to_owned();
            return Err(EvaluationError::new(*at, Problem::UnknownElement { of, name: name.clone() }));
        }
        let unordered =
            before.call().is_some_and(|call| matches!(call.function, Function::Children | Function::Descendants));
        if self.context.strict_order && unordered {
            let at = match step {
                Step::Index { at, .. } => Some(*at),
                Step::Call(call) => {
                    use Function as F;
                    let ordered = matches!(call.function, F::First | F::Last | F::Tail | F::Skip | F::Take);
                    ordered.then_some(call.at)
                }
                Step::Member(_) => None,
            };
            if let Some(at) = at {
                return Err(EvaluationError::mismatch(at, "a collection without order", "one that has an order"));
            }
        }
        Ok(())
    }
}
