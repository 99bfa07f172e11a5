//! Every search parameter finds a resource that is made for it, and neither another one nor an empty one.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers outside of test functions may panic too"
)]

use candor_fhir_search::table::{Kind, Parameter, components, parameters};
use candor_fhir_search::types::resources;
use candor_fhir_search::{Index, Search};
use candor_json::{Map, Value, json};

use crate::common::Shelf;

/// Of each resource type and parameter, the codes of its required binding.
const CODES: &str = include_str!("../../data/required-codes.tsv");

/// An element on the way to a value.
#[derive(Clone, Debug)]
struct Step {
    name: String,
    /// The type that a choice has here.
    cast: Option<String>,
    /// A member that says which of several elements is meant.
    sibling: Option<(String, String)>,
}

/// The parts of a text between signs that lie in no brackets.
fn apart(text: &str, sign: char) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if c == sign && depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts
}

/// The steps of a path, and the type that its reference has to have. `None` where it is more than a path.
fn steps(path: &str, of: &str) -> Option<(Vec<Step>, Option<String>)> {
    let bare = path.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(path);
    let (bare, cast) = bare.split_once(" as ").map_or((bare, None), |(bare, cast)| (bare, Some(cast)));
    let (mut steps, mut target) = (Vec::<Step>::new(), None);
    let bases = [of, "Resource", "DomainResource"];
    let names = apart(bare, '.');
    let skipped = usize::from(names.first().is_some_and(|first| bases.contains(first)));
    for name in &names[skipped..] {
        let inside = |function: &str| name.strip_prefix(function)?.strip_prefix('(')?.strip_suffix(')');
        if let Some(condition) = inside("where") {
            if let Some(of) = condition.strip_prefix("resolve() is ") {
                target = Some(of.to_owned());
            } else {
                let (member, value) = condition.split_once('=')?;
                steps.last_mut()?.sibling =
                    Some((member.trim().to_owned(), value.trim().trim_matches('\'').to_owned()));
            }
        } else if let Some(of) = inside("as").or_else(|| inside("ofType")) {
            steps.last_mut()?.cast = Some(of.to_owned());
        } else if name.chars().all(char::is_alphanumeric) {
            steps.push(Step { name: (*name).to_owned(), cast: None, sibling: None });
        } else {
            return None;
        }
    }
    if let Some((last, cast)) = steps.last_mut().zip(cast) {
        last.cast = Some(cast.to_owned());
    }
    Some((steps, target))
}

/// A value at the end of a path.
fn at(steps: &[Step], leaf: Value) -> Value {
    steps.iter().rev().fold(leaf, |mut value, step| {
        if let (Some((member, is)), Some(members)) = (&step.sibling, value.as_object_mut()) {
            members.insert(member.clone(), json!(is));
        }
        json!({ named(&step.name, step.cast.as_deref()): value })
    })
}

fn named(name: &str, cast: Option<&str>) -> String {
    let cast = cast.map(|cast| format!("{}{}", cast[..1].to_uppercase(), &cast[1..])).unwrap_or_default();
    format!("{name}{cast}")
}

/// A value of a data type, a search that finds it, and one that does not.
fn value(parameter: &Parameter, of: &str, data_type: &str, target: Option<&str>) -> Option<(Value, String, String)> {
    let plain = |value: Value| Some((value, "abc".to_owned(), "abd".to_owned()));
    let codes = CODES.lines().find_map(|line| line.strip_prefix(&format!("{of}\t{}\t", parameter.code)));
    let mut codes = codes.unwrap_or("abc abd").split(' ');
    let (code, other) = (codes.next()?, codes.next()?);
    let coded = |value: Value| Some((value, code.to_owned(), other.to_owned()));
    let url = "http://a.example/x".to_owned();
    let whole = |value: Value| Some((value, "5".to_owned(), "6".to_owned()));
    let dated = |value: Value| Some((value, "2026-03-04".to_owned(), "2025".to_owned()));
    match (parameter.kind, data_type) {
        (Kind::Token, "boolean") => Some((json!(true), "true".to_owned(), "false".to_owned())),
        (Kind::Token, "code") => coded(json!(code)),
        (Kind::Token, "Coding") => coded(json!({"system": "s:x", "code": code})),
        (Kind::Token, "CodeableConcept") => coded(json!({"coding": [{"system": "s:x", "code": code}]})),
        (Kind::Token, "Identifier" | "ContactPoint") => plain(json!({"value": "abc"})),
        (Kind::Token, "id" | "string" | "uri") | (Kind::String, "string" | "markdown") => plain(json!("abc")),
        (Kind::String, "HumanName") => plain(json!({"family": "abc"})),
        (Kind::String, "Address") => plain(json!({"city": "abc"})),
        (Kind::Reference, "Reference") => {
            let target = target.or(parameter.targets.first().copied()).unwrap_or("Patient");
            Some((json!({"reference": format!("{target}/1")}), format!("{target}/1"), format!("{target}/2")))
        }
        (Kind::Reference | Kind::Uri, "canonical" | "uri" | "url") => {
            Some((json!(url.clone()), url.clone(), format!("{url}y")))
        }
        (Kind::Number, "decimal" | "integer") => whole(json!(5)),
        (Kind::Quantity, "Quantity" | "Age" | "Duration" | "Money") => whole(json!({"value": 5})),
        (Kind::Number | Kind::Quantity, "Range") => whole(json!({"low": {"value": 5}, "high": {"value": 5}})),
        (Kind::Date, "date" | "dateTime") => dated(json!("2026-03-04")),
        (Kind::Date, "instant") => dated(json!("2026-03-04T10:00:00Z")),
        (Kind::Date, "Period") => dated(json!({"start": "2026-03-04", "end": "2026-03-04"})),
        (Kind::Date, "Timing") => dated(json!({"event": ["2026-03-04"]})),
        _ => None,
    }
}

