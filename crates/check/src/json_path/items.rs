//! The items at a path of JSON: each element of the array, or the one value that is not an array.

use std::borrow::Cow;

use candor_json::Value;

use super::text::{Text, Texts};
use super::{DottedPath, Query, Step};

/// A value at a place of a JSON document.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonItem<'a> {
    /// The value.
    pub value: Cow<'a, Value>,
    /// Its place in the document: `dosageInstruction.0`, or the normalized path of a JSONPath, `$['dosageInstruction'][0]`.
    pub place: String,
}

/// The items that a path selects.
#[derive(Clone, Debug, Default)]
pub struct JsonItems<'a> {
    /// The items, in order.
    pub items: Vec<JsonItem<'a>>,
    /// True if there may be others: the path is too much, a filter would compare a number that it cannot hold, or text
    /// that may be JSON is not read.
    pub open: bool,
}

/// A path as it goes on from a place: `dosageInstruction.0` and `route.text` are `dosageInstruction.0.route.text`.
///
/// ```
/// use candor_check::json_path::joined;
/// assert_eq!(joined("", "route.text"), "route.text");
/// assert_eq!(joined("dosage.0", "$.route"), "dosage.0.route");
/// assert_eq!(joined("$['dosage'][0]", "route.text"), "$['dosage'][0].route.text");
/// ```
#[must_use]
pub fn joined(place: &str, path: &str) -> String {
    match path.strip_prefix('$') {
        _ if place.is_empty() => path.to_owned(),
        Some(rest) if rest.is_empty() || rest.starts_with(['.', '[']) => format!("{place}{rest}"),
        _ => format!("{place}.{path}"),
    }
}

impl<'a> JsonItem<'a> {
    /// The whole document.
    #[must_use]
    pub fn document(value: &'a Value) -> Self {
        Self { value: Cow::Borrowed(value), place: String::new() }
    }

    /// The items that a path selects in it. `into_text`: whether paths go on into text that is JSON.
    #[must_use]
    pub fn items(&self, path: &DottedPath, into_text: bool) -> JsonItems<'a> {
        match &self.value {
            Cow::Borrowed(value) => path.items(value, &self.place, into_text),
            Cow::Owned(value) => {
                let JsonItems { items, open } = path.items(value, &self.place, into_text);
                JsonItems { items: items.into_iter().map(JsonItem::into_owned).collect(), open }
            }
        }
    }

    /// The same, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> JsonItem<'static> {
        JsonItem { value: Cow::Owned(self.value.into_owned()), place: self.place }
    }
}

impl<'a> JsonItems<'a> {
    /// The items that a value at a place is: of an array each element, else the value; nothing of a null.
    #[must_use]
    pub fn of(value: &'a Value, place: &str, into_text: bool) -> Self {
        let mut walk = Walk { texts: Texts::new(into_text), found: Self::default() };
        walk.step(&[], value, &mut place.to_owned());
        walk.found
    }
}

impl DottedPath {
    /// The items that it selects in a value at a place: of an array each element, else the value; nothing of a null.
    #[must_use]
    pub fn items<'a>(&self, value: &'a Value, place: &str, into_text: bool) -> JsonItems<'a> {
        match self {
            Self::JsonPath(query) if into_text => query.items_in_text(value, place),
            Self::JsonPath(query) if query.is_open(value) => JsonItems { items: Vec::new(), open: true },
            Self::JsonPath(query) => query.items(value, place),
            Self::Dotted(steps) => {
                let mut walk = Walk { texts: Texts::new(into_text), found: JsonItems::default() };
                walk.step(steps, value, &mut place.to_owned());
                walk.found
            }
        }
    }
}

impl Query {
    fn items<'a>(&self, value: &'a Value, place: &str) -> JsonItems<'a> {
        let mut found = JsonItems::default();
        // A whole document has no place before its normalized paths.
        self.select(value, |value, location| found.add(value, &joined(place, &location.to_string())));
        found
    }

    fn items_in_text<'a>(&self, value: &'a Value, place: &str) -> JsonItems<'a> {
        let mut found = JsonItems::default();
        let is_decided = self.select_into_text(value, |value, location| {
            let place = joined(place, &location.to_string());
            let JsonItems { items, open } = match value {
                Cow::Borrowed(value) => JsonItems::of(value, &place, true),
                Cow::Owned(value) => {
                    let JsonItems { items, open } = JsonItems::of(&value, &place, false);
                    JsonItems { items: items.into_iter().map(JsonItem::into_owned).collect(), open }
                }
            };
            found.items.extend(items);
            found.open |= open;
        });
        found.open |= !is_decided;
        found
    }
}

impl<'a> JsonItems<'a> {
    fn add(&mut self, value: &'a Value, place: &str) {
        match value {
            Value::Null => {}
            Value::Array(elements) => {
                let bracket = place == "$" || place.starts_with("$[");
                self.items.extend(elements.iter().enumerate().map(|(index, element)| JsonItem {
                    value: Cow::Borrowed(element),
                    place: if bracket { format!("{place}[{index}]") } else { joined(place, &index.to_string()) },
                }));
            }
            value => self.items.push(JsonItem { value: Cow::Borrowed(value), place: place.to_owned() }),
        }
    }
}

struct Walk<'a> {
    texts: Texts,
    found: JsonItems<'a>,
}

impl<'a> Walk<'a> {
    /// Recursion is bounded: by the number of steps, and by the depth to which documents are read.
    fn step(&mut self, steps: &[Step], value: &'a Value, place: &mut String) {
        let Some((step, rest)) = steps.split_first() else {
            match value {
                Value::String(text) if self.texts == Texts::Opened => self.step_into(steps, value, text, place),
                value => self.found.add(value, place),
            }
            return;
        };
        match value {
            Value::Object(members) => {
                if let Some(value) = members.get(step.name()) {
                    self.below(rest, value, step.name(), place);
                }
            }
            Value::Array(items) => match step.index() {
                Some(index) => {
                    if let Some(item) = items.get(index) {
                        self.below(rest, item, step.name(), place);
                    }
                }
                None => {
                    for (index, item) in items.iter().enumerate() {
                        self.below(steps, item, &index.to_string(), place);
                    }
                }
            },
            Value::String(text) => self.step_into(steps, value, text, place),
            _ => {}
        }
    }

    fn below(&mut self, steps: &[Step], value: &'a Value, name: &str, place: &mut String) {
        let length = place.len();
        if !place.is_empty() {
            place.push('.');
        }
        place.push_str(name);
        self.step(steps, value, place);
        place.truncate(length);
    }

    fn step_into(&mut self, steps: &[Step], value: &'a Value, text: &str, place: &mut String) {
        match self.texts.read(text) {
            Text::Json(inner) => {
                let mut walk = Walk { texts: Texts::Nested, found: JsonItems::default() };
                walk.step(steps, &inner, place);
                let JsonItems { items, open } = walk.found;
                self.found.open |= open;
                for item in items {
                    self.found.items.push(item.into_owned());
                }
            }
            Text::Shut => self.found.open = true,
            Text::Plain if steps.is_empty() => self.found.add(value, place),
            Text::Plain => {}
        }
    }
}
