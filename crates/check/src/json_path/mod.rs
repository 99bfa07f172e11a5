//! Paths over JSON: dotted with bare indexes, and RFC 9535 JSONPath for what begins with `$`.

use std::borrow::Cow;

use serde_json::Value;
use serde_json_path::JsonPath;

use crate::compare::{DateForm, Datum};
use crate::field::{FieldPath, Found, PathProblem, Selection};

/// `serde_json` reads documents to 128 levels: a path that goes deeper can never select.
const MOST_STEPS: usize = 128;

/// A path over JSON data.
///
/// ```
/// use candor_check::{DottedPath, FieldPath};
/// let data = serde_json::json!({"name": [{"given": ["Ada"]}, {"given": ["Eve", "Zoe"]}]});
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
    JsonPath(Box<JsonPath>),
}

/// One step of a dotted path: a member's name, which is an index where it meets an array.
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
            return JsonPath::parse(text).map(|path| Self::JsonPath(Box::new(path))).map_err(|error| PathProblem {
                offset: error.position(),
                message: format!("no RFC 9535 JSONPath: {}", error.message()),
            });
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
}

impl DottedPath {
    /// What the path selects, in order. A dotted path that ends on an array selects the array, which stands for its
    /// elements ([`Selection::expands`]).
    #[must_use]
    pub fn select<'a>(&self, data: &'a Value) -> Selection<'a> {
        match self {
            Self::JsonPath(path) => Selection {
                values: path.query(data).all().into_iter().map(|value| found(Cow::Borrowed(value))).collect(),
                expands: false,
            },
            Self::Dotted(steps) => {
                let mut values = Vec::new();
                walk(steps, data, false, &mut values);
                Selection { values, expands: true }
            }
        }
    }

    /// As [`DottedPath::select`], and text that is a JSON object or array is descended into by a path that goes on.
    #[must_use]
    pub fn select_into_text<'a>(&self, data: &'a Value) -> Selection<'a> {
        match self {
            Self::JsonPath(_) => self.select(data),
            Self::Dotted(steps) => {
                let mut values = Vec::new();
                walk(steps, data, true, &mut values);
                Selection { values, expands: true }
            }
        }
    }

    /// The name of the first member the path looks at, when it is a dotted one.
    #[must_use]
    pub fn first_name(&self) -> Option<&str> {
        match self {
            Self::Dotted(steps) => steps.first().map(|step| step.name.as_str()),
            Self::JsonPath(_) => None,
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

/// Recursion is bounded: by the number of steps, and by the depth to which documents are read.
fn walk<'a>(steps: &[Step], value: &'a Value, into_text: bool, out: &mut Vec<Found<'a>>) {
    let Some((step, rest)) = steps.split_first() else {
        out.push(found(Cow::Borrowed(value)));
        return;
    };
    match value {
        Value::Object(members) => {
            if let Some(value) = members.get(&step.name) {
                walk(rest, value, into_text, out);
            }
        }
        Value::Array(items) => match step.index {
            Some(index) => {
                if let Some(item) = items.get(index) {
                    walk(rest, item, into_text, out);
                }
            }
            None => items.iter().for_each(|item| walk(steps, item, into_text, out)),
        },
        Value::String(text) if into_text => {
            if let Some(inner) = structure(text) {
                let mut within = Vec::new();
                walk(steps, &inner, false, &mut within);
                out.extend(within.into_iter().map(|found| found.into_owned()));
            }
        }
        _ => {}
    }
}

fn structure(text: &str) -> Option<Value> {
    let inside = text.trim_start().starts_with(['{', '[']);
    inside.then(|| serde_json::from_str(text).ok()).flatten()
}
