//! Common parts of the settings of assertions: members read into types that cannot be invalid, with errors that name
//! the place and what was probably meant.

mod by_name;

use by_name::ByName;
use candor_json::{Value, json};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_path_to_error::{Path, Segment};

/// Why an assertion does not fit its check's spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidAssertion {
    /// Where in the assertion: `fields[0].path`; empty for the assertion itself.
    pub place: String,
    /// A sentence: what is wrong there, what was expected, and what to do.
    pub message: String,
}

impl std::fmt::Display for InvalidAssertion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.place.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.place, self.message) }
    }
}

impl std::error::Error for InvalidAssertion {}

/// Reads settings out of an assertion (without its `assert` member).
///
/// # Errors
/// The first member that does not fit, with its place; for an unknown one, the nearest known name.
pub fn read_settings<T: DeserializeOwned>(assertion: Value) -> Result<T, InvalidAssertion> {
    let written = assertion.clone();
    serde_path_to_error::deserialize(ByName(assertion)).map_err(|error| {
        let found = part(&written, error.path());
        let path = error.path().to_string();
        // The nameless member of a number in the place of an object.
        let path = path.strip_suffix(".?").unwrap_or(&path).to_owned();
        let message = error.into_inner().to_string();
        let message = in_words(&message).unwrap_or(message);
        // An untagged enum knows only the forms that it expects.
        let is_half = path != "." && message.starts_with("expected ") && !message.contains(", found ");
        let message = match found.filter(|_| is_half) {
            Some(found) => format!("{message}, found `{found}`"),
            None => message,
        };
        let suggestion = suggestion(&message).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let outer = if path == "." { String::new() } else { path };
        match apart(&message) {
            Some((inner, message)) if !outer.is_empty() => {
                InvalidAssertion { place: format!("{outer}.{inner}"), message: message.to_owned() }
            }
            Some((inner, message)) => InvalidAssertion { place: inner.to_owned(), message: message.to_owned() },
            None => InvalidAssertion { place: outer, message: format!("{message}{suggestion}") },
        }
    })
}

fn part<'v>(value: &'v Value, path: &Path) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, segment| match segment {
        Segment::Seq { index } => value.get(*index),
        Segment::Map { key } => value.get(key.as_str()),
        Segment::Enum { .. } | Segment::Unknown => None,
    })
}

/// A wrong type in the words of a task file, where `serde` names types of Rust.
fn in_words(message: &str) -> Option<String> {
    const FOUND: [(&str, &str); 8] = [
        ("string ", "the text "),
        ("sequence", "a list"),
        ("map", "an object"),
        ("number", "a number"),
        ("integer ", "the number "),
        ("floating point ", "the number "),
        ("boolean ", "the value "),
        ("unit value", "null"),
    ];
    let (found, expected) = message.strip_prefix("invalid type: ")?.split_once(", expected ")?;
    let found = FOUND.iter().find_map(|(theirs, ours)| Some(format!("{ours}{}", found.strip_prefix(theirs)?)));
    let found = found.unwrap_or_else(|| "another type".to_owned());
    let expected = match expected {
        "a sequence" => "a list",
        "a map" => "an object",
        "a string" => "text",
        "string or map" => "text or an object",
        "a boolean" => "true or false",
        of_rust if of_rust.starts_with("struct ") => "an object",
        words => words,
    };
    Some(format!("expected {expected}, found {found}"))
}

/// An error at a place within what is being read, in the form that [`read_settings`] joins to the place of that:
/// "in `fields[0].item`: …".
#[must_use]
pub fn placed(place: &str, message: &str) -> String {
    if place.is_empty() { message.to_owned() } else { format!("in `{place}`: {message}") }
}

/// The place that [`placed`] put before a message, and the message.
fn apart(message: &str) -> Option<(&str, &str)> {
    message.strip_prefix("in `")?.split_once("`: ")
}

/// The known name nearest to the one that `serde` says is unknown.
fn suggestion(message: &str) -> Option<String> {
    let mut quoted = message.strip_prefix("unknown ")?.split('`').skip(1).step_by(2);
    let found = quoted.next()?;
    let known: Vec<&str> = quoted.collect();
    nearest(found, &known).map(str::to_owned)
}

/// The name nearest to what was written, if any is near enough to be meant.
#[must_use]
pub fn nearest<'a>(written: &str, known: &[&'a str]) -> Option<&'a str> {
    let far = written.chars().count().div_ceil(3).max(1) + 1;
    known
        .iter()
        .map(|&name| (strsim::damerau_levenshtein(&written.to_lowercase(), &name.to_lowercase()), name))
        .filter(|&(distance, _)| distance < far)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// The value of that name in a table of names.
