//! `sort`.

use std::cmp::Ordering;

use super::compare::Ordered;
use super::{Evaluator, Frame, Items, Outcome, Variables};
use crate::ast::Call;
use crate::error::EvaluationError;
use crate::item::Item;

/// An item and the values of its keys, none where a key is empty.
type Keyed<'a> = (Vec<Option<Item<'a>>>, Item<'a>);

impl<'a> Evaluator<'_, 'a> {
    pub(super) fn sort(
        &self,
        call: &Call,
        input: Items<'a>,
        frame: Frame<'_, 'a>,
        variables: &Variables<'a>,
    ) -> Outcome<Items<'a>> {
        let mut keyed = Vec::with_capacity(input.len());
        for (index, item) in input.into_iter().enumerate() {
            let here = Frame { this: std::slice::from_ref(&item), index: Some(index), total: frame.total };
            let mut keys = Vec::with_capacity(call.arguments.len().max(1));
            for argument in &call.arguments {
                let key = self.eval(argument, here, &mut variables.clone())?;
                keys.push(self.one(&key, call.at)?.cloned());
            }
            if call.arguments.is_empty() {
                keys.push(Some(item.clone()));
            }
            keyed.push((keys, item));
        }
        Ok(self.merged(keyed, call)?.into_iter().map(|(_, item)| item).collect())
    }

    /// Sorts by merging runs that double in length; ends if the order of two items is unknown.
    fn merged(&self, mut items: Vec<Keyed<'a>>, call: &Call) -> Outcome<Vec<Keyed<'a>>> {
        let mut run = 1;
        while run < items.len() {
            let mut sorted = Vec::with_capacity(items.len());
            let mut rest = items.into_iter().peekable();
            while rest.peek().is_some() {
                let left: Vec<_> = rest.by_ref().take(run).collect();
                let right: Vec<_> = rest.by_ref().take(run).collect();
                let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
                while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
                    let from = if self.before(b, a, call)? { &mut right } else { &mut left };
                    sorted.extend(from.next());
                }
                sorted.extend(left);
                sorted.extend(right);
            }
            items = sorted;
            run *= 2;
        }
        Ok(items)
    }

    /// True if the first comes before the second; false if they are equal.
    fn before(&self, a: &Keyed<'a>, b: &Keyed<'a>, call: &Call) -> Outcome<bool> {
        for (index, (a, b)) in a.0.iter().zip(&b.0).enumerate() {
            let order = match (a, b) {
                (None, None) => Ordering::Equal,
                // An item without a key comes first, whatever the direction of the key: so the official suites have it.
                (None, Some(_)) => return Ok(true),
                (Some(_), None) => return Ok(false),
                (Some(a), Some(b)) => match self.order(a, b, call.at)? {
                    Ordered::Is(order) => order,
                    Ordered::Open | Ordered::Incomparable => {
                        let found = format!("two values of {} whose order is open", a.kind());
                        return Err(EvaluationError::mismatch(call.at, found, "values that have an order"));
                    }
                    Ordered::Mismatch => {
                        let found = format!("{} and {}", a.kind(), b.kind());
                        return Err(EvaluationError::mismatch(call.at, found, "values that have an order"));
                    }
                },
            };
            let descending = call.descending.get(index).copied().unwrap_or(false);
            match if descending { order.reverse() } else { order } {
                Ordering::Less => return Ok(true),
                Ordering::Greater => return Ok(false),
                Ordering::Equal => {}
            }
        }
        Ok(false)
    }
}
