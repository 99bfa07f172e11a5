//! Item groups over what a file holds.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use candor_check::field::{
    Field, FieldReason, FieldResult, Found, ItemGroup, Items, Location, ReadFrom, Selection, Thing,
};
use candor_check::json_path::{JsonItem, JsonItems, joined};
use candor_fhirpath::Expression;
use candor_hl7v2_structure::MessagePart;
use candor_json::Value;
use candor_x12_guides::{Part, ReadSet};

use crate::content::{
    Content, ContentPath, Element, FileMessage, Input, ROWS, X12Path, read_hl7, read_x12, x12_values,
};
use crate::resource::Resource;
use crate::unproven::unproven_group;

pub(crate) struct FileThing<'c, 'r> {
    pub(crate) content: Option<(&'c Input<'c>, &'c Content<'c>)>,
    pub(crate) reading: ReadFrom<'r>,
    pub(crate) whole: &'c dyn Fn(&Field<ContentPath>) -> FieldResult,
    pub(crate) at: At<'c>,
    /// True if the content was compressed or encrypted, so that places in it are not those of the file.
    pub(crate) unwrapped: bool,
    /// The messages and sets of the file, read when a group asks for them.
    records: Rc<Records<'c>>,
}

#[derive(Default)]
struct Records<'c> {
    messages: OnceCell<Vec<FileMessage<'c>>>,
    sets: OnceCell<Option<Vec<ReadSet<'c>>>>,
    resource: OnceCell<Resource<'c>>,
}

pub(crate) enum At<'c> {
    File,
    Json(JsonItem<'c>),
    /// A row of CSV or fixed width, by its number from 0.
    Row(usize),
    Xml(Element<'c, 'c>),
    /// A part of one of the messages, by its number from 0.
    Message(usize, MessagePart),
    /// A part of one of the transaction sets, by its number from 0, with its place in the set.
    Set(usize, Part, String),
}

impl<'c, 'r> FileThing<'c, 'r> {
    /// The resource that the file is, with the value at which an expression begins; `None` if the file is not a
    /// resource.
    fn resource(&self) -> Option<(&Resource<'c>, Option<&'c Value>)> {
        let Some((_, Content::Json(value))) = self.content else { return None };
        let at = match &self.at {
            At::File => Some(value),
            At::Json(JsonItem { value: Cow::Borrowed(value), .. }) => Some(*value),
            _ => None,
        };
        Some((self.records.resource.get_or_init(|| Resource::of(value)), at))
    }