///
/// # Errors
/// A sentence that lists the names.
pub fn one_of<T: Copy>(member: &str, name: &str, table: &[(&str, T)]) -> Result<T, String> {
    table.iter().find(|(known, _)| *known == name).map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<String> = table.iter().map(|(name, _)| format!("`{name}`")).collect();
        format!("{member} is `{name}`; expected one of {}", names.join(", "))
    })
}

/// How many there must be: a number, or `{min, max}`.
///
/// ```
/// use candor_check::settings::Cardinality;
/// let few: Cardinality = candor_json::from_str(r#"{"min": 1, "max": 3}"#)?;
/// assert!(few.allows(3) && !few.allows(0));
/// # Ok::<(), candor_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cardinality {
    min: u64,
    max: Option<u64>,
    exact: bool,
}

impl Cardinality {
    /// At least one.
    pub const SOME: Self = Self { min: 1, max: None, exact: false };

    /// Between `min` and `max`, both included; no upper bound without `max`. `None` when `max` is below `min`.
    #[must_use]
    pub fn range(min: u64, max: Option<u64>) -> Option<Self> {
        (max.is_none_or(|max| min <= max)).then_some(Self { min, max, exact: false })
    }

    /// Returns `true` if that many is right.
    #[must_use]
    pub fn allows(&self, count: u64) -> bool {
        self.min <= count && self.max.is_none_or(|max| count <= max)
    }

    /// Returns `true` if that many are enough.
    #[must_use]
    pub fn reached_by(&self, count: u64) -> bool {
        self.min <= count
    }

    /// Returns `true` if some number is right by both.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.allows(self.min.max(other.min)) && other.allows(self.min.max(other.min))
    }

    /// Returns `true` if there must be none at all.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.max == Some(0)
    }

    /// As a sentence says it: `none`, `3`, `at least 1`, `2 to 4`.
    #[must_use]
    pub fn in_words(self) -> String {
        match (self.min, self.max) {
            (_, Some(0)) => "none".to_owned(),
            (min, Some(max)) if min == max => min.to_string(),
            (0, Some(max)) => format!("at most {max}"),
            (min, Some(max)) => format!("{min} to {max}"),
            (min, None) => format!("at least {min}"),
        }
    }

    /// As the author writes it.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match (self.exact, self.max) {
            (true, _) => json!(self.min),
            (false, Some(max)) => json!({"min": self.min, "max": max}),
            (false, None) => json!({"min": self.min}),
        }
    }

    /// Reads a number or `{min, max}`.
    ///
    /// # Errors
    /// A sentence that says what was found and expected.
    pub fn from_value(value: &Value) -> Result<Self, String> {
        let wrong =
            || format!("{value} is not a count; expected a whole number of 0 or more, or {{min, max}} with min <= max");
        if let Some(count) = whole(value) {
            return Ok(Self { min: count, max: Some(count), exact: true });
        }
        let members = value.as_object().ok_or_else(wrong)?;
        let mut range = (0, None);
        for (name, value) in members {
            let bound = whole(value).ok_or_else(wrong)?;
            match name.as_str() {
                "min" => range.0 = bound,
                "max" => range.1 = Some(bound),
                other => return Err(format!("`{other}` is not a member of a count; expected min, max")),
            }
        }
        if members.is_empty() {
            return Err(wrong());
        }
        Self::range(range.0, range.1).ok_or_else(wrong)
    }
}

/// A whole number, however it is written (`2`, `2.0`).
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let fraction = crate::compare::Decimal::json(&value.as_number()?.to_string())?.to_fraction()?;
        fraction.is_integer().then(|| u64::try_from(fraction.to_integer()).ok())?
    })
}

impl<'de> Deserialize<'de> for Cardinality {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_value(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Serialize for Cardinality {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

/// The type of a member that a later version will know: it refuses, in one sentence, to be there.
///
/// ```
/// use candor_check::settings::NotYet;
/// #[derive(serde::Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Settings {
///     #[serde(default)]
///     structure: NotYet,
/// }
/// let error = candor_json::from_str::<Settings>(r#"{"structure": true}"#).err().unwrap();
/// assert!(error.to_string().contains("not supported by this version"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotYet;

impl<'de> Deserialize<'de> for NotYet {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom("this member is not supported by this version; leave it out"))
    }
}
