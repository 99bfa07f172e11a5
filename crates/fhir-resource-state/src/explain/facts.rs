//! The few elements of a resource that a person asks for first: status, subject, dates, code.

use candor_check::explain::on_one_line;
use candor_check::strict_json::members;
use candor_fhirpath::definitions::Position;
use candor_json::Value;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(super) struct Fact {
    pub(super) name: String,
    pub(super) value: String,
}

const STATUS: [&str; 7] =
    ["status", "clinicalStatus", "verificationStatus", "lifecycleStatus", "intent", "active", "outcome"];
const SUBJECT: [&str; 6] = ["name", "subject", "patient", "beneficiary", "for", "participant"];
const ABOUT: [&str; 9] = [
    "type",
    "class",
    "category",
    "serviceType",
    "code",
    "vaccineCode",
    "medication",
    "medicationCodeableConcept",
    "medicationReference",
];
const DATES: [&str; 4] = ["date", "dateTime", "instant", "Period"];

/// The most members of a resource that are read for facts.
const MOST_MEMBERS: usize = 1000;

/// The most bytes of an element that is read for facts.
const MOST_BYTES: usize = 64 << 10;

/// The most characters of a fact.
const MOST_CHARACTERS: usize = 300;

/// The most items of a list that a fact names.
const MOST_ITEMS: usize = 5;

/// The facts of the resource whose text is `raw`, in the order of the question.
pub(super) fn facts(resource_type: &str, raw: &str) -> Vec<Fact> {
    let position = Position::of(resource_type);
    let mut found: Vec<(usize, Fact)> = Vec::new();
    for (name, raw) in members(raw).take(MOST_MEMBERS) {
        let Some(order) = order(&position, resource_type, &name).filter(|_| raw.len() <= MOST_BYTES) else { continue };
        let Ok(value) = candor_json::from_str::<Value>(raw) else { continue };
        let said = if name == "participant" { participants(&value) } else { words(&value) };
        if let Some(said) = said.filter(|said| !said.is_empty()) {
            let value = on_one_line(&said, MOST_CHARACTERS);
            found.push((order, Fact { name: name.into_owned(), value }));
        }
    }
    found.sort_by_key(|(order, _)| *order);
    found.into_iter().map(|(_, fact)| fact).collect()
}

/// Which question an element answers; `None` for all others.
fn order(position: &Position, resource_type: &str, name: &str) -> Option<usize> {
    if STATUS.contains(&name) {
        return Some(0);
    }
    if SUBJECT.contains(&name) {
        return Some(1);
    }
    let element = position.member(name).ok();
    let types = element.as_ref().and_then(Position::types).unwrap_or_default();
    if types.iter().any(|of| DATES.contains(&of.name())) {
        return Some(2);
    }
    if ABOUT.contains(&name) {
        return Some(3);
    }
    (resource_type == "Observation" && name.starts_with("value")).then_some(4)
}

fn participants(value: &Value) -> Option<String> {
    let actors = value.as_array()?.iter().filter_map(|one| words(one.get("actor")?)).collect();
    Some(listed(actors))
}

fn listed(all: Vec<String>) -> String {
    let more = all.len().saturating_sub(MOST_ITEMS);
    let named = all.into_iter().take(MOST_ITEMS).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{named} and {more} more") } else { named }
}

/// A value in words; `None` for an element of a shape that has no short form.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => Some(listed(items.iter().filter_map(words).collect())),
        Value::Object(_) => of_object(value),
    }
}

fn of_object(value: &Value) -> Option<String> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    if let Some(coding) = value.get("coding").and_then(Value::as_array) {
        let coded = coding.iter().find_map(coded);
        return match (text("text"), coded) {
            (Some(text), Some((_, code))) => Some(format!("{text} ({code})")),
            (Some(text), None) => Some(text),
            (None, coded) => coded.map(|(display, code)| named(display, code)),
        };
    }
    if let Some(reference) = text("reference") {
        return Some(match text("display") {
            Some(display) => format!("{reference} ({display})"),
            None => reference,
        });
    }
    // A concept or a reference (R5).
    if let Some(inner) = value.get("concept").or_else(|| value.get("reference")) {
        return words(inner);
    }
    if value.get("start").is_some() || value.get("end").is_some() {
        let bound = |name: &str| text(name).unwrap_or_else(|| "?".to_owned());
        return Some(format!("{} to {}", bound("start"), bound("end")));
    }
    if let Some(number) = value.get("value").filter(|number| number.is_number()) {
        let unit = ["unit", "code", "currency"].into_iter().find_map(text);
        return Some(unit.map_or_else(|| number.to_string(), |unit| format!("{number} {unit}")));
    }
    if value.get("family").is_some() || value.get("given").is_some() {
        let given = value.get("given").and_then(Value::as_array).into_iter().flatten();
        let parts = given.filter_map(Value::as_str).map(str::to_owned).chain(text("family"));
        return text("text").or_else(|| Some(parts.collect::<Vec<_>>().join(" ")));
    }
    if let Some((display, code)) = coded(value) {
        return Some(named(display, code));
    }
    text("text").or_else(|| text("display"))
}

/// The display of a coding, and its system with its code.
fn coded(coding: &Value) -> Option<(Option<String>, String)> {
    let text = |name: &str| coding.get(name).and_then(Value::as_str);
    let code = text("code")?;
    let code = text("system").map_or_else(|| code.to_owned(), |system| format!("{system} {code}"));
    Some((text("display").map(str::to_owned), code))
}

fn named(display: Option<String>, code: String) -> String {
    match display {
        Some(display) => format!("{display} ({code})"),
        None => code,
    }
}
