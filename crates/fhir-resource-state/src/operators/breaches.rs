//! The addition of something that a criterion forbids: a resource that its search finds.

use candor_check::operators::{Change, Target};
use candor_check::strict_json::{self, get, items};
use candor_json::{Map, Value, json};

use super::kind_of;

#[derive(Clone, Copy)]
enum Shape {
    /// As it is: `active`.
    Code,
    /// A reference: `Patient/1`; a bare id is a patient's.
    Reference,
    Concept {
        list: bool,
    },
    /// A list of identifiers: `system|value`.
    Identifier,
    /// A date as it is; a prefix before it is left out.
    Date,
}

/// Search parameters by name: the elements of which the type has one, and how a value is written there. Parameters that are not
/// here make no mutant.
const PARAMETERS: &[(&str, &[(&str, Shape)])] = &[
    ("_id", &[("id", Shape::Code)]),
    ("status", &[("status", Shape::Code)]),
    ("intent", &[("intent", Shape::Code)]),
    ("use", &[("use", Shape::Code)]),
    ("patient", &[("patient", Shape::Reference), ("beneficiary", Shape::Reference), ("subject", Shape::Reference)]),
    ("subject", &[("subject", Shape::Reference)]),
    ("encounter", &[("encounter", Shape::Reference)]),
    ("beneficiary", &[("beneficiary", Shape::Reference)]),
    (
        "code",
        &[("medicationCodeableConcept", Shape::Concept { list: false }), ("code", Shape::Concept { list: false })],
    ),
    ("vaccine-code", &[("vaccineCode", Shape::Concept { list: false })]),
    ("category", &[("category", Shape::Concept { list: true })]),
    ("identifier", &[("identifier", Shape::Identifier)]),
    ("authoredon", &[("authoredOn", Shape::Date)]),
    ("authored", &[("authoredOn", Shape::Date)]),
];

/// Types whose patient is `patient`, and those where he is `beneficiary`; the others have `subject`.
const PATIENT: [&str; 7] = [
    "AllergyIntolerance",
    "Claim",
    "ClaimResponse",
    "CoverageEligibilityRequest",
    "CoverageEligibilityResponse",
    "Immunization",
    "ExplanationOfBenefit",
];

/// Types of which `code` is a medication, and those that have neither.
fn element<'e>(kind: &str, elements: &'e [(&'e str, Shape)]) -> Option<(&'e str, Shape)> {
    let named = |name: &str| elements.iter().find(|(element, _)| *element == name).copied();
    let medication =
        matches!(kind, "MedicationRequest" | "MedicationStatement" | "MedicationAdministration" | "MedicationDispense");
    if elements.len() > 1 && named("patient").is_some() {
        return match kind {
            "Coverage" => named("beneficiary"),
            kind if PATIENT.contains(&kind) => named("patient"),
            _ => named("subject"),
        };
    }
    if named("medicationCodeableConcept").is_some() {
        return if medication { named("medicationCodeableConcept") } else { named("code") };
    }
    elements.first().copied()
}

/// A resource that the search of the criterion finds: one of the same type that is there, else one of nothing but what is
/// searched for.
pub(super) fn forbidden_resource(target: &Target<'_>) -> Vec<Change> {
    // Once, and not for each file that is there.
    if target.place.locator != "fhir/" {
        return Vec::new();
    }
    let Some(assertion) = target.forbidden else { return Vec::new() };
    let Some(kind) = assertion.get("resource_type").and_then(Value::as_str) else { return Vec::new() };
    let mut resource = Map::new();
    if let Some(Value::Object(model)) = first_of(target, kind).and_then(|text| candor_json::from_str(text).ok()) {
        resource.extend(model);
    }
    resource.insert("resourceType".to_owned(), json!(kind));
    resource.insert("id".to_owned(), json!("zz-audit"));
    resource.remove("meta");
    resource.remove("text");
    let search = assertion.get("search").and_then(Value::as_object);
    for (parameter, value) in search.into_iter().flatten() {
        let value = value.as_str().or_else(|| value.as_array()?.first()?.as_str());
        let Some(value) = value.and_then(|value| value.split(',').next()) else { return Vec::new() };
        let row = PARAMETERS.iter().find(|(name, _)| *name == parameter.as_str());
        let Some((name, shape)) = row.and_then(|(_, elements)| element(kind, elements)) else { return Vec::new() };
        resource.insert(name.to_owned(), shape.value(value));
    }
    let text = Value::Object(resource).to_string();
    let sentence = format!("A {kind} as the criterion forbids it was added.");
    vec![
        Change::new("fhir/zz-audit.json", Vec::new(), sentence)
            .with_file("fhir/zz-audit.json", Some(text.into_bytes().into())),
    ]
}

impl Shape {
    fn value(self, value: &str) -> Value {
        let (system, code) = value.rsplit_once('|').unwrap_or(("", value));
        let coding = |name: &str| match system {
            "" => json!({name: code}),
            system => json!({"system": system, name: code}),
        };
        match self {
            Self::Code => json!(code),
            Self::Date => json!(value.trim_start_matches(|c: char| c.is_ascii_lowercase())),
            Self::Reference if value.contains('/') => json!({"reference": value}),
            Self::Reference => json!({"reference": format!("Patient/{value}")}),
            Self::Concept { list: false } => json!({"coding": [coding("code")]}),
            Self::Concept { list: true } => json!([{"coding": [coding("code")]}]),
            Self::Identifier => json!([coding("value")]),
        }
    }
}

fn first_of<'t>(target: &Target<'t>, kind: &str) -> Option<&'t str> {
    let of_file = |(_, bytes): &'t (String, std::sync::Arc<[u8]>)| {
        let file = std::str::from_utf8(bytes).ok()?.trim();
        if !file.starts_with('{') || strict_json::check(file).is_err() {
            return None;
        }
        let entries = get(file, &["entry"]).into_iter().flat_map(items).filter_map(|entry| get(entry, &["resource"]));
        [file].into_iter().chain(entries).find(|resource| kind_of(resource) == kind)
    };
    target.files.iter().find_map(of_file)
}
