//! From `complete` to a result: freeze, grade in the background, store the result whole.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use candor::check::Sandbox;
use candor_engine::{Task, TaskRun as EngineRun};
use candor_json::{Map, Value, json};
use candor_scoring::stored::{Limits, StoredRuns};
use candor_scoring::{Axes, BenchmarkScorer, Fraction, Interval, TaskResult, TaskScorer, Verdict};
use futures_util::FutureExt as _;
use tokio::sync::Notify;

use crate::app::{App, agent_tables, read_task};
use crate::error::ApiError;
use crate::ids::now;
use crate::store::{Graded, TaskRun};
use crate::world::{Authors, materialised};

/// How long a server may be silent before another one grades in its place.
pub(crate) const LEASE: Duration = Duration::from_secs(15);

/// Freezes a task run and begins to grade it, unless that was done before. With the deadline over it expires.
pub(crate) async fn begin(app: &Arc<App>, task_run_id: &str) -> Result<(), ApiError> {
    if app.store.freeze(task_run_id, &app.owner, &now(), LEASE).await? {
        grade_in_background(app, task_run_id);
    }
    Ok(())
}

pub(crate) fn grade_in_background(app: &Arc<App>, task_run_id: &str) {
    let (app, id) = (Arc::clone(app), task_run_id.to_owned());
    app.forget(&id);
    app.grading.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone());
    tokio::spawn(async move {
        // The lease is renewed for as long as this server lives, so that no other server grades what waits here.
        let mut wait = Duration::from_millis(200);
        while let Err(error) =
            AssertUnwindSafe(grade(&app, &id)).catch_unwind().await.unwrap_or_else(|_| Err(ApiError::internal()))
        {
            tracing::error!(task_run = %id, code = error.code, "a grading failed and is tried again");
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(Duration::from_secs(10));
        }
        app.grading.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        tell(&app, &id);
    });
}

