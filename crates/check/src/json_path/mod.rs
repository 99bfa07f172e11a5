//! Paths over JSON: dotted with bare indexes, and RFC 9535 JSONPath for what begins with `$`.

mod cost;
mod items;
mod places;
mod plain;
mod reach;
mod segments;
mod text;
pub mod tried;
mod unpacked;

use std::borrow::Cow;

use candor_json::Value;
use serde_json_path::{JsonPath, NormalizedPath};

use self::cost::Cost;
pub use self::items::{JsonItem, JsonItems, joined};
pub use self::places::JsonPlaces;
use self::plain::Reading;
use self::reach::Reach;
use self::segments::Segments;
use self::text::{Text, Texts};
use crate::compare::{DateForm, Datum};
use crate::field::{FieldPath, Found, PathProblem, Selection};

/// Documents are read to 127 levels: a path that goes deeper can never select.
const MOST_STEPS: usize = 128;

/// A path over JSON data.
///
/// ```
/// use candor_check::field::FieldPath;
/// use candor_check::json_path::DottedPath;
/// let data = candor_json::json!({"name": [{"given": ["Ada"]}, {"given": ["Eve", "Zoe"]}]});
/// let path = DottedPath::parse("name.given").unwrap();
/// assert_eq!(path.select(&data).values.len(), 2);
/// assert_eq!(DottedPath::parse("name.1.given.0").unwrap().select(&data).values.len(), 1);
/// assert!(DottedPath::parse("name..given").is_err());
/// ```
#[derive(Clone, Debug)]
pub enum DottedPath {
    /// Steps of a dotted path.
    Dotted(Vec<Step>),
    /// JSONPath.
    JsonPath(Box<Query>),
}

/// A JSONPath and what bounds its cost.
#[derive(Clone, Debug)]
pub struct Query {
    path: JsonPath,
    cost: Cost,
    reading: Reading,
    reach: Reach,
}

impl Query {
    /// True if nothing is decided by what it selects in the document: it may visit too many values, or a filter would
    /// compare a number that an `f64` does not hold.
    fn is_open(&self, document: &Value) -> bool {
        let compared = self.reach.segments.as_ref().and_then(Segments::compared);
        self.cost.is_too_much(document) || self.reading.is_inexact(document, compared.as_deref())
    }

    fn select<'a>(&self, document: &'a Value, found: impl FnMut(&'a Value, &NormalizedPath<'_>)) {
        let is_in_order = self.cost.is_one_way() && !self.reading.has_slice();
        plain::select(&self.path, document, is_in_order, found);
    }
}

/// A step of a dotted path: a member's name, which is an index where it meets an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    name: String,
    index: Option<usize>,
}

impl FieldPath for DottedPath {
    const DATES: &'static [DateForm] = &[DateForm::Iso];

    fn parse(text: &str) -> Result<Self, PathProblem> {
        let problem = |offset: usize, message: &str| PathProblem { offset, message: message.to_owned() };
        if text.starts_with('$') {
            let cost = Cost::of(text).map_err(|(offset, message)| problem(offset, message))?;
            let path = JsonPath::parse(text).map_err(|error| PathProblem {
                offset: error.position(),
                message: format!("no RFC 9535 JSONPath: {}", error.message()),
            })?;
            let (reading, reach) = (Reading::of(text), Reach::of(text));
            return Ok(Self::JsonPath(Box::new(Query { path, cost, reading, reach })));
        }
        if text.is_empty() {
            return Err(problem(0, "the path is empty; write a member's name, as in `status`"));
        }
        let mut steps = Vec::new();
        let mut offset = 0;
        for name in text.split('.') {
            if name.is_empty() {
                return Err(problem(offset, "a step is empty; write `a.b`, with one dot between two names"));
            }
            if let Some(at) = name.find(['[', ']']) {
                return Err(problem(
                    offset + at,
                    "brackets are JSONPath; write a bare index, as in `name.0.family`, or begin the path with `$.`",
                ));
            }
            let digits = name.bytes().all(|b| b.is_ascii_digit());
            steps.push(Step { name: name.to_owned(), index: digits.then(|| name.parse().ok()).flatten() });
            offset += name.len() + 1;
        }
        if steps.len() > MOST_STEPS {
            return Err(problem(0, "the path has more steps than any document that is read has levels"));
        }
        Ok(Self::Dotted(steps))
    }

