//! Changes that make the work wrong.

use candor_check::operators::{Change, Target};
use candor_check::strict_json::{self, Edit, append, edited, find, get, items, leaves, put};

use super::{CONCEPTS, NOTED, kind_of, named, one, text};

const SUBJECTS: [&str; 3] = ["subject", "patient", "beneficiary"];

/// The opposite of a resource's status, by its type: cancelled, and not ready yet.
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
    let Some((name, reference, other)) = elsewhere(target, resource) else { return Vec::new() };
    let edit = put(resource, &[name], "reference", &format!("\"Patient/{other}\""));
    one(target, edit, format!("The {name} of {} became Patient/{other} (it was {reference}).", named(target)))
}

/// The element that says whom a resource is for, whom it names, and another patient.
fn elsewhere<'r>(target: &Target<'_>, resource: &'r str) -> Option<(&'static str, &'r str, String)> {
    let (name, reference) = SUBJECTS.iter().find_map(|name| Some((*name, text(resource, &[name, "reference"])?)))?;
    let own = reference.rsplit('/').next().unwrap_or(reference);
    let patients = resources(target).filter(|(_, _, other)| kind_of(other) == "Patient");
    let other = patients.filter_map(|(_, _, patient)| text(patient, &["id"])).find(|id| *id != own);
    // Where the sandbox has one patient alone, another one is somebody whom it does not know.
    Some((name, reference, other.map_or_else(|| format!("{own}-other"), str::to_owned)))
}

/// Every resource of the part, with its file and the byte at which it starts there.
fn resources<'t>(target: &Target<'t>) -> impl Iterator<Item = (&'t str, usize, &'t str)> {
    let of_file = |(locator, bytes): &'t (String, std::sync::Arc<[u8]>)| {
        let file = std::str::from_utf8(bytes).unwrap_or_default();
        let lines: Vec<&str> = match locator.ends_with(".ndjson") {
            true => file.lines().map(str::trim).collect(),
            false => vec![file.trim()],
        };
        let sound = lines.into_iter().filter(|line| line.starts_with(['{', '[']) && strict_json::check(line).is_ok());
        let of_line = |line: &'t str| {
            let all: Vec<&str> = match line.starts_with('[') {
                true => items(line).collect(),
                false => {
                    let entries = get(line, &["entry"]).into_iter().flat_map(items);
                    [line].into_iter().chain(entries.filter_map(|entry| get(entry, &["resource"]))).collect()
                }
            };
            all
        };
        let start = |part: &str| (part.as_ptr() as usize).saturating_sub(file.as_ptr() as usize);
        let found: Vec<_> = sound.flat_map(of_line).map(|one| (locator.as_str(), start(one), one)).collect();
        found
    };
    target.files.iter().flat_map(of_file)
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

/// The steps to the codes of what it is: its own, or those of the medication within it that it refers to.
fn codings(resource: &str) -> Option<Vec<String>> {
    let referred = text(resource, &["medicationReference", "reference"]).and_then(|to| to.strip_prefix('#'));
    let within = get(resource, &["contained"]).filter(|_| referred.is_some());
    let at = within.and_then(|all| items(all).position(|one| text(one, &["id"]) == referred));
    let own = || CONCEPTS.into_iter().find(|name| find(resource, &[name, "coding", "0", "code"]).is_some());
    let mut steps = match at {
        Some(at) => vec!["contained".to_owned(), at.to_string(), "code".to_owned()],
        None => vec![own()?.to_owned()],
    };
    steps.push("coding".to_owned());
    Some(steps)
}

pub(super) fn competing_coding(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let Some(steps) = codings(resource) else { return Vec::new() };
    let mut steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let system = text(resource, &[&steps[..], &["0", "system"]].concat()).unwrap_or("http://hl7.org/fhir/sid/ndc");
    let coding = format!("{{\"system\": \"{system}\", \"code\": \"00000-0000-00\"}}");
    let edit = append(resource, &steps, &coding);
    steps.pop();
    let (name, record) = (steps.join("."), named(target));
    one(target, edit, format!("Another code of the same system, 00000-0000-00, was added to {name} of {record}."))
}

pub(super) fn duplicate_resource(target: &Target<'_>) -> Vec<Change> {
    copied(target, "again", Vec::new(), "")
}

/// A copy of the record with another id and some edits, in a file of its own.
fn copied(target: &Target<'_>, suffix: &str, edits: Vec<Edit>, what: &str) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let id = text(resource, &["id"]).unwrap_or("x");
    let Some(own) = put(resource, &[], "id", &format!("\"{id}-{suffix}\"")) else { return Vec::new() };
    let edits: Vec<Edit> = std::iter::once(own).chain(edits).collect();
    let copy = String::from_utf8_lossy(&edited(resource.as_bytes(), &edits)).into_owned();
    let content = match target.place.locator.ends_with(".ndjson") {
        true => copy.lines().collect::<String>() + "\n",
        false => copy,
    };
    vec![target.beside(content, format!("A copy of {} with the id {id}-{suffix} was added{what}.", named(target)))]
}

