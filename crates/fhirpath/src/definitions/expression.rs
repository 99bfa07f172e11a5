//! The elements that an expression may reach in resources of a type.

use super::compared::NeverEqual;
use super::position::{Position, UnknownElement};
use super::table::Type;
use crate::ast::{Call, Expr, Member, Operation, Operator, Step};
use crate::expression::Expression;
use crate::functions::{Arguments, FUNCTIONS, Function};
use crate::model::model;
use crate::types::TypeSpecifier;

/// The elements that an expression reaches in resources of a type, by their definitions alone.
#[derive(Clone, Debug)]
pub struct Reach {
    /// The elements in the result of the expression.
    pub result: Position,
    /// Elements that nothing has where the expression asks for them, each with its place in the text.
    pub unknown: Vec<(usize, UnknownElement)>,
    /// Comparisons that never hold, each with the place of its operator.
    pub never_equal: Vec<(usize, NeverEqual)>,
    /// Elements that R4 does not have, each with its place, its name and its position.
    pub later: Vec<(usize, String, Position)>,
}

impl Expression {
    /// Returns the elements that the expression reaches in resources of a type.
    #[must_use]
    pub fn reach(&self, resource_type: &str) -> Reach {
        self.reach_from(&Position::of(resource_type), resource_type)
    }

    /// Returns the elements that the expression reaches from elements in resources of a type.
    ///
    /// ```
    /// use candor_fhirpath::{Expression, definitions::Position};
    /// let dosage = Position::of("MedicationRequest").member("dosageInstruction").unwrap();
    /// let unknown = |text: &str| {
    ///     Expression::parse(text).unwrap().reach_from(&dosage, "MedicationRequest").unknown.len()
    /// };
    /// assert_eq!((unknown("route.text"), unknown("subject"), unknown("%resource.subject")), (0, 1, 0));
    /// ```
    #[must_use]
    pub fn reach_from(&self, context: &Position, resource_type: &str) -> Reach {
        let root = Position::of(resource_type);
        let mut walk =
            Walk { root, context: context.clone(), unknown: Vec::new(), never_equal: Vec::new(), later: Vec::new() };
        let result = walk.expression(self.root(), context);
        walk.unknown.sort_by_key(|(at, _)| *at);
        walk.never_equal.sort_by_key(|(at, _)| *at);
        walk.later.sort_by_key(|(at, ..)| *at);
        Reach { result, unknown: walk.unknown, never_equal: walk.never_equal, later: walk.later }
    }
}

struct Walk {
    root: Position,
    context: Position,
    unknown: Vec<(usize, UnknownElement)>,
    never_equal: Vec<(usize, NeverEqual)>,
    later: Vec<(usize, String, Position)>,
}

impl Walk {
    fn expression(&mut self, expression: &Expr, this: &Position) -> Position {
        match expression {
            Expr::This => this.clone(),
            Expr::Empty | Expr::Literal(_) | Expr::Index | Expr::Total => Position::open(),
            Expr::Variable { name, .. } => match name.as_str() {
                "resource" | "rootResource" => self.root.clone(),
                "context" => self.context.clone(),
                _ => Position::open(),
            },
            Expr::Member(member) => self.head(member, this),
            Expr::Call(call) => self.call(call, this, this),
            Expr::Path { head, steps } => {
                let mut at = self.expression(head, this);
                for step in steps {
                    at = match step {
                        Step::Member(member) => self.member(member, &at),
                        Step::Call(call) => self.call(call, &at, this),
                        Step::Index { index, .. } => {
                            self.expression(index, this);
                            at
                        }
                    };
                }
                at
            }
            Expr::Sign { operand, .. } => {
                self.expression(operand, this);
                Position::open()
            }
            Expr::Chain { first, rest } => {
                let mut at = self.expression(first, this);
                for (number, link) in rest.iter().enumerate() {
                    at = match &link.operation {
                        Operation::Is(_) => Position::open(),
                        Operation::As(of) => only(&at, of),
                        Operation::Binary(operator, right) => {
                            let literal = right;
                            let right = self.expression(right, this);
                            // The literal may come before the first operator.
                            let found = NeverEqual::of(*operator, &at, literal).or_else(|| {
                                let first = if number == 0 { Some(first) } else { None };
                                first.and_then(|first| NeverEqual::of(*operator, &right, first))
                            });
                            self.never_equal.extend(found.map(|found| (link.at, found)));
                            if *operator == Operator::Union { at.or(right) } else { Position::open() }
                        }
                    };
                }
                at
            }
        }
    }

    fn head(&mut self, member: &Member, this: &Position) -> Position {
        match member.named.and_then(|id| Type::named(model().get(id)?.path)) {
            Some(named) => self.found(member, this.head(named)),
            None => self.member(member, this),
        }
    }

    fn member(&mut self, member: &Member, at: &Position) -> Position {
        self.found(member, at.element(&member.name))
    }

    fn found(&mut self, member: &Member, found: Result<Position, UnknownElement>) -> Position {
        match found {
            Ok(position) => {
                if !position.releases().has_r4() {
                    self.later.push((member.at, member.name.clone(), position.clone()));
                }
                position
            }
            Err(unknown) => {
                self.unknown.push((member.at, unknown));
                Position::open()
            }
        }
    }

    /// The position of a call's result on `at`, where `this` is `$this` at the place of the call.
    fn call(&mut self, call: &Call, at: &Position, this: &Position) -> Position {
        // Its argument is asked of its own results, too, which may be of other types.
        let open = Position::open();
        let per_item = FUNCTIONS.iter().any(|row| row.function == call.function && row.arguments != Arguments::Values);
        let within = match call.function {
            Function::Repeat | Function::RepeatAll => &open,
            _ if per_item => at,
            _ => this,
        };
        let mut arguments: Vec<Position> =
            call.arguments.iter().map(|argument| self.expression(argument, within)).collect();
        match call.function {
            Function::Where
            | Function::Distinct
            | Function::Single
            | Function::First
            | Function::Last
            | Function::Tail
            | Function::Skip
            | Function::Take
            | Function::Exclude
            | Function::Intersect
            | Function::Trace
            | Function::DefineVariable
            | Function::Sort => at.clone(),
            Function::Select => arguments.pop().unwrap_or(open),
            Function::Union | Function::Combine => match arguments.into_iter().next() {
                Some(other) => at.clone().or(other),
                None => open,
            },
            Function::Iif if arguments.len() == 3 => {
                let otherwise = arguments.pop().unwrap_or_else(Position::open);
                arguments.pop().unwrap_or(open).or(otherwise)
            }
            Function::OfType | Function::As => call.of.as_ref().map_or(open, |of| only(at, of)),
            _ => open,
        }
    }
}

fn only(at: &Position, of: &TypeSpecifier) -> Position {
    let of = of.fhir.and_then(|id| Type::named(model().get(id)?.path));
    of.map_or_else(Position::open, |of| at.only(of))
}