/// Members that hold a value which a parameter selects by one of its paths, with what finds it and what does not.
fn members(parameter: &Parameter, of: &str, path: &str) -> Vec<(Map<String, Value>, String, String)> {
    let Some((steps, target)) = steps(path, of) else { return Vec::new() };
    let mut made = Vec::new();
    for data_type in &parameter.types {
        let Some((leaf, finds, misses)) = value(parameter, of, data_type, target.as_deref()) else { continue };
        let mut forms = vec![steps.clone()];
        if let Some(last) = forms[0].clone().last().filter(|last| last.cast.is_none()) {
            // The element may be a choice.
            let mut choice = steps.clone();
            *choice.last_mut().unwrap() = Step { cast: Some((*data_type).to_owned()), ..last.clone() };
            forms.push(choice);
        }
        for form in forms.iter().filter(|form| !form.is_empty()) {
            made.extend(at(form, leaf.clone()).as_object().map(|of| (of.clone(), finds.clone(), misses.clone())));
        }
    }
    made
}

/// Returns `true` if a search finds the resource with these members, and no other search and no bare resource does.
fn finds(of: &str, code: &str, members: &Map<String, Value>, finds: &str, misses: &[String]) -> bool {
    let bare = json!({"resourceType": of});
    let mut whole = bare.clone();
    whole.as_object_mut().unwrap().extend(members.clone());
    let shelf = Shelf::new([whole, bare]);
    let found = |value: &str| {
        let search = Search::compile(of, [(code, [value])]).unwrap_or_else(|error| panic!("{of}?{code}: {error}"));
        let found = search.find(&shelf, &Index::default());
        assert_eq!(found, shelf.alone(&search), "{of}?{code}={value}");
        found
    };
    let found_it = found(finds) == [0];
    for value in misses {
        assert!(found(value).is_empty(), "{of}?{code}={value} finds what does not have it: {members:?}");
    }
    found_it
}

/// Each alternative of each parameter's expression selects what the search finds. Listed are those that are more than a path.
#[test]
fn every_parameter_finds_what_it_names() {
    let (mut found, mut none) = (0, Vec::new());
    for of in resources() {
        let single = |parameter: &Parameter| {
            // What is compared by sound is refused.
            !matches!(parameter.kind, Kind::Special | Kind::Composite) && parameter.code != "phonetic"
        };
        for parameter in parameters(of).filter(|one| single(one) && !one.expression.is_empty()) {
            for path in apart(parameter.expression, '|') {
                let made = members(&parameter, of, path);
                match made.iter().any(|(all, yes, no)| finds(of, parameter.code, all, yes, std::slice::from_ref(no))) {
                    true => found += 1,
                    false => none.push(format!("{of}?{}: {path}", parameter.code)),
                }
            }
        }
    }
    assert_eq!(none, NOT_A_PATH);
    assert!(found > 2_500, "{found}");
}

/// Both components of each composite parameter decide, each by its own element.
#[test]
fn every_composite_finds_what_it_names() {
    let (mut found, mut none) = (0, Vec::new());
    for of in resources() {
        for composite in parameters(of).filter(|one| one.kind == Kind::Composite) {
            let parts = components(of, composite.code);
            let made: Vec<Vec<_>> = parts
                .iter()
                .map(|(part, expression)| {
                    apart(expression, '|').into_iter().flat_map(|path| members(part, of, path)).collect()
                })
                .collect();
            let [first, second] = made.as_slice() else { continue };
            for base in apart(composite.expression, '|') {
                let (base, _) = steps(base, of).unwrap();
                let is_found = first.iter().any(|(a, yes_a, no_a)| {
                    second.iter().any(|(b, yes_b, no_b)| {
                        let both: Map<String, Value> = a.clone().into_iter().chain(b.clone()).collect();
                        let all = at(&base, Value::Object(both)).as_object().unwrap().clone();
                        let misses = [format!("{yes_a}${no_b}"), format!("{no_a}${yes_b}")];
                        finds(of, composite.code, &all, &format!("{yes_a}${yes_b}"), &misses)
                    })
                });
                match is_found {
                    true => found += 1,
                    false => none.push(format!("{of}?{}", composite.code)),
                }
            }
        }
    }
    assert_eq!(none, [""; 0]);
    assert!(found > 50, "{found}");
}

/// Expressions of other forms, whose parameters have tests of their own.
const NOT_A_PATH: [&str; 4] = [
    "Bundle?composition: Bundle.entry[0].resource",
    "Bundle?message: Bundle.entry[0].resource",
    "Observation?value-string: (Observation.value as CodeableConcept).text",
    "Patient?deceased: Patient.deceased.exists() and Patient.deceased != false",
];
