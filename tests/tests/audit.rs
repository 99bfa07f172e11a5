//! What `candor audit` makes of criteria: the vectors of `conformance/audit`, the bundled examples, and hostile input.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use candor_audit::{Grade, Options, Probe, Report, audit};
use candor_check::Sandbox;
use candor_check::field::Location;
use candor_check::operators::{Kind, Operator, Target};
use candor_check::strict_json::edited;
use candor_engine::{Document, Engine, Task};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Vectors {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    id: String,
    files: BTreeMap<String, String>,
    assertion: Value,
    expected: Expected,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Expected {
    grade: String,
    operators: BTreeMap<String, String>,
}

fn engine() -> Engine {
    Engine::new(candor_checks::ALL.iter().copied(), "audit").with_parts(candor_checks::PARTS.iter().copied())
}

fn audited(task: &Task, sandbox: &Sandbox) -> Report {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(audit(&engine(), task, sandbox, candor_checks::OPERATORS, &Options::default())).unwrap()
}

fn task(assertion: &Value) -> Task {
    let text = json!({"id": "t", "criteria": [{"id": "c", "assertion": assertion}]}).to_string();
    Task::from_document(Document::parse(Path::new("t.json"), text.as_bytes()).unwrap()).unwrap()
}

fn vectors() -> Vec<Vector> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/audit");
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read(entry.unwrap().path()).unwrap();
        serde_json::from_slice::<Vectors>(&text).unwrap().vectors
    };
    std::fs::read_dir(folder).unwrap().flat_map(read).collect()
}

fn operators() -> impl Iterator<Item = &'static Operator> {
    candor_checks::OPERATORS.iter().flat_map(|list| list.iter())
}

/// A mutant of an operator lives, or all of them came out as they must.
fn outcomes(report: &Report) -> Expected {
    let survivors = || report.criteria.iter().flat_map(|one| &one.survivors);
    let outcome = |name: &String| {
        let lives = survivors().any(|survivor| survivor.operator == *name);
        let stands = if name.starts_with("leaf/") { "killed" } else { "stands" };
        (name.clone(), if lives { "survives" } else { stands }.to_owned())
    };
    Expected { grade: report.grade.name().to_owned(), operators: report.operators.keys().map(outcome).collect() }
}

#[test]
fn vectors_come_out_as_expected() {
    for vector in vectors() {
        let mut builder = Sandbox::builder();
        for (path, content) in &vector.files {
            builder = match path.as_str() {
                "sandbox.toml" => builder.settings(content.clone()),
                _ => builder.file(path, content.clone().into_bytes()),
            };
        }
        let report = audited(&task(&vector.assertion), &builder.build(candor_checks::PARTS).unwrap());
        assert_eq!(report.criteria[0].status, "passed", "{}: {:?}", vector.id, report.criteria[0].details);
        assert_eq!(outcomes(&report), vector.expected, "{}\n{}", vector.id, report.told());
    }
}

#[test]
fn every_operator_has_its_vectors() {
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for vector in vectors() {
        for (operator, outcome) in vector.expected.operators {
            seen.entry(operator).or_default().insert(outcome);
        }
    }
    let missing: Vec<&str> = operators().map(|one| one.id).filter(|id| !seen.contains_key(*id)).collect();
    assert!(missing.is_empty(), "no vector for {missing:?}");
    let wrong =
        |one: &&Operator| matches!(one.kind, Kind::Equivalence | Kind::Order) && seen[one.id].contains("survives");
    let rejected: Vec<&str> = operators().filter(wrong).map(|one| one.id).collect();
    assert!(rejected.is_empty(), "equivalents that are rejected: {rejected:?}");
    let names: BTreeSet<&str> = operators().map(|one| one.id).collect();
    assert_eq!(names.len(), operators().count(), "two operators have one id");
    assert!(operators().all(|one| one.why.len() > 20 && one.id.contains('/')));
}

#[test]
fn the_bundled_examples_have_no_broken_criterion() {
    let mut harms = 0;
    for name in ["medication-order", "prior-auth", "elr"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/examples").join(name);
        let task = Task::read(&folder.join("task.yaml")).unwrap();
        let sandbox = Sandbox::open(&folder.join("done-right"), candor_checks::PARTS).unwrap();
        let report = audited(&task, &sandbox);
        assert!(report.grade <= Grade::Weak && report.holds(false), "{}", report.told());
        let leaf = report.total(|one| one.leaf);
        assert_eq!(leaf.good, leaf.tried, "{}", report.told());
        let same = report.total(|one| one.equivalence);
        assert_eq!(same.good, same.tried, "{}", report.told());
        harms += report.total(|one| one.harm).tried;
        assert_eq!(audited(&task, &sandbox).to_value(), report.to_value(), "the same inputs give the same report");
    }
    assert!(harms >= 30, "{harms} harms");
}

