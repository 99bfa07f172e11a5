//! Results out of the database, as the caller may see them.

use std::collections::{BTreeSet, HashMap};

use candor_json::{Value, json};
use candor_report::model::{BenchmarkRun, CriterionRun, Stored, TaskRun as Result, VerdictCounts};
use candor_report::page::site::Pending;
use candor_scoring::Verdict;

use crate::app::App;
use crate::elision::{sees_rubric, shown};
use crate::error::ApiError;
use crate::store::{Run, TaskRun};
use crate::viewer::Viewer;

/// A benchmark run: what has a result, and what does not.
pub(super) struct Loaded {
    /// Its criterion runs have no evidence.
    pub(super) run: BenchmarkRun,
    pub(super) pending: Vec<Pending>,
    pub(super) is_complete: bool,
}

fn unreadable(what: &str, id: &str, error: impl std::fmt::Display) -> ApiError {
    tracing::error!(id, "a stored {what} cannot be read: {error}");
    ApiError::internal()
}

fn name(task_run: &TaskRun) -> Value {
    let task: Value = candor_json::from_str(&task_run.task).unwrap_or_default();
    task.get("name").cloned().unwrap_or_default()
}

pub(super) fn pending(task_run: &TaskRun) -> Pending {
    Pending {
        id: task_run.id.clone(),
        task_id: task_run.task_id.clone(),
        name: name(task_run).as_str().map(str::to_owned),
        phase: task_run.phase.clone(),
        started_at: task_run.started_at.clone(),
        deadline: task_run.deadline.clone(),
    }
}

/// A task run's result with these criterion runs; `None` where there is no result yet. The rubric is left out for whoever
/// may not see it.
pub(super) fn task_run(
    viewer: &Viewer,
    run: &Run,
    task_run: &TaskRun,
    criteria: Vec<CriterionRun>,
) -> std::result::Result<Option<Result>, ApiError> {
    let Some(record) = &task_run.result else { return Ok(None) };
    let mut record: Value = candor_json::from_str(record).map_err(|error| unreadable("result", &task_run.id, error))?;
    if let Some(members) = record.as_object_mut() {
        members.insert("name".to_owned(), name(task_run));
        members.insert("criterion_runs".to_owned(), json!([]));
    }
    match Stored::of(shown(viewer, run, record)) {
        Ok(Stored::Task(mut result)) => {
            if sees_rubric(viewer, run) {
                if let Some(invalid) = &mut result.outcome.invalid {
                    invalid.criteria = Some(criteria.len() as u64);
                }
                result.criterion_runs = Some(criteria);
            }
            Ok(Some(*result))
        }
        Ok(_) => Err(unreadable("result", &task_run.id, "it is not that of a task run")),
        Err(error) => Err(unreadable("result", &task_run.id, error)),
    }
}

pub(super) async fn criteria(app: &App, task_run: &TaskRun) -> std::result::Result<Vec<CriterionRun>, ApiError> {
    let records = app.store.criterion_runs(&task_run.id).await?;
    let read = |record: &String| CriterionRun::read(record);
    let runs = records.iter().map(read).collect::<std::result::Result<_, _>>();
    runs.map_err(|error| unreadable("criterion run", &task_run.id, error))
}

/// A benchmark run, without evidence.
pub(super) async fn benchmark_run(app: &App, viewer: &Viewer, run: &Run) -> std::result::Result<Loaded, ApiError> {
    let mut criteria: HashMap<String, Vec<CriterionRun>> = HashMap::new();
    if sees_rubric(viewer, run) {
        let mut wrong = None;
        let read = |task_run_id: String, record: &str| match CriterionRun::outline(record) {
            Ok(one) => criteria.entry(task_run_id).or_default().push(one),
            Err(error) => wrong = Some(unreadable("criterion run", &task_run_id, error)),
        };
        app.store.each_criterion_run(&run.id, read).await?;
        if let Some(wrong) = wrong {
            return Err(wrong);
        }
    }
    let (mut results, mut pending) = (Vec::new(), Vec::new());
    for one in app.store.task_runs(&run.id).await? {
        match task_run(viewer, run, &one, criteria.remove(&one.id).unwrap_or_default())? {
            Some(result) => results.push(result),
            None => pending.push(self::pending(&one)),
        }
    }
    let record: Value = match &run.result {
        Some(result) => candor_json::from_str(result).map_err(|error| unreadable("result", &run.id, error))?,
        // A placeholder that no page shows: see `candor_report::page::unfinished`.
        None => json!({"verdict": "fail", "score": 0, "conclusive": false}),
    };
    let mut record = shown(viewer, run, record);
    if let Some(members) = record.as_object_mut() {
        members.insert("benchmark_run_id".to_owned(), json!(run.id));
        members.insert("benchmark_id".to_owned(), json!(run.benchmark_name.as_deref().unwrap_or(&run.benchmark_id)));
        members.insert("task_runs".to_owned(), json!([]));
    }
    let mut loaded = match Stored::of(record) {
        Ok(Stored::Benchmark(loaded)) => *loaded,
        Ok(_) => return Err(unreadable("result", &run.id, "it is not that of a benchmark run")),
        Err(error) => return Err(unreadable("result", &run.id, error)),
    };
    // Of a hidden rubric no statistics are handed on; these are counted from what is seen anyway.
    let count = |is: &dyn Fn(&Result) -> bool| results.iter().filter(|result| is(result)).count() as u64;
    let verdict = |verdict: Verdict| count(&|result| result.outcome.verdict == verdict);
    loaded.outcome.verdicts = VerdictCounts {
        pass: verdict(Verdict::Pass),
        partial: verdict(Verdict::Partial),
        fail: verdict(Verdict::Fail),
        inconclusive: count(&|result| !result.outcome.conclusive),
    };
    let tasks: BTreeSet<&str> = results.iter().filter_map(|result| result.task_id.as_deref()).collect();
    (loaded.outcome.tasks, loaded.outcome.task_runs) = (tasks.len() as u64, results.len() as u64);
    loaded.task_runs = Some(results);
    Ok(Loaded { run: loaded, is_complete: run.result.is_some() && pending.is_empty(), pending })
}
