//! JSONPath against the compliance suite of RFC 9535 in `conformance/jsonpath`, all of it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};

use candor_check::compare::Datum;
use candor_check::field::FieldPath;
use candor_check::json_path::DottedPath;
use candor_json::Value;

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, out) } else { out.push(path) }
    }
}

#[test]
fn every_case_of_the_suite_passes() {
    let mut paths = Vec::new();
    files(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/jsonpath/tests")), &mut paths);
    let mut ran = 0;
    let mut wrong = Vec::new();
    for path in paths {
        let file: Value = candor_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for case in file["tests"].as_array().unwrap() {
            ran += 1;
            let name = format!("{}: {}", path.display(), case["name"]);
            let selector = case["selector"].as_str().unwrap();
            let parsed = selector.starts_with('$').then(|| DottedPath::parse(selector).ok()).flatten();
            if case["invalid_selector"] == Value::Bool(true) {
                if parsed.is_some() {
                    wrong.push(format!("{name}: {selector} is accepted"));
                }
                continue;
            }
            let Some(parsed) = parsed else {
                wrong.push(format!("{name}: {selector} is refused"));
                continue;
            };
            let found: Value = parsed.select(&case["document"]).values.iter().map(|f| f.datum.to_value()).collect();
            let allowed = match case.get("results") {
                Some(results) => results.as_array().unwrap().clone(),
                None => vec![case["result"].clone()],
            };
            if !allowed.contains(&found) {
                wrong.push(format!("{name}: {selector} gives {found}, expected one of {allowed:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} failed:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(ran, 703);
}

#[test]
fn values_are_borrowed_from_the_document() {
    let document = candor_json::json!({"a": [1, 2]});
    let selection = DottedPath::parse("$.a[*]").unwrap().select(&document);
    assert!(selection.values.iter().all(|f| matches!(&f.datum, Datum::Json(std::borrow::Cow::Borrowed(_)))));
}
