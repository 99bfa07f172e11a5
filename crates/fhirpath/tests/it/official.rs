//! The official suites of FHIR's releases, with the cases that are known to fail named one by one.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "helpers outside of test functions may panic too"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use candor_fhirpath::{Collection, Context, Decimal, Expression, Item, Release, Temporal};
use candor_json::Value;
use roxmltree::{Document, Node};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/fhirpath")
}

/// A case as the suite writes it.
struct Case<'d> {
    node: Node<'d, 'd>,
    name: &'d str,
}

impl<'d> Case<'d> {
    fn attribute(&self, name: &str) -> Option<&'d str> {
        self.node.attribute(name)
    }

    fn children(&self, name: &'static str) -> impl Iterator<Item = Node<'d, 'd>> {
        self.node.children().filter(move |child| child.tag_name().name() == name)
    }
}

/// Inputs by name: JSON, of the suite's release or else of R4.
struct Inputs {
    by_name: BTreeMap<String, Value>,
}

impl Inputs {
    fn load(releases: &[&str]) -> Self {
        let mut by_name = BTreeMap::new();
        for release in releases {
            for entry in std::fs::read_dir(folder().join("inputs").join(release)).unwrap() {
                let path = entry.unwrap().path();
                let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
                by_name.insert(stem, candor_json::from_slice(&std::fs::read(&path).unwrap()).unwrap());
            }
        }
        Self { by_name }
    }

    fn get(&self, file: &str) -> Option<&Value> {
        self.by_name.get(file.split('.').next().unwrap())
    }
}

/// The difference between the outcome of a case and the suite; `None` if they agree.
fn failure(case: &Case<'_>, inputs: &Inputs, release: Release) -> Option<String> {
    let nothing = Value::Object(candor_json::Map::new());
    let input = match case.attribute("inputfile") {
        Some(file) => match inputs.get(file) {
            Some(input) => input,
            None => return Some(format!("no input {file}")),
        },
        None => &nothing,
    };
    let expression = case.children("expression").next().unwrap();
    let text = expression.text().unwrap_or_default();
    let mut context =
        Context::new().with_now(Temporal::date_time("2026-11-20T12:00:00.000Z").unwrap()).with_release(release);
    if !case.attribute("mode").is_some_and(|mode| mode.starts_with("lenient")) {
        context = context.with_strict_elements();
    }
    if case.attribute("checkOrderedFunctions").or(case.attribute("ordered")) == Some("true") {
        context = context.with_strict_order();
    }
    let outcome = Expression::parse(text)
        .map_err(|error| error.to_string())
        .and_then(|expression| expression.evaluate(input, &context).map_err(|error| error.to_string()));
    match (outcome, expression.attribute("invalid")) {
        (Err(_), Some("syntax" | "semantic" | "execution" | "true")) => None,
        (Ok(items), Some(invalid)) if invalid != "false" => Some(format!("no error ({invalid}) but {}", shown(&items))),
        (Err(error), _) => Some(error),
        (Ok(items), _) => unlike(case, &items),
    }
}

fn shown(items: &Collection<'_>) -> String {
    let shown: Vec<String> = items.iter().map(|item| format!("{}:{}", item.type_name(), text_of(item))).collect();
    format!("{shown:?}")
}

fn text_of(item: &Item<'_>) -> String {
    match item.json().as_ref() {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn unlike(case: &Case<'_>, items: &Collection<'_>) -> Option<String> {
    let expected: Vec<(Option<&str>, String)> = case
        .children("output")
        .map(|output| (output.attribute("type"), output.text().unwrap_or_default().to_owned()))
        .collect();
    if case.attribute("predicate") == Some("true") {
        let holds = items.boolean().unwrap_or(!items.is_empty());
        return (expected[0].1 != holds.to_string()).then(|| format!("as a predicate {holds}"));
    }
    let wrong = || Some(format!("expected {expected:?}, found {}", shown(items)));
    if items.len() != expected.len() {
        return wrong();
    }
    let mut open: Vec<&Item<'_>> = items.iter().collect();
    for (kind, text) in &expected {
        let fits = |item: &&Item<'_>| is_as_expected(item, *kind, text);
        let at = if case.attribute("ordered") == Some("false") {
            open.iter().position(fits)
        } else {
            open.first().filter(|item| fits(item)).map(|_| 0)
        };
        match at {
            Some(at) => open.remove(at),
            None => return wrong(),
        };
    }
    None
}

fn is_as_expected(item: &Item<'_>, kind: Option<&str>, text: &str) -> bool {
    let name = item.type_name();
    let same_type = kind.is_none_or(|kind| {
        // The suites write the type of either namespace in the case they like; dates of low precision they call dateTime.
        name.name.eq_ignore_ascii_case(kind) || (kind == "dateTime" && name.name == "Date")
    });
    let plain = text.strip_prefix('@').unwrap_or(text);
    let plain = plain.strip_prefix('T').unwrap_or(plain);
    let found = text_of(item);
    let same_number = || match (Decimal::parse(&found), Decimal::parse(plain)) {
        (Some(found), Some(expected)) => found == expected,
        _ => false,
    };
    same_type && (found == plain || same_number())
}

/// Runs a suite: every case passes but those that `expected` names, and those fail.
fn run(suite: &str, inputs: &[&str], release: Release, number: usize) {
    let inputs = Inputs::load(inputs);
    let text = std::fs::read_to_string(folder().join("suites").join(format!("{suite}.xml"))).unwrap();
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = Document::parse_with_options(&text, options).unwrap();
    let cases: Vec<Case<'_>> = document
        .descendants()
        .filter(|node| node.tag_name().name() == "test")
        .map(|node| Case { node, name: node.attribute("name").unwrap() })
        .collect();
    assert_eq!(cases.len(), number, "the number of cases");
    let listed = std::fs::read_to_string(folder().join(format!("expected-failures-{suite}.txt"))).unwrap();
    let expected: BTreeSet<&str> = listed
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| {
            let (name, reason) = line.split_once(": ").expect("a name, a colon and a reason");
            assert!(reason.len() > 10, "{name} has no reason");
            name
        })
        .collect();
    let mut failed = BTreeMap::new();
    for case in &cases {
        if let Some(why) = failure(case, &inputs, release) {
            failed.insert(case.name, why);
        }
    }
    let unexpected: Vec<_> = failed.iter().filter(|(name, _)| !expected.contains(*name)).collect();
    assert!(unexpected.is_empty(), "{} cases fail:\n{unexpected:#?}", unexpected.len());
    let stale: Vec<_> = expected.iter().filter(|name| !failed.contains_key(*name)).collect();
    assert!(stale.is_empty(), "these pass and are listed as failing: {stale:?}");
}

#[test]
fn r4() {
    run("tests-fhir-r4", &["r4"], Release::R4, 935);
}

#[test]
fn r4b() {
    run("tests-fhir-r4b", &["r4"], Release::R4, 933);
}

#[test]
fn r5() {
    run("tests-fhir-r5", &["r4", "r5"], Release::R5, 1051);
}