const ORDERS: [&str; 4] = ["MedicationRequest", "ServiceRequest", "DeviceRequest", "NutritionOrder"];

fn order<'t>(target: &Target<'t>) -> Option<&'t str> {
    target.record().filter(|resource| ORDERS.contains(&kind_of(resource)))
}

/// Another order of the same day: ten times the dose, or another code where there is no dose.
pub(super) fn sibling_order(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = order(target) else { return Vec::new() };
    let doses: Vec<Edit> =
        doses(resource).into_iter().filter_map(|(steps, number)| tenfold(resource, &steps, number)).collect();
    if !doses.is_empty() {
        return copied(target, "sibling", doses, ", of ten times the dose");
    }
    let code = CONCEPTS.iter().find_map(|name| {
        let span = find(resource, &[name, "coding"])?;
        let system = text(resource, &[name, "coding", "0", "system"]).unwrap_or("http://snomed.info/sct");
        let others = find(resource, &[name, "text"]);
        let with = format!("[{{\"system\": \"{system}\", \"code\": \"00000\"}}]");
        let text = others.map(|span| Edit { span, with: "\"Another order\"".to_owned() });
        Some(std::iter::once(Edit { span, with }).chain(text).collect::<Vec<_>>())
    });
    code.map_or_else(Vec::new, |edits| copied(target, "sibling", edits, ", of another code"))
}

pub(super) fn also_other_patient(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = order(target) else { return Vec::new() };
    let Some((name, _, other)) = elsewhere(target, resource) else { return Vec::new() };
    let edit = put(resource, &[name], "reference", &format!("\"Patient/{other}\""));
    copied(target, "other", edit.into_iter().collect(), &format!(" for Patient/{other}"))
}

/// States of orders and appointments that go on.
const OPEN: [&str; 6] = ["active", "booked", "requested", "accepted", "ready", "on-hold"];

/// Another order or appointment of the same person is called off.
pub(super) fn other_record_cancelled(target: &Target<'_>) -> Vec<Change> {
    let subject = |resource: &str| {
        let reference = SUBJECTS.iter().find_map(|name| text(resource, &[name, "reference"]))?;
        Some(reference.rsplit('/').next().unwrap_or(reference).to_owned())
    };
    let Some(resource) = order(target) else { return Vec::new() };
    let (Some(own), id) = (subject(resource), text(resource, &["id"])) else { return Vec::new() };
    let other = resources(target).find_map(|(locator, start, other)| {
        let (kind, cancelled, _) = row(kind_of(other))?;
        let is_other = text(other, &["id"]) != id && subject(other).as_ref() == Some(&own);
        let was = text(other, &["status"]).filter(|was| is_other && OPEN.contains(was))?;
        let edit = put(other, &[], "status", &format!("\"{cancelled}\""))?.shifted(start);
        let sentence = format!(
            "{kind}/{}, another record of the same patient, became {cancelled} (it was {was}).",
            text(other, &["id"]).unwrap_or("?")
        );
        Some(Change::new(locator, vec![edit], sentence))
    });
    other.into_iter().collect()
}

pub(super) fn as_needed(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let steps = ["dosageInstruction", "0"];
    let is_said = ["asNeededBoolean", "asNeededCodeableConcept", "asNeeded", "asNeededFor"]
        .iter()
        .any(|name| get(resource, &[&steps[..], &[name]].concat()).is_some_and(|value| value != "false"));
    let edit = put(resource, &steps, "asNeededBoolean", "true").filter(|_| !is_said);
    one(target, edit, format!("The dosage of {} became as needed.", named(target)))
}

/// The text of a dosage names ten times its dose.
pub(super) fn sig_contradicts(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let place = ["dosageInstruction", "0", "doseAndRate", "0", "doseQuantity"];
    let part = |name: &str| get(resource, &[&place[..], &[name]].concat());
    let tenfold = part("value").and_then(|number| tenfold(resource, &[&place[..], &["value"]].concat(), number));
    let unit = part("unit").or_else(|| part("code")).map(|unit| unit.trim_matches('"'));
    let (Some(Edit { with: number, .. }), Some(unit)) = (tenfold, unit) else { return Vec::new() };
    let edit = put(resource, &["dosageInstruction", "0"], "text", &format!("\"Give {number} {unit}.\""));
    one(target, edit, format!("The text of the dosage of {} says {number} {unit}.", named(target)))
}

pub(super) fn second_dose_and_rate(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let place = ["dosageInstruction", "0", "doseAndRate"];
    let Some(first) = get(resource, &[&place[..], &["0"]].concat()) else { return Vec::new() };
    let steps = ["doseQuantity", "value"];
    let Some(edit) = get(first, &steps).and_then(|number| tenfold(first, &steps, number)) else { return Vec::new() };
    let second = String::from_utf8_lossy(&edited(first.as_bytes(), &[edit])).into_owned();
    let edit = append(resource, &place, &second);
    one(target, edit, format!("A second doseAndRate, of ten times the dose, was added to {}.", named(target)))
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
