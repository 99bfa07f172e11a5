//! Item groups over what a file holds.

use candor_check::field::{Field, FieldResult, ItemGroup, Items, Location, ReadFrom, Thing};
use candor_check::json_path::{JsonItem, JsonItems, joined};
use serde_json::Value;

use crate::content::{Content, ContentPath, Input, ROWS};

/// A file's content, or an item in it.
pub(crate) struct FileThing<'c, 'r> {
    pub(crate) content: Option<(&'c Input<'c>, &'c Content<'c>)>,
    pub(crate) reading: ReadFrom<'r>,
    /// Judges a field over the file as a whole.
    pub(crate) whole: &'c dyn Fn(&Field<ContentPath>) -> FieldResult,
    pub(crate) at: At<'c>,
    /// Whether the content was compressed or encrypted, so that places in it are not those of the file.
    pub(crate) unwrapped: bool,
}

/// Where in a file something stands.
pub(crate) enum At<'c> {
    /// The file as a whole.
    File,
    /// A value of JSON.
    Json(JsonItem<'c>),
    /// A row of CSV or fixed width, by its number from 0.
    Row(usize),
}

impl<'c, 'r> FileThing<'c, 'r> {
    fn at(&self, at: At<'c>) -> Self {
        Self { content: self.content, reading: self.reading, whole: self.whole, at, unwrapped: self.unwrapped }
    }

    /// The lines of an NDJSON file, which count from 1 as the rows of other files do.
    fn lines(value: &'c Value) -> JsonItems<'c> {
        let row = |(number, line): (usize, &'c Value)| JsonItem {
            value: std::borrow::Cow::Borrowed(line),
            place: format!("{ROWS}.{number}"),
        };
        JsonItems { items: (1..).zip(value.as_array().into_iter().flatten()).map(row).collect(), open: false }
    }
}

impl Thing<ContentPath> for FileThing<'_, '_> {
    type Note = ();

    fn items(&self, group: &ItemGroup<ContentPath>) -> Items<Self> {
        let place = joined(&self.place(), &group.item_text);
        if let (At::File, Some((_, Content::Rows(table))), true) = (&self.at, self.content, group.item_text == ROWS) {
            let items = (0..table.len()).map(|row| self.at(At::Row(row))).collect();
            return Items { items, place, open: false };
        }
        // What cannot be read as items may hold any.
        let nothing = JsonItems { items: Vec::new(), open: true };
        let found = match (&self.at, self.content, &group.item.json) {
            (At::File, Some((_, Content::Json(value))), None) if group.item_text == ROWS => Self::lines(value),
            (At::File, Some((_, Content::Json(value))), Some(path)) => path.items(value, "", false),
            (At::Json(item), _, Some(path)) => item.items(path, false),
            _ => nothing,
        };
        Items { items: found.items.into_iter().map(|item| self.at(At::Json(item))).collect(), place, open: found.open }
    }

    fn judge(&self, field: &Field<ContentPath>) -> (FieldResult, ()) {
        let result = match (&self.at, self.content) {
            (At::Json(item), Some((_, content))) => {
                let selection = field.path.json.as_ref().map(|path| path.select(&item.value)).unwrap_or_default();
                let result = field.evaluate_dated(selection, self.reading, content.dates());
                FieldResult { path: joined(&item.place, &field.path_text), ..result }
            }
            (At::Row(row), Some((input, Content::Rows(table)))) => {
                let mut selection = input.locate(table.select_in(*row, &field.path_text));
                if self.unwrapped {
                    selection.values.iter_mut().for_each(|found| found.span = None);
                }
                let dates = self.content.map(|(_, content)| content.dates()).unwrap_or_default();
                let result = field.evaluate_dated(selection, self.reading, dates);
                FieldResult { path: format!("{}.{}", self.place(), field.path_text), ..result }
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
        }
    }

    fn source(&self) -> Location {
        Location { locator: self.reading.locator.to_owned(), span: self.reading.span }
    }
}
