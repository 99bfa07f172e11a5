//! Bundles that are replayed as they are, redacted, or by another task.

use std::sync::Arc;

use candor_bundle::{Bundle, Recorded, Terms, of_check};
use candor_check::Sandbox;
use candor_engine::Task;
use candor_json::{Value, json};

use crate::common::{at, bundle, engine, replayed, run, task, task_of, three};
use crate::digest::sha256;

#[test]
fn the_same_input_gives_the_same_bytes_and_replays_the_same() {
    let (task, sandbox) = three();
    let bytes = bundle(&task, &sandbox, None);
    assert_eq!(sha256(&bytes), sha256(&bundle(&task, &sandbox, None)));
    let replay = replayed(bytes);
    assert!(replay.same, "{replay:#?}");
    assert!(replay.left_out.is_empty());
    let statuses: Vec<&str> = replay.task_run["criterion_runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["passed", "failed", "unverifiable"]);
    let engine = engine();
    let run = json!(run(&engine, &task, &sandbox));
    assert_eq!(replay.task_run["verdict"], run["verdict"]);
    assert_eq!(replay.task_run["criterion_runs"][1]["evidence"], run["criterion_runs"][1]["evidence"]);
}

#[test]
fn what_is_left_of_a_redacted_bundle_is_the_same() {
    let (task, sandbox) = three();
    let whole = Bundle::read(bundle(&task, &sandbox, None)).unwrap();
    let redacted = whole.redacted(&["c0".to_owned()]).unwrap();
    let text = String::from_utf8_lossy(&redacted).into_owned();
    assert!(!text.contains("denied, expected"), "the details of c1 are gone");
    let replay = replayed(redacted);
    assert!(replay.same, "{replay:#?}");
    assert_eq!(replay.left_out, ["c1", "c2"]);
    assert_eq!(replay.task_run["criterion_runs"][1]["status"], "failed");
    assert_eq!(replay.task_run["criterion_runs"][1]["evidence"], json!({}));
    let none = Bundle::read(whole.redacted(&["c0".to_owned()]).unwrap()).unwrap();
    let none = replayed(none.redacted(&["c2".to_owned()]).unwrap());
    assert!(none.is_not_judged() && !none.same, "nothing was judged: {none:#?}");
    let error = whole.redacted(&["c9".to_owned()]).unwrap_err().to_string();
    assert_eq!(error, "the bundle has no criterion `c9`; it has c0, c1, c2");
}

#[test]
fn another_task_is_judged_by_the_observations_that_suffice() {
    let (same, sandbox) = three();
    let bundle = Bundle::read(bundle(&same, &sandbox, None)).unwrap();
    let engine = engine();
    let mut other = json!({"id": "other", "pass": "all", "criteria": [
        {"id": "x", "weight": 3, "assertion": same.criteria[0].assertion},
        {"id": "y", "assertion": same.criteria[0].assertion},
        {"id": "z", "assertion": {"assert": "nope"}},
        {"id": "w", "assertion": same.criteria[0].assertion},
    ]});
    other["criteria"][1]["assertion"]["correlate_by"]["value"] = json!("W2");
    other["criteria"][3]["assertion"]["assertions"][0]["opertor"] = json!("gt");
    let other = Arc::try_unwrap(task(other)).unwrap();
    let rejudged = candor_bundle::rejudge(&bundle, &engine, other).unwrap();
    assert_eq!(rejudged.left_out, ["y"]);
    let told: Vec<&str> = rejudged.run.criterion_runs.iter().map(|run| run.status().name()).collect();
    assert_eq!(told, ["passed", "unverifiable", "failed", "failed"]);
    assert_eq!(rejudged.run.invalid_criteria().collect::<Vec<_>>(), ["z", "w"]);
    assert!(rejudged.run.criterion_runs[1].evidence.details().starts_with("The bundle holds no observation"));
}

/// A thousand criteria, each over a resource of its own: what it costs, and how large the bundle is.
#[test]
fn a_bundle_of_a_thousand_criteria_is_at_most_twice_what_was_observed() {
    let count = candor_test_size::pick(100, 1_000);
    let note = |id: usize| (0..300).map(|word| format!("{:x} ", (id + 1) * (word + 7) * 7_919)).collect::<String>();
    let rows: Value = (0..count).map(|id| json!({"id": id, "status": "paid", "note": note(id)})).collect();
    let assertion = |id: usize| {
        json!({
            "assert": "portal-state-match",
            "correlate_by": {"resource": "claims", "key": "id", "value": id},
            "assertions": [{"path": "status", "expected": "paid"}],
        })
    };
    let task = task_of(&(0..count).map(assertion).collect::<Vec<_>>());
    let observed = rows.to_string().into_bytes();
    let size = observed.len();
    let sandbox = Sandbox::builder().file("portal/claims.json", observed).build(candor_checks::PARTS).unwrap();
    let engine = engine();
    let run = run(&engine, &task, &sandbox);
    let terms = Terms { at: at(), agent_id: None, key: None, masked: false };
    let started = std::time::Instant::now();
    let bytes = of_check(&engine, Recorded { task: &task, run: &run, sandbox: &sandbox }, &terms).unwrap();
    let written = started.elapsed();
    let length = bytes.len();
    let replay = replayed(bytes);
    println!(
        "{size} bytes observed, {length} in the bundle; written in {written:?}, read and replayed in {:?}",
        started.elapsed() - written
    );
    assert!(replay.same);
    assert!(length <= 2 * size, "{length} bytes for {size}");
}

#[test]
fn files_that_the_task_names_are_kept_and_so_is_that_one_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let criteria = |name: &str| json!([{"id": "c0", "assertion": {"assert": "hl7-structural", "profile": name}}]);
    let sandbox = Sandbox::builder()
        .file("hl7/a.hl7", *b"MSH|^~\\&|A|B|C|D|20261120||ADT^A01|1|P|2.5.1\r")
        .build(candor_checks::PARTS)
        .unwrap();
    std::fs::write(folder.path().join("broken.yaml"), "profile: [").unwrap();
    for name in ["missing.yaml", "broken.yaml"] {
        let file = folder.path().join("task.json");
        std::fs::write(&file, json!({"id": "t", "criteria": criteria(name)}).to_string()).unwrap();
        let task = Arc::new(Task::read(&file).unwrap());
        let bytes = bundle(&task, &sandbox, None);
        std::fs::remove_file(&file).unwrap();
        let replay = replayed(bytes);
        assert!(replay.same, "{replay:#?}");
        assert_eq!(replay.task_run["criterion_runs"][0]["reason"], "invalid_assertion");
    }
}
