//! Modifiers that reverse what a resource says, and that no one asserted.
//!
//! A resource can satisfy every asserted field and mean the opposite: a status of `entered-in-error`, `doNotPerform: true`, a
//! `modifierExtension` that an application must not ignore.

mod old_items;
mod rests;
mod table;

use std::collections::{HashMap, HashSet};

use candor_check::compare::Operator;
use candor_check::field::Location;
use candor_check::records::{Asserting, Element, UnsafeMatch};
use candor_json::Value;
use table::{RULES, Rule, Scope};

pub(crate) use old_items::{Passed, only_items, reads_values};
pub(crate) use rests::add_rested;

/// The parts of one resource that an assertion looks at.
#[derive(Clone, Debug, Default)]
pub struct Asserted<'a> {
    /// The values that the field paths selected: references into the resource.
    pub selected: Vec<&'a Value>,
    /// Those of `selected` that a field selected alone, with its operator.
    pub alone: Vec<(&'a Value, Operator)>,
    /// The values that the author named, each with what was expected of it.
    pub named: Vec<(&'a Value, &'a Value)>,
    /// The elements by the names of the members on the way to them, each with a code that the search asks for there, in
    /// lower case.
    pub searched: &'a [(Vec<&'a str>, String)],
    /// Items of arrays that are no longer in use, without which a field would not pass.
    pub only_items: Vec<&'a Value>,
    /// Dosages, doses and codings without which a field would not pass, selected or not.
    pub rested: Vec<&'a Value>,
}

/// The first element of a resource that is unsafe, and whose value the author did not name. Resources in `contained` do not
/// count, nor does an item of an array from which only other items were selected.
///
/// ```
/// use candor_check::records::{Asserting, RecordRules};
/// use candor_check::{field::Location, sandbox::Environment};
/// use candor_fhir_resource_state::unsafe_match::{Asserted, find};
/// let order = candor_json::json!({"resourceType": "ServiceRequest", "status": "active", "doNotPerform": true});
/// let asserting = Asserting::new(false, RecordRules::default(), true, Environment::Test);
/// let place = Location::whole("fhir/order.json");
/// let found = find(&order, &Asserted::default(), &asserting, &place);
/// assert_eq!(found.unwrap().result.path, "doNotPerform");
/// let named = Asserted { named: vec![(&order["doNotPerform"], &candor_json::Value::Bool(true))], ..Asserted::default() };
/// assert!(find(&order, &named, &asserting, &place).is_none());
/// ```
#[must_use]
pub fn find(resource: &Value, asserted: &Asserted<'_>, asserting: &Asserting, place: &Location) -> Option<UnsafeMatch> {
    let tree = Tree::of(resource, asserted);
    (0..tree.nodes.len()).find_map(|at| tree.unsafe_at(at, asserting, place))
}

/// The statuses and intents that are unsafe in resources of a type, beyond what was entered in error.
pub(crate) fn rows_of(resource_type: &str) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    ["status", "intent"].into_iter().filter_map(move |element| {
        let rules = RULES.get(element).map(Vec::as_slice).unwrap_or_default();
        let concerned = rules.iter().filter(
            |rule| matches!(&rule.scope, Scope::Types(types) if types.iter().any(|(name, _)| *name == resource_type)),
        );
        let values: Vec<&str> = concerned
            .flat_map(|rule| rule.row.values.words().iter().copied())
            .filter(|value| *value != "entered-in-error")
            .collect();
        (!values.is_empty()).then_some((element, values))
    })
}

/// Returns `true` if a resource says at its root that it was entered in error.
#[must_use]
pub fn is_retracted(resource: &Value) -> bool {
    const RETRACTED: &str = "entered-in-error";
    let names = RULES.iter().filter(|(_, rules)| {
        let at_root = |rule: &&Rule| matches!(rule.scope, Scope::Of(_) | Scope::Types(_));
        rules.iter().filter(at_root).any(|rule| rule.row.values.words().contains(&RETRACTED))
    });
    let elements = names.filter_map(|(name, _)| resource.get(*name));
    elements.flat_map(table::values).any(|(_, value)| value.as_str() == Some(RETRACTED))
}

