//! The part of FHIRPath that the specification's search parameters use.
//!
//! Alternatives `a | b` of: member steps, `[0]`, `as T`, `.as(T)`, `.ofType(T)`, `.where(name='text')`,
//! `.where(resolve() is T)`, and `a.exists() and a != false`. A member step over an element with a choice of types selects
//! it whatever its type (`value` selects `valueQuantity`), and `as` narrows to one.

use candor_json::Value;

use crate::shape::is_reference;
use crate::subject::Subject;
use crate::types;

/// A compiled expression.
#[derive(Clone, Debug)]
pub struct Path {
    text: &'static str,
    alternatives: Vec<Alternative>,
}

#[derive(Clone, Debug)]
enum Alternative {
    /// Steps from the resource, or from the element that the expression is asked of.
    Steps(Vec<Step>),
    /// Steps from the resource even then: `%resource.a.b`.
    FromResource(Vec<Step>),
    /// `a.exists() and a != false`: a single boolean.
    ExistsAndIsNotFalse(Vec<Step>),
}

#[derive(Clone, Debug)]
enum Step {
    Member(&'static str),
    Index(usize),
    As(&'static str),
    Where { member: &'static str, equals: &'static str },
    ResolvesTo(&'static str),
}

/// A selected element.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Its value; never null and never an array.
    pub value: &'a Value,
    /// The data type its name tells, when it is a choice: `Quantity` for `valueQuantity`.
    pub chosen: Option<&'static str>,
}

const YES: &Value = &Value::Bool(true);
const NO: &Value = &Value::Bool(false);

impl Path {
    /// Compiles an expression of the table.
    ///
    /// # Errors
    /// The part that is not supported.
    pub fn compile(expression: &'static str) -> Result<Self, &'static str> {
        let alternatives = expression.split('|').map(|part| alternative(part.trim())).collect::<Result<_, _>>()?;
        Ok(Self { text: expression, alternatives })
    }

    /// The expression.
    #[must_use]
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// The items that it selects in a resource, in order.
    #[must_use]
    pub fn select<'a>(&self, subject: &Subject<'a>) -> Vec<Item<'a>> {
        self.select_from(subject.value, subject)
    }

    /// The items that it selects in an element of a resource, in order.
    pub(crate) fn select_from<'a>(&self, element: &'a Value, subject: &Subject<'a>) -> Vec<Item<'a>> {
        self.select_minding(element, subject, &mut false)
    }

    /// As [`select_from`](Self::select_from). `off` becomes `true` if it leads through what has no members, or to an array
    /// within an array.
    pub(crate) fn select_minding<'a>(
        &self,
        element: &'a Value,
        subject: &Subject<'a>,
        off: &mut bool,
    ) -> Vec<Item<'a>> {
        let mut selected = Vec::new();
        for alternative in &self.alternatives {
            match alternative {
                Alternative::Steps(steps) => selected.append(&mut walk(steps, element, subject, off)),
                Alternative::FromResource(steps) => selected.append(&mut walk(steps, subject.value, subject, off)),
                Alternative::ExistsAndIsNotFalse(steps) => {
                    let found = walk(steps, element, subject, off);
                    let yes = !found.is_empty() && found.iter().all(|item| item.value != NO);
                    selected.push(Item { value: if yes { YES } else { NO }, chosen: None });
                }
            }
        }
        selected
    }

    /// The members of an element where it begins; `None` when that is the element itself.
    pub(crate) fn first_members(&self) -> Option<Vec<&'static str>> {
        self.members().map(|members| members.first().copied()).collect()
    }

    /// The names of the members on the way to what it selects, for each alternative.
    pub fn members(&self) -> impl Iterator<Item = Vec<&'static str>> {
        self.alternatives.iter().map(|alternative| {
            let (Alternative::Steps(steps)
            | Alternative::FromResource(steps)
            | Alternative::ExistsAndIsNotFalse(steps)) = alternative;
            let name = |step: &Step| if let Step::Member(name) = step { Some(*name) } else { None };
            steps.iter().filter_map(name).collect()
        })
    }
}

