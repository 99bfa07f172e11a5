//! Modifiers that reverse what a resource says, and that nobody asserted.
//!
//! A resource can satisfy every asserted field and mean the opposite: a status of `entered-in-error`, `doNotPerform: true`, a
//! `modifierExtension` that an application must not ignore.

mod table;

use std::collections::HashSet;
use std::sync::LazyLock;

use serde_json::Value;
use table::{Rule, Scope, Values};

use candor_check::compare::Operator;

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(table::rules);

/// What an assertion looks at in one resource.
#[derive(Clone, Debug, Default)]
pub struct Asserted<'a> {
    /// The values that the field paths selected: references into the resource.
    pub selected: Vec<&'a Value>,
    /// Those among them that were compared as a whole, with all that is in them.
    pub whole: Vec<&'a Value>,
    /// Those of `selected` that a field selected alone, with its operator.
    pub alone: Vec<(&'a Value, Operator)>,
    /// The values that FHIRPath expressions reached on the way: each is asserted itself, and nothing else is by it.
    pub looked_at: Vec<&'a Value>,
    /// The elements that search parameters select, each by the names of the members on the way to it.
    pub searched: Vec<Vec<&'a str>>,
}

/// An unsafe element.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsafe<'a> {
    /// The dotted path of the value that makes it unsafe.
    pub path: String,
    /// That value.
    pub value: &'a Value,
    /// The values that are unsafe there; any value when there is none.
    pub values: &'static [&'static str],
}

/// The first element of a resource that is unsafe and that was not asserted. Resources in `contained` do not count, nor does
/// what stands in an item of an array from which only other items were selected.
///
/// ```
/// use candor_fhir_resource_state::unsafe_match::{Asserted, find};
/// let order = serde_json::json!({"resourceType": "ServiceRequest", "status": "active", "doNotPerform": true});
/// let found = find(&order, &Asserted { selected: vec![&order["status"]], ..Asserted::default() });
/// assert_eq!(found.unwrap().path, "doNotPerform");
/// assert!(find(&order, &Asserted { selected: vec![&order["doNotPerform"]], ..Asserted::default() }).is_none());
/// ```
#[must_use]
pub fn find<'a>(resource: &'a Value, asserted: &Asserted<'_>) -> Option<Unsafe<'a>> {
    let tree = Tree::of(resource, asserted);
    (0..tree.nodes.len()).find_map(|at| tree.unsafe_at(at))
}

/// A value in the resource.
struct Node<'a> {
    value: &'a Value,
    parent: usize,
    step: Step<'a>,
    /// The root of the resource it stands in: with an entry's resource another one than with its Bundle.
    resource: usize,
    /// Whether it, or something in it, was selected, or it is in something that was compared as a whole.
    asserted: bool,
    /// Whether that is so of one of its items, when it is an array.
    item_asserted: bool,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Member(&'a str),
    Item(usize),
}

struct Tree<'a, 's> {
    /// In document order: parents before what is in them.
    nodes: Vec<Node<'a>>,
    searched: &'s [Vec<&'s str>],
    alone: &'s [(&'s Value, Operator)],
    looked_at: HashSet<*const Value>,
}

impl<'a, 's> Tree<'a, 's> {
    fn of(resource: &'a Value, asserted: &'s Asserted<'_>) -> Self {
        let addresses =
            |values: &[&Value]| values.iter().map(|value| std::ptr::from_ref(*value)).collect::<HashSet<_>>();
        let (selected, whole) = (addresses(&asserted.selected), addresses(&asserted.whole));
        let mut nodes: Vec<Node<'a>> = Vec::new();
        let mut open = vec![(resource, 0, Step::Root)];
        while let Some((value, parent, step)) = open.pop() {
            let at = nodes.len();
            let above = nodes.get(parent);
            let is_resource = at == 0 || value.get("resourceType").is_some_and(Value::is_string);
            // Only what is compared as a whole is marked yet, so the mark of the parent is about that.
            let within = above.is_some_and(|above| above.asserted) || whole.contains(&std::ptr::from_ref(value));
            let root = if is_resource { at } else { above.map_or(0, |above| above.resource) };
            nodes.push(Node { value, parent, step, resource: root, asserted: within, item_asserted: false });
            match value {
                Value::Object(members) => {
                    let kept = members.iter().rev().filter(|(name, _)| !(is_resource && *name == "contained"));
                    open.extend(kept.map(|(name, value)| (value, at, Step::Member(name))));
                }
                Value::Array(items) => {
                    open.extend(items.iter().enumerate().rev().map(|(index, value)| (value, at, Step::Item(index))));
                }
                _ => {}
            }
        }
        let mut tree = Self {
            nodes,
            searched: &asserted.searched,
            alone: &asserted.alone,
            looked_at: addresses(&asserted.looked_at),
        };
        tree.mark(&selected);
        tree
    }

