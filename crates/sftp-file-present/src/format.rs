//! Formats of files, and which extension represents which.

use crate::archive::shape;

/// The format in which a file's content is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A JSON value.
    Json,
    /// A JSON value a line: the array of its lines.
    Ndjson,
    /// Comma-separated values, or those of another delimiter.
    Csv,
    /// Rows whose columns have a fixed place.
    Fixed,
    /// An XML document.
    Xml,
    /// The text of a PDF.
    Pdf,
    /// HL7 v2 messages.
    Hl7,
    /// X12 interchanges.
    X12,
    /// A FHIR resource in JSON.
    Fhir,
    /// Text.
    Text,
    /// Bytes that nothing is read from.
    Bytes,
}

/// Every format with its name in `format`.
pub(crate) const FORMATS: &[(&str, Format)] = &[
    ("json", Format::Json),
    ("ndjson", Format::Ndjson),
    ("csv", Format::Csv),
    ("fixed", Format::Fixed),
    ("xml", Format::Xml),
    ("pdf", Format::Pdf),
    ("hl7", Format::Hl7),
    ("x12", Format::X12),
    ("fhir", Format::Fhir),
    ("text", Format::Text),
    ("bytes", Format::Bytes),
];

const EXTENSIONS: &[(&str, Format)] = &[
    ("json", Format::Json),
    ("ndjson", Format::Ndjson),
    ("jsonl", Format::Ndjson),
    ("csv", Format::Csv),
    ("xml", Format::Xml),
    ("cda", Format::Xml),
    ("ccda", Format::Xml),
    ("pdf", Format::Pdf),
    ("hl7", Format::Hl7),
    ("x12", Format::X12),
    ("edi", Format::X12),
    ("txt", Format::Text),
];

/// Extensions of what a later version opens, with what they are.
const NOT_YET: &[(&str, &str)] = &[
    ("gz", "compressed, more often than this version opens"),
    ("7z", "an archive of a kind that this version does not open"),
    ("rar", "an archive of a kind that this version does not open"),
    ("bz2", "compressed in a way that this version does not open"),
    ("xz", "compressed in a way that this version does not open"),
    ("zst", "compressed in a way that this version does not open"),
];

impl Format {
    /// The format's name in `format`.
    #[must_use]
    pub fn name(self) -> &'static str {
        FORMATS.iter().find(|(_, format)| *format == self).map_or("", |&(name, _)| name)
    }

    /// The format that an extension represents.
    ///
    /// # Errors
    /// The end of a sentence about the file: what it is that this version does not read, or that no one knows.
    pub(crate) fn by_extension(extension: &str) -> Result<Self, String> {
        let extension = extension.to_ascii_lowercase();
        if let Some((_, format)) = EXTENSIONS.iter().find(|(name, _)| *name == extension) {
            return Ok(*format);
        }
        if matches!(extension.as_str(), "zip" | "tar" | "tgz") {
            return Err("is an archive; write ! and a glob of its members behind it, as in *.zip!*.json".to_owned());
        }
        Err(match NOT_YET.iter().find(|(name, _)| *name == extension) {
            Some((_, what)) => format!("is {what}"),
            None => "has no extension that says what it is; give `format`".to_owned(),
        })
    }

    /// The format of a file that is neither packed nor encrypted, by its name; bytes where that does not say.
    pub(crate) fn of_plain_path(path: &str) -> Self {
        let shape = shape(path);
        let is_plain = shape.archive.is_none() && shape.inner == path;
        Self::of_path(path).ok().filter(|_| is_plain).unwrap_or(Self::Bytes)
    }

    /// The format of a file by its name, less the extensions of what it is compressed and encrypted by.
    pub(crate) fn of_path(path: &str) -> Result<Self, String> {
        let shape = shape(path);
        if shape.archive.is_some() {
            return Self::by_extension("zip");
        }
        let path = shape.inner;
        let name = path.rsplit('/').next().unwrap_or_default();
        Self::by_extension(name.rsplit_once('.').map_or("", |(_, extension)| extension))
    }
}

pub(crate) fn format_named(name: &str) -> Result<Format, String> {
    // What else a layout of columns is called.
    if matches!(name, "fixed_width" | "fixed-width") {
        return Ok(Format::Fixed);
    }
    candor_check::settings::one_of("`format`", name, FORMATS)
}
