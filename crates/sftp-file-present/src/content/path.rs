//! Paths into files, whose grammar goes by the file's format.

use candor_check::compare::DateForm;
use candor_check::field::{FieldPath, PathProblem};
use candor_check::json_path::DottedPath;

use super::rows::RowPath;
use super::text::TextPath;
use super::xml::XmlPath;
use crate::format::Format;

/// A path as every grammar reads it that can: which one applies is known when the file's format is.
#[derive(Clone, Debug)]
pub(crate) struct ContentPath {
    written: String,
    pub(crate) json: Option<DottedPath>,
    pub(crate) rows: Option<RowPath>,
    pub(crate) xml: Option<XmlPath>,
    pub(crate) text: Option<TextPath>,
    pub(crate) hl7: Option<candor_hl7v2::Path>,
    pub(crate) x12: Option<candor_x12::Path>,
}

impl FieldPath for ContentPath {
    const DATES: &'static [DateForm] = &[DateForm::Iso, DateForm::Hl7, DateForm::X12];

    fn parse(written: &str) -> Result<Self, PathProblem> {
        let path = Self {
            written: written.to_owned(),
            json: DottedPath::parse(written).ok(),
            rows: RowPath::parse(written).ok(),
            xml: XmlPath::parse(written).ok(),
            text: TextPath::parse(written),
            hl7: hl7(written).ok(),
            x12: x12(written).ok(),
        };
        let any = path.json.is_some()
            || path.rows.is_some()
            || path.xml.is_some()
            || path.text.is_some()
            || path.hl7.is_some()
            || path.x12.is_some();
        match RowPath::parse(written) {
            _ if any => Ok(path),
            Err(problem) if written.starts_with("row[") => Err(problem),
            _ => DottedPath::parse(written).map(|_| path),
        }
    }

    fn parse_item(written: &str, _within: &[Self]) -> Result<Self, PathProblem> {
        Self::parse(written)
    }
}

/// The item that is each row of a file.
pub(crate) const ROWS: &str = "$rows";

fn hl7(text: &str) -> Result<candor_hl7v2::Path, PathProblem> {
    candor_hl7v2::Path::parse(text).map_err(|error| {
        let meant = error.suggestion.map(|path| format!("; did you mean `{path}`?")).unwrap_or_default();
        PathProblem { offset: error.offset, message: format!("{}{meant}", error.kind) }
    })
}

fn x12(text: &str) -> Result<candor_x12::Path, PathProblem> {
    let path = candor_x12::Path::parse(text).map_err(|error| {
        let meant = error.suggestion.map(|path| format!("; did you mean `{path}`?")).unwrap_or_default();
        PathProblem { offset: error.at, message: format!("{}{meant}", error.kind) }
    })?;
    match path.loops() {
        [] => Ok(path),
        _ => Err(PathProblem { offset: 0, message: "paths through loops are read by `x12-response` only".to_owned() }),
    }
}

impl ContentPath {
    /// Why the path cannot select items in a format; `None` when it can.
    pub(crate) fn item_problem(&self, format: Format) -> Option<String> {
        match format {
            Format::Ndjson | Format::Csv | Format::Fixed if self.written == ROWS => None,
            Format::Csv | Format::Fixed => {
                Some(format!("the items of {} files are rows; write `{ROWS}`", format.name()))
            }
            Format::Json | Format::Ndjson | Format::Fhir => self.problem(format),
            _ => Some(format!("there are no items in {} files; write fields with a `path`", format.name())),
        }
    }

    /// Why the path cannot be used on a format; `None` when it can.
    pub(crate) fn problem(&self, format: Format) -> Option<String> {
        let written = &self.written;
        let said = |problem: PathProblem| format!("at byte {}: {}", problem.offset, problem.message);
        let problem = match format {
            Format::Json | Format::Ndjson | Format::Fhir => DottedPath::parse(written).err().map(said),
            Format::Hl7 => hl7(written).err().map(said),
            Format::X12 => x12(written).err().map(said),
            Format::Csv | Format::Fixed => RowPath::parse(written).err().map(said),
            Format::Xml => XmlPath::parse(written).err().map(said),
            Format::Text if !matches!(self.text, Some(TextPath::Text | TextPath::Lines)) => {
                Some("expected `$text` or `$lines`".to_owned())
            }
            Format::Pdf if self.text.is_none() => Some("expected `$text`, `$lines` or `$pages`".to_owned()),
            Format::Bytes => Some("no field can be read from bytes; give another `format`".to_owned()),
            Format::Text | Format::Pdf => None,
        }?;
        Some(format!("the path `{written}` is none for {} files: {problem}", format.name()))
    }
}
