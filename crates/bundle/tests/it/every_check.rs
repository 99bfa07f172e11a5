//! Every check: its observations round-trip, its runs replay the same, and a changed verdict is found.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::path::Path;

use candor_check::Sandbox;
use candor_check_testkit::{Vector, read_vectors};
use candor_json::{Value, json};

use crate::common::{Changed, bundle, places, replayed, task_of, three, with_changed_run};

fn some(vectors: &[Vector], most: usize) -> Vec<&Vector> {
    let of = |status: &str| -> Vec<&Vector> {
        let all: Vec<&Vector> = vectors.iter().filter(|vector| vector.expected.status == status).collect();
        let step = all.len().div_ceil(most).max(1);
        all.into_iter().step_by(step).collect()
    };
    ["passed", "failed", "unverifiable"].into_iter().flat_map(of).collect()
}

#[test]
fn every_check_replays_the_same_and_a_changed_verdict_is_found() {
    let most = candor_test_size::pick(3, 10_000);
    let mut ran = 0;
    for check in candor_checks::ALL {
        let name = check.meta().assert;
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance").join(name);
        let vectors: Vec<Vector> = read_vectors(&folder).into_iter().map(|(_, vector)| vector).collect();
        let offline: Vec<Vector> = vectors.into_iter().filter(|vector| vector.serves.is_empty()).collect();
        let mut statuses = std::collections::BTreeSet::new();
        for vector in some(&offline, most) {
            let root = tempfile::tempdir().unwrap();
            vector.write_sandbox(root.path());
            let sandbox = Sandbox::open(root.path(), candor_checks::PARTS).unwrap();
            let bytes = bundle(&task_of(std::slice::from_ref(&vector.assertion)), &sandbox, None);
            let replay = replayed(bytes.clone());
            assert!(replay.same && replay.left_out.is_empty(), "{name}: {}: {replay:#?}", vector.id);
            changed_verdict_is_found(name, vector, &bytes);
            statuses.insert(replay.task_run["criterion_runs"][0]["status"].as_str().unwrap().to_owned());
            ran += 1;
        }
        assert!(statuses.len() >= 2, "{name}: {statuses:?}");
    }
    assert!(ran >= 100, "{ran}");
}

#[test]
fn evidence_that_a_limit_cuts_replays_the_same() {
    let status = |id| if id == 200 { "denied" } else { "approved" };
    let rows: Value = (0..400).map(|id| json!({"id": id, "status": status(id)})).collect();
    let sandbox = Sandbox::builder()
        .file("portal/requests.json", rows.to_string().into_bytes())
        .settings("[limits]\nmax_evidence = \"4KiB\"")
        .build(candor_checks::PARTS)
        .unwrap();
    let all = json!({
        "assert": "portal-state-match",
        "correlate_by": {"resource": "requests"},
        "match": "all",
        "assertions": [{"path": "status", "expected": "approved"}],
    });
    // A run of 32 criteria has half of the room for each.
    for (criteria, most) in [(2, 4096), (32, 2048)] {
        let replay = replayed(bundle(&task_of(&vec![all.clone(); criteria]), &sandbox, None));
        assert!(replay.same, "{replay:#?}");
        for run in replay.task_run["criterion_runs"].as_array().unwrap() {
            let results = &run["evidence"]["assertionResults"];
            let quoted = results.as_array().unwrap();
            assert!(results.to_string().len() <= most + 1, "{run}");
            assert!(quoted.iter().any(|one| one["actual"] == "denied"), "{run}");
            let left_out = run["evidence"]["cut"]["assertionResults"].as_u64().unwrap();
            let sentence = format!("The evidence leaves out {left_out} of {} results", left_out + quoted.len() as u64);
            assert!(left_out > 300 && run["details"].as_str().unwrap().contains(&sentence), "{run}");
            assert_eq!((&run["reason"], run["share"].as_f64()), (&json!("field_mismatch"), Some(0.9975)));
        }
    }
}

fn changed_verdict_is_found(name: &str, vector: &Vector, bytes: &[u8]) {
    let changed = with_changed_run(bytes, 0, |run| {
        let passes = run["status"] == "passed";
        run["status"] = json!(if passes { "failed" } else { "passed" });
        run["passed"] = json!(!passes);
        run["score"] = json!(if passes { 0.0 } else { 1.0 });
        run["share"] = run["score"].clone();
        run["reason"] = if passes { json!("field_mismatch") } else { Value::Null };
    });
    let replay = replayed(changed);
    assert!(!replay.same, "{name}: {}", vector.id);
    let places = places(&replay.differences);
    assert!(places.contains(&"task_run.criterion_runs[c0].status"), "{name}: {}: {places:?}", vector.id);
}

#[test]
fn an_observation_of_another_version_is_not_misread() {
    let (task, sandbox) = three();
    let bundle = bundle(&task, &sandbox, None);
    for (from, to, told) in [
        ("\"version\":1", "\"version\":2", "has format 2, this version reads format 1"),
        ("\"place\":", "\"plaice\":", "is not one of `portal-state-match`"),
        ("{\"what\":{\"seen\"", "{\"what\":{\"sean\"", "is not one of"),
    ] {
        let replay = replayed(with_changed_observation(&bundle, from, to));
        assert!(replay.is_not_judged(), "{replay:#?}");
        assert!(replay.not_judged.iter().any(|why| why.contains(told)), "{:?}", replay.not_judged);
    }
}

/// The bundle with a text of the first observation replaced, and the digests made right again.
fn with_changed_observation(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let mut changed = Changed::read(bytes);
    let old = changed.manifest["tasks"][0]["criteria"][0]["observation"].clone();
    let text = String::from_utf8(changed.take(old.as_str().unwrap())).unwrap();
    assert!(text.contains(from), "{text}");
    let new = changed.add(text.replacen(from, to, 1).into_bytes());
    for criterion in changed.manifest["tasks"][0]["criteria"].as_array_mut().unwrap() {
        if criterion["observation"] == old {
            criterion["observation"] = json!(new);
        }
    }
    changed.written()
}
