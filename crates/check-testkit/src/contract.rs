//! The contract that the `Check` trait's documentation states, held of one check.

use std::fs;
use std::path::{Path, PathBuf};

use candor_check::{CheckType, Evidence, Failure, PartType, Reason, Sandbox, Status};
use candor_json::{Value, json};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::once::{hurried, run, runtime};
use crate::server::Server;
use crate::vector::{Vector, read_vectors};

/// Holds a check to the contract, over its own vectors:
/// - the same observation judged twice, and judged again after it was stored as JSON, gives the same evidence byte for
///   byte; in small size, of every third vector;
/// - a pass quotes at least one passed result, and every result has its members;
/// - an unknown member is refused and named, and so is an assertion that is not an object;
/// - a missing source is `no_source`;
/// - truncated, emptied and mutated inputs end in an outcome, never in a panic, and a truncated input never turns a
///   failure of the assertion itself into anything else;
/// - the schema names the members that are accepted, and nothing else.
///
/// # Panics
/// When the check breaks it.
pub fn uphold_contract(check: CheckType, parts: &[PartType], folder: impl AsRef<Path>) {
    let vectors: Vec<Vector> = read_vectors(folder.as_ref()).into_iter().map(|(_, vector)| vector).collect();
    assert!(!vectors.is_empty());
    let mut small = Vec::new();
    for (at, vector) in vectors.iter().enumerate() {
        small.extend(is_small(check, vector).then_some(vector));
        if at % candor_test_size::pick(3, 1) == 0 {
            judges_alike(check, parts, vector);
        }
        refuses_what_it_does_not_know(check, vector);
    }
    refuses_what_is_no_assertion(check, parts);
    names_a_missing_source(check, parts, &vectors);
    survives_hostile_input(check, parts, &small);
    publishes_its_members(check, &vectors);
}

fn sandbox_of(parts: &[PartType], vector: &Vector) -> ((tempfile::TempDir, Option<Server>), Sandbox) {
    let root = tempfile::tempdir().unwrap();
    let server = vector.serve();
    vector.write_served(root.path(), server.as_ref());
    let sandbox = Sandbox::open(root.path(), parts).unwrap();
    ((root, server), hurried(&sandbox))
}

fn shown(check: CheckType, evidence: &Evidence) -> String {
    format!(
        "{} {:?} {} {}\n{}",
        evidence.status().name(),
        evidence.reason().map(Reason::name),
        evidence.share(),
        evidence.details(),
        evidence.to_value(check.meta().evidence_key)
    )
}

/// Returns `true` if the vector has an assertion that is valid, and small files.
fn is_small(check: CheckType, vector: &Vector) -> bool {
    const LARGEST: u64 = 64 << 10;
    if check.bind(vector.assertion.clone()).is_err() {
        return false;
    }
    let root = tempfile::tempdir().unwrap();
    vector.write_sandbox(root.path());
    files_below(root.path()).iter().all(|file| fs::metadata(file).unwrap().len() <= LARGEST)
}

fn judges_alike(check: CheckType, parts: &[PartType], vector: &Vector) {
    let Ok(bound) = check.bind(vector.assertion.clone()) else { return };
    let (_kept, sandbox) = sandbox_of(parts, vector);
    let Ok(seen) = runtime().block_on(bound.observe(&sandbox)) else { return };
    let evidence = bound.judge(&seen);
    let first = shown(check, &evidence);
    assert_eq!(first, shown(check, &bound.judge(&seen)), "{}: judging twice differs", vector.id);
    let stored = candor_json::to_string(&seen.to_value()).unwrap();
    let restored = bound.restore(candor_json::from_str(&stored).unwrap());
    let restored = restored.unwrap_or_else(|e| panic!("{}: the stored observation is not read back: {e}", vector.id));
    assert_eq!(first, shown(check, &bound.judge(&restored)), "{}: judging a stored observation differs", vector.id);
    let value = evidence.to_value(check.meta().evidence_key);
    let results = value.get(check.meta().evidence_key).and_then(Value::as_array);
    let results = results.unwrap_or_else(|| panic!("{}: no {}", vector.id, check.meta().evidence_key));
    let passed = |result: &Value| result.get("passed") == Some(&json!(true));
    if evidence.status() == Status::Passed {
        assert!(!results.is_empty() && results.iter().all(passed), "{}: a pass that quotes nothing", vector.id);
        assert!(evidence.reason().is_none(), "{}: a pass with a reason", vector.id);
    } else {
        assert!(evidence.reason().is_some(), "{}: no reason", vector.id);
    }
    assert!(!evidence.details().is_empty(), "{}: no details", vector.id);
    for member in ["candidates", "sources"] {
        assert!(value.get(member).is_some(), "{}: no {member}", vector.id);
    }
}

