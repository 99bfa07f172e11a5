//! The resources of FHIR files: how they are read, and which of them references may lead to.

use std::collections::{BTreeSet, HashSet};

use candor_check::strict_json::{self, Flaw, FlawKind};
use candor_json::Value;

/// The resources of a folder, by what references name.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// `Patient/1`, and URLs of entries.
    pub(crate) names: HashSet<String>,
    pub(crate) types: BTreeSet<String>,
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

pub(crate) fn named(resource: &Value) -> Option<(&str, Option<&str>)> {
    let kind = resource.get("resourceType")?.as_str()?;
    Some((kind, resource.get("id").and_then(Value::as_str)))
}

fn entries(resource: &Value) -> impl Iterator<Item = &Value> {
    resource.get("entry").and_then(Value::as_array).into_iter().flatten()
}

/// The resources of a file: one document, an array of them, or one a line.
pub(crate) fn resources(bytes: &[u8]) -> Result<Vec<Value>, String> {
    let bytes = without_mark(bytes);
    match candor_json::from_slice::<Value>(bytes) {
        Ok(Value::Array(list)) => Ok(list),
        Ok(one) => Ok(vec![one]),
        Err(whole) => {
            let lines: Vec<&[u8]> =
                bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).collect();
            let first = lines.first().is_some_and(|line| candor_json::from_slice::<Value>(line).is_ok());
            if lines.len() < 2 || !first {
                return Err(whole.to_string());
            }
            let read = |(number, line): (usize, &&[u8])| {
                candor_json::from_slice(line).map_err(|error| format!("line {}: {error}", number + 1))
            };
            lines.iter().enumerate().map(read).collect()
        }
    }
}

/// The bytes without the mark that some editors put before them.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// The places at which readers of a file may differ: the first of a document, or of each line.
pub(crate) fn ambiguous(bytes: &[u8]) -> Vec<Flaw> {
    let unmarked = without_mark(bytes);
    let mut start = bytes.len() - unmarked.len();
    let text = std::str::from_utf8(unmarked).unwrap_or_default();
    let first = |text: &str, start: usize| match strict_json::check(text) {
        Err(flaw) if flaw.kind == FlawKind::Ambiguous => Some(Flaw { offset: start + flaw.offset, ..flaw }),
        _ => None,
    };
    if candor_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        return first(text, start).into_iter().collect();
    }
    let each = text.split_inclusive('\n').filter_map(|line| {
        let flaw = first(line, start);
        start += line.len();
        flaw
    });
    each.collect()
}
