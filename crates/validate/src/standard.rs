//! What a file is read as.

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
}

impl Standard {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::X12 => "X12",
            Self::Hl7v2 => "HL7 v2",
            Self::Fhir => "FHIR",
        }
    }

    /// What a file is: by how it begins, else by its ending. Nothing where neither tells.
    ///
    /// ```
    /// use candor_validate::Standard;
    /// assert_eq!(Standard::of("claim.dat", b"ISA*00*"), Some(Standard::X12));
    /// assert_eq!(Standard::of("claim.x12", b"Dear Sir"), Some(Standard::X12));
    /// assert_eq!(Standard::of("notes.txt", b"Dear Sir"), None);
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
            return Some(Self::Fhir);
        }
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        match ending.as_deref() {
            Some(
                "x12" | "edi" | "270" | "271" | "276" | "277" | "278" | "820" | "834" | "835" | "837" | "997" | "999",
            ) => Some(Self::X12),
            Some("hl7") => Some(Self::Hl7v2),
            Some("json" | "ndjson" | "fhir") => Some(Self::Fhir),
            _ => None,
        }
    }
}
