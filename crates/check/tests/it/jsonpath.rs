//! JSONPath against the compliance suite of RFC 9535 in `conformance/jsonpath`, all of it, and against `jsonpath-rust`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use candor_check::compare::Datum;
use candor_check::field::FieldPath;
use candor_check::json_path::{DottedPath, JsonPlaces};
use candor_json::Value;
use jsonpath_rust::query::js_path;
use proptest::prelude::*;
use serde_json::Value as Plain;

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, out) } else { out.push(path) }
    }
}

/// The cases of the suite.
fn cases() -> Vec<Value> {
    let mut paths = Vec::new();
    files(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/jsonpath/tests")), &mut paths);
    let of = |path: PathBuf| candor_json::from_slice::<Value>(&fs::read(path).unwrap()).unwrap()["tests"].clone();
    let cases: Vec<Value> = paths.into_iter().flat_map(|path| of(path).as_array().unwrap().clone()).collect();
    assert_eq!(cases.len(), 703);
    cases
}

fn parsed(selector: &str) -> Option<DottedPath> {
    selector.starts_with('$').then(|| DottedPath::parse(selector).ok()).flatten()
}

#[test]
fn nesting_is_limited_and_costs_no_stack() {
    for (open, close, levels) in
        [("(", ")", 1), ("!(", ")", 1), ("@[?", "]", 1), ("(@[?", "])", 2), ("count(@[?", "]) > 1", 2)]
    {
        let nested = |times: usize| format!("$[?{}@.a{}]", open.repeat(times), close.repeat(times));
        let most = 11 / levels;
        assert!(DottedPath::parse(&nested(most)).is_ok(), "{}", nested(most));
        for times in [most + 1, 100_000] {
            let problem = DottedPath::parse(&nested(times)).unwrap_err();
            assert!(problem.message.contains("nest 13 levels deep, expected at most 12"), "{open}: {problem:?}");
        }
    }
    let flat = format!("$['{}', \"{}\"]{}", "[(".repeat(50), "])".repeat(50), "[0]".repeat(50));
    assert!(DottedPath::parse(&flat).is_ok());
}

#[test]
fn every_case_of_the_suite_passes() {
    let mut wrong = Vec::new();
    for case in cases() {
        let selector = case["selector"].as_str().unwrap();
        let parsed = parsed(selector);
        if case["invalid_selector"] == Value::Bool(true) {
            if parsed.is_some() {
                wrong.push(format!("{}: {selector} is accepted", case["name"]));
            }
            continue;
        }
        let Some(parsed) = parsed else {
            wrong.push(format!("{}: {selector} is refused", case["name"]));
            continue;
        };
        let found: Value = parsed.select(&case["document"]).values.iter().map(|f| f.datum.to_value()).collect();
        let allowed = match case.get("results") {
            Some(results) => results.as_array().unwrap().clone(),
            None => vec![case["result"].clone()],
        };
        if !allowed.contains(&found) {
            wrong.push(format!("{}: {selector} gives {found}, expected one of {allowed:?}", case["name"]));
        }
    }
    assert!(wrong.is_empty(), "{} failed:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn values_are_borrowed_from_the_document() {
    let document = candor_json::json!({"a": [1, 2]});
    let selection = DottedPath::parse("$.a[*]").unwrap().select(&document);
    assert!(selection.values.iter().all(|f| matches!(&f.datum, Datum::Json(Cow::Borrowed(_)))));
}

/// The values that a path selects here and by `jsonpath-rust`, each with its place; `None` if it is refused. Members are sorted
/// by name, so that both have the same order.
fn both(path: &str, document: &str) -> [Option<Vec<(String, Plain)>>; 2] {
    let mut plain: Plain = serde_json::from_str(document).unwrap();
    plain.sort_all_objects();
    let document: Value = candor_json::from_str(&plain.to_string()).unwrap();
    let places = JsonPlaces::of(&document);
    let ours = parsed(path).map(|path| {
        let node = |datum: &Datum<'_>| match datum {
            Datum::Json(Cow::Borrowed(value)) => {
                (places.place(value).unwrap(), serde_json::from_str(&value.to_string()).unwrap())
            }
            other => panic!("{other:?} is not of the document"),
        };
        path.select(&document).values.iter().map(|found| node(&found.datum)).collect()
    });
    let place = |normalized: &str| normalized.replace("][", ".").replace(['$', '[', ']', '\''], "");
    let theirs = js_path(path, &plain).ok();
    [ours, theirs.map(|found| found.iter().map(|node| (place(&node.path), node.val.clone())).collect())]
}

/// `tests/peers/jsonpath_differences.txt` has every case that differs, and why.
#[test]
fn a_second_reader_selects_the_same_in_the_suite() {
    let lines = include_str!("../../../../tests/peers/jsonpath_differences.txt").lines();
    let listed: BTreeSet<&str> =
        lines.filter(|line| !line.starts_with('#')).map(|line| line.split_once(": ").unwrap().0).collect();
    let cases = cases();
    let differs = |case: &&Value| {
        // By value: places with brackets in names are written in another way.
        let [ours, theirs] = both(case["selector"].as_str().unwrap(), &case["document"].to_string())
            .map(|found| found.map(|nodes| nodes.into_iter().map(|(_, value)| value).collect::<Vec<_>>()));
        ours != theirs
    };
    let found: BTreeSet<&str> = cases.iter().filter(differs).map(|case| case["name"].as_str().unwrap()).collect();
    assert_eq!(found, listed);
}

/// Several selectors in one bracket only begin a path: `jsonpath-rust` orders them otherwise after several values.
const FIRST: [&str; 4] = ["['a', 'b']", "[1:, 0]", "[*, *]", "[?@.a, ?@.b]"];

const SEGMENTS: [&str; 34] = [
    ".a",
    "['b']",
    ".*",
    "[0]",
    "[-1]",
    "[1:]",
    "[:-1]",
    "[::2]",
    "[::-1]",
    "[2:0:-1]",
    "..a",
    "..*",
    "..[0]",
    "..[?@.a]",
    "[?@.a]",
    "[?!@.a]",
    "[?@.a == 1]",
    "[?@ > 1]",
    "[?@ <= 1]",
    "[?@ < 'ab']",
    "[?@.a != @.b]",
    "[?@.a == @.b]",
    "[?@ == null]",
    "[?@ != true]",
    "[?@['b'] == 'a' || @ == null]",
    "[?@.a && (@.b || !@.c)]",
    "[?$.a == @]",
    "[?@..a]",
    "[?length(@) == 2]",
    "[?count(@.*) > 1]",
    "[?count(@..*) == 3]",
    "[?value(@..a) == 1]",
    "[?match(@, 'a.*')]",
    "[?search(@.a, 'b')]",
];

fn document() -> impl Strategy<Value = String> {
    let leaf =
        prop::sample::select(vec!["null", "true", "false", "-1", "0", "1", "2", "1.5", "\"\"", "\"a\"", "\"ab\""]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 4, |inner| {
        let member = |(name, value): (String, String)| format!("\"{name}\":{value}");
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::btree_map("[abc]", inner, 0..4).prop_map(move |members| {
                format!("{{{}}}", members.into_iter().map(member).collect::<Vec<String>>().join(","))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(512)))]

    #[test]
    fn a_second_reader_selects_the_same_in_any_document(
        document in document(),
        first in prop::option::of(prop::sample::select(FIRST.to_vec())),
        segments in prop::collection::vec(prop::sample::select(SEGMENTS.to_vec()), 1..4),
    ) {
        let path = format!("${}{}", first.unwrap_or_default(), segments.concat());
        prop_assume!(path.matches("..").count() <= 2);
        let [ours, theirs] = both(&path, &document);
        prop_assert_eq!(ours, theirs, "{} of {}", path, document);
    }
}
