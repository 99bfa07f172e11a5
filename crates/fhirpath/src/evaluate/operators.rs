//! Operators.

use smallvec::smallvec;

use std::cmp::Ordering;

use super::compare::{Ordered, is_valueless};
use super::navigate::is_of;
use super::unique::{Unique, is_temporal};
use super::{Evaluator, Items, Operand, Outcome};
use crate::ast::Operator;
use crate::decimal::Decimal;
use crate::error::EvaluationError;
use crate::item::{ElementType, Item, System};
use crate::model::model;
use crate::quantity::{Quantity, Unit};
use crate::types::{SystemType, TypeSpecifier};
use crate::ucum;

fn answer<'a>(value: Option<bool>) -> Outcome<Items<'a>> {
    Ok(value.map(Item::boolean).into_iter().collect())
}

fn symbol(operator: Operator) -> &'static str {
    match operator {
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Div => "div",
        Operator::Mod => "mod",
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Less => "<",
        Operator::LessOrEqual => "<=",
        Operator::Greater => ">",
        Operator::GreaterOrEqual => ">=",
        _ => "this operator",
    }
}

impl<'a> Evaluator<'_, 'a> {
    /// A comparison; `None` where it is empty.
    pub(super) fn compared(
        &self,
        operator: Operator,
        left: &[Item<'a>],
        right: &[Item<'a>],
        at: usize,
    ) -> Outcome<Option<bool>> {
        match operator {
            Operator::Equal => self.equal_all(left, right, at),
            Operator::NotEqual => Ok(self.equal_all(left, right, at)?.map(|equal| !equal)),
            Operator::Equivalent => self.equivalent_all(left, right, at).map(Some),
            Operator::NotEquivalent => Ok(Some(!self.equivalent_all(left, right, at)?)),
            Operator::In => self.is_in(left, right, at),
            Operator::Contains => self.is_in(right, left, at),
            _ => {
                let (Some(a), Some(b)) = (self.one(left, at)?, self.one(right, at)?) else { return Ok(None) };
                match self.order(a, b, at)? {
                    Ordered::Is(order) => Ok(Some(match operator {
                        Operator::Less => order == Ordering::Less,
                        Operator::LessOrEqual => order != Ordering::Greater,
                        Operator::Greater => order == Ordering::Greater,
                        _ => order != Ordering::Less,
                    })),
                    Ordered::Open => Ok(self.open([a, b])),
                    Ordered::Incomparable => Ok(None),
                    Ordered::Mismatch => Err(mismatch(operator, a, b, at)),
                }
            }
        }
    }

    pub(super) fn binary(
        &self,
        operator: Operator,
        left: Operand<'_, 'a>,
        right: Operand<'_, 'a>,
        at: usize,
    ) -> Outcome<Items<'a>> {
        match operator {
            Operator::Union => {
                let mut all = left.into_items();
                all.extend(right.into_items());
                self.check_size(at, all.len())?;
                self.distinct(&all, at)
            }
            Operator::And => answer(match (self.truth(&left, at)?, self.truth(&right, at)?) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            }),
            Operator::Or => answer(match (self.truth(&left, at)?, self.truth(&right, at)?) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            }),
            Operator::Xor => answer(match (self.truth(&left, at)?, self.truth(&right, at)?) {
                (Some(a), Some(b)) => Some(a != b),
                _ => None,
            }),
            Operator::Implies => answer(match (self.truth(&left, at)?, self.truth(&right, at)?) {
                (Some(false), _) | (_, Some(true)) => Some(true),
                (Some(true), Some(false)) => Some(false),
                _ => None,
            }),
            Operator::Concatenate => {
                let (a, b) = (self.text(&left, at)?.unwrap_or(""), self.text(&right, at)?.unwrap_or(""));
                self.check_text(at, a.len() + b.len())?;
                Ok(smallvec![Item::string(format!("{a}{b}"))])
            }
            _ => {
                let (Some(a), Some(b)) = (self.one(&left, at)?, self.one(&right, at)?) else { return Ok(Items::new()) };
                Ok(self.calculated(operator, a, b, at)?.map(Item::System).into_iter().collect())
            }
        }
    }

    fn equal_all(&self, left: &[Item<'a>], right: &[Item<'a>], at: usize) -> Outcome<Option<bool>> {
        if left.is_empty() || right.is_empty() {
            return Ok(None);
        }
        if left.len() != right.len() {
            return Ok(Some(false));
        }
        let mut open = None;
        for (a, b) in left.iter().zip(right) {
            match self.equal(a, b, at)? {
                Some(true) => {}
                Some(false) => return Ok(Some(false)),
                None => open = Some([a, b]),
            }
        }
        match open {
            Some(sides) if is_temporal(sides[0]) => Ok(self.open(sides)),
            Some(_) => Ok(None),
            None => Ok(Some(true)),
        }
    }

    fn equivalent_all(&self, left: &[Item<'a>], right: &[Item<'a>], at: usize) -> Outcome<bool> {
        self.matched(left, right, at, |a, b| self.equivalent(a, b, at))
    }

    fn is_in(&self, item: &[Item<'a>], all: &[Item<'a>], at: usize) -> Outcome<Option<bool>> {
        let Some(item) = self.one(item, at)? else { return Ok(None) };
        if !is_temporal(item) {
            return Unique::of(self, all, at)?.contains(item).map(Some);
        }
        let mut open = None;
        for other in all {
            match self.equal(item, other, at)? {
                Some(true) => return Ok(Some(true)),
                Some(false) => {}
                None => open = Some([item, other]),
            }
        }
        Ok(Some(open.and_then(|sides| self.open(sides)).unwrap_or(false)))
    }

    fn calculated(&self, operator: Operator, a: &Item<'a>, b: &Item<'a>, at: usize) -> Outcome<Option<System<'a>>> {
        let wrong = || mismatch(operator, a, b, at);
        if is_valueless(a) || is_valueless(b) {
            return Ok(None);
        }
        if let (Operator::Add, Some(a), Some(b)) = (operator, a.text(), b.text()) {
            self.check_text(at, a.len() + b.len())?;
            return Ok(Some(System::String(format!("{a}{b}").into())));
        }
        let (left, right) = (a.system(), b.system());
        let (Some(left), Some(right)) = (left.as_deref(), right.as_deref()) else { return Err(wrong()) };
        match (left, right) {
            (System::Temporal(value), System::Quantity(quantity)) => match operator {
                Operator::Add => self.moved(value, quantity, at),
                Operator::Subtract => {
                    let backwards = Quantity { value: quantity.value.negated(), unit: quantity.unit.clone() };
                    self.moved(value, &backwards, at)
                }
                _ => Err(wrong()),
            },
            (System::Quantity(a), System::Quantity(b)) => quantities(operator, a, b).map_err(|()| wrong()),
            (System::Quantity(a), b) => {
                let number = Quantity { value: b.number().ok_or_else(wrong)?, unit: Unit::one() };
                quantities(operator, a, &number).map_err(|()| wrong())
            }
            (a, System::Quantity(b)) => {
                let number = Quantity { value: a.number().ok_or_else(wrong)?, unit: Unit::one() };
                quantities(operator, &number, b).map_err(|()| wrong())
            }
            (a, b) => numbers(operator, a, b).ok_or_else(wrong),
        }
    }

    pub(super) fn signed(&self, items: Items<'a>, negative: bool, at: usize) -> Outcome<Items<'a>> {
        let Some(one) = self.one(&items, at)? else { return Ok(items) };
        let system = one.system();
        let wrong = || EvaluationError::mismatch(at, one.kind(), "a number or a quantity behind the sign");
        let value = match system.as_deref() {
            None => return Err(wrong()),
            Some(value) if !negative && (value.number().is_some() || matches!(value, System::Quantity(_))) => {
                Some(value.clone())
            }
            Some(System::Integer(number)) => number.checked_neg().map(System::Integer),
            Some(System::Long(number)) => number.checked_neg().map(System::Long),
            Some(System::Decimal(number)) => Some(System::Decimal(number.negated())),
            Some(System::Quantity(quantity)) => {
                Some(System::Quantity(Quantity { value: quantity.value.negated(), unit: quantity.unit.clone() }))
            }
            Some(_) => return Err(wrong()),
        };
        Ok(value.map(Item::System).into_iter().collect())
    }

    pub(super) fn is(&self, items: &[Item<'a>], of: &TypeSpecifier, at: usize) -> Outcome<Items<'a>> {
        Ok(self.one(items, at)?.map(|item| Item::boolean(is_named(item, of))).into_iter().collect())
    }

    pub(super) fn as_function(&self, items: Items<'a>, of: &TypeSpecifier, at: usize) -> Outcome<Items<'a>> {
        self.one(&items, at)?;
        Ok(self.of_type(items, of))
    }

    /// The items that `ofType` keeps, and `as` as an operator: R4's own search parameters use that on several values.
    pub(super) fn of_type(&self, mut items: Items<'a>, of: &TypeSpecifier) -> Items<'a> {
        items.retain(|item| is_exactly(item, of));
        items
    }
}

fn mismatch(operator: Operator, a: &Item<'_>, b: &Item<'_>, at: usize) -> EvaluationError {
    let found = format!("{} and {}", a.kind(), b.kind());
    EvaluationError::mismatch(at, found, format!("values that `{}` takes", symbol(operator)))
}

fn is_named(item: &Item<'_>, of: &TypeSpecifier) -> bool {
    match item {
        Item::System(system) => {
            of.system.is_some_and(|named| named == SystemType::Any || named == system.system_type())
        }
        Item::Node(node) => {
            // What a type is that is not known shows in the JSON, which has no namespaces.
            let untyped = node.of == ElementType::Unknown && of.system.is_some();
            of.fhir.is_some_and(|named| is_of(item, named))
                || of.system == Some(SystemType::Any)
                || (untyped && node.system().map(|value| value.system_type()) == of.system)
        }
        Item::Type(_) => of.system == Some(SystemType::Any),
    }
}

/// True if `as` and `ofType` keep an item. A primitive must be of the type itself: a code is not a string.
fn is_exactly(item: &Item<'_>, of: &TypeSpecifier) -> bool {
    if let (Item::Node(node), Some(named)) = (item, of.fhir)
        && let Some(id) = node.type_id()
        && model().get(named).is_some_and(|definition| definition.primitive.is_some())
    {
        return id == named;
    }
    is_named(item, of)
}

/// Numbers: `None` in the outer option for an operator that does not take them, in the inner for a result that there is not.
#[expect(clippy::option_option, reason = "no such operator, and no such number, are two things")]
fn numbers<'a>(operator: Operator, a: &System<'a>, b: &System<'a>) -> Option<Option<System<'a>>> {
    if let (System::Integer(a), System::Integer(b)) = (a, b) {
        let (a, b) = (*a, *b);
        let whole = match operator {
            Operator::Add => a.checked_add(b),
            Operator::Subtract => a.checked_sub(b),
            Operator::Multiply => a.checked_mul(b),
            Operator::Div => a.checked_div(b),
            Operator::Mod => a.checked_rem(b),
            _ => {
                return Some(
                    decimals(operator, &Decimal::from(i64::from(a)), &Decimal::from(i64::from(b)))?
                        .map(System::Decimal),
                );
            }
        };
        return Some(whole.map(System::Integer));
    }
    let long = |value: &System<'_>| match value {
        System::Integer(number) => Some(i64::from(*number)),
        System::Long(number) => Some(*number),
        _ => None,
    };
    if let (Some(a), Some(b)) = (long(a), long(b)) {
        let whole = match operator {
            Operator::Add => a.checked_add(b),
            Operator::Subtract => a.checked_sub(b),
            Operator::Multiply => a.checked_mul(b),
            Operator::Div => a.checked_div(b),
            Operator::Mod => a.checked_rem(b),
            _ => return Some(decimals(operator, &Decimal::from(a), &Decimal::from(b))?.map(System::Decimal)),
        };
        return Some(whole.map(System::Long));
    }
    let result = decimals(operator, &a.number()?, &b.number()?)?;
    Some(match (operator, result) {
        (Operator::Div, Some(whole)) => match whole.to_i64() {
            Some(number) => Some(i32::try_from(number).map_or(System::Long(number), System::Integer)),
            None => Some(System::Decimal(whole)),
        },
        (_, result) => result.map(System::Decimal),
    })
}

#[expect(clippy::option_option, reason = "no such operator, and no such number, are two things")]
fn decimals(operator: Operator, a: &Decimal, b: &Decimal) -> Option<Option<Decimal>> {
    Some(match operator {
        Operator::Add => a.add(b),
        Operator::Subtract => a.subtract(b),
        Operator::Multiply => a.multiply(b),
        Operator::Divide => a.divide(b),
        Operator::Div => a.whole_quotient(b),
        Operator::Mod => a.remainder(b),
        _ => return None,
    })
}

/// Quantities; `Err` for an operator that does not take them.
fn quantities<'a>(operator: Operator, a: &Quantity, b: &Quantity) -> Result<Option<System<'a>>, ()> {
    let result = match operator {
        Operator::Add | Operator::Subtract => {
            let subtract = operator == Operator::Subtract;
            sum(a, &if subtract { Quantity { value: b.value.negated(), unit: b.unit.clone() } } else { b.clone() })
        }
        Operator::Multiply => ucum::product(a, b),
        Operator::Divide => ucum::quotient(a, b),
        _ => return Err(()),
    };
    Ok(result.map(System::Quantity))
}

/// A sum in the unit of the first; `None` where the units measure different things.
fn sum(a: &Quantity, b: &Quantity) -> Option<Quantity> {
    let other = if a.unit == b.unit { b.value.clone() } else { ucum::converted(b, a.unit.code())? };
    Some(Quantity { value: a.value.add(&other)?, unit: a.unit.clone() })
}
