//! Equality, equivalence and order of items.

use std::borrow::Cow;
use std::cmp::Ordering;

use candor_json::Value;

use super::{Evaluator, Outcome};
use crate::decimal::Decimal;
use crate::error::{EvaluationError, Problem};
use crate::item::{ElementType, Item, System};
use crate::quantity::{Compared, Quantity, Unit, precision};
use crate::temporal::{Temporal, TemporalKind};

/// How deep structures are compared.
const DEEPEST: usize = 200;

pub(super) enum Ordered {
    Is(Ordering),
    Open,
    /// The units measure different things, or there is no value.
    Incomparable,
    /// Things that have no order.
    Mismatch,
}

/// The two values to compare, a text read as a date where the other is one and the text's type is not known.
type Pair<'s, 'a> = (Option<Cow<'s, System<'a>>>, Option<Cow<'s, System<'a>>>);

fn pair<'s, 'a>(a: &'s Item<'a>, b: &'s Item<'a>) -> Pair<'s, 'a> {
    let (left, right) = (a.system(), b.system());
    let read_as = |item: &Item<'a>, own: &Option<Cow<'s, System<'a>>>, other: &Option<Cow<'s, System<'a>>>| {
        let (Some(System::String(text)), Some(System::Temporal(model))) = (own.as_deref(), other.as_deref()) else {
            return None;
        };
        let unknown = matches!(item, Item::Node(node) if node.of == ElementType::Unknown);
        let read = match model.kind() {
            TemporalKind::Time => Temporal::time(text),
            TemporalKind::Date | TemporalKind::DateTime => Temporal::date_time(text),
        };
        read.filter(|_| unknown).map(|value| Cow::Owned(System::Temporal(value)))
    };
    match (read_as(a, &left, &right), read_as(b, &right, &left)) {
        (Some(read), _) => (Some(read), right),
        (_, Some(read)) => (left, Some(read)),
        _ => (left, right),
    }
}

fn comparable_kinds(a: &Temporal, b: &Temporal) -> bool {
    (a.kind() == TemporalKind::Time) == (b.kind() == TemporalKind::Time)
}

pub(super) fn as_quantity(value: &System<'_>) -> Option<Quantity> {
    match value {
        System::Quantity(quantity) => Some(quantity.clone()),
        other => other.number().map(|value| Quantity { value, unit: Unit::one() }),
    }
}

