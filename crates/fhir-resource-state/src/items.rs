//! Item groups over a resource: where its items are, and what they are by their definitions.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

use candor_check::field::{Field, FieldEntry, FieldResult, ItemGroup, Items, Location, Quantifier, ReadFrom, Thing};
use candor_check::json_path::{JsonItem, JsonItems, joined};
use candor_fhirpath::{Item, OpenComparison, Resolver};
use serde_json::Value;

use crate::path::{self, FhirPath, Focus};

/// A resource while its fields and groups are judged.
pub(crate) struct Judging<'a, 'r> {
    pub(crate) resource: &'a Value,
    pub(crate) resolver: &'a dyn Resolver,
    /// Whether a reference may be to something that could not be read.
    pub(crate) hidden: bool,
    pub(crate) reading: ReadFrom<'r>,
    /// The elements that selectors of items found equal to a literal.
    named: RefCell<Vec<&'a Value>>,
    /// The elements of the resource with what their definitions say, by their address.
    typed: OnceCell<HashMap<*const Value, Item<'a>>>,
    /// The places of the elements, as far as they were asked for: each with what it lies in.
    places: OnceCell<HashMap<*const Value, (*const Value, Step<'a>)>>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Member(&'a str),
    Element(usize),
}

/// A resource, or an item in one.
pub(crate) struct FhirThing<'j, 'a, 'r> {
    judging: &'j Judging<'a, 'r>,
    focus: Focus<'a>,
    place: String,
}

/// What was read of a resource for one comparison.
#[derive(Debug)]
pub(crate) struct Read<'a> {
    /// The elements that were compared.
    pub selected: Vec<&'a Value>,
    /// The elements that the expression reached on the way.
    pub looked_at: Vec<&'a Value>,
    /// The elements that the expression found equal to a literal.
    pub named: Vec<&'a Value>,
}

impl<'a, 'r> Judging<'a, 'r> {
    pub(crate) fn new(resource: &'a Value, resolver: &'a dyn Resolver, hidden: bool, reading: ReadFrom<'r>) -> Self {
        let (named, typed, places) = (RefCell::default(), OnceCell::new(), OnceCell::new());
        Self { resource, resolver, hidden, reading, named, typed, places }
    }

    /// The resource as a whole.
    pub(crate) fn whole(&self) -> FhirThing<'_, 'a, 'r> {
        FhirThing { judging: self, focus: Focus::resource(self.resource), place: String::new() }
    }

    /// The elements that selectors of items found equal to a literal.
    pub(crate) fn named(&self) -> Vec<&'a Value> {
        self.named.take()
    }

    /// An element with what its definition says of it.
    fn typed(&self, value: &'a Value) -> Item<'a> {
        let typed = self.typed.get_or_init(|| {
            let mut typed = HashMap::new();
            let mut open = vec![Item::of_element(self.resource)];
            while let Some(item) = open.pop() {
                open.extend(item.children());
                if let Some(value) = item.element() {
                    typed.insert(std::ptr::from_ref(value), item);
                }
            }
            typed
        });
        typed.get(&std::ptr::from_ref(value)).cloned().unwrap_or_else(|| Item::of_element(value))
    }

    /// Where an element lies in the resource: `dosageInstruction.0`. Nothing for one of another resource.
    fn place_of(&self, value: &'a Value) -> Option<String> {
        let places = self.places.get_or_init(|| {
            let mut places = HashMap::new();
            let mut open = vec![self.resource];
            while let Some(value) = open.pop() {
                let parent = std::ptr::from_ref(value);
                let mut add = |child: &'a Value, step| {
                    places.insert(std::ptr::from_ref(child), (parent, step));
                    open.push(child);
                };
                match value {
                    Value::Array(items) => {
                        items.iter().enumerate().for_each(|(index, item)| add(item, Step::Element(index)));
                    }
                    Value::Object(members) => {
                        members.iter().for_each(|(name, member)| add(member, Step::Member(name)));
                    }
                    _ => {}
                }
            }
            places
        });
        let root = std::ptr::from_ref(self.resource);
        let mut steps = Vec::new();
        let mut at = std::ptr::from_ref(value);
        while at != root {
            let (parent, step) = places.get(&at)?;
            steps.push(match step {
                Step::Member(name) => (*name).to_owned(),
                Step::Element(index) => index.to_string(),
            });
            at = *parent;
        }
        steps.reverse();
        Some(steps.join("."))
    }
}

