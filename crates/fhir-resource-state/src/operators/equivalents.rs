//! Changes that leave the meaning unchanged.

use candor_check::operators::{Change, Target};
use candor_check::strict_json::{self, Edit, append, find, get, items, leaves, put, reversed_members};

use super::{NOTED, kind_of, named, one, text};

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

/// The instants of a resource that have an offset, an hour further east or west, where the local day stays the same.
pub(super) fn other_offset(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let one = |leaf: candor_check::strict_json::Leaf| {
        let value = resource.get(leaf.span.clone())?.strip_prefix('"')?.strip_suffix('"')?;
        Some(Edit { span: leaf.span, with: format!("\"{}\"", hour_aside(value)?) })
    };
    let edits: Vec<Edit> = leaves(resource).into_iter().filter_map(one).collect();
    match edits.is_empty() {
        true => Vec::new(),
        false => vec![target.change(edits, format!("The instants of {} have another offset.", named(target)))],
    }
}

/// `2026-11-20T09:05:00-05:00` as `2026-11-20T10:05:00-04:00`, or an hour back where that is the next day.
fn hour_aside(instant: &str) -> Option<String> {
    let (date, rest) = instant.split_once('T').filter(|(date, _)| date.len() == 10)?;
    let (time, offset) = rest.split_at_checked(rest.len().checked_sub(6)?)?;
    let (hours, minutes) = offset.get(1..)?.split_once(':')?;
    let sign: i32 = match offset.get(..1)? {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let (hour, after) = time.split_at_checked(2)?;
    let (hour, hours, minutes): (i32, i32, i32) = (hour.parse().ok()?, hours.parse().ok()?, minutes.parse().ok()?);
    let step = if hour < 23 { 60 } else { -60 };
    let moved = sign * (hours * 60 + minutes) + step;
    if moved.abs() > 14 * 60 || !after.starts_with(':') || !(0..24).contains(&hour) {
        return None;
    }
    let sign = if moved < 0 { '-' } else { '+' };
    Some(format!("{date}T{:02}{after}{sign}{:02}:{:02}", hour + step / 60, moved.abs() / 60, moved.abs() % 60))
}

/// Lists of which the specification says, or which by their nature have, no order.
const UNORDERED: [&str; 7] =
    ["coding", "identifier", "category", "reasonCode", "reasonReference", "participant", "supportingInformation"];

pub(super) fn array_order(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let mut lists: Vec<Vec<String>> = Vec::new();
    for leaf in leaves(resource) {
        let ends = leaf.path.iter().enumerate().filter(|(_, step)| UNORDERED.contains(&step.as_str()));
        lists.extend(ends.filter_map(|(at, _)| Some(leaf.path.get(..=at)?.to_vec())));
    }
    lists.sort();
    lists.dedup();
    let reversed = |list: Vec<String>| {
        let steps: Vec<&str> = list.iter().map(String::as_str).collect();
        let span = find(resource, &steps)?;
        let mut all: Vec<&str> = items(resource.get(span.clone())?).collect();
        if all.len() < 2 {
            return None;
        }
        all.reverse();
        let sentence = format!("{} of {} is in the reverse order.", list.join("."), named(target));
        Some(target.change([Edit { span, with: format!("[{}]", all.join(", ")) }], sentence))
    };
    lists.into_iter().filter_map(reversed).collect()
}

pub(super) fn as_bundle(target: &Target<'_>) -> Vec<Change> {
    let Some(file) = target.file().filter(|_| target.place.locator.ends_with(".json")) else { return Vec::new() };
    let resource = file.trim();
    if !resource.starts_with('{') || matches!(kind_of(resource), "" | "Bundle") || strict_json::check(resource).is_err()
    {
        return Vec::new();
    }
    let with = format!(
        "{{\"resourceType\": \"Bundle\", \"type\": \"collection\", \"entry\": [{{\"resource\": {resource}}}]}}"
    );
    let edit = Edit { span: 0..file.len(), with };
    vec![target.change_file([edit], format!("{} is a Bundle of that one resource.", target.place.locator))]
}

/// A file of one resource, or a collection whose entries name nothing but their resources, a line each.
pub(super) fn as_ndjson(target: &Target<'_>) -> Vec<Change> {
    let Some(file) = target.file() else { return Vec::new() };
    let Some(stem) = target.place.locator.strip_suffix(".json") else { return Vec::new() };
    let whole = file.trim();
    if !whole.starts_with('{') || strict_json::check(whole).is_err() {
        return Vec::new();
    }
    let resources: Vec<&str> = match kind_of(whole) {
        "" => return Vec::new(),
        "Bundle" => {
            // Without its fullUrl a relative reference has no base, and a time stamp, a request or a score would be lost.
            let plain = |entry: &str| strict_json::members(entry).all(|(name, _)| name == "resource");
            let entries: Vec<&str> = get(whole, &["entry"]).into_iter().flat_map(items).collect();
            if text(whole, &["type"]) != Some("collection") || !entries.iter().all(|entry| plain(entry)) {
                return Vec::new();
            }
            entries.into_iter().filter_map(|entry| get(entry, &["resource"])).collect()
        }
        _ => vec![whole],
    };
    if resources.is_empty() {
        return Vec::new();
    }
    // Line ends are between the tokens of JSON alone, never within one.
    let lines: String = resources.iter().map(|one| one.lines().map(str::trim).collect::<String>() + "\n").collect();
    let to = format!("{stem}.ndjson");
    target.renamed(&to, lines.into_bytes(), format!("{} is {to}, a resource a line.", target.place.locator))
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
    one(target, edit, format!("The members of {} are in the reverse order.", named(target)))
}

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
        let sentence =
            format!("{} of {} has a local coding in addition to the others.", concept.join("."), named(target));
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
    let sentence = format!("The resources of {} are in the reverse order.", target.place.locator);
    vec![target.change_file([Edit { span, with: reversed }], sentence)]
}
