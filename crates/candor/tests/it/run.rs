//! A run that was stored is read back unchanged, and one that contradicts itself is not.

#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use candor::{Engine, Format, Run, Sandbox, Task};
use candor_json::{Value, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(text: &str) -> Result<Run, String> {
    candor_json::from_str(text).map_err(|error| error.to_string())
}

/// Everything that a program can ask a run, but how it renders.
fn asked(run: &Run) -> String {
    let of_run = format!(
        "{} {} {:?} {:?} {:?} {:?} {:?} {} {:?}",
        run.id(),
        run.task_id(),
        run.verdict(),
        run.score(),
        run.passed_with_failures(),
        run.interval(),
        run.coverage(),
        run.is_conclusive(),
        run.axes().collect::<Vec<_>>()
    );
    let of_criteria = run.criterion_runs().map(|one| {
        format!(
            "{} {} {} {:?} {} {:?} {:?} {:?} {:?} {} {} {}",
            one.id(),
            one.criterion_id(),
            one.label(),
            one.axis(),
            one.is_gate(),
            one.status(),
            one.score(),
            one.share(),
            one.reason(),
            one.details(),
            one.evidence(),
            one.to_json()
        )
    });
    of_criteria.fold(of_run, |all, one| all + "\n" + &one)
}

fn done(example: &str, sandbox: &str) -> Run {
    let folder = root().join("fixtures/examples").join(example);
    let task = Task::read(folder.join("task.yaml")).unwrap();
    candor::blocking::run(&Engine::standard(), &task, &Sandbox::open(folder.join(sandbox)).unwrap()).unwrap()
}

#[test]
fn a_run_is_read_back_with_every_answer() {
    for sandbox in ["done-right", "done-wrong", "nothing-is-here"] {
        let made = match sandbox {
            "nothing-is-here" => {
                let task = Task::read(root().join("fixtures/examples/prior-auth/task.yaml")).unwrap();
                candor::blocking::run(&Engine::standard(), &task, &Sandbox::builder().build().unwrap()).unwrap()
            }
            _ => done("prior-auth", sandbox),
        };
        let back = read(&made.to_json()).unwrap();
        assert_eq!(asked(&made), asked(&back));
        for (made, back) in made.criterion_runs().zip(back.criterion_runs()) {
            for (made, back) in [(made.started_at(), back.started_at()), (made.completed_at(), back.completed_at())] {
                let apart = made.duration_since(back).or_else(|_| back.duration_since(made)).unwrap();
                // Stored times have milliseconds.
                assert!(apart < Duration::from_millis(1), "{apart:?}");
            }
        }
        assert_eq!(made.to_json(), back.to_json());
        for format in Format::NAMES.iter().map(|name| Format::named(name).unwrap()) {
            // What the task is called is not stored.
            let name = "Get a lumbar MRI authorized for John Smith";
            let text = |run: &Run| String::from_utf8(run.render(format)).unwrap().replace(name, run.task_id());
            assert_eq!(text(&made), text(&back), "{format:?}");
        }
        assert_eq!(made.scored().to_json(), back.scored().to_json());
    }
}

/// Scores are fractions, JSON has the nearest float: what is read is the fraction again.
#[test]
fn scores_are_read_back_as_fractions() {
    let fields = |right: usize, of: usize| -> Vec<Value> {
        (0..of).map(|at| json!({"path": format!("f{at}"), "expected": at < right})).collect()
    };
    let row = (0..7).map(|at| (format!("f{at}"), json!(true))).chain([("id".to_owned(), json!(1))]);
    let row = Value::Object(row.collect());
    let sandbox = Sandbox::builder().portal("rows", vec![row]).build().unwrap();
    for (first, second, pass) in [("1", "1", json!("all")), ("0.7", "0.2", json!(0.9)), ("3", "0.333", json!(0.5))] {
        for right in 0..=7 {
            let criterion = |id: &str, weight: &str, right: usize, of: usize| {
                json!({"id": id, "weight": weight.parse::<f64>().unwrap(), "partial_credit": true, "assertion": {
                    "assert": "portal-state-match", "correlate_by": {"resource": "rows", "key": "id", "value": 1},
                    "assertions": fields(right, of),
                }})
            };
            let criteria = [criterion("a", first, right, 7), criterion("b", second, right.min(3), 3)];
            let task = Task::from_value(json!({"id": "t", "pass": pass, "criteria": criteria})).unwrap();
            let made = candor::blocking::run(&Engine::standard(), &task, &sandbox).unwrap();
            let back = read(&made.to_json()).unwrap();
            assert_eq!(
                (back.verdict(), back.score(), back.interval()),
                (made.verdict(), made.score(), made.interval())
            );
            let shares = |run: &Run| run.criterion_runs().map(|one| (one.score(), one.share())).collect::<Vec<_>>();
            assert_eq!(shares(&back), shares(&made));
        }
    }
}

#[test]
fn stored_results_are_read() {
    let golden = |name: &str| std::fs::read_to_string(root().join("tests/golden").join(name)).unwrap();
    for name in ["dose.json", "open.json", "elr.json"] {
        let document: Value = candor_json::from_str(&golden(name)).unwrap();
        let run = read(&golden(name)).unwrap();
        assert_eq!(run.to_json(), document.to_string());
        assert_eq!(run.verdict().as_str(), document["verdict"]);
    }
    for line in golden("loop.json").lines().take(1) {
        assert!(read(line).is_err());
    }
    let record: Value = candor_json::from_str(&golden("loop.json")).unwrap();
    let attempts = record["attempts"].as_array().unwrap();
    assert!(!attempts.is_empty());
    for attempt in attempts {
        let run: Run = candor_json::from_value(attempt["task_run"].clone()).unwrap();
        assert_eq!(run.is_conclusive(), attempt["task_run"]["conclusive"] == true);
    }
    assert!(read(&golden("bench.json")).unwrap_err().starts_with("it is not a task run"));
}

#[test]
fn a_result_that_contradicts_itself_is_not_read() {
    let made = done("prior-auth", "done-wrong");
    let whole: Value = candor_json::from_str(&made.to_json()).unwrap();
    let with = |pointer: &str, value: Value| {
        let mut changed = whole.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        read(&changed.to_string()).unwrap_err()
    };
    let error = with("/verdict", json!("pass"));
    assert_eq!(error, "`verdict` is `pass`, but its criterion runs come to `fail`");
    let score = whole["score"].as_f64().unwrap();
    assert_eq!(with("/score", json!(1.0)), format!("`score` is 1, but its criterion runs come to {score}"));
    assert_eq!(with("/conclusive", json!(false)), "`conclusive` is false, but its criterion runs come to true");
    for (name, value) in [("interval", json!([0.0, 1.0])), ("coverage", json!(0.5)), ("axes", json!({}))] {
        let begin = format!("`{name}` is {value}, but its criterion runs come to ");
        let error = with(&format!("/{name}"), value);
        assert!(error.starts_with(&begin) && !error.ends_with("null"), "{error}");
    }
    let more = |name: &str, value: Value| {
        let mut more = whole.clone();
        more.as_object_mut().unwrap().insert(name.to_owned(), value);
        read(&more.to_string())
    };
    let error = more("passed_with_failures", json!(["a"])).unwrap_err();
    assert_eq!(error, "`passed_with_failures` is [\"a\"], but its criterion runs come to null");
    assert!(more("phase", json!("expired")).unwrap_err().starts_with("its time was over, "));
    let hidden = more("task", json!({"criteria": [{"id": "the-rubric"}]})).unwrap().scored();
    assert_eq!(hidden.to_json(), made.clone().scored().to_json());
    assert!(with("/criterion_runs/0/status", json!("passed")).contains("`passed`"));
    assert!(with("/criterion_runs/0/score", json!(2)).contains("`score`"));
    assert!(with("/criterion_runs/0/weight", json!("1")).contains("`weight`"));
    assert!(
        with("/criterion_runs/0/started_at", json!("today")).contains("`started_at` of criterion `eligibility-active`")
    );
    assert!(
        with("/criterion_runs/1/criterion_id", whole["criterion_runs"][0]["criterion_id"].clone())
            .contains("a second time")
    );
    let not_a_run = "it is not a task run, which has a `task_run_id` and `criterion_runs`";
    assert_eq!(with("/criterion_runs", json!({})), not_a_run);
    assert_eq!(read("{}").unwrap_err(), not_a_run);
    assert_eq!(read("[]").unwrap_err(), not_a_run);
    assert_eq!(read(&whole["criterion_runs"][0].to_string()).unwrap_err(), not_a_run);
    assert!(read(&made.scored().to_json()).unwrap_err().contains("whose criteria are hidden"));
}
