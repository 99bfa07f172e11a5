//! Standards that files are held to.

use serde::Serialize;

/// A standard that files are held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Standard {
    /// Interchanges of X12.
    #[serde(rename = "X12")]
    X12,
    /// Messages of HL7 v2.
    #[serde(rename = "HL7 v2")]
    Hl7v2,
    /// Resources of FHIR.
    #[serde(rename = "FHIR")]
    Fhir,
    /// Tables with a header.
    #[serde(rename = "CSV")]
    Csv,
    /// JSON that holds no resource.
    #[serde(rename = "JSON")]
    Json,
    /// XML.
    #[serde(rename = "XML")]
    Xml,
}

impl Standard {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::X12 => "X12",
            Self::Hl7v2 => "HL7 v2",
            Self::Fhir => "FHIR",
            Self::Csv => "CSV",
            Self::Json => "JSON",
            Self::Xml => "XML",
        }
    }

    /// The one of a short name: `x12`, `hl7`, `fhir`, `csv`, `json`, `xml`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let named = [
            ("x12", Self::X12),
            ("hl7", Self::Hl7v2),
            ("fhir", Self::Fhir),
            ("csv", Self::Csv),
            ("json", Self::Json),
            ("xml", Self::Xml),
        ];
        named.into_iter().find(|(known, _)| *known == name).map(|(_, standard)| standard)
    }

    /// The standard of a file: by how it begins, else by its ending. `None` if neither shows it. JSON is FHIR where an
    /// object that lies in no other has a `resourceType`, or the file lies in a folder `fhir`.
    ///
    /// ```
    /// use candor_validate::Standard;
    /// assert_eq!(Standard::of("claim.dat", b"ISA*00*"), Some(Standard::X12));
    /// assert_eq!(Standard::of("claim.x12", b"Dear Sir"), Some(Standard::X12));
    /// assert_eq!(Standard::of("fhir/p.json", b"{}"), Some(Standard::Fhir));
    /// assert_eq!(Standard::of("settings.json", b"{}"), Some(Standard::Json));
    /// assert_eq!(Standard::of("p.json", b"{\"resourceType\": \"Patient\"}"), Some(Standard::Fhir));
    /// assert_eq!(Standard::of("notes.txt", b"Dear Sir"), None);
    /// assert_eq!(Standard::of("page.ftl", b"<#if sent>"), None);
    /// ```
    #[must_use]
    pub fn of(name: &str, bytes: &[u8]) -> Option<Self> {
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let text = text.trim_ascii_start();
        let unframed = text.strip_prefix(b"\x0B").unwrap_or(text);
        if text.starts_with(b"ISA") {
            return Some(Self::X12);
        }
        if [b"MSH", b"FHS", b"BHS"].iter().any(|header| unframed.starts_with(*header)) {
            return Some(Self::Hl7v2);
        }
        if text.starts_with(b"{") || text.starts_with(b"[") {
            return Some(Self::of_json(name, text));
        }
        // A template begins with `<#` or `<%`.
        if text.strip_prefix(b"<").is_some_and(|rest| rest.first().is_some_and(|byte| !b"#%$".contains(byte))) {
            return Some(Self::Xml);
        }
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        match ending.as_deref() {
            Some(
                "x12" | "edi" | "270" | "271" | "276" | "277" | "278" | "820" | "834" | "835" | "837" | "997" | "999",
            ) => Some(Self::X12),
            Some("hl7") => Some(Self::Hl7v2),
            Some("json" | "ndjson" | "fhir") => Some(Self::of_json(name, text)),
            Some("csv" | "tsv" | "psv") => Some(Self::Csv),
            Some("xml") => Some(Self::Xml),
            _ => None,
        }
    }

    fn of_json(name: &str, text: &[u8]) -> Self {
        let lies_with_resources = name.split('/').any(|folder| folder == "fhir") || name.ends_with(".fhir");
        match lies_with_resources || has_type(text) {
            true => Self::Fhir,
            false => Self::Json,
        }
    }
}

/// Returns `true` if an object that lies in no other object has a member `resourceType`. The text may be cut off.
fn has_type(text: &[u8]) -> bool {
    let (mut depth, mut rest) = (0_usize, text);
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b'"' => {
                let mut escaped = false;
                let ends = |byte: &u8| {
                    let end = *byte == b'"' && !escaped;
                    escaped = *byte == b'\\' && !escaped;
                    end
                };
                let Some(end) = rest.iter().position(ends) else { return false };
                let (text, behind) = rest.split_at(end);
                rest = behind.get(1..).unwrap_or_default();
                if depth == 1 && text == b"resourceType" && rest.trim_ascii_start().starts_with(b":") {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}
