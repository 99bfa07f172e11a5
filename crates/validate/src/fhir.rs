//! FHIR: elements, their types and forms, codes of required bindings, and references within the files that lie together.

use std::collections::HashSet;

use candor_fhirpath::definitions::Position;
use candor_json::{Map, Value};

use crate::fhir_known::{ambiguous, named, resources};
use crate::fhir_path::{ElementPath, shortened};
use crate::fhir_values::{Fit, fit, kind};
use crate::lines::Lines;
use crate::{Finding, Known, Report, Severity, Standard};

/// Validates the resources of a file. `known` are those that references may lead to.
#[must_use]
pub fn fhir(file: &str, bytes: &[u8], known: &Known) -> Report {
    let mut walking = Walking { report: Report::of(file, Standard::Fhir), known, unit: String::new() };
    match resources(bytes) {
        Ok(all) => {
            walking.duplicates(bytes);
            all.iter().enumerate().for_each(|(number, resource)| walking.resource(resource, number + 1));
        }
        Err(why) => walking.error("invalid-json", "reading", &ElementPath::root("$readable"), "JSON", Some(why)),
    }
    walking.report.leave_out(NOT_LOOKED_AT.to_owned());
    walking.report
}

const NOT_LOOKED_AT: &str = "invariants, profiles, extensions, maximum counts other than one, elements that only some releases \
                             require, codes of other bindings, narratives";

struct Walking<'k> {
    report: Report,
    known: &'k Known,
    unit: String,
}

const MOST_DEEP: usize = 100;

