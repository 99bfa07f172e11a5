//! FHIR resources explained: status, subject, dates and code first, then every element with its path.
//!
//! The text is read where it lies and not parsed as a whole, so that a large file takes little more memory than its bytes.

mod elements;
mod facts;

use std::io::{self, Write};

use candor_check::explain::{Entries, Explained, Form};
use candor_check::strict_json as json;
use serde::Serialize;

use elements::{ShownElement, elements};
use facts::{Fact, facts};

/// Explains the resources of a file: one document, an array of resources, or a resource a line. The resources in a Bundle
/// follow it, each with its place.
///
/// # Errors
/// When the output cannot be written.
///
/// ```
/// use candor_check::explain::Form;
/// use candor_fhir_resource_state::explain::explain;
///
/// let mut out = Vec::new();
/// let patient = br#"{"resourceType": "Patient", "id": "1", "name": [{"family": "Roe", "given": ["Ann"]}]}"#;
/// let explained = explain(patient, Form::Text, &mut out)?;
/// assert_eq!((explained.any, explained.findings), (true, 0));
/// let expected = "Patient/1\n  = name: Ann Roe\n  id: 1\n  name.0.family: Roe\n  name.0.given.0: Ann\n";
/// assert_eq!(String::from_utf8_lossy(&out), expected);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn explain(bytes: &[u8], form: Form, out: &mut impl Write) -> io::Result<Explained> {
    let mut explaining =
        Explaining { entries: Entries::default(), as_text: form == Form::Text, findings: 0, any: false };
    if !bytes.trim_ascii().is_empty() {
        explaining.file(bytes, out)?;
    }
    let Explaining { entries, as_text, findings, any } = explaining;
    if !as_text {
        entries.end(out)?;
    }
    Ok(Explained { any: any || findings > 0, findings })
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownResource<'p> {
    /// Where it lies in the file; empty for one that is the file.
    #[serde(skip_serializing_if = "str::is_empty")]
    place: &'p str,
    resource_type: String,
    id: Option<String>,
    summary: Vec<Fact>,
    elements: Vec<ShownElement>,
    /// Sentences about what is not shown.
    notes: Vec<String>,
}

struct Explaining {
    entries: Entries,
    as_text: bool,
    findings: usize,
    any: bool,
}

/// The byte at which a text cannot be read, and why.
type Fault = (usize, String);

fn document(bytes: &[u8]) -> Result<&str, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|error| (error.valid_up_to(), "not UTF-8".to_owned()))?;
    match json::check(text) {
        Ok(()) => Ok(text.trim()),
        Err(flaw) => Err((flaw.offset, flaw.what)),
    }
}

/// Says if the first of several lines is a document.
fn is_lines(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let first = lines.next().is_some_and(|line| document(line).is_ok());
    first && lines.next().is_some()
}

impl Explaining {
    fn file(&mut self, bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
        let content = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let start = bytes.len() - content.len();
        match document(content) {
            Ok(text) if text.starts_with('[') => {
                for (number, item) in json::items(text).enumerate() {
                    self.resource(item, &format!("item {number}"), 0, out)?;
                }
                Ok(())
            }
            Ok(text) => self.resource(text, "", 0, out),
            Err(_) if is_lines(content) => self.lines(content, start, out),
            Err((offset, what)) => self.problem(&what, Some(start + offset), out),
        }
    }

    fn lines(&mut self, bytes: &[u8], start: usize, out: &mut impl Write) -> io::Result<()> {
        let mut offset = start;
        for (number, line) in (1_usize..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
            let begin = offset;
            offset += line.len();
            if line.trim_ascii().is_empty() {
                continue;
            }
            match document(line) {
                Ok(text) => self.resource(text, &format!("line {number}"), 0, out)?,
                Err((within, what)) => self.problem(&what, Some(begin + within), out)?,
            }
        }
        Ok(())
    }

    /// Shows the resource whose text is `raw`, and those in it if it is a Bundle. JSON that was checked is not deep.
    fn resource(&mut self, raw: &str, place: &str, depth: usize, out: &mut impl Write) -> io::Result<()> {
        let Some(resource_type) = string(raw, "resourceType") else {
            let of = if place.is_empty() { "the file" } else { place };
            return self.problem(&format!("{of} has no resourceType, so it is not a FHIR resource"), None, out);
        };
        self.any = true;
        let is_bundle = resource_type == "Bundle";
        let (elements, notes) = elements(raw, is_bundle);
        let summary = facts(&resource_type, raw);
        let shown = ShownResource { place, resource_type, id: string(raw, "id"), summary, elements, notes };
        if self.as_text {
            shown.text(depth, out)?;
        } else {
            self.entries.add(&shown, out)?;
        }
        drop(shown);
        let list = json::members(raw).find(|(name, _)| is_bundle && name == "entry").map(|(_, list)| list);
        for (number, entry) in json::items(list.unwrap_or_default()).enumerate() {
            let Some((_, inner)) = json::members(entry).find(|(name, _)| name == "resource") else { continue };
            let before = if place.is_empty() { String::new() } else { format!("{place}, ") };
            self.resource(inner, &format!("{before}entry.{number}.resource"), depth + 1, out)?;
        }
        Ok(())
    }

    fn problem(&mut self, what: &str, offset: Option<usize>, out: &mut impl Write) -> io::Result<()> {
        self.findings += 1;
        if !self.as_text {
            return self.entries.add(&candor_json::json!({"fault": what, "offset": offset}), out);
        }
        match offset {
            Some(offset) => writeln!(out, "! {what} (byte {offset})"),
            None => writeln!(out, "! {what}"),
        }
    }
}

/// The text of a member, if it is a string: on one line, and cut where it is long.
fn string(raw: &str, name: &str) -> Option<String> {
    const MOST: usize = 100;
    let (_, value) = json::members(raw).find(|(own, _)| own == name)?;
    let text: String = candor_json::from_str(value).ok()?;
    Some(candor_check::explain::on_one_line(&text, MOST))
}

impl ShownResource<'_> {
    fn text(&self, depth: usize, out: &mut impl Write) -> io::Result<()> {
        let indent = "  ".repeat(depth);
        let place = if self.place.is_empty() { String::new() } else { format!("{}: ", self.place) };
        let id = self.id.as_ref().map_or_else(|| " without an id".to_owned(), |id| format!("/{id}"));
        writeln!(out, "{indent}{place}{}{id}", self.resource_type)?;
        for Fact { name, value } in &self.summary {
            writeln!(out, "{indent}  = {name}: {value}")?;
        }
        for element in &self.elements {
            writeln!(out, "{indent}  {}: {}", element.path, element.written())?;
        }
        self.notes.iter().try_for_each(|note| writeln!(out, "{indent}  {note}"))
    }
}
