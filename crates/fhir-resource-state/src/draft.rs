//! How a resource is selected by what identifies it.

use candor_check::draft::{Came, Selection, is_uuid};
use candor_json::{Map, Value, json};

/// Elements that refer to the patient, and the search parameter of each.
const OF_PATIENT: [(&str, &str); 7] = [
    ("subject.reference", "patient"),
    ("patient.reference", "patient"),
    ("for.reference", "patient"),
    ("beneficiary.reference", "beneficiary"),
    ("individual.reference", "patient"),
    ("subject.reference", "subject"),
    ("participant", "patient"),
];

/// Elements that hold the code of what is ordered, given or observed.
const OF_CODE: [&str; 4] = ["code", "medicationCodeableConcept", "vaccineCode", "type"];

/// The best way first: patient and business identifier, patient and code, patient, code, the id of one that was there before.
pub(crate) fn selections(came: &Came<'_>) -> Vec<Selection> {
    let patient = patient(came);
    let number = number(came);
    let code = code(came);
    let mut all = Vec::new();
    let mut select = |search: &[Option<&Term>]| {
        let terms: Vec<&Term> = search.iter().filter_map(|term| *term).collect();
        if terms.len() == search.len() {
            let selection = selection(came, &terms);
            if !all.contains(&selection) {
                all.push(selection);
            }
        }
    };
    for patient in &patient {
        select(&[Some(patient), number.as_ref()]);
        select(&[Some(patient), code.as_ref()]);
    }
    select(&[number.as_ref()]);
    patient.iter().for_each(|patient| select(&[Some(patient)]));
    select(&[code.as_ref()]);
    let own = Term {
        name: "_id",
        value: came.key.to_owned(),
        path: "id".to_owned(),
        what: format!("with the id {}", came.key),
    };
    match came.is_new {
        true => select(&[]),
        false => select(&[Some(&own)]),
    }
    all
}

struct Term {
    name: &'static str,
    value: String,
    path: String,
    what: String,
}

fn selection(came: &Came<'_>, terms: &[&Term]) -> Selection {
    let search: Map<String, Value> =
        terms.iter().map(|term| (term.name.to_owned(), json!(escaped(&term.value)))).collect();
    let words: Vec<&str> = terms.iter().map(|term| term.what.as_str()).collect();
    let article = if came.collection.starts_with(['A', 'E', 'I', 'O', 'U']) { "An" } else { "A" };
    let what = format!("{article} {} {}", came.collection, words.join(" "));
    let by: Vec<&str> = ["resourceType"].into_iter().chain(terms.iter().map(|term| term.path.as_str())).collect();
    let assertion = json!({"assert": "fhir-resource-state", "resource_type": came.collection, "search": search});
    Selection::new(assertion, "fields", what.trim_end(), &by)
}

/// A search value: what has a meaning of its own in it is escaped, the bar of a token aside.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace(',', "\\,").replace('$', "\\$")
}

fn patient(came: &Came<'_>) -> Vec<Term> {
    let is_patient = |reference: &str| reference.split('/').rev().nth(1) == Some("Patient");
    let term = |(element, name): &(&str, &'static str)| {
        let named = |(path, _): &&(String, Value)| match *element {
            "participant" => path.starts_with("participant.") && path.ends_with(".actor.reference"),
            element => path == element,
        };
        let (path, value) =
            came.fields.iter().filter(named).find(|(_, value)| value.as_str().is_some_and(is_patient))?;
        let value = value.as_str()?.to_owned();
        Some(Term { name, what: format!("for {value}"), value, path: path.clone() })
    };
    OF_PATIENT.iter().filter_map(term).collect()
}

/// A business identifier: an order number, a medical record number.
fn number(came: &Came<'_>) -> Option<Term> {
    let value =
        came.text("identifier.0.value").or_else(|| came.text("identifier.value")).filter(|value| !is_uuid(value))?;
    let system = came.text("identifier.0.system").or_else(|| came.text("identifier.system"));
    let token = system.map_or_else(|| value.clone(), |system| format!("{system}|{value}"));
    Some(Term {
        name: "identifier",
        value: token,
        path: "identifier".to_owned(),
        what: format!("with the identifier {value}"),
    })
}

fn code(came: &Came<'_>) -> Option<Term> {
    OF_CODE.iter().find_map(|element| {
        let code = came.text(&format!("{element}.coding.0.code"))?;
        let system = came.text(&format!("{element}.coding.0.system"));
        let words = came.text(&format!("{element}.text")).or_else(|| came.text(&format!("{element}.coding.0.display")));
        let token = system.map_or_else(|| code.clone(), |system| format!("{system}|{code}"));
        let what =
            words.map_or_else(|| format!("with the code {code}"), |words| format!("with the code {code} ({words})"));
        let name = if *element == "type" {
            "type"
        } else if *element == "vaccineCode" {
            "vaccine-code"
        } else {
            "code"
        };
        Some(Term { name, value: token, path: format!("{element}.coding.0"), what })
    })
}
