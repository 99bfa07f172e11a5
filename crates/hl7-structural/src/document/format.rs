//! The formats of documents.

use candor_check::settings::nearest;
use candor_check::xml::XmlFlawKind;
use candor_hl7v2 as hl7v2;
use candor_json::Value as Json;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
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

pub(crate) fn format_named(name: &str) -> Result<Format, String> {
    let names = FORMATS.map(|(name, _)| name);
    FORMATS.iter().find(|(known, _)| *known == name).map(|(_, format)| *format).ok_or_else(|| {
        let near = nearest(name, &names).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        format!("`format` is {name:?}; expected one of {}{near}", names.join(", "))
    })
}

impl Format {
    pub(crate) fn name(self) -> &'static str {
        FORMATS.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }

    pub(crate) fn problem(self, bytes: &[u8]) -> Option<String> {
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
pub(crate) fn is_beyond(bytes: &[u8]) -> bool {
    candor_check::xml::check(&text(bytes)).is_err_and(|flaw| flaw.kind != XmlFlawKind::Declaration)
}

/// XML in UTF-8, or in another encoding that its declaration or byte order mark names.
pub(crate) fn xml(bytes: &[u8]) -> Result<(), String> {
    let text = text(bytes);
    candor_check::xml::check(&text).map_err(|flaw| flaw.what)?;
    let options = roxmltree::ParsingOptions { allow_dtd: false, ..roxmltree::ParsingOptions::default() };
    roxmltree::Document::parse_with_options(&text, options).map(|_| ()).map_err(|error| error.to_string())
}

/// The text of a document: UTF-8 where its bytes are valid in it, else ISO 8859-1.
pub(crate) fn text(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => encoding_rs::mem::decode_latin1(bytes).into_owned(),
    }
}
