//! FHIR: elements, codes of required bindings, and references within the files that lie together.

use std::collections::{BTreeSet, HashSet};

use candor_fhirpath::definitions::Position;
use serde_json::{Map, Value};

use crate::{Finding, Report, Severity, Standard};

/// The resources of a folder, by what references name.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// `Patient/1`, and URLs of entries.
    names: HashSet<String>,
    types: BTreeSet<String>,
}

impl Known {
    /// Adds the resources of a file; what cannot be read adds nothing.
    pub fn add(&mut self, bytes: &[u8]) {
        for resource in resources(bytes).unwrap_or_default() {
            self.resource(&resource);
        }
    }

    fn resource(&mut self, resource: &Value) {
        let Some((kind, id)) = named(resource) else { return };
        self.types.insert(kind.to_owned());
        self.names.extend(id.map(|id| format!("{kind}/{id}")));
        for entry in entries(resource) {
            if let Some(url) = entry.get("fullUrl").and_then(Value::as_str) {
                // `https://server/fhir/Patient/1` answers `Patient/1`, too.
                let tail: Vec<&str> = url.rsplitn(3, '/').collect();
                if let [id, kind, _] = tail.as_slice() {
                    self.names.insert(format!("{kind}/{id}"));
                }
                self.names.insert(url.to_owned());
            }
            if let Some(inner) = entry.get("resource") {
                self.resource(inner);
            }
        }
    }
}

fn named(resource: &Value) -> Option<(&str, Option<&str>)> {
    let kind = resource.get("resourceType")?.as_str()?;
    Some((kind, resource.get("id").and_then(Value::as_str)))
}

fn entries(resource: &Value) -> impl Iterator<Item = &Value> {
    resource.get("entry").and_then(Value::as_array).into_iter().flatten()
}

/// The resources of a file: one document, an array of them, or one a line.
fn resources(bytes: &[u8]) -> Result<Vec<Value>, String> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Array(list)) => Ok(list),
        Ok(one) => Ok(vec![one]),
        Err(whole) => {
            let lines: Vec<&[u8]> =
                bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).collect();
            let first = lines.first().is_some_and(|line| serde_json::from_slice::<Value>(line).is_ok());
            if lines.len() < 2 || !first {
                return Err(whole.to_string());
            }
            let read = |(number, line): (usize, &&[u8])| {
                serde_json::from_slice(line).map_err(|error| format!("line {}: {error}", number + 1))
            };
            lines.iter().enumerate().map(read).collect()
        }
    }
}

/// Validates the resources of a file. `known` are those that references may lead to.
#[must_use]
pub fn fhir(file: &str, bytes: &[u8], known: &Known) -> Report {
    let mut walking = Walking { report: Report::of(file, Standard::Fhir), known, unit: String::new() };
    match resources(bytes) {
        Ok(all) => all.iter().enumerate().for_each(|(number, resource)| walking.resource(resource, number + 1)),
        Err(why) => walking.add("invalid-json", "reading", "$readable", "JSON", Some(why), Severity::Error),
    }
    walking.report.leave_out(
        "required elements, cardinalities, invariants, profiles, values of data types, codes of other bindings"
            .to_owned(),
    );
    walking.report
}

struct Walking<'k> {
    report: Report,
    known: &'k Known,
    unit: String,
}

/// How deep elements lie in each other at most.
const MOST_DEEP: usize = 100;

