//! Item groups over a row: the items of what its columns hold.

use std::borrow::Cow;

use candor_check::field::{Field, FieldResult, ItemGroup, Items, Location, ReadFrom, Thing};
use candor_check::json_path::{JsonItem, JsonItems, joined};

use crate::path::{ColumnPath, as_text};
use crate::rows::Content;
use crate::synonyms::Synonyms;

/// A row, or an item in one of its columns.
pub(crate) struct RowThing<'a> {
    pub(crate) row: &'a Content,
    pub(crate) synonyms: &'a Synonyms,
    pub(crate) reading: ReadFrom<'a>,
    /// The item; nothing for the row itself.
    pub(crate) item: Option<JsonItem<'a>>,
}

impl<'a> RowThing<'a> {
    fn of_row(&self, field: &Field<ColumnPath>) -> FieldResult {
        let selection = field.path.select_for(self.row, &field.expected_value);
        let result = self.synonyms.evaluate(field, selection, self.reading);
        // What is there is shown, whatever it represents.
        let stands = || field.evaluate(field.path.select(self.row), self.reading).actual;
        match self.row {
            Content::ZeroOne(_) => FieldResult { actual: stands(), ..result },
            Content::Typed(_) | Content::Text(_) => result,
        }
    }

    fn of_item(&self, item: &JsonItem<'a>, field: &Field<ColumnPath>) -> FieldResult {
        let mut selection = field.path.select_inside(&item.value);
        // A cell of CSV that is an item itself is text; what is in JSON inside of a cell has types.
        if let (Content::Text(_), Cow::Borrowed(_)) = (self.row, &item.value) {
            selection.values.iter_mut().for_each(as_text);
        }
        let result = self.synonyms.evaluate(field, selection, self.reading);
        FieldResult { path: joined(&item.place, &field.path_text), ..result }
    }
}

impl<'a> Thing<ColumnPath> for RowThing<'a> {
    type Note = bool;

    fn items(&self, group: &ItemGroup<ColumnPath>) -> Items<Self> {
        let place = self.place();
        let JsonItems { items, open } = match &self.item {
            None => group.item.items(self.row.columns(), &place),
            Some(JsonItem { value: Cow::Borrowed(value), .. }) => group.item.items(value, &place),
            Some(JsonItem { value: Cow::Owned(value), .. }) => {
                let JsonItems { items, open } = group.item.items(value, &place);
                JsonItems { items: items.into_iter().map(JsonItem::into_owned).collect(), open }
            }
        };
        let place = joined(&place, &group.item_text);
        let items = items.into_iter().map(|item| Self { item: Some(item), ..*self }).collect();
        Items { items, place, open }
    }

    fn judge(&self, field: &Field<ColumnPath>) -> (FieldResult, bool) {
        match &self.item {
            None => (self.of_row(field), true),
            Some(item) => (self.of_item(item, field), false),
        }
    }

    fn place(&self) -> String {
        self.item.as_ref().map(|item| item.place.clone()).unwrap_or_default()
    }

    fn source(&self) -> Location {
        Location { locator: self.reading.locator.to_owned(), span: self.reading.span }
    }
}
