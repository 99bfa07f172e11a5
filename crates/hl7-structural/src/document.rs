//! `document`: a document that a message carries, decoded and asserted on as a file is.

mod encoded;
mod format;

use std::fmt::Write as _;

use candor_check::compare::Operator;
use candor_check::field::{Field, FieldReason, FieldResult, Location};
use candor_hl7v2::Value;
use candor_json::{Value as Json, json};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use sha2::{Digest as _, Sha256};

use crate::items::{self, Judging, SelectedValues};
use crate::path::MessagePath;
use encoded::{base64, hex};
use format::{Format, format_named, is_beyond, text};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    path: String,
    format: Option<String>,
    sha256: Option<String>,
    contains: Option<Texts>,
    min_bytes: Option<u64>,
    max_bytes: Option<u64>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text, or an array of texts")]
enum Texts {
    One(String),
    Several(Vec<String>),
}

#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) field: Field<MessagePath>,
    format: Option<Format>,
    sha256: Option<String>,
    contains: Vec<String>,
    min_bytes: Option<u64>,
    max_bytes: Option<u64>,
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Members::deserialize(deserializer)?;
        Self::read(members).map_err(|problem| D::Error::custom(format!("`document`: {problem}")))
    }
}

impl Document {
    fn read(members: Members) -> Result<Self, String> {
        let field = items::there(&members.path)?;
        let path = field.path.path();
        if path.is_none_or(|path| path.field_number().is_none()) {
            return Err(format!("path `{}` leads to no field; write one such as `OBX[2=ED].5`", members.path));
        }
        let format = members.format.map(|name| format_named(&name)).transpose()?;
        let is_digest = |text: &String| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if let Some(sha256) = members.sha256.as_ref().filter(|text| !is_digest(text)) {
            return Err(format!("`sha256` is {sha256:?}; expected 64 hexadecimal digits"));
        }
        let contains = match members.contains {
            Some(Texts::One(text)) => vec![text],
            Some(Texts::Several(texts)) => texts,
            None => Vec::new(),
        };
        if contains.iter().any(String::is_empty) {
            return Err("`contains` has an empty text, which every document contains".to_owned());
        }
        let (min_bytes, max_bytes) = (members.min_bytes, members.max_bytes);
        if min_bytes.zip(max_bytes).is_some_and(|(min, max)| min > max) {
            return Err("`min_bytes` is more than `max_bytes`".to_owned());
        }
        let sha256 = members.sha256.map(|text| text.to_ascii_lowercase());
        Ok(Self { field, format, sha256, contains, min_bytes, max_bytes })
    }

    /// Judges the documents at the path: one that is as asserted is enough, and of several the one that comes closest is
    /// reported.
    pub(crate) fn judge(&self, judging: &Judging<'_>, place: &Location) -> Vec<FieldResult> {
        let path = &*self.field.path_text;
        let values = match items::selected(&self.field, judging) {
            SelectedValues::Unknown(why) => {
                let result = FieldResult::constraint(path, json!("a document"), json!(why), false);
                return vec![result.because(FieldReason::Undecidable).at(place.clone())];
            }
            SelectedValues::Known(values) => values,
        };
        let judged = values.iter().map(|value| self.of_value(value, judging.location(value, place)));
        let failed = |results: &Vec<FieldResult>| results.iter().filter(|result| !result.passed).count();
        judged.min_by_key(failed).unwrap_or_else(|| {
            let nothing = FieldResult::constraint(path, json!("a document"), Json::Null, false);
            vec![nothing.because(FieldReason::Absent).at(place.clone())]
        })
    }

