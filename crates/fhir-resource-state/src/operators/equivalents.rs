//! Changes that leave the meaning as it was.

use candor_check::operators::{Change, Target};
use candor_check::strict_json::{Edit, append, find, get, items, leaves, put, reversed_members};

use super::{kind_of, named, one, text};

pub(super) fn offset_as_z(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let mut edits = Vec::new();
    for leaf in leaves(resource) {
        let Some(value) = resource.get(leaf.span.clone()).and_then(|text| text.strip_prefix('"')?.strip_suffix('"'))
        else {
            continue;
        };
        // `+00:00` is Z in every calendar: other offsets may be another local day.
        if let Some(instant) = value.strip_suffix("+00:00").filter(|instant| instant.contains('T')) {
            edits.push(Edit { span: leaf.span, with: format!("\"{instant}Z\"") });
        }
    }
    match edits.is_empty() {
        true => Vec::new(),
        false => vec![target.change(edits, format!("Offsets of +00:00 in {} are written Z.", named(target)))],
    }
}

pub(super) fn decimal_form(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    // `value` of a quantity is a decimal; other whole numbers may be integers, which have no other form.
    let whole = leaves(resource).into_iter().filter(|leaf| {
        leaf.path.last().is_some_and(|name| name == "value")
            && resource.get(leaf.span.clone()).is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let edits: Vec<Edit> =
        whole.map(|leaf| Edit { span: leaf.span.end..leaf.span.end, with: ".0".to_owned() }).collect();
    match edits.is_empty() {
        true => Vec::new(),
        false => vec![target.change(edits, format!("Whole decimals of {} are written with .0.", named(target)))],
    }
}

pub(super) fn member_order(target: &Target<'_>) -> Vec<Change> {
    let edit = target.record().and_then(reversed_members);
    one(target, edit, format!("The members of {} stand in the other order.", named(target)))
}

/// The concepts of a resource that have a coding.
fn concepts(resource: &str) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = leaves(resource)
        .into_iter()
        .filter_map(|leaf| {
            let at = leaf.path.iter().position(|step| step == "coding")?;
            Some(leaf.path.get(..at)?.to_vec())
        })
        .collect();
    found.dedup();
    found
}

pub(super) fn extra_coding(target: &Target<'_>) -> Vec<Change> {
    const CODING: &str = r#"{"system": "https://example.org/fhir/CodeSystem/local", "code": "L-1"}"#;
    let Some(resource) = target.record() else { return Vec::new() };
    let one = |concept: Vec<String>| {
        let steps: Vec<&str> = concept.iter().map(String::as_str).chain(["coding"]).collect();
        let sentence = format!("{} of {} has a local coding beside the others.", concept.join("."), named(target));
        Some(target.change([append(resource, &steps, CODING)?], sentence))
    };
    concepts(resource).into_iter().filter_map(one).collect()
}

pub(super) fn display_text(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let one = |concept: Vec<String>| {
        let steps: Vec<&str> = concept.iter().map(String::as_str).chain(["coding", "0"]).collect();
        let edit = put(resource, &steps, "display", "\"As this system calls it\"")?;
        Some(target.change([edit], format!("{} of {} has another display.", concept.join("."), named(target))))
    };
    concepts(resource).into_iter().filter_map(one).collect()
}

/// The relative references of a resource to patients and others: `Patient/7`.
fn references(resource: &str) -> Vec<(std::ops::Range<usize>, &str)> {
    let relative = |leaf: candor_check::strict_json::Leaf| {
        let value = resource.get(leaf.span.clone())?.strip_prefix('"')?.strip_suffix('"')?;
        let (kind, id) = value.split_once('/')?;
        let is_one = leaf.path.last()? == "reference"
            && kind.starts_with(|c: char| c.is_ascii_uppercase())
            && !id.contains('/')
            && !id.is_empty();
        is_one.then_some((leaf.span, value))
    };
    leaves(resource).into_iter().filter_map(relative).collect()
}

pub(super) fn absolute_reference(target: &Target<'_>) -> Vec<Change> {
    let (Some(resource), Some(file)) = (target.record(), target.file()) else { return Vec::new() };
    let own = format!("{}/{}", kind_of(resource), text(resource, &["id"]).unwrap_or_default());
    let base = get(file, &["entry"]).into_iter().flat_map(items).find_map(|entry| {
        let url = text(entry, &["fullUrl"])?;
        url.starts_with("http").then(|| url.strip_suffix(&own))?
    });
    let Some(base) = base else { return Vec::new() };
    let edits: Vec<Edit> = references(resource)
        .into_iter()
        .map(|(span, value)| Edit { span, with: format!("\"{base}{value}\"") })
        .collect();
    match edits.is_empty() {
        true => Vec::new(),
        false => {
            vec![target.change(
                edits,
                format!("The references of {} are absolute, by the base of its fullUrl.", named(target)),
            )]
        }
    }
}

pub(super) fn versioned_reference(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let edits: Vec<Edit> = references(resource)
        .into_iter()
        .map(|(span, value)| Edit { span, with: format!("\"{value}/_history/1\"") })
        .collect();
    match edits.is_empty() {
        true => Vec::new(),
        false => vec![target.change(edits, format!("The references of {} name a version.", named(target)))],
    }
}

pub(super) fn reference_display(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let name =
        ["subject", "patient", "beneficiary"].into_iter().find(|name| find(resource, &[name, "reference"]).is_some());
    let Some(name) = name else { return Vec::new() };
    let edit = put(resource, &[name], "display", "\"As this system calls the patient\"");
    one(target, edit, format!("The {name} of {} has another display.", named(target)))
}

pub(super) fn meta_and_text(target: &Target<'_>) -> Vec<Change> {
    const TEXT: &str = r#"{"status": "generated", "div": "<div xmlns=\"http://www.w3.org/1999/xhtml\">Summary</div>"}"#;
    let Some(resource) = target.record() else { return Vec::new() };
    let edits = match (find(resource, &["meta"]), find(resource, &["text"])) {
        (None, None) => {
            let meta = r#"{"versionId": "7", "lastUpdated": "2026-01-01T00:00:00Z"}"#;
            vec![put(resource, &[], "meta", &format!("{meta}, \"text\": {TEXT}"))]
        }
        (Some(_), _) => vec![put(resource, &["meta"], "versionId", "\"7\"")],
        (None, Some(_)) => vec![put(resource, &[], "text", TEXT)],
    };
    let edits: Vec<Edit> = edits.into_iter().flatten().collect();
    vec![target.change(edits, format!("{} has another version and another summary.", named(target)))]
}

pub(super) fn extra_note(target: &Target<'_>) -> Vec<Change> {
    const NOTED: [&str; 8] = [
        "MedicationRequest",
        "ServiceRequest",
        "Observation",
        "Procedure",
        "Task",
        "CarePlan",
        "DeviceRequest",
        "Immunization",
    ];
    const NOTE: &str = r#"{"text": "Discussed with the patient."}"#;
    let Some(resource) = target.record().filter(|resource| NOTED.contains(&kind_of(resource))) else {
        return Vec::new();
    };
    let edit = match find(resource, &["note"]) {
        Some(_) => append(resource, &["note"], NOTE),
        None => put(resource, &[], "note", &format!("[{NOTE}]")),
    };
    one(target, edit, format!("{} has a note.", named(target)))
}

/// The entries of the resource's own Bundle, or its lines, the other way round.
pub(super) fn entry_order(target: &Target<'_>) -> Vec<Change> {
    let Some(file) = target.file() else { return Vec::new() };
    let (span, reversed) = if target.place.locator.ends_with(".ndjson") {
        let lines: Vec<&str> = file.lines().rev().collect();
        (0..file.len(), lines.join("\n") + "\n")
    } else {
        let Some(entries) = find(file, &["entry"]) else { return Vec::new() };
        let mut all: Vec<&str> = file.get(entries.clone()).into_iter().flat_map(items).collect();
        if all.len() < 2 {
            return Vec::new();
        }
        all.reverse();
        (entries, format!("[{}]", all.join(", ")))
    };
    let sentence = format!("The resources of {} stand in the other order.", target.place.locator);
    vec![target.change_file([Edit { span, with: reversed }], sentence)]
}
