//! Field comparison against `conformance/fields`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::fs;
use std::path::PathBuf;

use candor_check::compare::{DateForm, Datum, References};
use candor_check::field::{Field, FieldPath, Found, PathProblem, ReadFrom, Selection};
use candor_check::json_path::DottedPath;
use candor_json::Value;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    topic: String,
    #[serde(default)]
    vectors: Vec<Vector>,
    #[serde(default)]
    invalid: Vec<Invalid>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    id: String,
    comment: String,
    data: Option<Value>,
    texts: Option<Vec<String>>,
    field: Value,
    expected: candor_json::Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Invalid {
    comment: String,
    field: Value,
    error: String,
}

/// Text data, whose values the vectors give as they are selected.
struct AnyText;

impl FieldPath for AnyText {
    const DATES: &'static [DateForm] = &[DateForm::X12];

    fn parse(_: &str) -> Result<Self, PathProblem> {
        Ok(Self)
    }
}

fn files() -> Vec<File> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/fields"));
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        candor_json::from_slice(&fs::read(path).unwrap()).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    paths.iter().map(read).collect()
}

fn evaluated(vector: &Vector) -> Value {
    let references = References::default();
    let reading = ReadFrom { locator: "data", span: None, references: &references };
    let result = match (&vector.data, &vector.texts) {
        (Some(data), None) => {
            let field: Field<DottedPath> = candor_json::from_value(vector.field.clone()).expect(&vector.id);
            field.evaluate(field.path.select(data), reading)
        }
        (None, Some(texts)) => {
            let field: Field<AnyText> = candor_json::from_value(vector.field.clone()).expect(&vector.id);
            let found = |text: &String| Found { datum: Datum::Text(text.clone().into()), span: None };
            field.evaluate(Selection::texts(texts.iter().map(found).collect()), reading)
        }
        _ => panic!("{}: a vector has either data or texts", vector.id),
    };
    candor_json::to_value(result).unwrap()
}

#[test]
fn every_vector_comes_out_as_expected() {
    let mut wrong = Vec::new();
    let mut ran = 0;
    for file in files() {
        for vector in &file.vectors {
            ran += 1;
            let result = evaluated(vector);
            let reason = vector.expected.get("reason").cloned().unwrap_or_default();
            let mut expected = vector.expected.clone();
            expected.insert("reason".to_owned(), reason);
            for (member, expected) in expected {
                let found = result.get(&member).cloned().unwrap_or_default();
                if found != expected {
                    wrong.push(format!(
                        "{} / {}: {}: {member} is {found}, expected {expected}",
                        file.topic, vector.id, vector.comment
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ran > 240, "{ran} vectors ran");
}

#[test]
fn every_invalid_assertion_is_refused_with_what_is_wrong() {
    let mut ran = 0;
    for invalid in files().iter().flat_map(|file| &file.invalid) {
        ran += 1;
        match candor_json::from_value::<Field<DottedPath>>(invalid.field.clone()) {
            Ok(_) => panic!("{}: accepted", invalid.comment),
            Err(error) => assert!(error.to_string().contains(&invalid.error), "{}: {error}", invalid.comment),
        }
    }
    assert!(ran > 24, "{ran} ran");
}
