//! The parts of a sandbox as they come in a request: `{fhir, hl7, portal, files, voice, x12}`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use candor_fhir_search::types;
use candor_json::Value;
use candor_json::text::{items, survey};

use crate::body::has_repeated;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parts {
    /// The parts that were given, if with nothing in them.
    pub given: BTreeSet<String>,
    /// FHIR resources and Bundles, as they were given.
    pub fhir_given: Vec<Value>,
    /// FHIR resources, those of Bundles among them, each with an id.
    pub fhir: Vec<Value>,
    /// The places of records in which a member occurs twice. They are among the files.
    pub ambiguous: Vec<String>,
    /// The files of `hl7`, `x12`, `files` and `voice`, by their paths in the sandbox.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The rows of tables.
    pub portal: BTreeMap<String, Vec<Value>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PartsError {
    pub place: String,
    pub message: String,
}

impl PartsError {
    fn at(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }
}

/// The parts that a sandbox which the service keeps always has.
pub(crate) const NAMES: [&str; 6] = ["fhir", "hl7", "portal", "files", "voice", "x12"];

impl Parts {
    pub(crate) fn read(value: &Value) -> Result<Self, PartsError> {
        let members = value.as_object().ok_or_else(|| PartsError::at("", "expected an object of parts"))?;
        let mut parts = Self::default();
        for (name, value) in members {
            match name.as_str() {
                "fhir" => match value.as_str().and_then(ambiguous) {
                    Some(lines) => parts.keep(name, "fhir/handed-in.ndjson", lines),
                    None => (parts.fhir_given, parts.fhir) = resources(value)?,
                },
                "portal" => tables(value, &mut parts)?,
                "hl7" | "x12" | "files" | "voice" => {
                    let files = value.as_object().ok_or_else(|| {
                        PartsError::at(name, "expected an object of files, each name with its bytes as base64")
                    })?;
                    for (file, value) in files {
                        let place = format!("{name}.{file}");
                        let path = plain(file).ok_or_else(|| {
                            PartsError::at(&place, "the name is not the path of a file, such as `outbound/1.json`")
                        })?;
                        let bytes = bytes(name, value).map_err(|message| PartsError::at(&place, message))?;
                        parts.files.insert(format!("{name}/{path}"), bytes);
                    }
                }
                other => {
                    let message = format!("unknown part; expected one of {}", NAMES.join(", "));
                    return Err(PartsError::at(other, message));
                }
            }
            parts.given.insert(name.clone());
        }
        if let Some(path) = parts.files.keys().find(|path| in_the_way(&parts.files, path).is_some()) {
            return Err(PartsError::at(path.replacen('/', ".", 1), "the path is that of a file and of a folder"));
        }
        Ok(parts)
    }

    fn keep(&mut self, place: &str, path: &str, lines: Vec<u8>) {
        self.ambiguous.push(place.to_owned());
        self.files.insert(path.to_owned(), lines);
    }
}

/// The file that keeps a path from being one, because it is a folder on its way, or the path is a folder of the file's.
pub(crate) fn in_the_way<'f, T>(files: &'f BTreeMap<String, T>, path: &str) -> Option<&'f String> {
    let below = format!("{path}/");
    let inside = files.range(below.clone()..).next().map(|(file, _)| file).filter(|file| file.starts_with(&below));
    inside.or_else(|| {
        let mut folders = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        folders.find_map(|folder| files.get_key_value(folder)).map(|(file, _)| file)
    })
}

/// A relative path with `/` between its steps; `None` for one that leads elsewhere.
pub(crate) fn plain(path: &str) -> Option<String> {
    let is_step = |step: &str| !step.is_empty() && step != "." && step != ".." && !step.contains(['\0', '\\']);
    (path.len() <= 1024 && path.split('/').all(is_step) && !path.chars().any(char::is_control)).then(|| path.to_owned())
}

/// Bytes as base64; text where the part's format cannot be mistaken for it; `{"text": …}` and `{"base64": …}` always.
fn bytes(part: &str, value: &Value) -> Result<Vec<u8>, String> {
    let decoded = |text: &str| STANDARD.decode(text.trim());
    match value {
        Value::String(text) => match decoded(text) {
            Ok(bytes) => Ok(bytes),
            // Messages and transcripts have characters that base64 does not.
            Err(_) if part != "files" => Ok(text.as_bytes().to_vec()),
            Err(_) => Err("the text is not base64; send base64, or {\"text\": …}".to_owned()),
        },
        Value::Object(members)
            if members.len() == 1 && (members.contains_key("text") || members.contains_key("base64")) =>
        {
            match (members.get("text"), members.get("base64")) {
                (Some(Value::String(text)), _) => Ok(text.as_bytes().to_vec()),
                (_, Some(Value::String(text))) => decoded(text).map_err(|_| "`base64` is not base64".to_owned()),
                _ => Err("`text` and `base64` hold a text".to_owned()),
            }
        }
        // The turns of a call.
        Value::Array(_) | Value::Object(_) if part == "voice" => Ok(value.to_string().into_bytes()),
        _ => Err("expected bytes as base64".to_owned()),
    }
}

