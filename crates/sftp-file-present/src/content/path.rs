//! Paths into files, whose grammar follows the file's format.

use candor_check::compare::DateForm;
use candor_check::field::{FieldPath, Found, PathProblem};
use candor_check::json_path::DottedPath;
use candor_fhirpath::{Expression, NotRecorded};
use candor_hl7v2_structure::{GroupPath, GroupPathError};
use candor_json::Value;
use candor_x12::path::{ItemPath, LoopStep, PathError};
use candor_x12_guides::{Guide, Loop};

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
    pub(crate) text: Option<TextPath>,
    pub(crate) xml: Result<XmlPath, PathProblem>,
    pub(crate) hl7: Result<GroupPath, PathProblem>,
    pub(crate) x12: Result<X12Path, PathProblem>,
    /// A FHIRPath expression, which is not a path of the others.
    pub(crate) fhirpath: Option<Box<Expression>>,
    /// The text at this place of the file's name, and not in the file.
    pub(crate) name: Option<String>,
}

impl ContentPath {
    /// Returns `true` if a path into JSON leads into arrays without elements, and so to nothing.
    pub(crate) fn ends_in_an_empty_array(&self, value: &Value) -> bool {
        let above = self.written.match_indices(['.', '[']).filter_map(|(at, _)| self.written.get(..at));
        let is_empty = |found: &Found<'_>| found.datum.to_value().as_array().is_some_and(Vec::is_empty);
        above.filter_map(|path| DottedPath::parse(path).ok()).any(|path| {
            let found = path.select(value).values;
            !found.is_empty() && found.iter().all(is_empty)
        })
    }
}

#[derive(Clone, Debug)]
pub(crate) enum X12Path {
    Values(candor_x12::Path),
    Items(ItemPath),
}

impl FieldPath for ContentPath {
    const DATES: &'static [DateForm] = &[DateForm::Iso, DateForm::Hl7, DateForm::X12];

    fn parse(written: &str) -> Result<Self, PathProblem> {
        let x12 = candor_x12::Path::parse(written).map(X12Path::Values);
        Self::of(written, XmlPath::parse(written), GroupPath::parse(written), x12)
    }

    /// A file is alone, so that references lead nowhere.
    fn parse_fhirpath(written: &str) -> Result<Self, PathProblem> {
        let expression = Expression::parse_recorded(written)
            .map_err(|NotRecorded { offset, message }| PathProblem { offset, message })?;
        let none = || PathProblem { offset: 0, message: "it is a FHIRPath expression".to_owned() };
        if expression.uses_references() {
            let message = "references of a dropped file lead out of it; write what the file itself holds".to_owned();
            return Err(PathProblem { offset: 0, message });
        }
        Ok(Self {
            written: written.to_owned(),
            json: None,
            rows: None,
            text: None,
            xml: Err(none()),
            hl7: Err(none()),
            x12: Err(none()),
            fhirpath: Some(Box::new(expression)),
            name: None,
        })
    }

    fn parse_item(written: &str, within: &[Self]) -> Result<Self, PathProblem> {
        let Some(outer) = within.last() else {
            let x12 = ItemPath::parse_in(written, None).map(X12Path::Items);
            return Self::of(written, XmlPath::parse_item(written), GroupPath::parse_item(written), x12);
        };
        let hl7 = GroupPath::parse_item_in(written, outer.hl7_items());
        let x12 = ItemPath::parse_in(written, outer.x12_items()).map(X12Path::Items);
        Self::of(written, XmlPath::parse_inner_item(written), hl7, x12)
    }

    fn parse_inside(written: &str, within: &[Self]) -> Result<Self, PathProblem> {
        let Some(outer) = within.last() else { return Self::parse(written) };
        let hl7 = GroupPath::parse_inside(written, outer.hl7_items());
        let x12 = match outer.x12_items() {
            Some(item) => item.path_inside(written),
            None => candor_x12::Path::parse(written),
        };
        Self::of(written, XmlPath::parse_inside(written), hl7, x12.map(X12Path::Values))
    }
}

/// The prefix of a place of the file's name.
const NAME: &str = "$name.";
/// The item that is each row of a file.
pub(crate) const ROWS: &str = "$rows";

fn of_hl7(error: GroupPathError) -> PathProblem {
    let meant = error.suggestion.map(|path| format!("; did you mean `{path}`?")).unwrap_or_default();
    PathProblem { offset: error.offset, message: format!("{}{meant}", error.message) }
}

