//! fhirpath.js's own cases, over documents that are mostly no FHIR: the language alone.

#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use candor_fhirpath::{Collection, Context, Decimal, Expression, System, Temporal};
use candor_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/fhirpath")
}

fn read(path: &Path) -> Value {
    candor_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A variable's value: an array is a collection.
fn variable(value: &Value) -> Collection<'_> {
    let values = match value {
        Value::Array(values) => values.as_slice(),
        Value::Null => &[],
        one => std::slice::from_ref(one),
    };
    values.iter().flat_map(of_value).collect()
}

fn of_value(value: &Value) -> Collection<'_> {
    match value {
        Value::String(text) => Collection::of_system(System::String(text.as_str().into())),
        other => Collection::of_element(other),
    }
}

fn failure(case: &Value, subject: &Value) -> Option<String> {
    let text = case["expression"].as_str().unwrap();
    let input;
    let document = match case["input"].as_str() {
        Some(name) => {
            let (release, file) = name.split_once('/').unwrap();
            input = read(&folder().join(format!("inputs/fhirpathjs-{release}")).join(file));
            &input
        }
        None => subject,
    };
    let mut context =
        Context::new().with_now(Temporal::date_time("2026-11-20T12:00:00.000Z").unwrap()).with_resource(document);
    for (name, value) in case["variables"].as_object().into_iter().flatten() {
        context = context.with_variable(name, variable(value));
    }
    // `context` is the path of what is evaluated over.
    let focus = match case["context"].as_str() {
        Some(path) => Expression::parse(path).unwrap().evaluate(document, &context).unwrap(),
        None => variable(document),
    };
    let outcome = Expression::parse(text)
        .map_err(|error| error.to_string())
        .and_then(|expression| expression.evaluate_on(focus, &context).map_err(|error| error.to_string()));
    match (outcome, case["error"].as_bool()) {
        (Err(_), Some(true)) => None,
        (Ok(items), Some(true)) => Some(format!("no error but {:?}", shown(&items))),
        (Err(error), _) => Some(error),
        (Ok(items), _) => {
            let expected = case["result"].as_array().unwrap();
            let found = shown(&items);
            let alike = found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| same(a, b));
            (!alike).then(|| format!("expected {expected:?}, found {found:?}"))
        }
    }
}

fn shown(items: &Collection<'_>) -> Vec<Value> {
    items.iter().map(|item| item.json().into_owned()).collect()
}

/// Equal, numbers by value.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => Decimal::parse(a.as_str()) == Decimal::parse(b.as_str()),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

#[test]
fn cases() {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder().join("fhirpathjs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let listed = std::fs::read_to_string(folder().join("expected-failures-fhirpathjs.txt")).unwrap();
    let expected: BTreeSet<&str> = listed
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| line.split_once(" -- ").expect("an expression, two dashes and a reason").0)
        .collect();
    let (mut failed, mut number) = (BTreeMap::new(), 0);
    for file in files {
        let suite = read(&file);
        for case in suite["cases"].as_array().unwrap() {
            number += 1;
            if let Some(why) = failure(case, &suite["subject"]) {
                let name = format!(
                    "{}: {}",
                    file.file_stem().unwrap().to_str().unwrap(),
                    case["expression"].as_str().unwrap().trim()
                );
                failed.insert(name, why);
            }
        }
    }
    assert_eq!(number, 426, "the number of cases");
    let unexpected: Vec<_> = failed.iter().filter(|(name, _)| !expected.contains(name.as_str())).collect();
    assert!(unexpected.is_empty(), "{} cases fail:\n{unexpected:#?}", unexpected.len());
    let stale: Vec<_> = expected.iter().filter(|name| !failed.contains_key(**name)).collect();
    assert!(stale.is_empty(), "these pass and are listed as failing: {stale:?}");
}