impl<'a> Evaluator<'_, 'a> {
    /// True if two items are equal; `None` if that is open, or if units measure different things.
    pub(super) fn equal(&self, a: &Item<'a>, b: &Item<'a>, at: usize) -> Outcome<Option<bool>> {
        self.count(at, 1)?;
        if let (Some(a), Some(b)) = (a.text(), b.text()) {
            return Ok(Some(a == b));
        }
        let (left, right) = pair(a, b);
        if let (Some(left), Some(right)) = (left.as_deref(), right.as_deref()) {
            return Ok(match (left, right) {
                (System::Boolean(a), System::Boolean(b)) => Some(a == b),
                (System::String(a), System::String(b)) => Some(a == b),
                (System::Temporal(a), System::Temporal(b)) if comparable_kinds(a, b) => {
                    a.compare(b).map(|order| order == Ordering::Equal)
                }
                (System::Quantity(_), _) | (_, System::Quantity(_)) => match (as_quantity(left), as_quantity(right)) {
                    (Some(a), Some(b)) => match a.compare(&b) {
                        Compared::Is(order) => Some(order == Ordering::Equal),
                        Compared::Incomparable => None,
                    },
                    _ => Some(false),
                },
                (a, b) => match (a.number(), b.number()) {
                    (Some(a), Some(b)) => Some(a == b),
                    _ => Some(false),
                },
            });
        }
        match (a, b) {
            (Item::Node(a), Item::Node(b)) => match (a.value, b.value) {
                (Some(a), Some(b)) => self.same(a, b, at, 0).map(Some),
                (None, None) => match (a.beside, b.beside) {
                    (Some(a), Some(b)) => self.same(a, b, at, 0).map(Some),
                    _ => Ok(Some(a.of == b.of)),
                },
                _ => Ok(Some(false)),
            },
            (Item::Type(a), Item::Type(b)) => Ok(Some(a == b)),
            _ => Ok(Some(false)),
        }
    }

    /// True if two structures are the same, whatever the order of their members; numbers by value.
    fn same(&self, a: &Value, b: &Value, at: usize, depth: usize) -> Outcome<bool> {
        self.count(at, 1)?;
        if std::ptr::eq(a, b) {
            return Ok(true);
        }
        if depth > DEEPEST {
            return Err(EvaluationError::new(at, Problem::Limit("structures nest deeper than are compared")));
        }
        Ok(match (a, b) {
            (Value::Object(a), Value::Object(b)) => {
                if a.len() != b.len() {
                    return Ok(false);
                }
                for (name, value) in a {
                    match b.get(name) {
                        Some(other) if self.same(value, other, at, depth + 1)? => {}
                        _ => return Ok(false),
                    }
                }
                true
            }
            (Value::Array(a), Value::Array(b)) => {
                if a.len() != b.len() {
                    return Ok(false);
                }
                for (value, other) in a.iter().zip(b) {
                    if !self.same(value, other, at, depth + 1)? {
                        return Ok(false);
                    }
                }
                true
            }
            (Value::Number(a), Value::Number(b)) => {
                a == b || Decimal::parse(a.as_str()).is_some_and(|a| Decimal::parse(b.as_str()) == Some(a))
            }
            (a, b) => a == b,
        })
    }

    pub(super) fn equivalent(&self, a: &Item<'a>, b: &Item<'a>, at: usize) -> Outcome<bool> {
        self.count(at, 1)?;
        let (left, right) = pair(a, b);
        if let (Some(left), Some(right)) = (left.as_deref(), right.as_deref()) {
            return Ok(match (left, right) {
                (System::String(a), System::String(b)) => {
                    self.count(at, (a.len() + b.len()) / 64)?;
                    folded(a) == folded(b)
                }
                (System::Boolean(a), System::Boolean(b)) => a == b,
                (System::Temporal(a), System::Temporal(b)) => {
                    comparable_kinds(a, b) && a.compare(b) == Some(Ordering::Equal)
                }
                (System::Quantity(_), _) | (_, System::Quantity(_)) => match (as_quantity(left), as_quantity(right)) {
                    (Some(a), Some(b)) => a.is_equivalent(&b),
                    _ => false,
                },
                (a, b) => match (a.number(), b.number()) {
                    (Some(a), Some(b)) => {
                        let scale = precision(&a).min(precision(&b));
                        a.rounded(scale) == b.rounded(scale)
                    }
                    _ => false,
                },
            });
        }
        match (a, b) {
            (Item::Node(a), Item::Node(b)) => match (a.value, b.value) {
                (Some(a), Some(b)) => self.alike(a, b, at, 0),
                (None, None) => match (a.beside, b.beside) {
                    (Some(a), Some(b)) => self.alike(a, b, at, 0),
                    _ => Ok(a.of == b.of),
                },
                _ => Ok(false),
            },
            (Item::Type(a), Item::Type(b)) => Ok(a == b),
            _ => Ok(false),
        }
    }

    /// True if two structures are equivalent: arrays in any order, texts without case and runs of space.
    fn alike(&self, a: &Value, b: &Value, at: usize, depth: usize) -> Outcome<bool> {
        self.count(at, 1)?;
        if depth > DEEPEST {
            return Err(EvaluationError::new(at, Problem::Limit("structures nest deeper than are compared")));
        }
        Ok(match (a, b) {
            (Value::Object(a), Value::Object(b)) => {
                let counted = |name: &&String| name.as_str() != "id";
                if a.keys().filter(counted).count() != b.keys().filter(counted).count() {
                    return Ok(false);
                }
                for (name, value) in a.iter().filter(|(name, _)| counted(name)) {
                    match b.get(name) {
                        Some(other) if self.alike(value, other, at, depth + 1)? => {}
                        _ => return Ok(false),
                    }
                }
                true
            }
            (Value::Array(a), Value::Array(b)) => {
                self.matched(a, b, at, |value, other| self.alike(value, other, at, depth + 1))?
            }
            (Value::String(a), Value::String(b)) => folded(a) == folded(b),
            (Value::Number(a), Value::Number(b)) => match (Decimal::parse(a.as_str()), Decimal::parse(b.as_str())) {
                (Some(a), Some(b)) => {
                    let scale = precision(&a).min(precision(&b));
                    a.rounded(scale) == b.rounded(scale)
                }
                _ => a == b,
            },
            (a, b) => a == b,
        })
    }

    /// True if each of the first can be paired with a different one of the others, in any order.
    pub(super) fn matched<T>(
        &self,
        a: &[T],
        b: &[T],
        at: usize,
        alike: impl Fn(&T, &T) -> Outcome<bool>,
    ) -> Outcome<bool> {
        if a.len() != b.len() {
            return Ok(false);
        }
        let mut open: Vec<&T> = b.iter().collect();
        for value in a {
            let mut found = None;
            for (index, other) in open.iter().enumerate() {
                self.count(at, 1)?;
                if alike(value, other)? {
                    found = Some(index);
                    break;
                }
            }
            match found {
                Some(index) => open.remove(index),
                None => return Ok(false),
            };
        }
        Ok(true)
    }

    pub(super) fn order(&self, a: &Item<'a>, b: &Item<'a>, at: usize) -> Outcome<Ordered> {
        self.count(at, 1)?;
        if is_valueless(a) || is_valueless(b) {
            return Ok(Ordered::Incomparable);
        }
        if let (Some(a), Some(b)) = (a.text(), b.text()) {
            // A text whose type is not known may be a date or a number of anything; as texts they have an order.
            return Ok(Ordered::Is(a.cmp(b)));
        }
        let (left, right) = pair(a, b);
        let (Some(left), Some(right)) = (left.as_deref(), right.as_deref()) else { return Ok(Ordered::Mismatch) };
        Ok(match (left, right) {
            (System::String(a), System::String(b)) => Ordered::Is((**a).cmp(b)),
            (System::Temporal(a), System::Temporal(b)) if comparable_kinds(a, b) => {
                a.compare(b).map_or(Ordered::Open, Ordered::Is)
            }
            (System::Quantity(_), _) | (_, System::Quantity(_)) => match (as_quantity(left), as_quantity(right)) {
                (Some(a), Some(b)) => match a.compare(&b) {
                    Compared::Is(order) => Ordered::Is(order),
                    Compared::Incomparable => Ordered::Incomparable,
                },
                _ => Ordered::Mismatch,
            },
            (a, b) => match (a.number(), b.number()) {
                (Some(a), Some(b)) => Ordered::Is(a.cmp(&b)),
                _ => Ordered::Mismatch,
            },
        })
    }
}

/// True if an item is a primitive that has only extensions.
pub(super) fn is_valueless(item: &Item<'_>) -> bool {
    matches!(item, Item::Node(node) if node.value.is_none())
}

/// A text without case, and with one space for every run of white space.
fn folded(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
