//! The bundled example, run as the README runs it: what passes, what fails and why, and that every green can go red.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candor_check::{CheckType, Sandbox, Status};
use candor_engine::{Engine, Task, TaskRun, lint};
use candor_scoring::Verdict;

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/examples/prior-auth")
}

fn engine() -> Engine {
    Engine::new(candor_checks::ALL.iter().copied(), "candor/test")
}

fn run(sandbox: &Path) -> TaskRun {
    let task = Task::read(&example().join("task.yaml")).unwrap();
    let engine = engine();
    let sandbox = Sandbox::open(sandbox, candor_checks::PARTS).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(engine.run(&engine.plan(Arc::new(task)), &sandbox))
}

fn reasons(run: &TaskRun) -> Vec<(&str, &str)> {
    run.criterion_runs.iter().map(|c| (c.criterion_id.as_str(), c.reason().unwrap_or("passed"))).collect()
}

#[test]
fn done_right_passes_and_quotes_what_earned_it() {
    let run = run(&example().join("done-right"));
    assert!(reasons(&run).iter().all(|(_, reason)| *reason == "passed"), "{:?}", reasons(&run));
    assert_eq!((run.result.verdict, run.result.conclusive), (Verdict::Pass, true));
    assert_eq!(run.result.score.to_f64(), 1.0);
    for criterion in &run.criterion_runs {
        assert!(!criterion.evidence.results.is_empty(), "{} quotes nothing", criterion.criterion_id);
        assert!(criterion.evidence.candidates.nearest.is_none());
    }
}

#[test]
fn done_wrong_fails_for_the_right_reasons() {
    let run = run(&example().join("done-wrong"));
    assert_eq!(
        reasons(&run),
        [
            ("eligibility-active", "field_mismatch"),
            ("claim-submitted", "unsafe_match"),
            ("claim-answered", "field_mismatch"),
            ("portal-approved", "count_mismatch"),
            ("no-draft-left", "count_mismatch"),
            ("order-sent", "field_mismatch"),
            ("order-sent-once", "count_mismatch"),
            ("notes-dropped", "no_candidate"),
            ("notes-listed", "passed"),
            ("nothing-rejected", "count_mismatch"),
            ("identified-first", "phrase_missing"),
            ("approved-on-the-call", "phrase_missing"),
            ("nothing-disclosed", "forbidden_found"),
        ]
    );
    // The gate decides, whatever the score.
    assert_eq!((run.result.verdict, run.result.conclusive), (Verdict::Fail, true));
}

/// The checks of the contents of systems; this example does not have a workspace or a baseline.
fn of_systems() -> impl Iterator<Item = &'static CheckType> {
    candor_checks::ALL.iter().filter(|check| !["workspace", "baseline"].contains(&check.meta().part))
}

#[test]
fn the_task_is_worth_running() {
    let task = Task::read(&example().join("task.yaml")).unwrap();
    assert!(task.criteria.len() >= 10);
    let kinds: BTreeSet<&str> = task.criteria.iter().filter_map(|c| c.assertion["assert"].as_str()).collect();
    assert_eq!(kinds, of_systems().map(|check| check.meta().assert).collect());
    let axes: BTreeSet<&str> = task.criteria.iter().filter_map(|c| c.axis.as_deref()).collect();
    assert_eq!(axes.len(), 2);
    assert_eq!(lint(&engine().plan(Arc::new(task))), []);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, target).unwrap();
        }
    }
}

#[test]
fn no_green_survives_the_loss_of_what_it_rests_on() {
    for check in of_systems() {
        let root = tempfile::tempdir().unwrap();
        copy(&example().join("done-right"), root.path());
        fs::remove_dir_all(root.path().join(check.meta().part)).unwrap();
        let run = run(root.path());
        let task = Task::read(&example().join("task.yaml")).unwrap();
        for (criterion, defined) in run.criterion_runs.iter().zip(&task.criteria) {
            let reads_it = defined.assertion["assert"] == check.meta().assert;
            let expected = if reads_it { Status::Unverifiable } else { Status::Passed };
            assert_eq!(criterion.status(), expected, "{} without {}/", criterion.criterion_id, check.meta().part);
        }
        assert!(!run.result.conclusive || run.result.verdict != Verdict::Fail);
    }
}