struct Node<'a> {
    value: &'a Value,
    parent: usize,
    step: Step<'a>,
    /// The root of the resource it is in: with an entry's resource another one than with its Bundle.
    resource: usize,
    /// True if it, or something in it, was selected, or it is in something that was named as a whole.
    reached: bool,
    /// True if that is so of one of its items, when it is an array.
    item_reached: bool,
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
    asserted: &'s Asserted<'s>,
    named: HashMap<*const Value, Vec<&'s Value>>,
}

impl<'a, 's> Tree<'a, 's> {
    fn of(resource: &'a Value, asserted: &'s Asserted<'s>) -> Self {
        let mut named: HashMap<*const Value, Vec<&'s Value>> = HashMap::new();
        for (value, expected) in &asserted.named {
            named.entry(std::ptr::from_ref(*value)).or_default().push(expected);
        }
        let is_whole = |value: &Value| {
            let structure = value.is_array() || value.is_object();
            structure && named.contains_key(&std::ptr::from_ref(value))
        };
        let mut nodes: Vec<Node<'a>> = Vec::new();
        let mut open = vec![(resource, 0, Step::Root)];
        while let Some((value, parent, step)) = open.pop() {
            let at = nodes.len();
            let above = nodes.get(parent);
            let is_resource = at == 0 || value.get("resourceType").is_some_and(Value::is_string);
            // Only what was named as a whole is marked yet, so the mark of the parent is about that.
            let reached = above.is_some_and(|above| above.reached) || is_whole(value);
            let root = if is_resource { at } else { above.map_or(0, |above| above.resource) };
            nodes.push(Node { value, parent, step, resource: root, reached, item_reached: false });
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
        let mut tree = Self { nodes, asserted, named };
        tree.mark(&asserted.selected.iter().map(|value| std::ptr::from_ref(*value)).collect());
        tree.mark_rested();
        tree
    }

    fn mark(&mut self, selected: &HashSet<*const Value>) {
        for at in (0..self.nodes.len()).rev() {
            let Some(node) = self.nodes.get_mut(at) else { continue };
            node.reached |= selected.contains(&std::ptr::from_ref(node.value));
            let (reached, parent, is_item) = (node.reached, node.parent, matches!(node.step, Step::Item(_)));
            if reached && let Some(parent) = self.nodes.get_mut(parent) {
                parent.reached = true;
                parent.item_reached |= is_item;
            }
        }
    }

    /// Marks as reached what fields rest on. Other items of the same arrays stay as they are: an expression may read them.
    fn mark_rested(&mut self) {
        if self.asserted.rested.is_empty() {
            return;
        }
        let rested: HashSet<*const Value> =
            self.asserted.rested.iter().map(|value| std::ptr::from_ref(*value)).collect();
        let mut is_above = vec![false; self.nodes.len()];
        for (at, node) in self.nodes.iter_mut().enumerate().rev() {
            let is_rested = is_above.get(at) == Some(&true) || rested.contains(&std::ptr::from_ref(node.value));
            node.reached |= is_rested;
            if is_rested && let Some(above) = is_above.get_mut(node.parent) {
                *above = true;
            }
        }
    }

    fn unsafe_at(&self, at: usize, asserting: &Asserting, place: &Location) -> Option<UnsafeMatch> {
        let node = self.nodes.get(at)?;
        let Step::Member(name) = node.step else { return None };
        let rules = RULES.get(name)?.iter();
        let mut concerned =
            rules.filter(|rule| asserting.concerns(rule.row) && self.is_in_scope(rule, at, node)).peekable();
        concerned.peek()?;
        if self.is_in_other_item(at) {
            return None;
        }
        let values = table::values(node.value);
        concerned.find_map(|rule| {
            if matches!(rule.scope, Scope::Rival { .. }) {
                let (rest, value) = self.rival(at, name)?;
                let (path, assert) = (format!("{}.{rest}", self.path(at)), format!("{}.{rest}", self.path(at)));
                let element = Element { path, value: value.clone(), source: place.clone(), named: false, assert };
                return rule.row.unsafe_match(element);
            }
            let mut unsafe_values = values.iter().filter(|(_, value)| rule.row.values.hold(value));
            let (rest, value) = unsafe_values.find(|(_, value)| !self.is_named(at, value))?;
            // What is unsafe by being there is quoted whole.
            let (rest, value) = if rule.row.values.are_any() { ("", node.value) } else { (rest.as_str(), *value) };
            let (path, value) = (format!("{}{rest}", self.path(at)), value.clone());
            rule.row.unsafe_match(Element { assert: path.clone(), path, value, source: place.clone(), named: false })
        })
    }

    /// The item of an array that says another thing than the one from which a field reads, with its place in the array: a
    /// second code of the system of one by which a field passed, a second dose.
    fn rival(&self, at: usize, name: &str) -> Option<(String, &'a Value)> {
        let node = self.nodes.get(at)?;
        let items = node.value.as_array().filter(|items| items.len() > 1)?;
        if name == "doseAndRate" {
            let is_whole = self.asserted.selected.iter().any(|one| std::ptr::eq(*one, node.value));
            let is_read = node.item_reached || items.iter().any(|item| self.is_rested(item));
            let second = items.get(1).filter(|_| is_read && !is_whole && !self.is_told_apart(at))?;
            return Some(("1".to_owned(), second));
        }
        let is_named = |code: &&'a Value| {
            let code_at = self.nodes.iter().position(|node| std::ptr::eq(node.value, *code));
            code_at.is_some_and(|code_at| self.is_named(code_at, code) || self.is_searched(code_at, code))
        };
        let is_own = |item: &&'a Value| {
            item.get("code").filter(|code| code.is_string()).as_ref().is_some_and(is_named) || self.is_rested(item)
        };
        let (own, others): (Vec<_>, Vec<_>) = items.iter().enumerate().partition(|(_, item)| is_own(item));
        let (number, other) =
            others.into_iter().find(|(_, other)| own.iter().any(|(_, own)| rests::are_rivals(own, other)))?;
        Some((format!("{number}.code"), other.get("code")?))
    }

    /// True if fields read one dose only, and the author named a type that no other dose has: `ordered`.
    fn is_told_apart(&self, doses: usize) -> bool {
        let within = self.nodes.iter().skip(doses + 1).take_while(|node| node.parent >= doses);
        let (read, others): (Vec<_>, Vec<_>) =
            within.filter(|node| node.parent == doses).partition(|node| node.reached);
        let [own] = read.as_slice() else { return false };
        let is_named = |value: &Value| self.named.contains_key(&std::ptr::from_ref(value));
        let Some(kind) = own.value.get("type").filter(|kind| holds(kind, &is_named)) else { return false };
        let has = |other: &Value| holds(kind, &|value| is_named(value) && holds(other, &|same| same == value));
        others.iter().all(|other| other.value.get("type").is_some_and(|other| !has(other)))
    }

    fn is_rested(&self, item: &Value) -> bool {
        self.asserted.rested.iter().any(|rested| std::ptr::eq(*rested, item))
    }

    fn is_searched(&self, at: usize, code: &Value) -> bool {
        let members = self.members(at, 0);
        let code = code.as_str().map(str::to_lowercase);
        // A search names the element, and JSON the type as well: `medication` is `medicationCodeableConcept`.
        let is_choice = |own: &str, asked: &str| {
            own.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_uppercase()))
        };
        let leads = |path: &[&str]| {
            path.len() <= members.len() && path.iter().zip(&members).all(|(asked, own)| is_choice(own, asked))
        };
        self.asserted.searched.iter().any(|(path, asked)| leads(path) && Some(asked) == code.as_ref())
    }

    fn is_in_scope(&self, rule: &Rule, at: usize, node: &Node<'_>) -> bool {
        let Some(resource) = self.nodes.get(node.resource) else { return false };
        let resource_type = || resource.value.get("resourceType").and_then(Value::as_str);
        match &rule.scope {
            Scope::Anywhere => true,
            Scope::Of(path) => self.members(node.parent, node.resource) == *path,
            Scope::Types(types) => {
                let lacks = |start: &str| {
                    resource
                        .value
                        .as_object()
                        .is_some_and(|members| !members.keys().any(|name| name.starts_with(start)))
                };
                let is_one = |(name, without): &(&str, Option<&str>)| {
                    Some(*name) == resource_type() && without.is_none_or(lacks)
                };
                node.parent == node.resource && types.iter().any(is_one)
            }
            Scope::BesideValue => self.changes_the_value(node),
            Scope::OnlyItem => {
                let item = self.nodes.get(node.parent).map(|parent| parent.value);
                item.is_some_and(|item| self.asserted.only_items.iter().any(|only| std::ptr::eq(*only, item)))
            }
            Scope::Rival { but } => {
                let Step::Member(name) = node.step else { return false };
                (but.is_none() || *but != resource_type()) && self.rival(at, name).is_some()
            }
            Scope::Below(path) | Scope::ReadBelow(path) => {
                let Some((name, parent)) = path.split_first() else { return false };
                let is_read = || self.nodes.get(node.parent).is_some_and(|parent| parent.reached);
                resource_type() == Some(name)
                    && self.members(node.parent, node.resource) == *parent
                    && (matches!(rule.scope, Scope::Below(_)) || is_read())
            }
        }
    }

    /// True if a comparator gives the `value` next to it another meaning than a field asserts. Where the field asks for
    /// less than something, `<` does not change the value.
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
            let mut alone = self.asserted.alone.iter();
            alone.any(|(value, operator)| std::ptr::eq(*value, beside) && !same_way(operator))
        })
    }

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

    /// True if the author named an unsafe value in the element at `at`: by a field that selected the value or something that
    /// it is in and is expected to hold it, or by the search.
    fn is_named(&self, at: usize, value: &Value) -> bool {
        let expected =
            |value: &Value| self.named.get(&std::ptr::from_ref(value)).map(Vec::as_slice).unwrap_or_default();
        let own = || match value {
            // What has no value of its own is named by a value in it.
            Value::Array(_) | Value::Object(_) => holds(value, &|inner| !expected(inner).is_empty()),
            value => !expected(value).is_empty(),
        };
        let same = |other: &Value| match (value, other) {
            // A code that is expected may have its system before it.
            (Value::String(value), Value::String(other)) => {
                other.rsplit('|').next().is_some_and(|code| value.eq_ignore_ascii_case(code))
            }
            (value, other) => value == other,
        };
        let above = || self.upwards(at).any(|(_, node)| expected(node.value).iter().any(|whole| holds(whole, &same)));
        let codes = || match value {
            Value::String(text) => Some(text.to_lowercase()),
            Value::Bool(truth) => Some(truth.to_string()),
            _ => None,
        };
        let searched = || {
            let Some(code) = codes().filter(|_| !self.asserted.searched.is_empty()) else { return false };
            let members = self.members(at, 0);
            self.asserted.searched.iter().any(|(path, asked)| *path == members && *asked == code)
        };
        own() || above() || searched()
    }

    /// True if it is in an item of an array from which other items only were selected.
    fn is_in_other_item(&self, at: usize) -> bool {
        self.upwards(at).any(|(_, node)| {
            let array = self.nodes.get(node.parent);
            matches!(node.step, Step::Item(_)) && !node.reached && array.is_some_and(|array| array.item_reached)
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

/// Says if a value, or one in it, satisfies a test; without recursion.
fn holds(value: &Value, test: &dyn Fn(&Value) -> bool) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if test(value) {
            return true;
        }
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    false
}