    /// The items that an expression selects; nothing where there is no resource.
    fn of_expression(&self, expression: &Expression, group: &ItemGroup<ContentPath>) -> Option<JsonItems<'c>> {
        let (resource, at) = self.resource()?;
        let before = joined(&self.place(), &group.item_text);
        at.map(|at| resource.items(expression, at, &before))
    }

    pub(crate) fn file(
        content: Option<(&'c Input<'c>, &'c Content<'c>)>,
        reading: ReadFrom<'r>,
        whole: &'c dyn Fn(&Field<ContentPath>) -> FieldResult,
        unwrapped: bool,
    ) -> Self {
        Self { content, reading, whole, at: At::File, unwrapped, records: Rc::default() }
    }

    fn at(&self, at: At<'c>) -> Self {
        let records = Rc::clone(&self.records);
        Self { content: self.content, reading: self.reading, whole: self.whole, at, unwrapped: self.unwrapped, records }
    }

    fn messages(&self) -> &[FileMessage<'c>] {
        let read = || match self.content {
            Some((_, Content::Hl7(bytes))) => read_hl7(bytes),
            _ => Vec::new(),
        };
        self.records.messages.get_or_init(read)
    }

    /// The transaction sets; nothing where they cannot be looked at one by one.
    fn sets(&self) -> Option<&[ReadSet<'c>]> {
        let read = || match self.content {
            Some((_, Content::X12(bytes))) => read_x12(bytes),
            _ => None,
        };
        self.records.sets.get_or_init(read).as_deref()
    }

    /// Items of a file of messages, of one message, or of a part of it; nothing where groups are not known.
    fn of_messages(&self, group: &ItemGroup<ContentPath>) -> Option<Vec<Self>> {
        let item = group.item.hl7.as_ref().ok()?;
        let within = |number: usize, part: &MessagePart| {
            let items = self.messages().get(number)?.items(part, item)?;
            Some(items.into_iter().map(move |part| self.at(At::Message(number, part))).collect::<Vec<_>>())
        };
        match &self.at {
            At::Message(number, part) => within(*number, part),
            _ => {
                let whole = MessagePart::message();
                let each: Option<Vec<_>> = (0..self.messages().len()).map(|number| within(number, &whole)).collect();
                Some(each?.into_iter().flatten().collect())
            }
        }
    }

    /// Items of a file of transaction sets, of one set, or of a part of it; nothing where loops are not known.
    fn of_sets(&self, group: &ItemGroup<ContentPath>) -> Option<Vec<Self>> {
        let Ok(X12Path::Items(item)) = &group.item.x12 else { return None };
        let sets = self.sets()?;
        let within = |number: usize, part: Part, place: &str| {
            let items = sets.get(number)?.items(part, item)?;
            let of = |found: candor_x12_guides::PartItem| {
                self.at(At::Set(number, found.part, part.joined(place, &found.place)))
            };
            Some(items.into_iter().map(of).collect::<Vec<_>>())
        };
        match &self.at {
            At::Set(number, part, place) => within(*number, *part, place),
            _ => {
                let each: Option<Vec<_>> = (0..sets.len()).map(|number| within(number, Part::Set, "")).collect();
                Some(each?.into_iter().flatten().collect())
            }
        }
    }

    /// Where one of several messages or sets is: `$sets.2.`.
    fn number(&self, what: &str, number: usize, of: usize) -> String {
        if of > 1 { format!("{what}.{}.", number + 1) } else { String::new() }
    }

    fn joined(&self, path: &str) -> String {
        match &self.at {
            At::Message(number, part) => {
                format!("{}{}", self.number(MESSAGES, *number, self.messages().len()), part.joined(path))
            }
            At::Set(number, part, place) => {
                let sets = self.sets().map_or(0, <[_]>::len);
                format!("{}{}", self.number(SETS, *number, sets), part.joined(place, path))
            }
            At::Xml(element) => format!("{}/{path}", element.place),
            At::File | At::Json(_) | At::Row(_) => joined(&self.place(), path),
        }
    }

    /// The values that a field reads of an item; nothing where groups or loops are not known.
    fn values(&self, field: &Field<ContentPath>) -> Option<Vec<Found<'c>>> {
        match (&self.at, &field.path.hl7, &field.path.x12) {
            (At::Message(number, part), Ok(path), _) => self.messages().get(*number)?.values(part, path),
            (At::Set(number, part, _), _, Ok(X12Path::Values(path))) => {
                x12_values(self.sets()?.get(*number)?, *part, path)
            }
            _ => None,
        }
    }

    fn evaluated(&self, field: &Field<ContentPath>, mut selection: Selection<'_>) -> FieldResult {
        if self.unwrapped {
            selection.values.iter_mut().for_each(|found| found.span = None);
        }
        let dates = self.content.map(|(_, content)| content.dates()).unwrap_or_default();
        let result = field.evaluate_dated(selection, self.reading, dates);
        FieldResult { path: self.joined(&field.path_text), ..result }
    }

    /// The lines of an NDJSON file, which count from 1 as the rows of other files do.
    fn lines(value: &'c Value) -> JsonItems<'c> {
        let row = |(number, line): (usize, &'c Value)| JsonItem {
            value: Cow::Borrowed(line),
            place: format!("{ROWS}.{number}"),
        };
        JsonItems { items: (1..).zip(value.as_array().into_iter().flatten()).map(row).collect(), open: false }
    }
}

/// The name of the messages of a file in results, where there are several.
const MESSAGES: &str = "$messages";
/// The name of the transaction sets of a file in results, where there are several.
const SETS: &str = "$sets";

impl Thing<ContentPath> for FileThing<'_, '_> {
    type Note = ();

