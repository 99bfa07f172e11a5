//! Item groups over a resource: where its items are, and what they are by their definitions.

use std::cell::{OnceCell, RefCell};

use candor_check::field::{
    Expected, Field, FieldEntry, FieldResult, ItemGroup, Items, Location, Quantifier, ReadFrom, Thing,
};
use candor_check::json_path::{JsonItem, JsonItems, JsonPlaces, joined};
use candor_fhirpath::{CertainItems, Item, Resolver, TypedElements};
use candor_json::Value;

use crate::concepts;
use crate::path::{self, FhirPath, Focus};

pub(crate) struct Judging<'a, 'r> {
    pub(crate) resource: &'a Value,
    pub(crate) resolver: &'a dyn Resolver,
    /// True if a reference may be to something that could not be read.
    pub(crate) hidden: bool,
    pub(crate) reading: ReadFrom<'r>,
    named: RefCell<Vec<&'a Value>>,
    typed: OnceCell<TypedElements<'a>>,
    places: OnceCell<JsonPlaces<'a>>,
}

pub(crate) struct FhirThing<'j, 'a, 'r> {
    judging: &'j Judging<'a, 'r>,
    focus: Focus<'a>,
    place: String,
}

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

    pub(crate) fn whole(&self) -> FhirThing<'_, 'a, 'r> {
        FhirThing { judging: self, focus: Focus::resource(self.resource), place: String::new() }
    }

    pub(crate) fn named(&self) -> Vec<&'a Value> {
        self.named.take()
    }

    fn typed(&self, value: &'a Value) -> Item<'a> {
        let typed = self.typed.get_or_init(|| TypedElements::of(self.resource));
        typed.find(value).unwrap_or_else(|| Item::of_element(value))
    }

    /// Where an element lies in the resource: `dosageInstruction.0`. Nothing for one of another resource.
    fn place_of(&self, value: &'a Value) -> Option<String> {
        self.places.get_or_init(|| JsonPlaces::of(self.resource)).place(value)
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
        let CertainItems { items, open, named } =
            CertainItems::of(|open| path::collected(expression, &self.focus, judging.resolver, open));
        if group.matching != Quantifier::None && !group.expects_none() {
            judging.named.borrow_mut().extend(named);
        }
        let open = open || judging.hidden && expression.uses_references();
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

pub(crate) fn resolves(entry: &FieldEntry<FhirPath>) -> bool {
    entry.fields().into_iter().any(means)
        || entry.paths().iter().any(|path| path.expression().is_some_and(|expression| expression.uses_references()))
}

/// True for a field that asserts a meaning, which may be that of a referenced resource.
fn means(field: &Field<FhirPath>) -> bool {
    matches!(field.expected, Expected::Meaning(_))
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
        FieldEntry::Field(field) => {
            expression(&field.path);
            if means(field)
                && let Ok(elements) = path::elements(field, &thing.focus, thing.judging.resolver)
            {
                concepts::follow(elements.into_iter(), thing.focus.resource, thing.judging.resolver);
            }
        }
        FieldEntry::OneOf(one) => one.lists.iter().flatten().for_each(|entry| follow(entry, thing)),
        FieldEntry::Group(group) => {
            expression(&group.item);
            for item in thing.items(group).items {
                group.conditions.iter().chain(&group.fields).for_each(|entry| follow(entry, &item));
            }
        }
    }
}