fn tables(value: &Value, parts: &mut Parts) -> Result<(), PartsError> {
    let tables = value.as_object().ok_or_else(|| PartsError::at("portal", "expected an object of tables"))?;
    for (name, value) in tables {
        let place = format!("portal.{name}");
        if !is_table(name) {
            return Err(PartsError::at(place, "not the name of a table; give one name without slashes"));
        }
        if let Some(lines) = value.as_str().and_then(ambiguous) {
            parts.keep(&place, &format!("portal/{name}.ndjson"), lines);
            continue;
        }
        let rows = match value {
            Value::Array(rows) => rows.clone(),
            Value::String(text) => records(text)
                .ok_or_else(|| PartsError::at(&place, "the text is not base64 of a JSON array or of one row a line"))?,
            _ => return Err(PartsError::at(place, "expected an array of rows")),
        };
        if let Some(at) = rows.iter().position(|row| !row.is_object()) {
            return Err(PartsError::at(format!("{place}[{at}]"), "a row is an object"));
        }
        parts.portal.insert(name.clone(), rows);
    }
    Ok(())
}

pub(crate) fn is_table(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 200
        && !name.starts_with('.')
        && !name.contains(['/', '\\', '\0'])
        && !name.chars().any(char::is_control)
}

/// The records of a file in base64, one a line, if an object has a member twice. For a check such a file is malformed.
fn ambiguous(text: &str) -> Option<Vec<u8>> {
    let bytes = STANDARD.decode(text.trim()).ok()?;
    let text = std::str::from_utf8(&bytes).ok()?.trim_ascii();
    if survey(text).error.is_some() {
        return text.lines().any(has_repeated).then(|| text.as_bytes().to_vec());
    }
    let line = |record: &str| record.replace(['\n', '\r'], " ") + "\n";
    let lines = || if text.starts_with('[') { items(text).map(line).collect::<String>() } else { line(text) };
    has_repeated(text).then(|| lines().into_bytes())
}

/// The records of a file in base64: a JSON document, or one record a line.
fn records(text: &str) -> Option<Vec<Value>> {
    let bytes = STANDARD.decode(text.trim()).ok()?;
    match candor_json::from_slice::<Value>(&bytes) {
        Ok(Value::Array(records)) => Some(records),
        Ok(record) => Some(vec![record]),
        Err(_) => {
            let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
            lines.map(|line| candor_json::from_slice(line).ok()).collect()
        }
    }
}

/// FHIR resources, those of Bundles one by one, each with an id.
fn resources(value: &Value) -> Result<(Vec<Value>, Vec<Value>), PartsError> {
    let given = match value {
        Value::Array(resources) => resources.clone(),
        Value::Object(_) => vec![value.clone()],
        Value::String(text) => {
            records(text).ok_or_else(|| PartsError::at("fhir", "the text is not base64 of FHIR resources in JSON"))?
        }
        _ => return Err(PartsError::at("fhir", "expected an array of resources")),
    };
    let mut all = Vec::new();
    let mut names = HashMap::new();
    for (at, resource) in given.iter().cloned().enumerate() {
        unpack(resource, &format!("fhir[{at}]"), &mut all, &mut names)?;
    }
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for (number, (place, resource)) in (1..).zip(&mut all) {
        let kind = resource.get("resourceType").and_then(Value::as_str).unwrap_or_default().to_owned();
        let id = match resource.get("id") {
            Some(Value::String(id)) if is_id(id) => id.clone(),
            None => {
                let id = format!("w{number}");
                if let Some(members) = resource.as_object_mut() {
                    members.insert("id".to_owned(), Value::String(id.clone()));
                }
                id
            }
            Some(_) => {
                return Err(PartsError::at(&*place, "`id` is not a FHIR id: up to 64 letters, digits, `-` and `.`"));
            }
        };
        if !taken.insert(format!("{kind}/{id}")) {
            return Err(PartsError::at(&*place, "another resource has the same type and id"));
        }
    }
    let resources = all.into_iter().map(|(_, mut resource)| {
        rename(&mut resource, &names);
        resource
    });
    Ok((given, resources.collect()))
}

fn unpack(
    resource: Value,
    place: &str,
    all: &mut Vec<(String, Value)>,
    names: &mut HashMap<String, String>,
) -> Result<(), PartsError> {
    let kind = resource.get("resourceType").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !types::is_resource(&kind) {
        return Err(PartsError::at(place, "`resourceType` is not the name of a FHIR resource type"));
    }
    if kind != "Bundle" {
        all.push((place.to_owned(), resource));
        return Ok(());
    }
    let entries = resource.get("entry").and_then(Value::as_array).cloned().unwrap_or_default();
    for (at, entry) in entries.into_iter().enumerate() {
        let Some(inner) = entry.get("resource").cloned() else { continue };
        let id = inner.get("id").and_then(Value::as_str).map(str::to_owned);
        let number = all.len() + 1;
        let kind = inner.get("resourceType").and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some(full_url) = entry.get("fullUrl").and_then(Value::as_str).filter(|url| url.starts_with("urn:")) {
            names.insert(full_url.to_owned(), format!("{kind}/{}", id.unwrap_or_else(|| format!("w{number}"))));
        }
        if kind == "Bundle" {
            return Err(PartsError::at(
                format!("{place}.entry[{at}]"),
                "a Bundle within a Bundle; hand in its resources",
            ));
        }
        unpack(inner, &format!("{place}.entry[{at}]"), all, names)?;
    }
    Ok(())
}

/// Puts `Type/id` in the place of the temporary names that references have.
pub(crate) fn rename(value: &mut Value, names: &HashMap<String, String>) {
    if names.is_empty() {
        return;
    }
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("reference")
                && let Some(name) = names.get(reference.as_str())
            {
                reference.clone_from(name);
            }
            members.values_mut().for_each(|value| rename(value, names));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| rename(value, names)),
        _ => {}
    }
}

pub(crate) fn is_id(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
}
