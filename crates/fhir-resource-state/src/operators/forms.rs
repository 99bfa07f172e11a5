//! The same said in another of FHIR's forms: by a text, by a code, by a reference.

use candor_check::operators::{Change, Target};
use candor_check::strict_json::{Edit, append, find, get, items, members, put, remove};
use candor_json::Value;

use super::{CONCEPTS, kind_of, named, one, text};
use crate::dosage::{coded_timing, route_of, timing_of};

const FIRST: [&str; 2] = ["dosageInstruction", "0"];

/// The element of the record that says what it is, where it has codes.
fn concept<'t>(target: &Target<'t>) -> Option<(&'t str, &'static str)> {
    let resource = target.record()?;
    let name = CONCEPTS.into_iter().find(|name| find(resource, &[name, "coding", "0", "code"]).is_some())?;
    Some((resource, name))
}

pub(super) fn text_only(target: &Target<'_>) -> Vec<Change> {
    let Some((resource, name)) = concept(target) else { return Vec::new() };
    let is_said = text(resource, &[name, "text"]).is_some_and(|text| !text.trim().is_empty());
    let edit = remove(resource, &[name, "coding"]).filter(|_| is_said);
    one(target, edit, format!("{name} of {} has its text and no codes.", named(target)))
}

pub(super) fn code_only(target: &Target<'_>) -> Vec<Change> {
    let Some((resource, name)) = concept(target) else { return Vec::new() };
    let Some(codings) = get(resource, &[name, "coding"]) else { return Vec::new() };
    let displays = (0..items(codings).count())
        .filter_map(|at| remove(resource, &[name, "coding", at.to_string().as_str(), "display"]));
    let edits: Vec<Edit> = remove(resource, &[name, "text"]).into_iter().chain(displays).collect();
    match edits.is_empty() {
        true => Vec::new(),
        false => vec![target.change(edits, format!("{name} of {} has its codes and no text.", named(target)))],
    }
}

/// The timing of the first dosage.
fn timing<'t>(target: &Target<'t>) -> Option<(&'t str, Value)> {
    let resource = target.record()?;
    let timing = get(resource, &[&FIRST[..], &["timing"]].concat())?;
    Some((resource, candor_json::from_str(timing).ok()?))
}

pub(super) fn timing_coded(target: &Target<'_>) -> Vec<Change> {
    let Some((resource, timing)) = timing(target) else { return Vec::new() };
    // What else `repeat` says, a code does not.
    let plain = |repeat: &Value| {
        repeat
            .as_object()
            .is_some_and(|all| all.keys().all(|name| matches!(name.as_str(), "frequency" | "period" | "periodUnit")))
    };
    let Some(code) = timing.get("repeat").filter(|repeat| plain(repeat)).and_then(coded_timing) else {
        return Vec::new();
    };
    let coding =
        format!("{{\"system\": \"http://terminology.hl7.org/CodeSystem/v3-GTSAbbreviation\", \"code\": \"{code}\"}}");
    let edit = put(resource, &FIRST, "timing", &format!("{{\"code\": {{\"coding\": [{coding}]}}}}"));
    one(target, edit, format!("The timing of {} is the code {code}.", named(target)))
}

pub(super) fn timing_repeat(target: &Target<'_>) -> Vec<Change> {
    let Some((resource, timing)) = timing(target) else { return Vec::new() };
    let code = timing.get("code").filter(|_| timing.get("repeat").is_none());
    let said = code.and_then(|code| {
        let coding = code.pointer("/coding/0/code").or_else(|| code.get("text"))?;
        timing_of(coding.as_str()?)
    });
    let Some((times, period, unit)) = said else { return Vec::new() };
    let repeat =
        format!("{{\"repeat\": {{\"frequency\": {times}, \"period\": {period}, \"periodUnit\": \"{unit}\"}}}}");
    let edit = put(resource, &FIRST, "timing", &repeat);
    one(target, edit, format!("The timing of {} is {times} in {period} {unit}.", named(target)))
}

pub(super) fn route_text(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let route = get(resource, &[&FIRST[..], &["route"]].concat()).and_then(|route| candor_json::from_str(route).ok());
    let name = route.filter(|route: &Value| route.get("coding").is_some()).and_then(|route| route_of(&route));
    let Some(name) = name else { return Vec::new() };
    let edit = put(resource, &FIRST, "route", &format!("{{\"text\": \"{name}\"}}"));
    one(target, edit, format!("The route of {} is the text `{name}`.", named(target)))
}

/// The dose of the elements in words as well.
pub(super) fn sig_agrees(target: &Target<'_>) -> Vec<Change> {
    let Some(resource) = target.record() else { return Vec::new() };
    let part = |steps: &[&str]| get(resource, &[&FIRST[..], steps].concat());
    let amount = |name: &'static str| part(&["doseAndRate", "0", "doseQuantity", name]);
    let unit = amount("unit").or_else(|| amount("code")).map(|unit| unit.trim_matches('"'));
    let (Some(number), Some(unit), None) = (amount("value"), unit, part(&["text"])) else { return Vec::new() };
    let edit = put(resource, &FIRST, "text", &format!("\"Give {number} {unit}.\""));
    one(target, edit, format!("The text of the dosage of {} says {number} {unit} as well.", named(target)))
}

/// The medication in a resource of its own, within the record.
pub(super) fn medication_reference(target: &Target<'_>) -> Vec<Change> {
    const NAME: &str = "medicationCodeableConcept";
    let Some(resource) = target.record() else { return Vec::new() };
    // What comes first has no comma before it, where the reference is put.
    let is_first = members(resource).next().is_some_and(|(name, _)| name == NAME);
    let Some(concept) = get(resource, &[NAME]).filter(|_| !is_first && !kind_of(resource).is_empty()) else {
        return Vec::new();
    };
    let medication = format!("{{\"resourceType\": \"Medication\", \"id\": \"zz-audit\", \"code\": {concept}}}");
    let reference = "{\"reference\": \"#zz-audit\"}";
    let edits = match append(resource, &["contained"], &medication) {
        Some(append) => vec![Some(append), put(resource, &[], "medicationReference", reference)],
        None => {
            vec![put(resource, &[], "medicationReference", &format!("{reference}, \"contained\": [{medication}]"))]
        }
    };
    let edits: Vec<Edit> = edits.into_iter().chain([remove(resource, &[NAME])]).flatten().collect();
    vec![target.change(edits, format!("The medication of {} is a resource that it refers to.", named(target)))]
}