impl Walking<'_> {
    fn add(&mut self, severity: Severity, code: &str, rule: &str, expected: &str, found: (String, Option<String>)) {
        let (path, found) = found;
        self.report.add(Finding {
            code: code.to_owned(),
            rule: rule.to_owned(),
            severity,
            unit: self.unit.clone(),
            path,
            line: None,
            offset: None,
            expected: expected.to_owned(),
            found,
        });
    }

    fn error(&mut self, code: &str, rule: &str, path: &ElementPath<'_>, expected: &str, found: Option<String>) {
        self.add(Severity::Error, code, rule, expected, (path.to_string(), found));
    }

    /// Members that an object has twice: readers differ in which of them they take.
    fn duplicates(&mut self, bytes: &[u8]) {
        let flaws = ambiguous(bytes);
        if flaws.is_empty() {
            return;
        }
        let lines = Lines::of(bytes);
        for flaw in flaws {
            let offset = flaw.offset as u64;
            self.report.add(Finding {
                code: "duplicate-member".to_owned(),
                rule: "reading".to_owned(),
                severity: Severity::Error,
                unit: String::new(),
                path: "$readable".to_owned(),
                line: Some(lines.line(offset)),
                offset: Some(offset),
                expected: "JSON that every reader reads alike".to_owned(),
                found: Some(flaw.what),
            });
        }
    }

    fn resource(&mut self, resource: &Value, number: usize) {
        let path = ElementPath::root("resourceType");
        let Some((kind, id)) = named(resource) else {
            self.unit = format!("resource {number}");
            return self.error("no-resource-type", "elements", &path, "the type of a resource", None);
        };
        let kind_shown = shortened(kind);
        self.unit = match id {
            Some(id) => format!("{kind_shown}/{}", shortened(id)),
            None => format!("{kind_shown} (resource {number})"),
        };
        let unit = self.unit.clone();
        self.report.read(&unit);
        let position = Position::of(kind);
        if position.types().is_none() {
            return self.unknown_type(kind, &path);
        }
        if let Some(members) = resource.as_object() {
            self.members(members, &position, &ElementPath::root(kind), &contained(resource), 0);
        }
    }

    fn unknown_type(&mut self, kind: &str, path: &ElementPath<'_>) {
        self.error("unknown-type", "elements", path, "a type of R4, R4B or R5", Some(shortened(kind)));
    }

    fn members(
        &mut self,
        members: &Map<String, Value>,
        position: &Position,
        path: &ElementPath<'_>,
        contained: &HashSet<String>,
        depth: usize,
    ) {
        if depth > MOST_DEEP {
            return self.error("too-deep", "elements", path, "no more than 100 levels", None);
        }
        if members.is_empty() {
            return self.error("empty", "values", path, "an object with members", Some("an empty object".to_owned()));
        }
        for name in position.missing(|name| members.contains_key(name)) {
            let expected = "an element that must be there";
            self.error("missing-element", "required elements", &path.member(&name), expected, None);
        }
        for (name, value) in members {
            let path = path.member(name);
            let next = match position.member(name) {
                Ok(next) => next,
                Err(unknown) => {
                    let expected = format!("an element that the type has ({unknown})");
                    self.error("unknown-element", "elements", &path, &expected, Some(name.clone()));
                    continue;
                }
            };
            if name == "reference"
                && let Some(reference) = value.as_str()
            {
                self.reference(reference, &path, contained);
            }
            match value {
                Value::Array(items) => self.items(items, members, name, (&next, &path), contained, depth),
                _ => {
                    if next.is_list() && !value.is_null() {
                        self.error("wrong-type", "values", &path, "an array", Some(kind(value).to_owned()));
                    }
                    self.value(value, &next, &path, contained, depth);
                }
            }
        }
    }

    fn items(
        &mut self,
        items: &[Value],
        members: &Map<String, Value>,
        name: &str,
        (position, path): (&Position, &ElementPath<'_>),
        contained: &HashSet<String>,
        depth: usize,
    ) {
        if !position.repeats() {
            self.error("not-repeated", "elements", path, "one value", Some("an array".to_owned()));
        }
        if items.is_empty() {
            self.error("empty", "values", path, "an array with items", Some("an empty array".to_owned()));
        }
        // The values of a list of primitives and their extensions are two arrays, with `null` where one of both has nothing.
        let other = name.strip_prefix('_').map_or_else(|| format!("_{name}"), str::to_owned);
        let others = members.get(&other).and_then(Value::as_array);
        for (index, item) in items.iter().enumerate() {
            let path = path.item(index);
            match item {
                Value::Null if others.and_then(|others| others.get(index)).is_some_and(|other| !other.is_null()) => {}
                Value::Array(_) => {
                    let found = Some(kind(item).to_owned());
                    self.error("wrong-type", "values", &path, "one value in each item of an array", found);
                }
                _ => self.value(item, position, &path, contained, depth + 1),
            }
        }
    }

    /// A value that is not an array.
    fn value(
        &mut self,
        value: &Value,
        position: &Position,
        path: &ElementPath<'_>,
        contained: &HashSet<String>,
        depth: usize,
    ) {
        match value {
            Value::Null => return self.error("empty", "values", path, "a value", Some("null".to_owned())),
            Value::String(text) if text.is_empty() => {
                return self.error("empty", "values", path, "text", Some(String::new()));
            }
            _ => {}
        }
        if !self.fits(value, position, path) {
            return;
        }
        match value {
            Value::Object(members) => match value.get("resourceType").and_then(Value::as_str) {
                Some(kind) if position.types().is_none() => {
                    let of = Position::of(kind);
                    if of.types().is_none() {
                        self.unknown_type(kind, &path.member("resourceType"));
                    }
                    let own = self::contained(value);
                    let own = if own.is_empty() { contained } else { &own };
                    self.members(members, &of, path, own, depth + 1);
                }
                _ => self.members(members, position, path, contained, depth + 1),
            },
            Value::String(code) => {
                let Some(codes) = position.codes() else { return };
                if codes.releases(code).is_none() {
                    let near = codes.nearest(code).map(|near| format!(", such as {near}")).unwrap_or_default();
                    let expected = format!("a code that the required binding of {} allows{near}", codes.element());
                    self.error("code-invalid", "required codes", path, &expected, Some(code.clone()));
                }
            }
            _ => {}
        }
    }

    /// Returns `true` if a type at the position has the value, and adds a finding if not.
    fn fits(&mut self, value: &Value, position: &Position, path: &ElementPath<'_>) -> bool {
        let Some(types) = position.types() else { return true };
        let (fit, expected) = fit(types, value);
        let text = || value.as_str().map_or_else(|| shortened(&value.to_string()), shortened);
        let (severity, code, found) = match fit {
            Fit::Right => return true,
            Fit::Doubtful => (Severity::Warning, "invalid-value", text()),
            Fit::WrongForm => (Severity::Error, "invalid-value", text()),
            Fit::WrongType => (Severity::Error, "wrong-type", kind(value).to_owned()),
        };
        self.add(severity, code, "values", &expected, (path.to_string(), Some(found)));
        false
    }

    /// Reports a reference whose target is not in the folder. If the folder has no resource of the type at all, the
    /// target may lie elsewhere.
    fn reference(&mut self, reference: &str, path: &ElementPath<'_>, contained: &HashSet<String>) {
        if let Some(id) = reference.strip_prefix('#') {
            if !id.is_empty() && !contained.contains(id) {
                let expected = "a contained resource with this id";
                self.error("reference-not-found", "references", path, expected, Some(reference.to_owned()));
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
        let found = (path.to_string(), Some(reference.to_owned()));
        self.add(severity, "reference-not-found", "references", "a resource of the folder", found);
    }
}

fn contained(resource: &Value) -> HashSet<String> {
    let all = resource.get("contained").and_then(Value::as_array).into_iter().flatten();
    all.filter_map(|inner| inner.get("id")?.as_str().map(str::to_owned)).collect()
}