fn alternative(text: &'static str) -> Result<Alternative, &'static str> {
    if let Some((exists, differs)) = text.split_once(" and ") {
        let same = exists.strip_suffix(".exists()").filter(|path| differs.strip_suffix(" != false") == Some(path));
        return Ok(Alternative::ExistsAndIsNotFalse(steps(same.ok_or(text)?)?));
    }
    if let Some((cast, rest)) = text.strip_prefix('(').and_then(|text| text.split_once(')')) {
        let (path, name) = cast.split_once(" as ").ok_or(text)?;
        let mut all = steps(path)?;
        all.push(Step::As(name));
        if let Some(rest) = rest.strip_prefix('.') {
            more_steps(rest, &mut all)?;
        } else if !rest.is_empty() {
            return Err(text);
        }
        return Ok(Alternative::Steps(all));
    }
    if let Some(path) = text.strip_prefix("%resource.") {
        return Ok(Alternative::FromResource(steps(path)?));
    }
    Ok(Alternative::Steps(steps(text)?))
}

/// Steps of a path that begins at the resource: its first step may be the resource's type.
fn steps(text: &'static str) -> Result<Vec<Step>, &'static str> {
    let of_resource = match text.split_once('.') {
        Some((head, rest)) if head.starts_with(|c: char| c.is_ascii_uppercase()) => rest,
        None if text.starts_with(|c: char| c.is_ascii_uppercase()) => return Ok(Vec::new()),
        _ => text,
    };
    let mut steps = Vec::new();
    more_steps(of_resource, &mut steps)?;
    Ok(steps)
}

fn more_steps(text: &'static str, steps: &mut Vec<Step>) -> Result<(), &'static str> {
    let mut rest = text;
    loop {
        let (step, after) = first_step(rest);
        if let Some(argument) = call(step, "where") {
            steps.push(condition(argument).ok_or(step)?);
        } else if let Some(name) = call(step, "as").or_else(|| call(step, "ofType")) {
            steps.push(Step::As(name));
        } else if let Some((name, index)) = step.strip_suffix(']').and_then(|step| step.split_once('[')) {
            steps.push(Step::Member(name));
            steps.push(Step::Index(index.parse().map_err(|_| step)?));
        } else if !step.is_empty() && step.chars().all(|c| c.is_ascii_alphanumeric()) {
            steps.push(Step::Member(step));
        } else {
            return Err(step);
        }
        match after {
            Some(after) => rest = after,
            None => return Ok(()),
        }
    }
}

/// The text before the first dot outside parentheses, and the text after it.
fn first_step(text: &'static str) -> (&'static str, Option<&'static str>) {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '.' if depth == 0 => return (text.get(..at).unwrap_or_default(), text.get(at + 1..)),
            _ => {}
        }
    }
    (text, None)
}

fn call(step: &'static str, function: &str) -> Option<&'static str> {
    step.strip_prefix(function)?.strip_prefix('(')?.strip_suffix(')')
}

fn condition(argument: &'static str) -> Option<Step> {
    if let Some(name) = argument.strip_prefix("resolve() is ") {
        return types::is_resource(name).then_some(Step::ResolvesTo(name));
    }
    let (member, text) = argument.split_once('=')?;
    Some(Step::Where { member: member.trim(), equals: text.trim().strip_prefix('\'')?.strip_suffix('\'')? })
}

fn walk<'a>(steps: &[Step], element: &'a Value, subject: &Subject<'a>, off: &mut bool) -> Vec<Item<'a>> {
    let mut items = vec![Item { value: element, chosen: None }];
    for step in steps {
        match step {
            Step::Member(name) => items = items.iter().flat_map(|item| member(item.value, name, off)).collect(),
            Step::Index(index) => items = items.get(*index).copied().into_iter().collect(),
            // R5 has one in the place of a choice of R4, under the name without a type.
            Step::As("CodeableReference") => {
                items.retain(|item| item.chosen.is_none_or(|chosen| chosen == "CodeableReference"));
            }
            Step::As(name) => items.retain(|item| item.chosen.is_some_and(|chosen| chosen.eq_ignore_ascii_case(name))),
            Step::Where { member, equals } => {
                *off |= items.iter().any(|item| !item.value.is_object());
                items.retain(|item| item.value.get(member).and_then(Value::as_str) == Some(equals));
            }
            Step::ResolvesTo(name) => {
                *off |= items.iter().any(|item| !is_reference(item.value));
                items.retain(|item| subject.type_of(item.value).as_deref() == Some(name));
            }
        }
    }
    items
}

fn member<'a>(of: &'a Value, name: &str, off: &mut bool) -> Vec<Item<'a>> {
    let Some(members) = of.as_object() else {
        *off = true;
        return Vec::new();
    };
    let (value, chosen) = match members.get(name) {
        Some(value) => (value, None),
        None => {
            let choice = |(element, value): (&'a String, &'a Value)| Some((value, Some(types::choice(element, name)?)));
            match members.iter().find_map(choice) {
                Some(found) => found,
                None => return Vec::new(),
            }
        }
    };
    let values = match value {
        Value::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    };
    *off |= values.iter().any(Value::is_array);
    values.iter().filter(|value| !value.is_null() && !value.is_array()).map(|value| Item { value, chosen }).collect()
}
