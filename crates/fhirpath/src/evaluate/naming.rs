//! Which elements a comparison names: those that are equal to a literal of the expression.

use super::{Evaluator, Outcome};
use crate::ast::{Expr, Operation, Operator};
use crate::item::Item;

pub(super) struct Side<'s, 'a> {
    pub(super) items: &'s [Item<'a>],
    /// True if it is a literal, or several joined by `|`.
    pub(super) is_literal: bool,
}

/// True if an expression is a literal, or several joined by `|`.
pub(super) fn is_literal(expression: &Expr) -> bool {
    match expression {
        Expr::Literal(_) => true,
        Expr::Chain { first, rest } => {
            is_literal(first)
                && rest.iter().all(|link| match &link.operation {
                    Operation::Binary(Operator::Union, right) => is_literal(right),
                    Operation::Binary(..) | Operation::Is(_) | Operation::As(_) => false,
                })
        }
        _ => false,
    }
}

impl<'a> Evaluator<'_, 'a> {
    /// A comparison, as [`Evaluator::compared`]. Where it holds, the elements that are equal to a literal are noted.
    pub(super) fn compared_noting(
        &self,
        operator: Operator,
        left: &Side<'_, 'a>,
        right: &Side<'_, 'a>,
        at: usize,
    ) -> Outcome<Option<bool>> {
        let compared = self.compared(operator, left.items, right.items, at)?;
        let names = matches!(operator, Operator::Equal | Operator::Equivalent | Operator::In | Operator::Contains);
        if !self.context.notes || !names || compared != Some(true) {
            return Ok(compared);
        }
        let (elements, literals) = match (left.is_literal, right.is_literal) {
            (false, true) => (left.items, right.items),
            (true, false) => (right.items, left.items),
            _ => return Ok(compared),
        };
        for item in elements {
            let Item::Node(node) = item else { continue };
            let Some(element) = node.value else { continue };
            for literal in literals {
                let same = match operator {
                    Operator::Equivalent => self.equivalent(item, literal, at)?,
                    _ => self.equal(item, literal, at)? == Some(true),
                };
                if same {
                    self.named.borrow_mut().push(element);
                    break;
                }
            }
        }
        Ok(compared)
    }
}
