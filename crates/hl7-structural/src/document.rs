//! `document`: a document that a message carries, decoded and asserted on as a file is.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use candor_check::compare::Operator;
use candor_check::field::{Field, FieldReason, FieldResult, Location};
use candor_check::settings::nearest;
use candor_check::xml::XmlFlawKind;
use candor_hl7v2::{self as hl7v2, Value};
use candor_json::{Value as Json, json};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use sha2::{Digest as _, Sha256};

use crate::items::{self, Judging, SelectedValues};
use crate::path::MessagePath;

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Ndjson,
    Csv,
    Xml,
    Hl7,
    X12,
    Fhir,
    Text,
    Pdf,
    Bytes,
}

const FORMATS: [(&str, Format); 10] = [
    ("json", Format::Json),
    ("ndjson", Format::Ndjson),
    ("csv", Format::Csv),
    ("xml", Format::Xml),
    ("hl7", Format::Hl7),
    ("x12", Format::X12),
    ("fhir", Format::Fhir),
    ("text", Format::Text),
    ("pdf", Format::Pdf),
    ("bytes", Format::Bytes),
];

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

fn format_named(name: &str) -> Result<Format, String> {
    let names = FORMATS.map(|(name, _)| name);
    FORMATS.iter().find(|(known, _)| *known == name).map(|(_, format)| *format).ok_or_else(|| {
        let near = nearest(name, &names).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        format!("`format` is {name:?}; expected one of {}{near}", names.join(", "))
    })
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

fn base64(data: &str) -> Option<Vec<u8>> {
    const ENGINE: GeneralPurpose = GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let data: String = data.split_whitespace().collect();
    ENGINE.decode(data).ok()
}

fn hex(data: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = data.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).ok()?;
        let is_hex = pair.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| u8::from_str_radix(pair, 16).ok()).flatten()
    };
    (digits.len().is_multiple_of(2) && !digits.is_empty()).then(|| digits.chunks(2).map(byte).collect()).flatten()
}

/// The text of a document: UTF-8 where its bytes are valid in it, else ISO 8859-1.
fn text(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => encoding_rs::mem::decode_latin1(bytes).into_owned(),
    }
}

fn beginning(text: &str) -> String {
    const MOST: usize = 200;
    let mut characters = text.chars();
    let shown: String = characters.by_ref().take(MOST).collect();
    if characters.next().is_some() { format!("{shown}…") } else { shown }
}

impl Format {
    fn name(self) -> &'static str {
        FORMATS.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }

    fn problem(self, bytes: &[u8]) -> Option<String> {
        let no = |what: &str| Some(format!("no {what}"));
        match self {
            Self::Bytes => None,
            Self::Text | Self::Csv => match std::str::from_utf8(bytes) {
                Ok(text) if !text.contains('\0') => None,
                _ => no("text in UTF-8"),
            },
            Self::Json => candor_json::from_slice::<Json>(bytes).err().map(|error| format!("no JSON: {error}")),
            Self::Ndjson => {
                let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
                let wrong = |(number, line)| Some((number, candor_json::from_slice::<Json>(line).err()?));
                let wrong = (1..).zip(lines).find_map(wrong);
                wrong.map(|(number, error)| format!("no JSON in line {number}: {error}"))
            }
            Self::Fhir => match candor_json::from_slice::<Json>(bytes) {
                Ok(resource) if resource.get("resourceType").is_some_and(Json::is_string) => None,
                _ => no("FHIR resource in JSON"),
            },
            Self::Xml => xml(bytes).err().map(|error| format!("no XML: {error}")),
            Self::Hl7 => {
                let mut all = hl7v2::messages(bytes).known_to_be_whole().peekable();
                if all.peek().is_some() && all.all(|message| message.is_ok()) { None } else { no("HL7 v2 message") }
            }
            Self::X12 => {
                const ISA: usize = 106;
                let is_interchange = bytes.starts_with(b"ISA") && bytes.len() >= ISA;
                if is_interchange { None } else { no("X12 interchange") }
            }
            Self::Pdf => {
                const WITHIN: usize = 1024;
                let head = bytes.get(..bytes.len().min(WITHIN)).unwrap_or_default();
                let tail = bytes.get(bytes.len().saturating_sub(WITHIN)..).unwrap_or_default();
                let has = |bytes: &[u8], text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
                match (has(head, b"%PDF-"), has(tail, b"%%EOF")) {
                    (true, true) => None,
                    (true, false) => Some("a PDF that is cut off: there is no %%EOF".to_owned()),
                    _ => no("PDF"),
                }
            }
        }
    }
}

/// Returns `true` if a limit of Candor keeps XML from being read: it may be well-formed.
fn is_beyond(bytes: &[u8]) -> bool {
    candor_check::xml::check(&text(bytes)).is_err_and(|flaw| flaw.kind != XmlFlawKind::Declaration)
}

/// XML in UTF-8, or in another encoding that its declaration or byte order mark names.
fn xml(bytes: &[u8]) -> Result<(), String> {
    let text = text(bytes);
    candor_check::xml::check(&text).map_err(|flaw| flaw.what)?;
    let options = roxmltree::ParsingOptions { allow_dtd: false, ..roxmltree::ParsingOptions::default() };
    roxmltree::Document::parse_with_options(&text, options).map(|_| ()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn formats_are_told() {
        for (format, bytes, holds) in [
            ("json", &b"{}"[..], true),
            ("json", b"{", false),
            ("ndjson", b"{}\n{}\n", true),
            ("xml", b"<a/>", true),
            ("xml", b"<a>", false),
            ("pdf", b"%PDF-1.4 x %%EOF", true),
            ("pdf", b"%PDF-1.4 x", false),
            ("text", b"\xFF", false),
            ("hl7", b"MSH|^~\\&|A", true),
            ("hl7", b"PID|", false),
            ("fhir", b"{\"resourceType\": \"Patient\"}", true),
            ("fhir", b"{}", false),
            ("bytes", b"", true),
        ] {
            assert_eq!(format_named(format).unwrap().problem(bytes).is_none(), holds, "{format} {bytes:?}");
        }
    }

    #[test]
    fn deep_xml_costs_no_stack() {
        let nested = |levels: usize| xml(("<a>".repeat(levels) + &"</a>".repeat(levels)).as_bytes());
        assert_eq!(nested(256), Ok(()));
        for levels in [257, 100_000] {
            assert_eq!(nested(levels), Err("elements more than 256 levels deep".to_owned()));
            assert!(is_beyond("<a>".repeat(levels).as_bytes()));
        }
        for no_xml in ["<a>", "<!DOCTYPE a><a/>"] {
            assert!(xml(no_xml.as_bytes()).is_err() && !is_beyond(no_xml.as_bytes()), "{no_xml}");
        }
    }

    proptest! {
        #[test]
        fn what_was_encoded_is_decoded(bytes in prop::collection::vec(any::<u8>(), 1..200), width in 1_usize..80) {
            let encoded = base64::engine::general_purpose::STANDARD.encode(&bytes);
            let wrapped: Vec<String> = encoded.as_bytes().chunks(width).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
            prop_assert_eq!(base64(&wrapped.join("\r\n")), Some(bytes.clone()));
            prop_assert_eq!(base64(encoded.trim_end_matches('=')), Some(bytes.clone()));
            let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            prop_assert_eq!(hex(&digits), Some(bytes));
        }
    }
}
