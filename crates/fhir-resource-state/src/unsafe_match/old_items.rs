//! Names, telecoms, addresses and identifiers that are no longer in use: they matter where a field passes by them alone.

use std::collections::{HashMap, HashSet};

use candor_check::compare::Operator;
use candor_json::{Value, json};

const USE: &str = "use";
const OLD: &str = "old";

/// The items in a resource, `contained` aside, whose `use` is `old`.
fn old_items(resource: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    let mut open = vec![resource];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items.iter().rev()),
            Value::Object(members) if members.get(USE).and_then(Value::as_str) == Some(OLD) => found.push(value),
            Value::Object(members) => {
                open.extend(members.iter().rev().filter(|(name, _)| *name != "contained").map(|(_, value)| value));
            }
            _ => {}
        }
    }
    found
}

pub(crate) struct Passed<'f, 'a> {
    /// True if it reads a value, and not only that something is not there, or how often.
    pub(crate) reads_values: bool,
    pub(crate) reached: Vec<&'a Value>,
    pub(crate) passes: Box<dyn Fn(&Value) -> bool + 'f>,
}

/// True if the operator reads the value of an item. The absence of something, or its number, is not a value of an item.
pub(crate) fn reads_values(operator: Operator) -> bool {
    use Operator::{Count, Empty, NotContains, NotEquals, NotIn};
    !matches!(operator, Count | Empty | NotContains | NotEquals | NotIn)
}

/// The items that are no longer in use and by which alone one of the fields passes, those aside whose `use` was named.
pub(crate) fn only_items<'a>(
    resource: &'a Value,
    named: &[(&'a Value, &'a Value)],
    fields: &[Passed<'_, 'a>],
) -> Vec<&'a Value> {
    let is_named = |item: &&Value| {
        let of_item = item.get(USE);
        of_item.is_some_and(|value| named.iter().any(|(named, _)| std::ptr::eq(*named, value)))
    };
    let mut items = old_items(resource);
    items.retain(|item| !is_named(item));
    if items.is_empty() {
        return items;
    }
    // Their places stay.
    let nothing = json!({});
    let rest = changed(resource, &items.iter().map(|item| (std::ptr::from_ref(*item), &nothing)).collect());
    let mut only = Vec::new();
    for field in fields.iter().filter(|field| field.reads_values).filter(|field| !(field.passes)(&rest)) {
        let reached: HashSet<*const Value> = field.reached.iter().map(|value| std::ptr::from_ref(*value)).collect();
        let is_read = |item: &&&Value| super::holds(item, &|value| reached.contains(&std::ptr::from_ref(value)));
        only.extend(items.iter().find(is_read).or(items.first()).copied());
    }
    only
}

/// The resource with other values in the places of some that are in it.
pub(super) fn changed(value: &Value, others: &HashMap<*const Value, &Value>) -> Value {
    if let Some(other) = others.get(&std::ptr::from_ref(value)) {
        return (*other).clone();
    }
    match value {
        Value::Array(items) => items.iter().map(|item| changed(item, others)).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), changed(value, others))).collect())
        }
        other => other.clone(),
    }
}
