//! Changes that make the work wrong.

use candor_check::operators::{Change, Target};
use candor_check::strict_json::{self, Edit, append, edited, find, get, items, leaves, put};

use super::{NOTED, kind_of, named, one, text};

/// Elements that say who the work is for.
const SUBJECTS: [&str; 3] = ["subject", "patient", "beneficiary"];

/// What is the opposite of a resource's status, by its type: cancelled, and not ready yet.
const STATUSES: &[(&str, &str, &str)] = &[
    ("MedicationRequest", "cancelled", "draft"),
    ("ServiceRequest", "revoked", "draft"),
    ("DeviceRequest", "revoked", "draft"),
    ("NutritionOrder", "revoked", "draft"),
    ("CommunicationRequest", "revoked", "draft"),
    ("CarePlan", "revoked", "draft"),
    ("Task", "cancelled", "draft"),
    ("Appointment", "cancelled", "proposed"),
    ("Claim", "cancelled", "draft"),
    ("ClaimResponse", "cancelled", "draft"),
    ("CoverageEligibilityRequest", "cancelled", "draft"),
    ("CoverageEligibilityResponse", "cancelled", "draft"),
    ("Coverage", "cancelled", "draft"),
    ("Observation", "cancelled", "registered"),
    ("DiagnosticReport", "cancelled", "registered"),
    ("Procedure", "not-done", "preparation"),
    ("Immunization", "not-done", ""),
    ("Encounter", "cancelled", "planned"),
    ("QuestionnaireResponse", "stopped", "in-progress"),
];

/// Resources of requests, which have `doNotPerform`.
const NOT_PERFORMED: [&str; 4] = ["MedicationRequest", "ServiceRequest", "CommunicationRequest", "DeviceRequest"];

pub(super) fn other_patient(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let found = SUBJECTS.iter().find_map(|name| Some((*name, text(resource, &[name, "reference"])?)));
    let Some((name, reference)) = found else { return Vec::new() };
    let own = reference.rsplit('/').next().unwrap_or(reference);
    let other = target.files.iter().find_map(|(_, bytes)| {
        let file = std::str::from_utf8(bytes).ok()?;
        patients(file).into_iter().find(|id| id != own)
    });
    // Where the sandbox has one patient alone, another one is somebody whom it does not know.
    let other = other.unwrap_or_else(|| format!("{own}-other"));
    let edit = put(resource, &[name], "reference", &format!("\"Patient/{other}\""));
    one(target, edit, format!("The {name} of {} became Patient/{other} (it was {reference}).", named(target)))
}

fn patients(file: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in [file].into_iter().chain(file.lines()) {
        let line = line.trim();
        if !line.starts_with('{') || strict_json::check(line).is_err() {
            continue;
        }
        let entries = get(line, &["entry"]).into_iter().flat_map(items).filter_map(|entry| get(entry, &["resource"]));
        for resource in [line].into_iter().chain(entries) {
            if kind_of(resource) == "Patient" {
                found.extend(text(resource, &["id"]).map(str::to_owned));
            }
        }
    }
    found
}

fn status(target: &Target<'_>, to: impl Fn(&str) -> Option<&'static str>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let Some(to) = to(kind_of(resource)).filter(|to| !to.is_empty() && text(resource, &["status"]) != Some(to)) else {
        return Vec::new();
    };
    let was = text(resource, &["status"]).unwrap_or("not there");
    let edit = put(resource, &[], "status", &format!("\"{to}\""));
    one(target, edit, format!("The status of {} became {to} (it was {was}).", named(target)))
}

fn row(kind: &str) -> Option<&'static (&'static str, &'static str, &'static str)> {
    STATUSES.iter().find(|(name, ..)| *name == kind)
}

pub(super) fn entered_in_error(target: &Target<'_>) -> Vec<Change> {
    status(target, |kind| row(kind).map(|_| "entered-in-error"))
}

pub(super) fn status_cancelled(target: &Target<'_>) -> Vec<Change> {
    status(target, |kind| row(kind).map(|(_, cancelled, _)| *cancelled))
}

pub(super) fn status_draft(target: &Target<'_>) -> Vec<Change> {
    status(target, |kind| row(kind).map(|(.., draft)| *draft))
}

