//! Paths over a row: a column's name, or a path into what a column holds.

use std::borrow::Cow;

use candor_check::compare::{DateForm, Datum};
use candor_check::field::{FieldPath, Found, PathProblem, Selection};
use candor_check::json_path::{DottedPath, JsonItems, joined};
use candor_json::Value;

use crate::rows::Content;

/// A path over a row: the column of that very name if there is one, else a dotted path or a JSONPath over the row's
/// columns. It goes on into text that is a JSON object or array. What it selects there stays open where the text is cut
/// off or has a member twice. A null is nothing: it is never selected.
///
/// ```
/// use candor_check::field::FieldPath;
/// use candor_portal_state_match::{ColumnPath, rows::Content};
/// let row = Content::Typed(candor_json::json!({"lines": "[{\"cpt\": \"72148\"}]", "note": null}));
/// assert_eq!(ColumnPath::parse("lines.0.cpt").unwrap().select(&row).values.len(), 1);
/// assert!(ColumnPath::parse("note").unwrap().select(&row).values.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct ColumnPath {
    name: String,
    /// `None` when the name is not a path: then it is a column's name and nothing else.
    path: Option<DottedPath>,
}

impl FieldPath for ColumnPath {
    const DATES: &'static [DateForm] = &[DateForm::Iso, DateForm::Hl7];
    const MEANINGS: &'static [&'static str] = &["concept"];

    fn parse(text: &str) -> Result<Self, PathProblem> {
        DottedPath::parse(text).map(|path| Self { name: text.to_owned(), path: Some(path) })
    }

    fn parse_item(text: &str, _within: &[Self]) -> Result<Self, PathProblem> {
        Self::parse(text)
    }
}

impl ColumnPath {
    /// A column by its name, which may hold any characters.
    #[must_use]
    pub fn column(name: &str) -> Self {
        Self { name: name.to_owned(), path: DottedPath::parse(name).ok() }
    }

    /// The path as the author wrote it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// If it selects the column of its name and nothing else.
    pub(crate) fn is_column(&self) -> bool {
        self.path.as_ref().is_none_or(|path| path.steps().is_some_and(|steps| steps.len() == 1))
    }

    pub(crate) fn reads(&self, column: &str) -> bool {
        match self.name.strip_prefix(column) {
            Some(rest) => rest.is_empty() || rest.starts_with(['.', '[']),
            // Any column may be in the filters of a JSONPath.
            None => self.name.starts_with('$'),
        }
    }

    /// The values that it selects in a row.
    #[must_use]
    pub fn select<'a>(&self, row: &'a Content) -> Selection<'a> {
        let mut selection = self.select_with_null(row);
        selection.values.retain(|found| !found.datum.is_null());
        if let Content::Text(_) = row {
            selection.values.iter_mut().for_each(as_text);
        }
        selection
    }

    /// The values that it selects in a row, to be compared with `expected`. In a database without truth values, 0 and 1
    /// become truth values if `expected` is one.
    #[must_use]
    pub fn select_for<'a>(&self, row: &'a Content, expected: &Value) -> Selection<'a> {
        let mut selection = self.select(row);
        if let Content::ZeroOne(columns) = row
            && columns.get(&self.name).is_some()
            && is_truth(expected)
        {
            for found in &mut selection.values {
                if let Datum::Json(value) = &found.datum
                    && let Some(number @ (0 | 1)) = value.as_i64()
                {
                    found.datum = Datum::Json(Cow::Owned(Value::Bool(number == 1)));
                }
            }
        }
        selection
    }

    /// The values that it selects, an array as its elements, none of them null.
    pub(crate) fn values<'a>(&self, row: &'a Content) -> Vec<Datum<'a>> {
        elements(self.select(row))
    }

    pub(crate) fn values_for<'a>(&self, row: &'a Content, expected: &Value) -> Vec<Datum<'a>> {
        elements(self.select_for(row, expected))
    }

    /// Returns `true` if the row has it, be it null.
    #[must_use]
    pub fn is_in(&self, row: &Content) -> bool {
        let selection = self.select_with_null(row);
        selection.open || !selection.values.is_empty()
    }

    fn select_with_null<'a>(&self, row: &'a Content) -> Selection<'a> {
        self.select_in(row.columns())
    }

    /// The values that it selects in a value that a column holds, none of it null.
    pub(crate) fn select_inside<'a>(&self, value: &'a Value) -> Selection<'a> {
        let mut selection = self.select_in(value);
        selection.values.retain(|found| !found.datum.is_null());
        selection
    }

    /// The items that it selects in a row or in a value that a column holds, none of them null. Text that is JSON is
    /// descended into.
    pub(crate) fn items<'a>(&self, value: &'a Value, place: &str) -> JsonItems<'a> {
        let mut found = match (value.get(&self.name), &self.path) {
            (Some(value), _) => JsonItems::of(value, &joined(place, &self.name), true),
            (None, Some(path)) => path.items(value, place, true),
            (None, None) => JsonItems::default(),
        };
        found.items.retain(|item| !item.value.is_null());
        found
    }

    fn select_in<'a>(&self, columns: &'a Value) -> Selection<'a> {
        match (columns.get(&self.name), &self.path) {
            (Some(value), _) => Selection {
                values: vec![Found { datum: Datum::Json(Cow::Borrowed(value)), span: None }],
                expands: true,
                open: false,
            },
            (None, Some(path)) => path.select_into_text(columns),
            (None, None) => Selection::default(),
        }
    }
}

/// Returns `true` if a truth value is expected, or some of several values are and no numbers.
fn is_truth(expected: &Value) -> bool {
    match expected {
        Value::Array(items) => items.iter().any(Value::is_boolean) && !items.iter().any(Value::is_number),
        expected => expected.is_boolean(),
    }
}

fn elements(selection: Selection<'_>) -> Vec<Datum<'_>> {
    let mut values = Vec::with_capacity(selection.values.len());
    for found in selection.values {
        match found.datum {
            Datum::Json(Cow::Borrowed(Value::Array(items))) if selection.expands => {
                values.extend(items.iter().map(|item| Datum::Json(Cow::Borrowed(item))));
            }
            Datum::Json(Cow::Owned(Value::Array(items))) if selection.expands => {
                values.extend(items.into_iter().map(|item| Datum::Json(Cow::Owned(item))));
            }
            datum => values.push(datum),
        }
    }
    values.retain(|datum| !datum.is_null());
    values
}

/// A cell of CSV is text; what is in JSON inside a cell has types, and is not borrowed from the row.
pub(crate) fn as_text(found: &mut Found<'_>) {
    if let Datum::Json(Cow::Borrowed(Value::String(text))) = &found.datum {
        found.datum = Datum::Text(Cow::Borrowed(text));
    }
}