    fn of_value(&self, value: &Value<'_>, place: Location) -> Vec<FieldResult> {
        let path = &*self.field.path_text;
        let bytes = match decoded(value) {
            Ok(bytes) => bytes,
            Err(why) => {
                let result = FieldResult::constraint(path, json!("a document"), json!(why), false);
                return vec![result.at(place)];
            }
        };
        let length = bytes.len() as u64;
        let found = format!("{length} {}", if length == 1 { "byte" } else { "bytes" });
        let mut results = vec![FieldResult::constraint(path, json!("a document"), json!(found), true)];
        if let Some(format) = self.format {
            let problem = format.problem(&bytes);
            let actual = problem.clone().map_or_else(|| json!(format.name()), Json::String);
            let result = FieldResult::constraint("$format", json!(format.name()), actual, problem.is_none());
            let is_open = problem.is_some() && format == Format::Xml && is_beyond(&bytes);
            results.push(if is_open { result.because(FieldReason::Undecidable) } else { result });
        }
        if let Some(wanted) = &self.sha256 {
            let mut digest = String::with_capacity(64);
            for byte in Sha256::digest(&bytes) {
                let _ = write!(digest, "{byte:02x}");
            }
            let holds = digest == *wanted;
            results.push(FieldResult::constraint("$sha256", json!(wanted), json!(digest), holds));
        }
        if self.min_bytes.is_some() || self.max_bytes.is_some() {
            let mut bounds = candor_json::Map::new();
            bounds.extend(self.min_bytes.map(|min| ("min".to_owned(), json!(min))));
            bounds.extend(self.max_bytes.map(|max| ("max".to_owned(), json!(max))));
            let holds =
                self.min_bytes.is_none_or(|min| length >= min) && self.max_bytes.is_none_or(|max| length <= max);
            results.push(FieldResult::constraint("$bytes", Json::Object(bounds), json!(length), holds));
        }
        if !self.contains.is_empty() {
            let text = text(&bytes);
            for wanted in &self.contains {
                let holds = text.contains(wanted.as_str());
                let actual = if holds { json!(wanted) } else { json!(beginning(&text)) };
                let result = FieldResult::constraint("$contains", json!(wanted), actual, holds);
                results.push(result.with_operator(Operator::Contains));
            }
        }
        results.into_iter().map(|result| result.at(place.clone())).collect()
    }
}

/// The bytes of a document. Of a value of type ED component 4 says how component 5 is encoded; elsewhere (RP, text) the data
/// is read as base64 or hex where it is nothing else.
fn decoded(value: &Value<'_>) -> Result<Vec<u8>, String> {
    let component = |number| value.component(number).map(|part| part.text().text.into_owned());
    let (encoding, data) = (component(4), component(5));
    let is_encoding = |text: &String| matches!(text.to_ascii_lowercase().as_str(), "base64" | "hex" | "a");
    match (encoding, data) {
        // Of type RP component 1 is the data, and 3 and 4 say what it is.
        (None | Some(_), None) if !component(4).is_some_and(|text| is_encoding(&text)) => {
            let whole = match component(1) {
                Some(first) => first,
                None => value.text().text.into_owned(),
            };
            Ok(guessed(&whole))
        }
        (encoding, None) => {
            let encoding = encoding.unwrap_or_default();
            Err(format!("no data (component 5) in the encoding {encoding}"))
        }
        (None, Some(data)) => Ok(guessed(&data)),
        (Some(encoding), Some(data)) => match encoding.to_ascii_lowercase().as_str() {
            "base64" => base64(&data).ok_or_else(|| format!("no base64: {}", beginning(&data))),
            "hex" => hex(&data).ok_or_else(|| format!("no hexadecimal digits: {}", beginning(&data))),
            "a" => Ok(data.into_bytes()),
            _ => Err(format!("encoding {encoding:?} (component 4), expected Base64, Hex or A")),
        },
    }
}

/// Data of which nothing says how it is encoded.
fn guessed(data: &str) -> Vec<u8> {
    const LEAST: usize = 8;
    let long = data.len() >= LEAST;
    let of_base64 = || base64(data).filter(|_| data.split_whitespace().map(str::len).sum::<usize>().is_multiple_of(4));
    let bytes = long.then(|| hex(data).or_else(of_base64)).flatten();
    bytes.unwrap_or_else(|| data.as_bytes().to_vec())
}

fn beginning(text: &str) -> String {
    const MOST: usize = 200;
    let mut characters = text.chars();
    let shown: String = characters.by_ref().take(MOST).collect();
    if characters.next().is_some() { format!("{shown}…") } else { shown }
}
