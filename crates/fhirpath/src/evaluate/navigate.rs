//! From an element to its children.

use serde_json::{Map, Value};

use super::{Evaluator, Items, Outcome};
use crate::ast::Member;
use crate::error::{EvaluationError, Problem};
use crate::item::{ElementType, Item, Node, System, resource_type};
use crate::model::{Child, TypeId, model};

impl<'a> Evaluator<'_, 'a> {
    /// A name at the beginning of a path: `$this` itself where it is of a type of that name, else an element of it.
    pub(super) fn head(&self, member: &Member, this: &[Item<'a>]) -> Outcome<Items<'a>> {
        let named = || model().named(&member.name);
        if member.name.starts_with(|c: char| c.is_ascii_uppercase()) {
            if let Some(named) = named() {
                let is_named = |item: &&Item<'a>| is_of(item, named);
                let found: Items<'a> = this.iter().filter(is_named).cloned().collect();
                let nothing = found.is_empty() && !this.is_empty();
                if nothing && self.context.strict {
                    let of = this.first().map(Item::kind).unwrap_or_default();
                    return Err(EvaluationError::new(
                        member.at,
                        Problem::UnknownElement { of, name: member.name.clone() },
                    ));
                }
                return Ok(found);
            }
            // A resource of a release that the model does not know.
            let is_foreign =
                |item: &&Item<'a>| matches!(item, Item::Node(node) if node.of == ElementType::Foreign(&member.name));
            let found: Items<'a> = this.iter().filter(is_foreign).cloned().collect();
            if !found.is_empty() {
                return Ok(found);
            }
        }
        self.members(this, &member.name, member.at)
    }

    /// The elements of that name.
    pub(super) fn members(&self, items: &[Item<'a>], name: &str, at: usize) -> Outcome<Items<'a>> {
        let mut found = Vec::new();
        if self.context.strict {
            self.check_element(items, name, at)?;
        }
        for item in items {
            match item {
                Item::Node(node) => member(node, name, &mut found),
                Item::Type(of) if name == "namespace" => found.push(Item::string(of.namespace)),
                Item::Type(of) if name == "name" => found.push(Item::string(of.name)),
                Item::System(System::Quantity(quantity)) if name == "value" => {
                    found.push(Item::System(System::Decimal(quantity.value.clone())));
                }
                Item::System(System::Quantity(quantity)) if name == "unit" => {
                    found.push(Item::string(quantity.unit.name().to_owned()));
                }
                Item::Type(_) | Item::System(_) => {}
            }
        }
        self.count(at, items.len() + found.len())?;
        self.check_size(at, found.len())?;
        self.look_at(&found);
        Ok(found)
    }

    /// In strict mode an element that none of the items can have is an error.
    fn check_element(&self, items: &[Item<'a>], name: &str, at: usize) -> Outcome<()> {
        let mut lacking = None;
        for item in items {
            let Item::Node(node) = item else { return Ok(()) };
            match node.type_id() {
                Some(id) if model().is_complete(id) && model().element(id, name).is_none() => {
                    lacking.get_or_insert(node.type_name());
                }
                _ => return Ok(()),
            }
        }
        match lacking {
            Some(of) => {
                let (of, name) = (of.to_owned(), name.to_owned());
                Err(EvaluationError::new(at, Problem::UnknownElement { of, name }))
            }
            None => Ok(()),
        }
    }

    /// Every child of every item.
    pub(super) fn children(&self, items: &[Item<'a>], at: usize) -> Outcome<Items<'a>> {
        let mut found = Vec::new();
        for item in items {
            if let Item::Node(node) = item {
                push_children(node, &mut found);
            }
        }
        self.count(at, items.len() + found.len())?;
        self.check_size(at, found.len())?;
        Ok(found)
    }

    /// Every child of every item, their children and so on: level by level.
    pub(super) fn descendants(&self, items: &[Item<'a>], at: usize) -> Outcome<Items<'a>> {
        let mut all = Vec::new();
        let mut level = self.children(items, at)?;
        while !level.is_empty() {
            let next = self.children(&level, at)?;
            all.append(&mut level);
            self.check_size(at, all.len())?;
            level = next;
        }
        Ok(all)
    }
}

/// The elements of one element.
fn member<'a>(node: &Node<'a>, name: &str, found: &mut Items<'a>) {
    let id = node.type_id();
    // Extensions and the id of a primitive stand beside it.
    let members = match (node.value, node.beside) {
        (Some(Value::Object(members)), _) | (_, Some(Value::Object(members))) => members,
        _ => return,
    };
    match id.and_then(|id| model().element(id, name)) {
        Some(Child::One(of)) => push_member(members, name, ElementType::Known(*of), node.resource, found),
        Some(Child::Choice) => {
            push_choice(members, name, node.resource, found);
            // A later release may have made the choice an element of one type.
            push_member(members, name, ElementType::Unknown, node.resource, found);
        }
        None => {
            let before = found.len();
            push_member(members, name, child_type(id, name), node.resource, found);
            let may_be_choice = id.is_none_or(|id| !model().is_complete(id));
            if found.len() == before && may_be_choice {
                push_choice(members, name, node.resource, found);
            }
        }
    }
}

/// Whether an item is an element of a type or of one derived from it.
pub(super) fn is_of(item: &Item<'_>, named: TypeId) -> bool {
    let Item::Node(node) = item else { return false };
    match node.of {
        ElementType::Known(id) => model().is_a(id, named),
        ElementType::Foreign(_) => {
            matches!(model().get(named).map(|definition| definition.path), Some("Resource" | "DomainResource"))
        }
        ElementType::Unknown => model().named(node.type_name()).is_some_and(|id| model().is_a(id, named)),
    }
}

fn push_member<'a>(
    members: &'a Map<String, Value>,
    name: &str,
    of: ElementType<'a>,
    resource: Option<&'a Value>,
    found: &mut Items<'a>,
) {
    let value = members.get(name);
    let beside = match value {
        Some(Value::Object(_)) => None,
        // Only primitives have something beside them, and most have not.
        _ => beside(members, name),
    };
    // What a contained resource refers to as `#id` stands beside it.
    let into = Pushed { of, resource, is_contained: name == "contained" };
    into.push(value, beside, found);
}

fn beside<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let mut key = String::with_capacity(name.len() + 1);
    key.push('_');
    key.push_str(name);
    members.get(&key)
}

/// What a member's values become.
struct Pushed<'a> {
    of: ElementType<'a>,
    resource: Option<&'a Value>,
    is_contained: bool,
}

impl<'a> Pushed<'a> {
    /// Each value of a member, paired with what stands beside it.
    fn push(&self, value: Option<&'a Value>, beside: Option<&'a Value>, found: &mut Items<'a>) {
        match (value, beside) {
            (Some(Value::Array(values)), beside) => {
                let besides = beside.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                for at in 0..values.len().max(besides.len()) {
                    self.push_one(values.get(at), besides.get(at), found);
                }
            }
            (None, Some(Value::Array(besides))) => {
                besides.iter().for_each(|beside| self.push_one(None, Some(beside), found));
            }
            (value, beside) => self.push_one(value, beside, found),
        }
    }

    fn push_one(&self, value: Option<&'a Value>, beside: Option<&'a Value>, found: &mut Items<'a>) {
        let value = value.filter(|value| !value.is_null());
        let beside = beside.filter(|beside| beside.is_object());
        if value.is_none() && beside.is_none() {
            return;
        }
        let may_be_resource = match self.of {
            ElementType::Known(id) => model().is_resource(id),
            ElementType::Foreign(_) | ElementType::Unknown => true,
        };
        let own = if may_be_resource { value.and_then(resource_type) } else { None };
        let resource = if own.is_some() && !self.is_contained { value } else { self.resource };
        found.push(Item::Node(Node { value, beside, of: own.unwrap_or(self.of), resource }));
    }
}

/// The members whose name is that of a choice with a type's name behind it.
fn push_choice<'a>(members: &'a Map<String, Value>, name: &str, resource: Option<&'a Value>, found: &mut Items<'a>) {
    for (key, value) in members {
        let (key, is_beside) = match key.strip_prefix('_') {
            Some(key) => (key, true),
            None => (key.as_str(), false),
        };
        let Some(suffix) = key.strip_prefix(name) else { continue };
        // A primitive's value and what stands beside it are one.
        if is_beside && members.contains_key(key) {
            continue;
        }
        if let Some(id) = model().of_suffix(suffix) {
            let of = ElementType::Known(id);
            if is_beside {
                Pushed { of, resource, is_contained: false }.push(None, Some(value), found);
            } else {
                push_member(members, key, of, resource, found);
            }
        }
    }
}

/// The children of an element, in the order of its JSON.
fn push_children<'a>(node: &Node<'a>, found: &mut Items<'a>) {
    let members = match (node.value, node.beside) {
        (Some(Value::Object(members)), _) | (_, Some(Value::Object(members))) => members,
        _ => return,
    };
    for (key, value) in members {
        if key == "resourceType" {
            continue;
        }
        let (name, is_beside) = match key.strip_prefix('_') {
            Some(name) => (name, true),
            None => (key.as_str(), false),
        };
        if is_beside && members.contains_key(name) {
            continue;
        }
        let of = child_type(node.type_id(), name);
        if is_beside {
            Pushed { of, resource: node.resource, is_contained: false }.push(None, Some(value), found);
        } else {
            push_member(members, name, of, node.resource, found);
        }
    }
}

/// The type of a child by its name in JSON.
fn child_type<'a>(of: Option<TypeId>, name: &str) -> ElementType<'a> {
    if let Some(Child::One(id)) = of.and_then(|of| model().element(of, name)) {
        return ElementType::Known(*id);
    }
    for (at, _) in name.char_indices().filter(|(_, c)| c.is_ascii_uppercase()) {
        let Some((stem, suffix)) = name.split_at_checked(at) else { continue };
        let is_choice = of.is_none_or(|of| matches!(model().element(of, stem), Some(Child::Choice)));
        if let Some(id) = is_choice.then(|| model().of_suffix(suffix)).flatten() {
            return ElementType::Known(id);
        }
    }
    ElementType::Unknown
}