    /// Marks what was selected and all it stands in.
    fn mark(&mut self, selected: &HashSet<*const Value>) {
        for at in (0..self.nodes.len()).rev() {
            let Some(node) = self.nodes.get_mut(at) else { continue };
            node.asserted |= selected.contains(&std::ptr::from_ref(node.value));
            let (asserted, parent, is_item) = (node.asserted, node.parent, matches!(node.step, Step::Item(_)));
            if asserted && let Some(parent) = self.nodes.get_mut(parent) {
                parent.asserted = true;
                parent.item_asserted |= is_item;
            }
        }
    }

    fn unsafe_at(&self, at: usize) -> Option<Unsafe<'a>> {
        let node = self.nodes.get(at)?;
        let Step::Member(name) = node.step else { return None };
        let rule = RULES.iter().find(|rule| rule.element == name && self.is_in_scope(rule, node))?;
        let (rest, value) = rule.unsafe_value(node.value)?;
        if node.asserted || self.is_looked_at(node.value) || self.is_searched(at) || self.is_in_other_item(at) {
            return None;
        }
        let values: &[&str] = if let Values::Listed(values) = &rule.values { values } else { &[] };
        Some(Unsafe { path: format!("{}{rest}", self.path(at)), value, values })
    }

    fn is_in_scope(&self, rule: &Rule, node: &Node<'_>) -> bool {
        let Some(resource) = self.nodes.get(node.resource) else { return false };
        match &rule.scope {
            Scope::Anywhere => true,
            Scope::Root => node.parent == node.resource,
            Scope::BesideValue => self.changes_the_value(node),
            Scope::Below(path) => {
                let Some((resource_type, parent)) = path.split_first() else { return false };
                resource.value.get("resourceType").and_then(Value::as_str) == Some(resource_type)
                    && self.members(node.parent, node.resource) == *parent
            }
        }
    }

    /// Whether a comparator makes another value of the `value` beside it than a field asserts. Where the field asks for less
    /// than something, `<` is no other value.
    fn changes_the_value(&self, node: &Node<'_>) -> bool {
        let beside = self.nodes.get(node.parent).and_then(|parent| parent.value.get("value"));
        let comparator = node.value.as_str().unwrap_or_default();
        let same_way = |operator: &Operator| match operator {
            Operator::LessThan | Operator::LessOrEqual => comparator.starts_with('<'),
            Operator::GreaterThan | Operator::GreaterOrEqual => comparator.starts_with('>'),
            Operator::Empty | Operator::NotEmpty | Operator::Count => true,
            _ => false,
        };
        beside.is_some_and(|beside| {
            self.alone.iter().any(|(value, operator)| std::ptr::eq(*value, beside) && !same_way(operator))
        })
    }

    /// A node and what it stands in, up to the root.
    fn upwards(&self, at: usize) -> impl Iterator<Item = (usize, &Node<'a>)> {
        let above = |(at, node): &(usize, &Node<'a>)| {
            if *at == 0 { None } else { Some((node.parent, self.nodes.get(node.parent)?)) }
        };
        std::iter::successors(self.nodes.get(at).map(|node| (at, node)), above)
    }

    /// The names of the members on the way from `root` to a node.
    fn members(&self, at: usize, root: usize) -> Vec<&'a str> {
        let upwards = self.upwards(at).take_while(|(at, _)| *at != root);
        let mut names: Vec<&str> = upwards
            .filter_map(|(_, node)| if let Step::Member(name) = node.step { Some(name) } else { None })
            .collect();
        names.reverse();
        names
    }

    /// Whether a search parameter selects the element or something in it.
    fn is_searched(&self, at: usize) -> bool {
        let own = self.members(at, 0);
        self.searched.iter().any(|path| path.starts_with(&own))
    }

    /// Whether an expression reached the value, or an item of it when it is an array.
    fn is_looked_at(&self, value: &Value) -> bool {
        let reached = |value: &Value| self.looked_at.contains(&std::ptr::from_ref(value));
        reached(value) || value.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(reached))
    }

    /// Whether it stands in an item of an array from which other items only were selected.
    fn is_in_other_item(&self, at: usize) -> bool {
        self.upwards(at).any(|(_, node)| {
            let array = self.nodes.get(node.parent);
            matches!(node.step, Step::Item(_)) && !node.asserted && array.is_some_and(|array| array.item_asserted)
        })
    }

    fn path(&self, at: usize) -> String {
        let mut steps: Vec<String> = self
            .upwards(at)
            .filter_map(|(_, node)| match node.step {
                Step::Root => None,
                Step::Member(name) => Some(name.to_owned()),
                Step::Item(index) => Some(index.to_string()),
            })
            .collect();
        steps.reverse();
        steps.join(".")
    }
}