impl<'j, 'a, 'r> FhirThing<'j, 'a, 'r> {
    fn of(&self, item: Item<'a>, place: String) -> Self {
        Self { judging: self.judging, focus: Focus { resource: self.focus.resource, item }, place }
    }

    fn expression_items(
        &self,
        expression: &candor_fhirpath::Expression,
        group: &ItemGroup<FhirPath>,
    ) -> (Vec<Self>, bool) {
        let judging = self.judging;
        let evaluated = |open| path::collected(expression, &self.focus, judging.resolver, open);
        let Ok(collection) = evaluated(OpenComparison::Empty) else { return (Vec::new(), true) };
        if group.matching != Quantifier::None && !group.expects_none() {
            judging.named.borrow_mut().extend(collection.named());
        }
        let mut items: Vec<Item<'a>> = collection.items().to_vec();
        let mut open = judging.hidden && expression.uses_references();
        if collection.is_undecided() {
            // Where dates leave a comparison open, the items are those that it selects whichever way they lie.
            for way in [OpenComparison::True, OpenComparison::False] {
                let Ok(other) = evaluated(way) else { return (Vec::new(), true) };
                let address = |item: &Item<'a>| item.element().map(std::ptr::from_ref);
                let others: HashSet<_> = other.iter().map(address).collect();
                open |= other.len() != items.len() || !items.iter().map(address).all(|item| others.contains(&item));
                items.retain(|item| item.element().is_some() && others.contains(&address(item)));
            }
        }
        let place = |(index, item): (usize, Item<'a>)| {
            let own = item.element().and_then(|value| judging.place_of(value));
            let place = own.unwrap_or_else(|| format!("{}[{index}]", joined(&self.place, &group.item_text)));
            self.of(item, place)
        };
        (items.into_iter().enumerate().map(place).collect(), open)
    }
}

impl<'j, 'a, 'r> Thing<FhirPath> for FhirThing<'j, 'a, 'r> {
    type Note = Read<'a>;

    fn items(&self, group: &ItemGroup<FhirPath>) -> Items<Self> {
        let place = joined(&self.place, &group.item_text);
        let (items, open) = match &group.item {
            FhirPath::Expression(expression) => self.expression_items(expression, group),
            FhirPath::Plain(path) => match self.focus.item.element() {
                None => (Vec::new(), false),
                Some(value) => {
                    let JsonItems { items, open } = path.items(value, &self.place, false);
                    // They are of the resource: nothing is made of text.
                    let borrowed = |JsonItem { value, place }: JsonItem<'a>| match value {
                        std::borrow::Cow::Borrowed(value) => Some(self.of(self.judging.typed(value), place)),
                        std::borrow::Cow::Owned(_) => None,
                    };
                    (items.into_iter().filter_map(borrowed).collect(), open)
                }
            },
        };
        Items { items, place, open }
    }

    fn judge(&self, field: &Field<FhirPath>) -> (FieldResult, Read<'a>) {
        let Judging { resolver, hidden, reading, .. } = self.judging;
        let path::Judged { result, selected, looked_at, named } =
            path::judge(field, &self.focus, *resolver, *hidden, *reading);
        let path = joined(&self.place, &field.path_text);
        (FieldResult { path, ..result }, Read { selected, looked_at, named })
    }

    fn place(&self) -> String {
        self.place.clone()
    }

    fn source(&self) -> Location {
        let ReadFrom { locator, span, .. } = self.judging.reading;
        Location { locator: locator.to_owned(), span }
    }
}

/// Whether an entry follows references.
pub(crate) fn resolves(entry: &FieldEntry<FhirPath>) -> bool {
    entry.paths().iter().any(|path| path.expression().is_some_and(|expression| expression.uses_references()))
}

/// Asks the resolver of `thing` for everything that judging the entry may ask it for.
pub(crate) fn follow(entry: &FieldEntry<FhirPath>, thing: &FhirThing<'_, '_, '_>) {
    if !resolves(entry) {
        return;
    }
    let expression = |path: &FhirPath| {
        if let Some(expression) = path.expression().filter(|expression| expression.uses_references()) {
            path::follow(expression, &thing.focus, thing.judging.resolver);
        }
    };
    match entry {
        FieldEntry::Field(field) => expression(&field.path),
        FieldEntry::Group(group) => {
            expression(&group.item);
            for item in thing.items(group).items {
                group.conditions.iter().chain(&group.fields).for_each(|entry| follow(entry, &item));
            }
        }
    }
}