fn refuses_what_it_does_not_know(check: CheckType, vector: &Vector) {
    let mut assertion = vector.assertion.clone();
    if check.bind(assertion.clone()).is_err() {
        return;
    }
    assertion.as_object_mut().unwrap().insert("surprise".to_owned(), json!(1));
    let Err(error) = check.bind(assertion) else { panic!("{}: an unknown member is accepted", vector.id) };
    assert!(error.to_string().contains("surprise"), "{}: {error}", vector.id);
}

fn refuses_what_is_no_assertion(check: CheckType, parts: &[PartType]) {
    let name = check.meta().assert;
    for assertion in [json!(null), json!([]), json!("x"), json!({}), json!({"assert": 1}), json!({"assert": "other"})] {
        assert!(check.bind(assertion.clone()).is_err(), "{name} accepts {assertion}");
    }
    let root = tempfile::tempdir().unwrap();
    let evidence = run(check, json!({"assert": name, "surprise": 1}), &Sandbox::open(root.path(), parts).unwrap());
    assert_eq!(evidence.reason(), Some(Reason::Failed(Failure::InvalidAssertion)));
}

fn names_a_missing_source(check: CheckType, parts: &[PartType], vectors: &[Vector]) {
    let root = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::open(root.path(), parts).unwrap();
    let valid = vectors.iter().find(|v| check.bind(v.assertion.clone()).is_ok()).unwrap();
    let evidence = run(check, valid.assertion.clone(), &sandbox);
    assert_eq!(evidence.reason().map(Reason::name), Some("no_source"), "{}", evidence.details());
}

fn files_below(root: &Path) -> Vec<PathBuf> {
    let mut open = vec![root.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match fs::symlink_metadata(&path).unwrap() {
                m if m.is_dir() => open.push(path),
                m if m.is_file() && path.file_name().is_none_or(|name| name != "sandbox.toml") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

#[derive(Clone, Debug)]
enum Change {
    Cut(prop::sample::Index),
    Set(prop::sample::Index, u8),
    Insert(prop::sample::Index, Vec<u8>),
    Double(prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        any::<prop::sample::Index>().prop_map(Change::Cut),
        (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(i, b)| Change::Set(i, b)),
        (any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 0..6))
            .prop_map(|(i, b)| Change::Insert(i, b)),
        any::<prop::sample::Index>().prop_map(Change::Double),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let length = bytes.len() + 1;
        match change {
            Change::Cut(index) => bytes.truncate(index.index(length)),
            Change::Set(index, byte) => {
                if let Some(slot) = bytes.get_mut(index.index(length)) {
                    *slot = *byte;
                }
            }
            Change::Insert(index, more) => {
                let at = index.index(length);
                bytes.splice(at..at, more.iter().copied());
            }
            Change::Double(index) => {
                let tail = bytes[index.index(length)..].to_vec();
                bytes.extend(tail.into_iter().take(1 << 16));
            }
        }
    }
    bytes
}

fn survives_hostile_input(check: CheckType, parts: &[PartType], usable: &[&Vector]) {
    let mut runner =
        TestRunner::new(Config { cases: candor_test_size::cases(256), failure_persistence: None, ..Config::default() });
    let strategy = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), prop::collection::vec(change(), 1..4));
    let outcome = runner.run(&strategy, |(which, file, changes)| {
        let vector = usable[which.index(usable.len())];
        let ((root, _server), sandbox) = sandbox_of(parts, vector);
        let files = files_below(root.path());
        if files.is_empty() {
            return Ok(());
        }
        let path = &files[file.index(files.len())];
        fs::write(path, changed(fs::read(path).unwrap(), &changes)).unwrap();
        let evidence = run(check, vector.assertion.clone(), &sandbox);
        prop_assert!(!evidence.details().is_empty());
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{}: {error}", check.meta().assert);
    }
}

fn publishes_its_members(check: CheckType, vectors: &[Vector]) {
    let schema = check.schema();
    let properties = schema.get("properties").and_then(Value::as_object).expect("the schema has properties");
    assert_eq!(schema.get("additionalProperties"), Some(&json!(false)), "the schema allows unknown members");
    for vector in vectors.iter().filter(|v| check.bind(v.assertion.clone()).is_ok()) {
        for member in vector.assertion.as_object().unwrap().keys() {
            assert!(properties.contains_key(member), "{}: the schema has no `{member}`", vector.id);
        }
    }
    let used = |member: &str| {
        vectors.iter().any(|v| v.assertion.get(member).is_some() && check.bind(v.assertion.clone()).is_ok())
    };
    for member in properties.keys() {
        assert!(used(member), "no vector uses the member `{member}` that the schema has");
    }
}