/// Waits until a task run has a result, or the time is over.
pub(crate) async fn wait(app: &App, task_run_id: &str, within: Duration) -> Result<Option<TaskRun>, ApiError> {
    let until = Instant::now() + within;
    loop {
        let notify = {
            let mut results = app.results.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(results.entry(task_run_id.to_owned()).or_insert_with(|| Arc::new(Notify::new())))
        };
        let notified = notify.notified();
        let task_run = app.store.task_run(task_run_id).await?.ok_or_else(|| ApiError::not_found("task run"))?;
        if is_done(&task_run) {
            tell(app, task_run_id);
            return Ok(Some(task_run));
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        // This server says when it is done; another one that grades has to be looked after.
        let is_ours = app.grading.lock().unwrap_or_else(PoisonError::into_inner).contains(task_run_id);
        let look = Duration::from_millis(if is_ours { 5000 } else { 250 });
        let _ = tokio::time::timeout(left.min(look), notified).await;
    }
}

fn tell(app: &App, task_run_id: &str) {
    let waiting = app.results.lock().unwrap_or_else(PoisonError::into_inner).remove(task_run_id);
    if let Some(waiting) = waiting {
        waiting.notify_waiters();
    }
}

pub(crate) fn is_done(task_run: &TaskRun) -> bool {
    matches!(task_run.phase.as_str(), "completed" | "expired")
}

async fn grade(app: &Arc<App>, id: &str) -> Result<(), ApiError> {
    let _permit = app.gradings.acquire().await.map_err(|_| ApiError::internal())?;
    let Some(task_run) = app.store.task_run(id).await? else { return Ok(()) };
    if task_run.phase != "grading" {
        return Ok(());
    }
    let began = Instant::now();
    let value: Value = candor_json::from_str(&task_run.task).unwrap_or_default();
    let task = Arc::new(read_task(value).map_err(|_| ApiError::internal())?);
    let (sandbox, authors) = sandbox(app, &task_run).await?;
    let mut run = run(app, Arc::clone(&task), &sandbox).await;
    run.id.clone_from(&task_run.id);
    run.task_id.clone_from(&task_run.task_id);
    for criterion in &mut run.criterion_runs {
        criterion.task_run_id.clone_from(&task_run.id);
    }
    let graded = recorded(run, &task_run, &authors);
    let expired = task_run.expired;
    let stored = app.store.complete(id, &task_run.run_id, &app.owner, &graded, &now(), sum_up).await?;
    if stored {
        app.metrics.graded(began.elapsed());
        let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::info!(task_run = %id, milliseconds, expired, "graded");
    }
    Ok(())
}

/// Runs a task on a task of the runtime's own. A panic is a defect, and becomes a criterion that is unverifiable.
pub(crate) async fn run(app: &App, task: Arc<Task>, sandbox: &Sandbox) -> EngineRun {
    let plan = app.engine.plan(task);
    app.engine.run(&plan, sandbox).await
}

async fn sandbox(app: &App, task_run: &TaskRun) -> Result<(Sandbox, Authors), ApiError> {
    if let Some(outside) = &task_run.outside {
        let description: Value = candor_json::from_str(outside).unwrap_or_default();
        let sandbox = crate::outside::open(&description, &app.options.allow_hosts, &app.parts);
        return Ok((sandbox.or_else(|error| unreadable(app, task_run, &error))?, Authors::default()));
    }
    let parts = app.world(task_run).await?;
    let writes = app.store.writes(&task_run.id, 1).await?;
    let found_at = task_run.started_at.clone().unwrap_or_default();
    let tables = agent_tables(&task_run.task);
    let of = app.parts.clone();
    let made = tokio::task::spawn_blocking(move || materialised(&parts, &tables, &writes, &found_at, &of));
    match made.await.map_err(|_| ApiError::internal())? {
        Ok(made) => Ok(made),
        Err(error) => Ok((unreadable(app, task_run, &error.to_string())?, Authors::default())),
    }
}

/// A sandbox without any part: all criteria are unverifiable.
fn unreadable(app: &App, task_run: &TaskRun, why: &str) -> Result<Sandbox, ApiError> {
    tracing::error!(task_run = %task_run.id, "a sandbox could not be opened: {why}");
    Sandbox::builder().build(&app.parts).map_err(|_| ApiError::internal())
}

fn recorded(mut run: EngineRun, task_run: &TaskRun, authors: &Authors) -> Graded {
    let phase = if task_run.expired { "expired" } else { "completed" };
    if task_run.expired {
        run.result = failed(run.result);
    }
    let criterion_runs = run.criterion_runs.iter().map(|criterion| {
        let mut record = candor_json::to_value(criterion).unwrap_or_default();
        if let Some(evidence) = record.get_mut("evidence") {
            authors.attribute(evidence);
        }
        (criterion.id.clone(), record.to_string())
    });
    let criterion_runs = criterion_runs.collect();
    let invalid: Vec<String> = run.invalid_criteria().map(str::to_owned).collect();
    run.criterion_runs.clear();
    let mut record = candor_json::to_value(&run).unwrap_or_default();
    if let Some(members) = record.as_object_mut() {
        members.insert("phase".to_owned(), json!(phase));
        if !invalid.is_empty() {
            members.insert("invalid_criteria".to_owned(), json!(invalid));
        }
        if task_run.expired {
            members.insert("reason".to_owned(), json!("deadline"));
        }
    }
    Graded { phase, record: record.to_string(), criterion_runs }
}

/// The result of a task run whose time was over: nothing is earned.
fn failed(result: TaskResult) -> TaskResult {
    let nothing = || Interval { low: Fraction::ZERO, high: Fraction::ZERO };
    // The same axes, with nothing on them.
    let axes: Axes<_> = TaskScorer::with_axes(result.axes.iter().map(|(name, _)| name)).finish().axes;
    TaskResult {
        verdict: Verdict::Fail,
        passed_with_failures: None,
        score: Fraction::ZERO,
        interval: nothing(),
        coverage: result.coverage,
        conclusive: true,
        at_best: Verdict::Fail,
        pass: result.pass,
        axes,
    }
}

/// The result of a benchmark run: of each task run its id, its record and its criterion runs.
pub(crate) fn sum_up(task_runs: Vec<(String, String, Vec<String>)>) -> String {
    let mut scorer = BenchmarkScorer::new();
    for (task_id, record, criterion_runs) in task_runs {
        let record: Value = candor_json::from_str(&record).unwrap_or_default();
        let mut result = scored(&criterion_runs);
        if record.get("phase").and_then(Value::as_str) == Some("expired") {
            result = failed(result);
        }
        scorer.add(Some(&task_id), &result);
    }
    candor_json::to_string(&scorer.finish()).unwrap_or_default()
}

/// Scores stored criterion runs, as `candor score` does.
fn scored(criterion_runs: &[String]) -> TaskResult {
    let mut runs = StoredRuns::new(Limits::default());
    let mut text = criterion_runs.join("\n");
    text.push('\n');
    let mut result = None;
    let read = runs.read("stored criterion runs", text.as_bytes(), |_| {});
    if let Err(error) = read {
        tracing::error!("stored criterion runs cannot be scored: {error}");
        return TaskScorer::new().finish();
    }
    runs.finish(|run| result = Some(run.result.clone()));
    result.unwrap_or_else(|| TaskScorer::new().finish())
}

/// A task run's record with its criterion runs, as `candor check` gives it.
pub(crate) async fn record(app: &App, task_run: &TaskRun) -> Result<Option<Value>, ApiError> {
    let Some(result) = &task_run.result else { return Ok(None) };
    let mut record: Map<String, Value> = candor_json::from_str(result).map_err(|_| ApiError::internal())?;
    let runs = app.store.criterion_runs(&task_run.id).await?;
    let runs: Vec<Value> = runs.iter().filter_map(|run| candor_json::from_str(run).ok()).collect();
    record.insert("criterion_runs".to_owned(), Value::Array(runs));
    Ok(Some(Value::Object(record)))
}

/// The periodic duties of a server: renews its leases, expires overdue task runs, grades what others left.
pub(crate) async fn keep_watch(app: &Arc<App>) -> Result<(), ApiError> {
    if app.store.count_grading(&app.owner).await? > 0 {
        app.store.renew(&app.owner, LEASE).await?;
    }
    for id in app.store.overdue(&now()).await? {
        begin(app, &id).await?;
    }
    for id in app.store.abandoned(&now()).await? {
        if app.store.take_over(&id, &app.owner, &now(), LEASE).await? {
            app.metrics.regraded.fetch_add(1, Ordering::Relaxed);
            grade_in_background(app, &id);
        }
    }
    Ok(())
}
