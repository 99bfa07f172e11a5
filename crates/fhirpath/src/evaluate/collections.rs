//! Existence, subsetting and combining: functions of whole collections.

use smallvec::smallvec;

use super::unique::Unique;
use super::{Evaluator, Items, Operand, Outcome};
use crate::ast::Call;
use crate::decimal::Decimal;
use crate::error::EvaluationError;
use crate::functions::Function;
use crate::item::{Item, System};

impl<'a> Evaluator<'_, 'a> {
    pub(super) fn of_collection(
        &self,
        call: &Call,
        mut input: Items<'a>,
        arguments: &[Items<'a>],
    ) -> Outcome<Items<'a>> {
        let at = call.at;
        let boolean = |value: bool| Ok(smallvec![Item::boolean(value)]);
        let other = arguments.first().map(|items| items.as_slice()).unwrap_or_default();
        match call.function {
            Function::Empty => boolean(input.is_empty()),
            Function::Exists => boolean(!input.is_empty()),
            Function::AllTrue => boolean(!self.booleans(&input, at)?.contains(&false)),
            Function::AnyTrue => boolean(self.booleans(&input, at)?.contains(&true)),
            Function::AllFalse => boolean(!self.booleans(&input, at)?.contains(&true)),
            Function::AnyFalse => boolean(self.booleans(&input, at)?.contains(&false)),
            Function::SubsetOf => boolean(self.all_in(&input, other, at)?),
            Function::SupersetOf => boolean(self.all_in(other, &input, at)?),
            Function::Count => {
                let count = i32::try_from(input.len()).unwrap_or(i32::MAX);
                Ok(smallvec![Item::System(System::Integer(count))])
            }
            Function::Distinct => self.distinct(&input, at),
            Function::IsDistinct => boolean(self.distinct(&input, at)?.len() == input.len()),
            Function::Single => Ok(self.one(&input, at)?.cloned().into_iter().collect()),
            Function::First => {
                input.truncate(1);
                Ok(input)
            }
            Function::Last => Ok(input.pop().into_iter().collect()),
            Function::Tail => Ok(input.into_iter().skip(1).collect()),
            Function::Skip | Function::Take => {
                let Some(number) = self.integer(other, at)? else { return Ok(Items::new()) };
                let number = usize::try_from(number.max(0)).unwrap_or(usize::MAX);
                if call.function == Function::Skip {
                    return Ok(input.into_iter().skip(number).collect());
                }
                input.truncate(number);
                Ok(input)
            }
            Function::Intersect => {
                let kept = Unique::of(self, other, at)?;
                let mut unique = Unique::new(self, at);
                for item in input {
                    if kept.contains(&item)? {
                        unique.insert(item)?;
                    }
                }
                Ok(unique.into_items())
            }
            Function::Exclude => {
                let left_out = Unique::of(self, other, at)?;
                let mut kept = Items::new();
                for item in input {
                    if !left_out.contains(&item)? {
                        kept.push(item);
                    }
                }
                Ok(kept)
            }
            Function::Union => {
                input.extend(other.iter().cloned());
                self.distinct(&input, at)
            }
            Function::Combine => {
                input.extend(other.iter().cloned());
                self.check_size(at, input.len())?;
                Ok(input)
            }
            _ => Ok(self.truth(&input, at)?.map(|value| Item::boolean(!value)).into_iter().collect()),
        }
    }

    fn booleans(&self, items: &[Item<'a>], at: usize) -> Outcome<Vec<bool>> {
        let boolean = |item: &Item<'a>| match item.system().as_deref() {
            Some(System::Boolean(value)) => Ok(*value),
            _ => Err(EvaluationError::mismatch(at, item.kind(), "booleans")),
        };
        items.iter().map(boolean).collect()
    }

    fn all_in(&self, items: &[Item<'a>], all: &[Item<'a>], at: usize) -> Outcome<bool> {
        let all = Unique::of(self, all, at)?;
        for item in items {
            if !all.contains(item)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn distinct(&self, items: &[Item<'a>], at: usize) -> Outcome<Items<'a>> {
        Ok(Unique::of(self, items, at)?.into_items())
    }

    /// `sum`, `min`, `max`, `avg`.
    pub(super) fn aggregated(&self, call: &Call, input: &[Item<'a>]) -> Outcome<Items<'a>> {
        use crate::ast::Operator;
        let Some((first, rest)) = input.split_first() else { return Ok(Items::new()) };
        let mut result: Items<'a> = smallvec![first.clone()];
        for item in rest {
            let next: Items<'a> = smallvec![item.clone()];
            result = match call.function {
                Function::Sum | Function::Avg => {
                    self.binary(Operator::Add, Operand::Made(result), Operand::Made(next), call.at)?
                }
                Function::Min | Function::Max => {
                    let operator = if call.function == Function::Min { Operator::Less } else { Operator::Greater };
                    match self.compared(operator, &next, &result, call.at)? {
                        Some(true) => next,
                        Some(false) => result,
                        None => return Ok(Items::new()),
                    }
                }
                _ => result,
            };
        }
        if call.function == Function::Avg {
            let count = Item::System(System::Decimal(Decimal::from(i64::try_from(input.len()).unwrap_or(i64::MAX))));
            return self.binary(Operator::Divide, Operand::Made(result), Operand::Made(smallvec![count]), call.at);
        }
        Ok(result)
    }
}
