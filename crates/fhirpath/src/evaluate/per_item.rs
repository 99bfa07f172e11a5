//! Functions that evaluate their arguments themselves: for every item, or only when they are needed.

use smallvec::smallvec;

use super::unique::Unique;
use super::{Evaluator, Frame, Items, Outcome, Variables};
use crate::ast::{Call, Expr};
use crate::error::{EvaluationError, Problem};
use crate::functions::Function;
use crate::item::{Item, System};

pub(super) fn is_lazy(function: Function) -> bool {
    use Function as F;
    matches!(
        function,
        F::Exists
            | F::All
            | F::Where
            | F::Select
            | F::Repeat
            | F::RepeatAll
            | F::Coalesce
            | F::Iif
            | F::Trace
            | F::DefineVariable
            | F::Aggregate
    )
}

impl<'a> Evaluator<'_, 'a> {
    pub(super) fn lazy(
        &self,
        call: &Call,
        input: Items<'a>,
        frame: Frame<'_, 'a>,
        variables: &mut Variables<'a>,
    ) -> Outcome<Items<'a>> {
        let at = call.at;
        let Some(first) = call.arguments.first() else { return Ok(smallvec![Item::boolean(!input.is_empty())]) };
        match call.function {
            Function::Exists => {
                for index in 0..input.len() {
                    if self.holds(first, &input, index, frame, variables, at)? {
                        return Ok(smallvec![Item::boolean(true)]);
                    }
                }
                Ok(smallvec![Item::boolean(false)])
            }
            Function::All => {
                for index in 0..input.len() {
                    if !self.holds(first, &input, index, frame, variables, at)? {
                        return Ok(smallvec![Item::boolean(false)]);
                    }
                }
                Ok(smallvec![Item::boolean(true)])
            }
            Function::Where => {
                let mut kept = Items::new();
                for index in 0..input.len() {
                    if self.holds(first, &input, index, frame, variables, at)? {
                        kept.extend(input.get(index).cloned());
                    }
                }
                Ok(kept)
            }
            Function::Select => {
                let mut all = Items::new();
                for index in 0..input.len() {
                    all.append(&mut self.project(first, &input, index, frame, variables)?);
                    self.check_size(at, all.len())?;
                }
                Ok(all)
            }
            Function::Repeat => {
                let mut found = Unique::new(self, at);
                self.repeated(first, input, frame, variables, at, |item| found.insert(item))?;
                Ok(found.into_items())
            }
            Function::RepeatAll => {
                let mut found = Items::new();
                self.repeated(first, input, frame, variables, at, |item| {
                    found.push(item);
                    self.check_size(at, found.len()).map(|()| true)
                })?;
                Ok(found)
            }
            Function::Coalesce => {
                for argument in &call.arguments {
                    let items = self.eval(argument, frame, &mut variables.clone())?;
                    if !items.is_empty() {
                        return Ok(items);
                    }
                }
                Ok(Items::new())
            }
            Function::Iif => self.iif(call, &input, frame, variables),
            Function::DefineVariable => self.define(call, first, input, frame, variables),
            Function::Aggregate => {
                let mut total = match call.arguments.get(1) {
                    Some(initial) => self.eval(initial, frame, &mut variables.clone())?,
                    None => Items::new(),
                };
                for (index, item) in input.iter().enumerate() {
                    let here = Frame { this: std::slice::from_ref(item), index: Some(index), total: Some(&total) };
                    total = self.eval(first, here, &mut variables.clone())?;
                    self.check_size(at, total.len())?;
                }
                Ok(total)
            }
            // `trace` has no receiver: an evaluation has no other result than its own.
            _ => Ok(input),
        }
    }

    fn project(
        &self,
        argument: &Expr,
        input: &[Item<'a>],
        index: usize,
        frame: Frame<'_, 'a>,
        variables: &Variables<'a>,
    ) -> Outcome<Items<'a>> {
        let this = input.get(index).map(std::slice::from_ref).unwrap_or_default();
        self.eval(argument, Frame { this, index: Some(index), total: frame.total }, &mut variables.clone())
    }

    fn holds(
        &self,
        argument: &Expr,
        input: &[Item<'a>],
        index: usize,
        frame: Frame<'_, 'a>,
        variables: &Variables<'a>,
        at: usize,
    ) -> Outcome<bool> {
        let this = input.get(index).map(std::slice::from_ref).unwrap_or_default();
        let here = Frame { this, index: Some(index), total: frame.total };
        Ok(self.condition(argument, here, variables, at)? == Some(true))
    }

    /// Projects the input, then what that gave that `keep` says is new, and so on.
    fn repeated(
        &self,
        argument: &Expr,
        input: Items<'a>,
        frame: Frame<'_, 'a>,
        variables: &Variables<'a>,
        at: usize,
        mut keep: impl FnMut(Item<'a>) -> Outcome<bool>,
    ) -> Outcome<()> {
        let mut open = input;
        while !open.is_empty() {
            let mut next = Items::new();
            for index in 0..open.len() {
                self.count(at, 1)?;
                for item in self.project(argument, &open, index, frame, variables)? {
                    if keep(item.clone())? {
                        next.push(item);
                    }
                }
            }
            open = next;
        }
        Ok(())
    }

    fn iif(
        &self,
        call: &Call,
        input: &[Item<'a>],
        frame: Frame<'_, 'a>,
        variables: &Variables<'a>,
    ) -> Outcome<Items<'a>> {
        self.one(input, call.at)?;
        let here = Frame { this: input, ..frame };
        let evaluate = |argument: Option<&Expr>| match argument {
            Some(argument) => self.eval(argument, here, &mut variables.clone()),
            None => Ok(Items::new()),
        };
        let condition = evaluate(call.arguments.first())?;
        let holds = match self.one(&condition, call.at)? {
            None => false,
            Some(one) => match one.system().as_deref() {
                Some(System::Boolean(value)) => *value,
                _ => return Err(EvaluationError::mismatch(call.at, one.kind(), "a boolean as the condition")),
            },
        };
        evaluate(call.arguments.get(if holds { 1 } else { 2 }))
    }

    fn define(
        &self,
        call: &Call,
        name: &Expr,
        input: Items<'a>,
        frame: Frame<'_, 'a>,
        variables: &mut Variables<'a>,
    ) -> Outcome<Items<'a>> {
        let name = self.eval(name, frame, &mut variables.clone())?;
        let Some(name) = self.text(&name, call.at)?.map(str::to_owned) else {
            return Err(EvaluationError::mismatch(call.at, "no name", "a variable's name"));
        };
        if self.is_given(&name) || variables.get(&name).is_some() {
            return Err(EvaluationError::new(call.at, Problem::DefinedVariable(name)));
        }
        let value = match call.arguments.get(1) {
            Some(value) => self.eval(value, Frame { this: &input, ..frame }, &mut variables.clone())?,
            None => input.clone(),
        };
        variables.define(name, value);
        Ok(input)
    }
}
