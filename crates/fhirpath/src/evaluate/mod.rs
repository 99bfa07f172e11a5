//! Evaluation: a walk over the expression. Depth is the expression's nesting, which the parser bounds; everything else is a loop
//! that counts its steps.

mod boundaries;
mod collections;
mod compare;
mod convert;
mod fhir;
mod math;
mod naming;
mod navigate;
mod operators;
mod per_item;
mod series;
mod sort;
mod strict;
mod strings;
mod times;
mod unique;

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use candor_json::Value;
use smallvec::{SmallVec, smallvec};

use crate::ast::{Call, Expr, Link, Operation, Operator, Step};
use crate::collection::Collection;
use crate::context::{Context, OpenComparison};
use crate::error::{EvaluationError, Problem};
use crate::functions::Function;
use crate::item::{Item, Node, System};

pub(crate) use fhir::refused_for;
use naming::{Side, is_literal};
pub(crate) use navigate::{children_of, is_of};

type Items<'a> = SmallVec<[Item<'a>; 1]>;
type Outcome<T> = Result<T, EvaluationError>;

pub(crate) fn run<'a>(root: &Expr, focus: Collection<'a>, context: &Context<'a>) -> Outcome<Collection<'a>> {
    let focus: Items<'a> = focus.into_iter().collect();
    let evaluator = Evaluator {
        context,
        focus: &focus,
        steps: Cell::new(0),
        undecided: RefCell::default(),
        looked_at: RefCell::default(),
        named: RefCell::default(),
    };
    let frame = Frame { this: &focus, index: None, total: None };
    let items = evaluator.eval(root, frame, &mut Variables::default())?;
    let (looked_at, named) = (evaluator.looked_at.take(), evaluator.named.take());
    Ok(Collection::new(items.into_vec()).with_notes(looked_at, named, evaluator.undecided.take()))
}

/// True if FHIRPath or FHIR defines the variable.
pub(crate) fn is_standard(name: &str) -> bool {
    matches!(name, "context" | "resource" | "rootResource" | "sct" | "loinc" | "ucum")
        || name.starts_with("vs-")
        || name.starts_with("ext-")
}

fn shown(item: &Item<'_>) -> String {
    let json = item.json();
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}

struct Evaluator<'c, 'a> {
    context: &'c Context<'a>,
    focus: &'c [Item<'a>],
    steps: Cell<u64>,
    /// The first comparison that was left open: what was held against what.
    undecided: RefCell<Option<[String; 2]>>,
    looked_at: RefCell<Vec<&'a Value>>,
    named: RefCell<Vec<&'a Value>>,
}

#[derive(Clone, Copy)]
struct Frame<'f, 'a> {
    this: &'f [Item<'a>],
    index: Option<usize>,
    total: Option<&'f [Item<'a>]>,
}

/// A side of an operator: a collection that is there already, or that was made for it.
enum Operand<'x, 'a> {
    Given(&'x [Item<'a>]),
    Made(Items<'a>),
}

impl<'a> Operand<'_, 'a> {
    fn into_items(self) -> Items<'a> {
        match self {
            Self::Given(items) => items.into(),
            Self::Made(items) => items,
        }
    }
}

impl<'a> Deref for Operand<'_, 'a> {
    type Target = [Item<'a>];

    fn deref(&self) -> &[Item<'a>] {
        match self {
            Self::Given(items) => items,
            Self::Made(items) => items,
        }
    }
}

#[derive(Clone, Default)]
struct Variables<'a>(Option<Rc<Vec<(String, Items<'a>)>>>);

impl<'a> Variables<'a> {
    fn get(&self, name: &str) -> Option<&Items<'a>> {
        self.0.as_ref()?.iter().find(|(known, _)| known == name).map(|(_, items)| items)
    }

    fn define(&mut self, name: String, items: Items<'a>) {
        let mut all = self.0.as_deref().cloned().unwrap_or_default();
        all.push((name, items));
        self.0 = Some(Rc::new(all));
    }
}

