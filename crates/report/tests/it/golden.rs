//! Stored results keep their verdict and their score. `tests/golden/README.md` has their commands.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::fs;
use std::path::PathBuf;

use candor_json::Value;
use candor_report::{Format, Style, stored_score};
use candor_scoring::stored::{Limits, StoredRuns, StoredScore};

const STYLE: Style = Style { color: false, width: 100 };

fn golden(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn scored(lines: &str) -> StoredScore {
    let mut runs = StoredRuns::new(Limits::default());
    runs.read("golden", lines.as_bytes(), |_| {}).unwrap();
    runs.finish(|_| {})
}

fn json(score: &StoredScore) -> Value {
    candor_json::from_slice(&stored_score(score, Format::Json, STYLE)).unwrap()
}

/// Fails unless `now` has everything that `then` has. JSON shapes only grow.
fn keeps(place: &str, then: &Value, now: &Value) {
    match (then, now) {
        (Value::Object(then), Value::Object(now)) => {
            for (name, value) in then {
                let now = now.get(name).unwrap_or_else(|| panic!("{place}.{name} is gone"));
                keeps(&format!("{place}.{name}"), value, now);
            }
        }
        _ => assert_eq!(then, now, "{place}"),
    }
}

/// The criterion runs of a stored task run, one a line.
fn lines(task_run: &Value) -> String {
    task_run["criterion_runs"].as_array().unwrap().iter().map(|run| format!("{run}\n")).collect()
}

/// The stored verdict, score, interval, coverage and axes of a task run.
fn keeps_task_run(place: &str, then: &Value) {
    let now = json(&scored(&lines(then)));
    for member in ["verdict", "score", "interval", "coverage", "conclusive"] {
        assert_eq!(now[member], then[member], "{place}: {member}");
    }
    keeps(&format!("{place}: axes"), &then["axes"], &now["axes"]);
}

#[test]
fn stored_criterion_runs_score_as_they_did() {
    for (name, verdict, score) in [
        ("dose", "pass", 0.9),
        ("open", "partial", 0.7),
        ("elr", "partial", 0.201_923_076_923_076_93),
        ("bench", "partial", 0.657_407_407_407_407_4),
        ("hidden", "partial", 0.657_407_407_407_407_4),
    ] {
        let then: Value = candor_json::from_str(&golden(&format!("{name}.score.json"))).unwrap();
        assert_eq!((then["verdict"].as_str(), then["score"].as_f64()), (Some(verdict), Some(score)), "{name}");
        let score = scored(&golden(&format!("{name}.ndjson")));
        keeps(name, &then, &json(&score));
        for format in Format::NAMES.iter().filter_map(|name| Format::named(name)) {
            let text = String::from_utf8(stored_score(&score, format, STYLE)).unwrap();
            assert!(
                text.to_lowercase().contains(verdict) || matches!(format, Format::Junit | Format::Testreport),
                "{name}, {format:?}: {text}"
            );
        }
    }
}

#[test]
fn stored_task_runs_score_as_they_did() {
    for name in ["dose", "open", "elr"] {
        keeps_task_run(name, &candor_json::from_str(&golden(&format!("{name}.json"))).unwrap());
    }
    for name in ["bench", "hidden"] {
        let then: Value = candor_json::from_str(&golden(&format!("{name}.json"))).unwrap();
        let runs = then["task_runs"].as_array().unwrap();
        assert_eq!(runs.len(), 2);
        runs.iter().for_each(|run| keeps_task_run(name, run));
        let all: String = runs
            .iter()
            .flat_map(|run| {
                let id = &run["task_id"];
                run["criterion_runs"].as_array().unwrap().iter().map(move |criterion| {
                    let mut criterion = criterion.clone();
                    criterion["task_id"] = id.clone();
                    format!("{criterion}\n")
                })
            })
            .collect();
        let now = json(&scored(&all));
        for member in ["verdict", "score", "interval", "pass_rate", "confidence", "tasks"] {
            assert_eq!(now[member], then[member], "{name}: {member}");
        }
    }
    let record: Value = candor_json::from_str(&golden("loop.json")).unwrap();
    let attempts = record["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 2);
    for attempt in attempts {
        assert_eq!(attempt["score"], attempt["task_run"]["score"]);
        keeps_task_run("loop", &attempt["task_run"]);
    }
}