impl Walking<'_> {
    fn add(&mut self, code: &str, rule: &str, path: &str, expected: &str, found: Option<String>, severity: Severity) {
        self.report.add(Finding {
            code: code.to_owned(),
            rule: rule.to_owned(),
            severity,
            unit: self.unit.clone(),
            path: path.to_owned(),
            line: None,
            offset: None,
            expected: expected.to_owned(),
            found,
        });
    }

    fn resource(&mut self, resource: &Value, number: usize) {
        let Some((kind, id)) = named(resource) else {
            self.unit = format!("resource {number}");
            return self.add(
                "no-resource-type",
                "elements",
                "resourceType",
                "the type of a resource",
                None,
                Severity::Error,
            );
        };
        self.unit = match id {
            Some(id) => format!("{kind}/{id}"),
            None => format!("{kind} (resource {number})"),
        };
        let unit = self.unit.clone();
        self.report.read(&unit);
        let position = Position::of(kind);
        if position.types().is_none() {
            let expected = "a type of R4, R4B or R5";
            return self.add(
                "unknown-type",
                "elements",
                "resourceType",
                expected,
                Some(kind.to_owned()),
                Severity::Error,
            );
        }
        let contained = contained(resource);
        if let Some(members) = resource.as_object() {
            self.members(members, &position, kind, &contained, 0);
        }
    }

    fn members(
        &mut self,
        members: &Map<String, Value>,
        position: &Position,
        path: &str,
        contained: &HashSet<String>,
        depth: usize,
    ) {
        if depth > MOST_DEEP {
            return self.add("too-deep", "elements", path, "no more than 100 levels", None, Severity::Error);
        }
        for (name, value) in members {
            let path = format!("{path}.{name}");
            let next = match position.member(name) {
                Ok(next) => next,
                Err(unknown) => {
                    let expected = format!("an element that the type has ({unknown})");
                    self.add("unknown-element", "elements", &path, &expected, Some(name.clone()), Severity::Error);
                    continue;
                }
            };
            if name == "reference"
                && let Some(reference) = value.as_str()
            {
                self.reference(reference, &path, contained);
            }
            self.value(value, &next, &path, contained, depth);
        }
    }

    fn value(&mut self, value: &Value, position: &Position, path: &str, contained: &HashSet<String>, depth: usize) {
        match value {
            Value::Array(items) => {
                if !position.repeats() && position.types().is_some() && !path.contains("._") {
                    let found = Some("an array".to_owned());
                    self.add("not-repeated", "elements", path, "one value", found, Severity::Error);
                }
                for (index, item) in items.iter().enumerate() {
                    self.value(item, position, &format!("{path}.{index}"), contained, depth + 1);
                }
            }
            Value::Object(members) => match value.get("resourceType").and_then(Value::as_str) {
                Some(kind) => {
                    let own = self::contained(value);
                    let own = if own.is_empty() { contained } else { &own };
                    self.members(members, &Position::of(kind), path, own, depth + 1);
                }
                None => self.members(members, position, path, contained, depth + 1),
            },
            Value::String(code) => {
                let Some(codes) = position.codes() else { return };
                if codes.releases(code).is_none() {
                    let near = codes.nearest(code).map(|near| format!(", such as {near}")).unwrap_or_default();
                    let expected = format!("a code that the required binding of {} allows{near}", codes.element());
                    self.add("code-invalid", "required codes", path, &expected, Some(code.clone()), Severity::Error);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// A reference that nothing in the folder answers. Where the folder has none of the type at all, they may lie elsewhere.
    fn reference(&mut self, reference: &str, path: &str, contained: &HashSet<String>) {
        if let Some(id) = reference.strip_prefix('#') {
            if !id.is_empty() && !contained.contains(id) {
                let expected = "a contained resource with this id";
                self.add(
                    "reference-not-found",
                    "references",
                    path,
                    expected,
                    Some(reference.to_owned()),
                    Severity::Error,
                );
            }
            return;
        }
        let plain = reference.split("/_history/").next().unwrap_or(reference);
        let is_relative = plain.split('/').count() == 2 && plain.starts_with(|c: char| c.is_ascii_uppercase());
        let is_urn = plain.starts_with("urn:");
        if !(is_relative || is_urn) || self.known.names.contains(plain) {
            return;
        }
        let kind = plain.split('/').next().unwrap_or_default();
        let severity = if is_urn || self.known.types.contains(kind) { Severity::Error } else { Severity::Warning };
        self.add(
            "reference-not-found",
            "references",
            path,
            "a resource of the folder",
            Some(reference.to_owned()),
            severity,
        );
    }
}

fn contained(resource: &Value) -> HashSet<String> {
    let all = resource.get("contained").and_then(Value::as_array).into_iter().flatten();
    all.filter_map(|inner| inner.get("id")?.as_str().map(str::to_owned)).collect()
}