    fn items(&self, group: &ItemGroup<ContentPath>) -> Items<Self> {
        let place = self.joined(&group.item_text);
        if self.content.is_some_and(|(_, content)| unproven_group(group, content).is_some()) {
            // Another list of a `one_of` may pass.
            return Items { items: Vec::new(), place, open: true };
        }
        if let (At::File, Some((_, Content::Rows(table))), true) = (&self.at, self.content, group.item_text == ROWS) {
            let items = (0..table.len()).map(|row| self.at(At::Row(row))).collect();
            return Items { items, place, open: false };
        }
        let found = match (&self.at, self.content, &group.item) {
            (_, _, ContentPath { fhirpath: Some(expression), .. }) => self.of_expression(expression, group),
            (At::File, Some((_, Content::Json(value))), _) if group.item_text == ROWS => Some(Self::lines(value)),
            (At::File, Some((_, Content::Json(value))), item) => {
                item.json.as_ref().map(|path| path.items(value, "", false))
            }
            (At::Json(found), _, item) => item.json.as_ref().map(|path| found.items(path, false)),
            _ => None,
        };
        if let Some(JsonItems { items, open }) = found {
            return Items { items: items.into_iter().map(|item| self.at(At::Json(item))).collect(), place, open };
        }
        let found = match (&self.at, self.content) {
            (At::File | At::Message(..), Some((_, Content::Hl7(_)))) => self.of_messages(group),
            (At::File | At::Set(..), Some((_, Content::X12(_)))) => self.of_sets(group),
            (at @ (At::File | At::Xml(_)), Some((_, Content::Xml(xml)))) => {
                let from = if let At::Xml(element) = at { Some(element) } else { None };
                let items = group.item.xml.as_ref().ok().and_then(|path| xml.items(from, path));
                items.map(|items| items.into_iter().map(|element| self.at(At::Xml(element))).collect())
            }
            _ => None,
        };
        // What cannot be read as items may hold any.
        let open = found.is_none();
        Items { items: found.unwrap_or_default(), place, open }
    }

    fn judge(&self, field: &Field<ContentPath>) -> (FieldResult, ()) {
        if field.path.name.is_some() {
            return ((self.whole)(field), ());
        }
        if let Some(expression) = &field.path.fhirpath {
            let result = match self.resource() {
                Some((resource, Some(at))) => resource.judge(expression, at, field, self.reading),
                _ => field.unjudged(FieldReason::Undecidable, self.reading),
            };
            return (FieldResult { path: self.joined(&field.path_text), ..result }, ());
        }
        let result = match (&self.at, self.content) {
            (At::Json(item), Some((_, content))) => {
                let selection = field.path.json.as_ref().map(|path| path.select(&item.value)).unwrap_or_default();
                let result = field.evaluate_dated(selection, self.reading, content.dates());
                FieldResult { path: joined(&item.place, &field.path_text), ..result }
            }
            (At::Row(row), Some((input, Content::Rows(table)))) => {
                let selection = input.locate(table.select_in(*row, &field.path_text));
                self.evaluated(field, selection)
            }
            (At::Xml(element), Some((input, _))) => {
                let selection = field.path.xml.as_ref().map(|path| element.select(path)).unwrap_or_default();
                self.evaluated(field, input.locate(selection))
            }
            (At::Message(..) | At::Set(..), Some((input, _))) => {
                let selection = self.values(field).map_or_else(Selection::open, Selection::texts);
                self.evaluated(&field.clone().where_empty_is_nothing(), input.locate(selection))
            }
            _ => (self.whole)(field),
        };
        (result, ())
    }

    fn place(&self) -> String {
        match &self.at {
            At::File => String::new(),
            At::Json(item) => item.place.clone(),
            At::Row(row) => format!("{ROWS}.{}", row + 1),
            At::Xml(element) => element.place.clone(),
            At::Message(number, part) => {
                format!("{}{}", self.number(MESSAGES, *number, self.messages().len()), part.place())
            }
            At::Set(number, _, place) => {
                format!("{}{place}", self.number(SETS, *number, self.sets().map_or(0, <[_]>::len)))
            }
        }
    }

    fn source(&self) -> Location {
        Location { locator: self.reading.locator.to_owned(), span: self.reading.span }
    }
}