pub(super) fn do_not_perform(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record().filter(|resource| NOT_PERFORMED.contains(&kind_of(resource))) else {
        return Vec::new();
    };
    one(target, put(resource, &[], "doNotPerform", "true"), format!("{} says doNotPerform.", named(target)))
}

pub(super) fn intent_proposal(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record().filter(|resource| text(resource, &["intent"]).is_some()) else {
        return Vec::new();
    };
    let was = text(resource, &["intent"]).unwrap_or_default();
    let edit = put(resource, &[], "intent", "\"proposal\"").filter(|_| was != "proposal");
    one(target, edit, format!("The intent of {} became proposal (it was {was}).", named(target)))
}

pub(super) fn modifier_extension(target: &Target<'_>) -> Vec<Change> {
    const EXTENSION: &str =
        r#"{"url": "https://example.org/fhir/StructureDefinition/withdrawn", "valueBoolean": true}"#;
    let Some(resource) = target.record() else { return Vec::new() };
    let edit = match find(resource, &["modifierExtension"]) {
        Some(_) => append(resource, &["modifierExtension"], EXTENSION),
        None => put(resource, &[], "modifierExtension", &format!("[{EXTENSION}]")),
    };
    one(target, edit, format!("{} has a modifier extension that says it was withdrawn.", named(target)))
}

pub(super) fn second_dose(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let Some(first) = get(resource, &["dosageInstruction", "0"]) else { return Vec::new() };
    let tenfold: Vec<Edit> =
        doses(first).into_iter().filter_map(|(steps, number)| tenfold(first, &steps, number)).collect();
    let second = String::from_utf8_lossy(&edited(first.as_bytes(), &tenfold)).into_owned();
    let edit = append(resource, &["dosageInstruction"], &second);
    one(target, edit, format!("A second dosageInstruction, of ten times the dose, was added to {}.", named(target)))
}

pub(super) fn dose_tenfold(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let one = |(steps, number): (Vec<&str>, &str)| {
        let edit = tenfold(resource, &steps, number)?;
        let sentence = format!("{} of {} became {} (it was {number}).", steps.join("."), named(target), edit.with);
        Some(target.change([edit], sentence))
    };
    doses(resource).into_iter().filter_map(one).collect()
}

pub(super) fn other_unit(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let mut changes = Vec::new();
    for (steps, _) in doses(resource) {
        let Some((_, above)) = steps.split_last() else { continue };
        let unit = |name: &str| text(resource, &[above, &[name]].concat());
        let Some(was) = unit("code").or_else(|| unit("unit")) else { continue };
        let other = if was == "mg" { "g" } else { "mg" };
        let mut edits = Vec::new();
        for name in ["unit", "code"] {
            if unit(name).is_some() {
                edits.extend(put(resource, above, name, &format!("\"{other}\"")));
            }
        }
        let sentence = format!("The unit of {} of {} became {other} (it was {was}).", above.join("."), named(target));
        changes.push(target.change(edits, sentence));
    }
    changes
}

pub(super) fn competing_coding(target: &Target<'_>) -> Vec<Change> {
    const CODING: &str = r#"{"system": "http://hl7.org/fhir/sid/ndc", "code": "00000-0000-00"}"#;
    let Some(resource) = target.record() else { return Vec::new() };
    let name = ["medicationCodeableConcept", "code", "vaccineCode"];
    let Some((name, system)) = name.iter().find_map(|name| {
        find(resource, &[name, "coding", "0", "code"])?;
        Some((*name, text(resource, &[name, "coding", "0", "system"]).unwrap_or("http://hl7.org/fhir/sid/ndc")))
    }) else {
        return Vec::new();
    };
    let coding = CODING.replace("http://hl7.org/fhir/sid/ndc", system);
    let edit = append(resource, &[name, "coding"], &coding);
    one(
        target,
        edit,
        format!("Another code of the same system, 00000-0000-00, was added to {name} of {}.", named(target)),
    )
}