    fn parse_item(text: &str, _within: &[Self]) -> Result<Self, PathProblem> {
        Self::parse(text)
    }
}

impl DottedPath {
    /// The values that the path selects, in order. A dotted path that ends on an array selects the array, which
    /// represents its elements ([`Selection::expands`]). The selection is open where a JSONPath [is too
    /// much](Self::is_too_much), and where its filter would compare a number that an `f64` does not hold.
    #[must_use]
    pub fn select<'a>(&self, data: &'a Value) -> Selection<'a> {
        match self {
            Self::JsonPath(query) if query.is_open(data) => Selection::open(),
            Self::JsonPath(query) => {
                let mut values = Vec::new();
                query.select(data, |value, _| values.push(found(Cow::Borrowed(value))));
                Selection::texts(values)
            }
            Self::Dotted(steps) => Walk::default().over(steps, data),
        }
    }

    /// As [`DottedPath::select`], and text that is a JSON object or array is descended into by a path that goes on. The
    /// selection is open where that text is cut off, has a member twice, or is in such text itself. It is also open where
    /// a JSONPath's filter is outside of such text and depends on it.
    #[must_use]
    pub fn select_into_text<'a>(&self, data: &'a Value) -> Selection<'a> {
        match self {
            Self::JsonPath(query) => {
                let mut values = Vec::new();
                let is_decided = query.select_into_text(data, |value, _| values.push(found(value)));
                if is_decided { Selection::texts(values) } else { Selection::open() }
            }
            Self::Dotted(steps) => Walk { texts: Texts::Opened, ..Walk::default() }.over(steps, data),
        }
    }

    /// True if a JSONPath may visit more values in the data than Candor reads: descents within descents, `$..a..a`, visit a
    /// value once for every way there.
    #[must_use]
    pub fn is_too_much(&self, data: &Value) -> bool {
        match self {
            Self::JsonPath(query) => query.cost.is_too_much(data),
            Self::Dotted(_) => false,
        }
    }

    /// The steps of a dotted path; `None` for JSONPath.
    #[must_use]
    pub fn steps(&self) -> Option<&[Step]> {
        match self {
            Self::Dotted(steps) => Some(steps),
            Self::JsonPath(_) => None,
        }
    }
}

impl Step {
    /// The step as written.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The index it is where it meets an array.
    #[must_use]
    pub fn index(&self) -> Option<usize> {
        self.index
    }
}

fn found(value: Cow<'_, Value>) -> Found<'_> {
    Found { datum: Datum::Json(value), span: None }
}

#[derive(Default)]
struct Walk<'a> {
    texts: Texts,
    values: Vec<Found<'a>>,
    open: bool,
}

impl<'a> Walk<'a> {
    fn over(mut self, steps: &[Step], data: &'a Value) -> Selection<'a> {
        self.step(steps, data);
        Selection { values: self.values, expands: true, open: self.open }
    }

    /// Recursion is bounded: by the number of steps, and by the depth to which documents are read.
    fn step(&mut self, steps: &[Step], value: &'a Value) {
        let Some((step, rest)) = steps.split_first() else {
            self.values.push(found(Cow::Borrowed(value)));
            return;
        };
        match value {
            Value::Object(members) => {
                if let Some(value) = members.get(&step.name) {
                    self.step(rest, value);
                }
            }
            Value::Array(items) => match step.index {
                Some(index) => {
                    if let Some(item) = items.get(index) {
                        self.step(rest, item);
                    }
                }
                None => items.iter().for_each(|item| self.step(steps, item)),
            },
            Value::String(text) => match self.texts.read(text) {
                Text::Json(inner) => {
                    let inner = Walk { texts: Texts::Nested, ..Walk::default() }.over(steps, &inner);
                    self.open |= inner.open;
                    for value in inner.values {
                        self.values.push(value.into_owned());
                    }
                }
                Text::Shut => self.open = true,
                Text::Plain => {}
            },
            _ => {}
        }
    }
}