fn of_x12(error: PathError) -> PathProblem {
    let meant = error.suggestion.map(|path| format!("; did you mean `{path}`?")).unwrap_or_default();
    PathProblem { offset: error.at, message: format!("{}{meant}", error.kind) }
}

impl X12Path {
    pub(crate) fn loops(&self) -> &[LoopStep] {
        match self {
            Self::Values(path) => path.loops(),
            Self::Items(item) => item.loops(),
        }
    }

    /// Refuses a loop that no guide has: it can never be there.
    fn known(self) -> Result<Self, PathProblem> {
        let is_known = |step: &LoopStep| Guide::all().flat_map(Guide::loops).map(Loop::id).any(|id| id == step.id());
        match self.loops().iter().find(|step| !is_known(step)) {
            Some(step) => Err(PathProblem { offset: 0, message: format!("no guide has a loop {}", step.id()) }),
            None => Ok(self),
        }
    }
}

impl ContentPath {
    /// The path by its grammars; the first problem where none of them reads it.
    fn of(
        written: &str,
        xml: Result<XmlPath, PathProblem>,
        hl7: Result<GroupPath, GroupPathError>,
        x12: Result<X12Path, PathError>,
    ) -> Result<Self, PathProblem> {
        let path = Self {
            written: written.to_owned(),
            json: DottedPath::parse(written).ok(),
            rows: RowPath::parse(written).ok(),
            text: TextPath::parse(written),
            xml,
            hl7: hl7.map_err(of_hl7),
            x12: x12.map_err(of_x12).and_then(X12Path::known),
            fhirpath: None,
            name: written.strip_prefix(NAME).map(str::to_owned),
        };
        let any = path.json.is_some()
            || path.rows.is_some()
            || path.text.is_some()
            || path.xml.is_ok()
            || path.hl7.is_ok()
            || path.x12.is_ok();
        match RowPath::parse(written) {
            _ if any => Ok(path),
            Err(problem) if written.starts_with("row[") => Err(problem),
            _ => DottedPath::parse(written).map(|_| path),
        }
    }

    /// The segments, or the field's repetitions, that are items of HL7 v2.
    fn hl7_items(&self) -> Option<&candor_hl7v2::Path> {
        self.hl7.as_ref().ok()?.path()
    }

    /// The loops or segments that are items of X12.
    fn x12_items(&self) -> Option<&ItemPath> {
        match self.x12.as_ref().ok()? {
            X12Path::Items(item) => Some(item),
            X12Path::Values(_) => None,
        }
    }

    /// Why the path cannot select items in a format; `None` when it can.
    pub(crate) fn item_problem(&self, format: Format) -> Option<String> {
        match format {
            Format::Ndjson | Format::Csv | Format::Fixed if self.written == ROWS => None,
            Format::Csv | Format::Fixed => {
                Some(format!("the items of {} files are rows; write `{ROWS}`", format.name()))
            }
            Format::Text | Format::Pdf | Format::Bytes => {
                Some(format!("there are no items in {} files; write fields with a `path`", format.name()))
            }
            _ => self.problem(format),
        }
    }

    /// Why the path cannot be used on a format; `None` when it can.
    pub(crate) fn problem(&self, format: Format) -> Option<String> {
        let written = &self.written;
        if self.name.is_some() {
            return None;
        }
        if self.fhirpath.is_some() {
            let elsewhere = (format != Format::Fhir).then_some(format.name());
            return elsewhere.map(|name| {
                format!("`{written}` is FHIRPath, and the file is read as {name}; write `format: fhir`, or a `path`")
            });
        }
        let said = |problem: &PathProblem| format!("at byte {}: {}", problem.offset, problem.message);
        let problem = match format {
            Format::Json | Format::Ndjson | Format::Fhir => DottedPath::parse(written).err().as_ref().map(said),
            Format::Hl7 => self.hl7.as_ref().err().map(said),
            Format::X12 => self.x12.as_ref().err().map(said),
            Format::Csv | Format::Fixed => RowPath::parse(written).err().as_ref().map(said),
            Format::Xml => self.xml.as_ref().err().map(said),
            Format::Text if !matches!(self.text, Some(TextPath::Text | TextPath::Lines)) => {
                Some("expected `$text` or `$lines`".to_owned())
            }
            Format::Pdf if self.text.is_none() => Some("expected `$text`, `$lines` or `$pages`".to_owned()),
            Format::Bytes => Some("no field can be read from bytes; give another `format`".to_owned()),
            Format::Text | Format::Pdf => None,
        }?;
        Some(format!("the path `{written}` does not fit {} files: {problem}", format.name()))
    }
}
