//! The dosages, doses and codings on which a passed field rests: without them, or with another code in them, it would not
//! pass. An expression, a filter or a condition reads them without selecting them.

use std::collections::HashMap;

use candor_json::{Value, json};

use super::old_items::changed;
use super::{Asserted, Passed};

/// So many changes are tried one by one; of more, each counts.
const MOST: usize = 100;

/// A value in a resource, and another value in its place.
type Change<'a> = (&'a Value, Value);

impl Passed<'_, '_> {
    fn passes_with(&self, resource: &Value, changes: &[Change<'_>]) -> bool {
        let others = changes.iter().map(|(value, other)| (std::ptr::from_ref(*value), other)).collect();
        (self.passes)(&changed(resource, &others))
    }

    /// The values without which the field does not pass; all of them if each can replace another.
    fn rests_on<'v>(&self, resource: &Value, changes: &[Change<'v>]) -> Vec<&'v Value> {
        if changes.is_empty() || self.passes_with(resource, changes) {
            return Vec::new();
        }
        let is_needed =
            |change: &&Change<'v>| changes.len() > MOST || !self.passes_with(resource, std::slice::from_ref(*change));
        let needed: Vec<&'v Value> = changes.iter().filter(is_needed).map(|(value, _)| *value).collect();
        if needed.is_empty() { changes.iter().map(|(value, _)| *value).collect() } else { needed }
    }
}

/// The changes that show what a field rests on.
#[derive(Default)]
struct Changes<'a> {
    /// Dosages that are taken as needed, with nothing in them.
    dosages: Vec<Change<'a>>,
    /// The elements that say so with `true`, with `false`.
    needs: Vec<Change<'a>>,
    /// Arrays of several doses, with nothing in each.
    doses: Vec<Change<'a>>,
    /// Arrays of codings with two codes of one system, with another code in each.
    codings: Vec<Change<'a>>,
}

impl<'a> Changes<'a> {
    /// Those in a resource, `contained` aside.
    fn of(resource: &'a Value) -> Self {
        let mut found = Self::default();
        let mut open = vec![resource];
        while let Some(value) = open.pop() {
            match value {
                Value::Array(items) => open.extend(items.iter().rev()),
                Value::Object(members) => {
                    for (name, inner) in members.iter().rev().filter(|(name, _)| *name != "contained") {
                        found.add(value, name, inner);
                        open.push(inner);
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn add(&mut self, parent: &'a Value, name: &str, value: &'a Value) {
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        if name.starts_with("asNeeded") && value.as_bool() != Some(false) {
            self.dosages.push((parent, json!({})));
            self.needs.extend(value.is_boolean().then(|| (value, json!(false))));
        } else if name == "doseAndRate" && items.len() > 1 {
            self.doses.push((value, items.iter().map(|_| json!({})).collect()));
        } else if name == "coding" && have_rivals(items) {
            self.codings.push((value, items.iter().map(of_another_code).collect()));
        }
    }
}

/// Adds to `asserted` the items on which the fields rest that passed, and the as-needed elements that they ask for.
pub(crate) fn add_rested<'a>(resource: &'a Value, fields: &[Passed<'_, '_>], asserted: &mut Asserted<'a>) {
    let changes = Changes::of(resource);
    for field in fields {
        asserted.rested.extend(field.rests_on(resource, &changes.dosages));
        let needs = field.rests_on(resource, &changes.needs);
        asserted.named.extend(needs.into_iter().map(|value| (value, value)));
        for array in field.rests_on(resource, &changes.doses).into_iter().take(MOST) {
            let items = array.as_array().map(Vec::as_slice).unwrap_or_default();
            let is_needed = |item: &&Value| !field.passes_with(resource, &[(*item, json!({}))]);
            let needed: Vec<&Value> = items.iter().take(MOST).filter(is_needed).collect();
            let without =
                |own: &Value| -> Value { items.iter().filter(|item| !std::ptr::eq(*item, own)).cloned().collect() };
            // A field that needs every dose leaves none unread, and asserts each if it does not pass with fewer.
            if needed.len() < items.len() {
                asserted.rested.extend(if needed.is_empty() { items.iter().collect::<Vec<_>>() } else { needed });
            } else if needed.into_iter().all(|own| !field.passes_with(resource, &[(array, without(own))])) {
                asserted.selected.push(array);
            }
        }
        for array in field.rests_on(resource, &changes.codings).into_iter().take(MOST) {
            asserted.rested.extend(own_codings(resource, array, field));
        }
    }
}

/// The codings of an array by each of which alone a field passes, if a rival of them is not one of them.
fn own_codings<'a>(resource: &Value, array: &'a Value, field: &Passed<'_, '_>) -> Vec<&'a Value> {
    let items = array.as_array().map(Vec::as_slice).unwrap_or_default();
    let alone = |own: &Value| -> Value {
        let one = |item: &Value| if std::ptr::eq(item, own) { item.clone() } else { of_another_code(item) };
        items.iter().map(one).collect()
    };
    let (own, others): (Vec<&Value>, Vec<&Value>) =
        items.iter().partition(|item| field.passes_with(resource, &[(array, alone(item))]));
    let has_rival = others.iter().any(|other| own.iter().any(|own| are_rivals(own, other)));
    if has_rival { own } else { Vec::new() }
}

fn have_rivals(codings: &[Value]) -> bool {
    let mut codes = HashMap::new();
    let mut coded = codings.iter().filter_map(|coding| text(coding, "system").zip(text(coding, "code")));
    coded.any(|(system, code)| *codes.entry(system).or_insert(code) != code)
}

/// True if two codings have different codes of one system.
pub(super) fn are_rivals(own: &Value, other: &Value) -> bool {
    let system = text(own, "system");
    let (own_code, code) = (text(own, "code"), text(other, "code"));
    system.is_some() && system == text(other, "system") && code.is_some() && own_code.is_some() && own_code != code
}

fn text<'v>(coding: &'v Value, member: &str) -> Option<&'v str> {
    coding.get(member).and_then(Value::as_str)
}

fn of_another_code(coding: &Value) -> Value {
    let mut other = coding.clone();
    for name in ["code", "display"] {
        if let Some(value) = other.get_mut(name).filter(|value| value.is_string()) {
            *value = json!("?");
        }
    }
    other
}