#[test]
fn a_value_that_two_records_have_is_weak_and_not_broken() {
    let rows = br#"[{"id": "1", "member": "M1", "status": "open"}, {"id": "2", "member": "M1", "status": "open"}]"#;
    let sandbox = Sandbox::builder().file("portal/orders.json", *rows).build(candor_checks::PARTS).unwrap();
    let of = |matching: Value| {
        let mut assertion = json!({"assert": "portal-state-match", "correlate_by": {"resource": "orders", "key": "member", "value": "M1"},
            "assertions": [{"path": "status", "expected": "open"}]});
        if !matching.is_null() {
            assertion["match"] = matching;
        }
        audited(&task(&assertion), &sandbox)
    };
    let any = of(Value::Null);
    assert_eq!(any.criteria[0].status, "passed", "{}", any.told());
    assert_eq!(any.grade, Grade::Weak, "{}", any.told());
    assert!(any.told().contains("Another record holds the criterion up. [leaf/another-record]"), "{}", any.told());
    let all = of(json!("all"));
    assert!(!all.told().contains("another-record"), "{}", all.told());
}

#[test]
fn some_of_the_probes_prove_nothing() {
    let sandbox = Sandbox::builder().file("portal/orders.json", *br#"[{"id": "1", "member": "M1"}]"#);
    let sandbox = sandbox.build(candor_checks::PARTS).unwrap();
    let assertion = json!({"assert": "portal-state-match", "correlate_by": {"resource": "orders", "key": "member", "value": "M1"},
        "count": 1, "assertions": [{"path": "id", "expected": "1"}]});
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let of = |options: Options| {
        runtime.block_on(audit(&engine(), &task(&assertion), &sandbox, candor_checks::OPERATORS, &options)).unwrap()
    };
    let leaves = of(Options { probes: vec![Probe::Leaf], ..Options::default() });
    assert_eq!((leaves.grade, leaves.total(|one| one.leaf).tried > 0), (Grade::Weak, true), "{}", leaves.told());
    assert!(leaves.told().contains("not asked: null, harm, equivalence, influence, order"), "{}", leaves.told());
    let cut = of(Options { mutants: 1, ..Options::default() });
    assert_eq!(cut.grade, Grade::Weak, "{}", cut.told());
    let unread = sandbox.with_baseline(Sandbox::builder().build(candor_checks::PARTS).unwrap());
    let unread = audited(&task(&assertion), &unread);
    assert!(unread.told().contains("c could not be decided on the baseline"), "{}", unread.told());
}

#[test]
fn a_sandbox_of_before_shows_what_passes_without_work() {
    let row = |status: &str| format!(r#"[{{"id": "1", "status": "{status}", "member": "M1"}}]"#).into_bytes();
    let sandbox =
        |status| Sandbox::builder().file("portal/orders.json", row(status)).build(candor_checks::PARTS).unwrap();
    let by = json!({"resource": "orders", "key": "member", "value": "M1"});
    let about = |path: &str, expected: &str| {
        let assertion = json!({"assert": "portal-state-match", "correlate_by": by, "assertions": [{"path": path, "expected": expected}]});
        audited(&task(&assertion), &sandbox("open").with_baseline(sandbox("draft")))
    };
    assert_ne!(about("status", "open").grade, Grade::Broken);
    let vacuous = about("id", "1");
    assert_eq!(vacuous.grade, Grade::Broken);
    assert!(vacuous.told().contains("passes before the work"), "{}", vacuous.told());
}

proptest! {
    /// Whatever stands in a file, and wherever a place leads.
    #[test]
    fn no_operator_panics(
        content in prop_oneof![
            any::<String>(),
            "MSH[|!][\\^~&A-Z0-9|\r\n]{0,80}",
            "ISA[*A-Z0-9 ]{100,103}:~[A-Z0-9*~:]{0,80}",
            "\\[?\\{\"(status|text|id|coding|resourceType)\": ?[\"a-z0-9\\[\\]{}:, ]{0,60}",
        ],
        start in 0_u64..90, length in 0_u64..200, whole in any::<bool>(),
        ending in prop::sample::select(vec!["fhir/a.json", "hl7/a.hl7", "x12/a.edi", "portal/a.json", "portal/a.ndjson", "files/a.csv", "voice/a.json"]),
    ) {
        let files = vec![(ending.to_owned(), Arc::from(content.as_bytes()))];
        let place = if whole { Location::whole(ending) } else { Location::bytes(ending, start..start + length) };
        let forbidden = json!({"path": "a/*", "correlate_by": {"resource": "a", "key": "k", "value": "v"}, "not_contains": ["x", {"text": "y"}]});
        let target = Target { files: &files, place: &place, is_production: true, forbidden: Some(&forbidden) };
        for operator in operators() {
            for change in (operator.apply)(&target) {
                let file = if change.locator == ending { content.as_bytes() } else { &[] };
                let _ = edited(file, &change.edits);
            }
        }
    }
}
