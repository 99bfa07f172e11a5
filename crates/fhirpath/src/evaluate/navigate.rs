//! From an element to its children.

use candor_json::{Map, Value};

use super::{Evaluator, Items, Outcome};
use crate::ast::Member;
use crate::error::{EvaluationError, Problem};
use crate::item::{ElementType, Item, Node, System, resource_type};
use crate::model::{Child, NameId, TypeId, model};

impl<'a> Evaluator<'_, 'a> {
    /// A name at the beginning of a path: `$this` itself where it is of a type of that name, else an element of it.
    pub(super) fn head(&self, member: &Member, this: &[Item<'a>]) -> Outcome<Items<'a>> {
        if member.name.starts_with(|c: char| c.is_ascii_uppercase()) {
            if let Some(named) = member.named {
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
        self.named(this, member)
    }

    pub(super) fn named(&self, items: &[Item<'a>], member: &Member) -> Outcome<Items<'a>> {
        self.elements(items, &member.name, member.id, member.at)
    }

    pub(super) fn members(&self, items: &[Item<'a>], name: &str, at: usize) -> Outcome<Items<'a>> {
        self.elements(items, name, model().name_id(name), at)
    }

    fn elements(&self, items: &[Item<'a>], name: &str, id: Option<NameId>, at: usize) -> Outcome<Items<'a>> {
        let mut found = Items::with_capacity(items.len());
        if self.context.strict {
            self.check_element(items, name, at)?;
        }
        for item in items {
            match item {
                Item::Node(node) => {
                    self.count(at, node.value.and_then(Value::as_object).map_or(1, |members| 1 + members.len() / 16))?;
                    member(node, name, id, &mut found);
                    self.check_size(at, found.len())?;
                }
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
        self.count(at, found.len())?;
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

    pub(super) fn children(&self, items: &[Item<'a>], at: usize) -> Outcome<Items<'a>> {
        let mut found = Items::new();
        for item in items {
            if let Item::Node(node) = item {
                push_children(node, &mut found);
            }
            self.check_size(at, found.len())?;
        }
        self.count(at, found.len())?;
        Ok(found)
    }

    /// Every child of every item, their children and so on: level by level.
    pub(super) fn descendants(&self, items: &[Item<'a>], at: usize) -> Outcome<Items<'a>> {
        let mut all = Items::new();
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

fn member<'a>(node: &Node<'a>, name: &str, name_id: Option<NameId>, found: &mut Items<'a>) {
    let id = node.type_id();
    // Extensions and the id of a primitive are in the member next to it, with `_`.
    let members = match (node.value, node.beside) {
        (Some(Value::Object(members)), _) | (_, Some(Value::Object(members))) => members,
        _ => return,
    };
    match id.zip(name_id).and_then(|(id, name)| model().element_of(id, name)) {
        Some(Child::One(of)) => push_member(members, name, ElementType::Known(of), node.resource, found),
        Some(Child::Choice) => {
            let before = found.len();
            push_choice(members, name, node.resource, found);
            // A later release may have made the choice an element of one type.
            if found.len() == before {
                push_member(members, name, ElementType::Unknown, node.resource, found);
            }
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

pub(crate) fn is_of(item: &Item<'_>, named: TypeId) -> bool {
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
    let value = get(members, name);
    let beside = if may_have_beside(value) { beside(members, name) } else { None };
    // A `#id` in a contained resource means another one in the same container.
    Pushed { of, resource, is_contained: name == "contained" }.push(value, beside, found);
}

/// Only primitives have a member with `_` next to them.
fn may_have_beside(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Object(_)) => false,
        Some(Value::Array(values)) => !values.first().is_some_and(Value::is_object),
        _ => true,
    }
}

/// Up to this many members are compared one by one, which takes less time than hashing a name.
const FEW: usize = 20;

fn get<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    if members.len() > FEW {
        return members.get(name);
    }
    members.iter().find(|(key, _)| key.as_str() == name).map(|(_, value)| value)
}

fn beside<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    // A name to look for has to be made first, which takes longer than to compare a few.
    if members.len() > FEW * 3 {
        return members.get(&format!("_{name}"));
    }
    let stands = |key: &String| key.len() == name.len() + 1 && key.strip_prefix('_') == Some(name);
    members.iter().find(|(key, _)| stands(key)).map(|(_, value)| value)
}

struct Pushed<'a> {
    of: ElementType<'a>,
    resource: Option<&'a Value>,
    is_contained: bool,
}

impl<'a> Pushed<'a> {
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

fn push_choice<'a>(members: &'a Map<String, Value>, name: &str, resource: Option<&'a Value>, found: &mut Items<'a>) {
    for (key, value) in members {
        let (key, is_beside) = match key.strip_prefix('_') {
            Some(key) => (key, true),
            None => (key.as_str(), false),
        };
        let Some(suffix) = key.strip_prefix(name) else { continue };
        // A primitive's value and its member with `_` are a single element.
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
pub(crate) fn children_of<'a>(node: &Node<'a>) -> Vec<Item<'a>> {
    let mut found = Items::new();
    push_children(node, &mut found);
    found.into_vec()
}

fn push_children<'a>(node: &Node<'a>, found: &mut Items<'a>) {
    let members = match (node.value, node.beside) {
        (Some(Value::Object(members)), _) | (_, Some(Value::Object(members))) => members,
        _ => return,
    };
    let has_besides = members.keys().any(|key| key.starts_with('_'));
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
        let pushed =
            Pushed { of: child_type(node.type_id(), name), resource: node.resource, is_contained: name == "contained" };
        if is_beside {
            pushed.push(None, Some(value), found);
        } else {
            let beside = if has_besides && may_have_beside(Some(value)) { beside(members, name) } else { None };
            pushed.push(Some(value), beside, found);
        }
    }
}

/// The type of a child by its name in JSON.
fn child_type<'a>(of: Option<TypeId>, name: &str) -> ElementType<'a> {
    if let Some(Child::One(id)) = of.and_then(|of| model().element(of, name)) {
        return ElementType::Known(id);
    }
    for (at, _) in name.char_indices().filter(|(_, c)| c.is_ascii_uppercase()) {
        let Some((stem, suffix)) = name.split_at_checked(at) else { continue };
        let is_choice =
            of.is_none_or(|of| !model().is_complete(of) || matches!(model().element(of, stem), Some(Child::Choice)));
        if let Some(id) = is_choice.then(|| model().of_suffix(suffix)).flatten() {
            return ElementType::Known(id);
        }
    }
    ElementType::Unknown
}