pub(super) fn duplicate_resource(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let id = text(resource, &["id"]).unwrap_or("x");
    let Some(edit) = put(resource, &[], "id", &format!("\"{id}-again\"")) else { return Vec::new() };
    let copy = String::from_utf8_lossy(&edited(resource.as_bytes(), &[edit])).into_owned();
    let content = match target.place.locator.ends_with(".ndjson") {
        true => copy.lines().collect::<String>() + "\n",
        false => copy,
    };
    vec![target.beside(content, format!("A copy of {} with the id {id}-again was added.", named(target)))]
}

pub(super) fn component_contradicts(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record().filter(|resource| kind_of(resource) == "Observation") else {
        return Vec::new();
    };
    let Some(first) = get(resource, &["component", "0"]) else { return Vec::new() };
    let Some(edit) =
        get(first, &["valueQuantity", "value"]).and_then(|number| tenfold(first, &["valueQuantity", "value"], number))
    else {
        return Vec::new();
    };
    let second = String::from_utf8_lossy(&edited(first.as_bytes(), &[edit])).into_owned();
    let edit = append(resource, &["component"], &second);
    one(
        target,
        edit,
        format!("A second component of the same code, with ten times the value, was added to {}.", named(target)),
    )
}

/// A note that takes the work back. What a text means only a person can tell.
pub(super) fn retracting_note(target: &Target<'_>) -> Vec<Change> {
    const NOTE: &str = r#"{"text": "Disregard, entered in error: do not carry this out."}"#;
    let Some(resource) = target.record().filter(|resource| NOTED.contains(&kind_of(resource))) else {
        return Vec::new();
    };
    let edit = match find(resource, &["note"]) {
        Some(_) => append(resource, &["note"], NOTE),
        None => put(resource, &[], "note", &format!("[{NOTE}]")),
    };
    one(target, edit, format!("{} has a note that says to disregard it.", named(target)))
}

/// Elements that say when the work was asked for or done, and not when it was recorded.
const WHEN: [&str; 5] = ["authoredOn", "occurrenceDateTime", "effectiveDateTime", "start", "performedDateTime"];

pub(super) fn day_shifted(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let Some((name, was)) = WHEN.iter().find_map(|name| Some((*name, text(resource, &[name])?))) else {
        return Vec::new();
    };
    let Some(to) = next_month(was) else { return Vec::new() };
    let edit = put(resource, &[], name, &format!("\"{to}\""));
    one(target, edit, format!("{name} of {} became {to} (it was {was}).", named(target)))
}

/// The same day of another month: every month has the days up to 28.
fn next_month(date: &str) -> Option<String> {
    let (month, day) = (date.get(5..7)?.parse::<u32>().ok()?, date.get(8..10)?.parse::<u32>().ok()?);
    let day = if day > 28 { 28 } else { day };
    Some(format!("{}{:02}-{day:02}{}", date.get(..5)?, month % 12 + 1, date.get(10..)?))
}

/// The numbers of quantities in a resource that say how much: below a dosage, a quantity, a value.
fn doses(resource: &str) -> Vec<(Vec<&'static str>, &str)> {
    const PLACES: &[&[&str]] = &[
        &["doseAndRate", "0", "doseQuantity", "value"],
        &["dosageInstruction", "0", "doseAndRate", "0", "doseQuantity", "value"],
        &["quantityQuantity", "value"],
        &["valueQuantity", "value"],
        &["doseQuantity", "value"],
    ];
    PLACES.iter().filter_map(|steps| Some((steps.to_vec(), get(resource, steps)?))).collect()
}

/// Ten times a number, as text: its point one place on.
fn tenfold(resource: &str, steps: &[&str], number: &str) -> Option<Edit> {
    if number.contains(['e', 'E']) || leaves(number).len() != 1 {
        return None;
    }
    let with = match number.split_once('.') {
        None => format!("{number}0"),
        Some((whole, part)) => {
            let (first, rest) = part.split_at_checked(1)?;
            let whole = if whole == "0" && first != "0" { first.to_owned() } else { format!("{whole}{first}") };
            let whole = if whole.len() > 1 { whole.trim_start_matches('0').to_owned() } else { whole };
            let whole = if whole.is_empty() { "0".to_owned() } else { whole };
            if rest.is_empty() { whole } else { format!("{whole}.{rest}") }
        }
    };
    Some(Edit { span: find(resource, steps)?, with })
}