impl<'a> Evaluator<'_, 'a> {
    /// Counts steps, and ends the evaluation when there were too many.
    fn count(&self, at: usize, steps: usize) -> Outcome<()> {
        let counted = self.steps.get().saturating_add(steps as u64);
        self.steps.set(counted);
        if counted > self.context.limits.steps {
            return Err(EvaluationError::new(at, Problem::Limit("it took more steps than are allowed")));
        }
        Ok(())
    }

    fn open(&self, sides: [&Item<'a>; 2]) -> Option<bool> {
        self.undecided.borrow_mut().get_or_insert_with(|| sides.map(shown));
        match self.context.open {
            OpenComparison::Empty => None,
            OpenComparison::True => Some(true),
            OpenComparison::False => Some(false),
        }
    }

    fn look_at(&self, items: &[Item<'a>]) {
        if self.context.notes {
            let elements = items.iter().filter_map(|item| match item {
                Item::Node(node) => node.value.or(node.beside),
                Item::System(_) | Item::Type(_) => None,
            });
            self.looked_at.borrow_mut().extend(elements);
        }
    }

    fn check_size(&self, at: usize, items: usize) -> Outcome<()> {
        if items > self.context.limits.items {
            return Err(EvaluationError::new(at, Problem::Limit("a collection has more items than are allowed")));
        }
        self.count(at, 1)
    }

    fn check_text(&self, at: usize, bytes: usize) -> Outcome<()> {
        if bytes > self.context.limits.text {
            return Err(EvaluationError::new(at, Problem::Limit("a text is longer than is allowed")));
        }
        // A step for so many bytes also bounds what all texts together take.
        self.count(at, bytes / 16)
    }

    fn eval(&self, expression: &Expr, frame: Frame<'_, 'a>, variables: &mut Variables<'a>) -> Outcome<Items<'a>> {
        match expression {
            Expr::Empty => Ok(Items::new()),
            Expr::Literal(item) => Ok(smallvec![item.clone()]),
            Expr::This => Ok(frame.this.into()),
            Expr::Index => {
                let index = frame.index.and_then(|index| i32::try_from(index).ok());
                Ok(index.map(|index| Item::System(System::Integer(index))).into_iter().collect())
            }
            Expr::Total => Ok(frame.total.map(Items::from).unwrap_or_default()),
            Expr::Variable { name, at } => self.variable(name, *at, variables),
            Expr::Member(member) => self.head(member, frame.this),
            Expr::Call(call) => self.call(call, frame.this.into(), frame, variables),
            Expr::Path { head, steps } => self.path(head, steps, frame, variables),
            Expr::Sign { negative, at, operand } => {
                let items = self.eval(operand, frame, &mut variables.clone())?;
                self.signed(items, *negative, *at)
            }
            Expr::Chain { first, rest } => self.chain(first, rest, frame, variables),
        }
    }

    /// As [`Evaluator::eval`], without a copy of what is there already.
    fn operand<'x>(
        &self,
        expression: &'x Expr,
        frame: Frame<'x, 'a>,
        variables: &Variables<'a>,
    ) -> Outcome<Operand<'x, 'a>> {
        match expression {
            Expr::Literal(item) => Ok(Operand::Given(std::slice::from_ref(item))),
            Expr::This => Ok(Operand::Given(frame.this)),
            _ => self.eval(expression, frame, &mut variables.clone()).map(Operand::Made),
        }
    }

    fn chain(
        &self,
        first: &Expr,
        rest: &[Link],
        frame: Frame<'_, 'a>,
        variables: &Variables<'a>,
    ) -> Outcome<Items<'a>> {
        let mut left = self.operand(first, frame, variables)?;
        for (index, link) in rest.iter().enumerate() {
            self.count(link.at, 1)?;
            left = Operand::Made(match &link.operation {
                Operation::Is(of) => self.is(&left, of, link.at)?,
                Operation::As(of) => self.of_type(left.into_items(), of),
                Operation::Binary(operator, right) => match self.decided(*operator, &left, link.at)? {
                    Some(decided) => smallvec![Item::boolean(decided)],
                    None if operator.is_comparison() => {
                        let items = self.operand(right, frame, variables)?;
                        let left = Side { items: &left, is_literal: index == 0 && is_literal(first) };
                        let right = Side { items: &items, is_literal: is_literal(right) };
                        let compared = self.compared_noting(*operator, &left, &right, link.at)?;
                        compared.map(Item::boolean).into_iter().collect()
                    }
                    None => {
                        let right = self.operand(right, frame, variables)?;
                        self.binary(*operator, left, right, link.at)?
                    }
                },
            });
        }
        Ok(left.into_items())
    }

    /// True if a condition holds: as the truth of its result, without making a collection of it if it is a comparison.
    fn condition(
        &self,
        expression: &Expr,
        frame: Frame<'_, 'a>,
        variables: &Variables<'a>,
        at: usize,
    ) -> Outcome<Option<bool>> {
        if let Expr::Chain { first, rest } = expression
            && let [Link { at, operation: Operation::Binary(operator, right) }] = rest.as_slice()
        {
            self.count(*at, 1)?;
            if operator.is_comparison() {
                let (a, b) = (self.operand(first, frame, variables)?, self.operand(right, frame, variables)?);
                let left = Side { items: &a, is_literal: is_literal(first) };
                let right = Side { items: &b, is_literal: is_literal(right) };
                return self.compared_noting(*operator, &left, &right, *at);
            }
            if *operator == Operator::And {
                let left = self.condition(first, frame, variables, *at)?;
                if left == Some(false) {
                    return Ok(left);
                }
                return Ok(match (left, self.condition(right, frame, variables, *at)?) {
                    (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                });
            }
        }
        self.truth(&self.operand(expression, frame, variables)?, at)
    }

    /// The result of a logical operator if its left side already decides it.
    fn decided(&self, operator: Operator, left: &[Item<'a>], at: usize) -> Outcome<Option<bool>> {
        Ok(match operator {
            Operator::And => (self.truth(left, at)? == Some(false)).then_some(false),
            Operator::Or => (self.truth(left, at)? == Some(true)).then_some(true),
            Operator::Implies => (self.truth(left, at)? == Some(false)).then_some(true),
            _ => None,
        })
    }

    fn path(
        &self,
        head: &Expr,
        steps: &[Step],
        frame: Frame<'_, 'a>,
        variables: &mut Variables<'a>,
    ) -> Outcome<Items<'a>> {
        let mut items = self.eval(head, frame, variables)?;
        let mut before = strict::Before::head(head);
        for step in steps {
            self.check_strictly(before, step)?;
            before = strict::Before::Step(step);
            items = match step {
                Step::Member(member) => self.named(&items, member)?,
                Step::Call(call) => self.call(call, items, frame, variables)?,
                Step::Index { index, at } => {
                    let index = self.eval(index, frame, &mut variables.clone())?;
                    match self.integer(&index, *at)? {
                        Some(index) => usize::try_from(index).ok().and_then(|index| items.get(index).cloned()),
                        None => None,
                    }
                    .into_iter()
                    .collect()
                }
            };
        }
        Ok(items)
    }

    fn variable(&self, name: &str, at: usize, variables: &Variables<'a>) -> Outcome<Items<'a>> {
        if let Some(items) = variables.get(name) {
            return Ok(items.clone());
        }
        let text = |text: &'static str| Ok(smallvec![Item::string(text)]);
        let given = |value: Option<&'a Value>| value.map(|value| smallvec![Item::Node(Node::root(value))]);
        match name {
            "context" => Ok(self.focus.into()),
            "resource" | "rootResource" => Ok(given(self.context.resource).unwrap_or_else(|| self.focus.into())),
            "sct" => text("http://snomed.info/sct"),
            "loinc" => text("http://loinc.org"),
            "ucum" => text("http://unitsofmeasure.org"),
            _ => {
                if let Some(value) = self.context.variables.get(name) {
                    return Ok(value.items().into());
                }
                let url =
                    name.strip_prefix("vs-").map(|rest| format!("http://hl7.org/fhir/ValueSet/{rest}")).or_else(|| {
                        name.strip_prefix("ext-").map(|rest| format!("http://hl7.org/fhir/StructureDefinition/{rest}"))
                    });
                match url {
                    Some(url) => Ok(smallvec![Item::string(url)]),
                    None => Err(EvaluationError::new(at, Problem::UndefinedVariable(name.to_owned()))),
                }
            }
        }
    }

    /// True if a variable is FHIRPath's, FHIR's or the caller's, which an expression cannot define anew.
    fn is_given(&self, name: &str) -> bool {
        is_standard(name) || self.context.variables.contains_key(name)
    }

    fn call(
        &self,
        call: &Call,
        input: Items<'a>,
        frame: Frame<'_, 'a>,
        variables: &mut Variables<'a>,
    ) -> Outcome<Items<'a>> {
        self.count(call.at, 1)?;
        if let Some(of) = &call.of {
            return match call.function {
                Function::Is => self.is(&input, of, call.at),
                Function::As => self.as_function(input, of, call.at),
                _ => Ok(self.of_type(input, of)),
            };
        }
        if let Some(needs) = refused_for(call.function) {
            let message = format!("`{}` is not supported: it needs {needs}", call.function.name());
            return Err(EvaluationError::refused(call.at, message));
        }
        if per_item::is_lazy(call.function) {
            return self.lazy(call, input, frame, variables);
        }
        if call.function == Function::Sort {
            return self.sort(call, input, frame, variables);
        }
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            arguments.push(self.eval(argument, frame, &mut variables.clone())?);
        }
        self.apply(call, input, &arguments)
    }

    fn apply(&self, call: &Call, input: Items<'a>, arguments: &[Items<'a>]) -> Outcome<Items<'a>> {
        use Function as F;
        match call.function {
            F::Empty
            | F::Exists
            | F::AllTrue
            | F::AnyTrue
            | F::AllFalse
            | F::AnyFalse
            | F::SubsetOf
            | F::SupersetOf
            | F::Count
            | F::Distinct
            | F::IsDistinct
            | F::Single
            | F::First
            | F::Last
            | F::Tail
            | F::Skip
            | F::Take
            | F::Intersect
            | F::Exclude
            | F::Union
            | F::Combine
            | F::Not => self.of_collection(call, input, arguments),
            F::Children => self.children(&input, call.at),
            F::Descendants => self.descendants(&input, call.at),
            F::Type => Ok(input.iter().map(|item| Item::Type(item.type_name())).collect()),
            F::Sum | F::Min | F::Max | F::Avg => self.aggregated(call, &input),
            F::Now | F::Today | F::TimeOfDay => self.clock(call),
            F::Extension | F::HasValue | F::GetValue | F::Resolve | F::MemberOf | F::CheckModifiers => {
                self.of_fhir(call, input, arguments)
            }
            F::ConformsTo => self.conforms_to(call, &input, arguments),
            F::Join => self.join(call, &input, arguments),
            _ => {
                let Some(one) = self.one(&input, call.at)? else { return Ok(Items::new()) };
                self.of_one(call, one, arguments)
            }
        }
    }

    fn of_one(&self, call: &Call, item: &Item<'a>, arguments: &[Items<'a>]) -> Outcome<Items<'a>> {
        use Function as F;
        let made = match call.function {
            F::IndexOf
            | F::LastIndexOf
            | F::Substring
            | F::StartsWith
            | F::EndsWith
            | F::Contains
            | F::Upper
            | F::Lower
            | F::Replace
            | F::Matches
            | F::MatchesFull
            | F::ReplaceMatches
            | F::Length
            | F::ToChars
            | F::Encode
            | F::Decode
            | F::Escape
            | F::Unescape
            | F::Trim
            | F::Split => return self.of_string(call, item, arguments),
            F::Abs | F::Ceiling | F::Exp | F::Floor | F::Ln | F::Log | F::Power | F::Round | F::Sqrt | F::Truncate => {
                self.of_number(call, item, arguments)?
            }
            F::LowBoundary | F::HighBoundary => self.boundary(call, item, arguments)?,
            F::Precision => self.precision(call, item)?,
            F::Comparable => self.comparable(call, item, arguments)?,
            F::YearOf
            | F::MonthOf
            | F::DayOf
            | F::HourOf
            | F::MinuteOf
            | F::SecondOf
            | F::MillisecondOf
            | F::TimezoneOffsetOf
            | F::DateOf
            | F::TimeOf => self.component(call, item)?,
            _ => self.converted(call, item, arguments)?,
        };
        Ok(made.map(Item::System).into_iter().collect())
    }

    /// The one item of a collection; `None` of an empty one.
    fn one<'i>(&self, items: &'i [Item<'a>], at: usize) -> Outcome<Option<&'i Item<'a>>> {
        match items {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            several => Err(EvaluationError::mismatch(at, format!("{} items", several.len()), "at most one item")),
        }
    }

    /// The truth of a collection as a condition: empty is unknown, a single item other than a boolean is true.
    fn truth(&self, items: &[Item<'a>], at: usize) -> Outcome<Option<bool>> {
        let Some(one) = self.one(items, at)? else { return Ok(None) };
        Ok(Some(match one.system().as_deref() {
            Some(System::Boolean(value)) => *value,
            _ => true,
        }))
    }

    fn integer(&self, items: &[Item<'a>], at: usize) -> Outcome<Option<i64>> {
        let Some(one) = self.one(items, at)? else { return Ok(None) };
        match one.system().as_deref() {
            Some(System::Integer(number)) => Ok(Some(i64::from(*number))),
            Some(System::Long(number)) => Ok(Some(*number)),
            _ => Err(EvaluationError::mismatch(at, one.kind(), "an integer")),
        }
    }

    fn text<'i>(&self, items: &'i [Item<'a>], at: usize) -> Outcome<Option<&'i str>> {
        let Some(one) = self.one(items, at)? else { return Ok(None) };
        one.text().map(Some).ok_or_else(|| EvaluationError::mismatch(at, one.kind(), "a string"))
    }
}
