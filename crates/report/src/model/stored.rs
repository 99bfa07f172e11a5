//! Reading a stored result, whichever command wrote it.

use candor_json::Value;
use candor_scoring::stored::{Limits, StoredOutcome, StoredRuns, StoredTaskRun};
use candor_scoring::{BenchmarkScorer, Verdict};
use serde::Serialize;

use super::read::{benchmark_run, task_run};
use super::stored_error::StoredReadError;
use super::{Audit, BenchmarkRun, Difference, TaskRun, Validation};
use crate::loop_run::LoopRun;

/// A stored result.
#[derive(Debug)]
pub enum Stored {
    /// Of `candor check`, of the HTTP service, or of `candor score` over one task run.
    Task(Box<TaskRun>),
    /// Of `candor bench`, of the HTTP service, or of `candor score` over several task runs.
    Benchmark(Box<BenchmarkRun>),
    /// Of `candor audit`.
    Audit(Box<Audit>),
    /// Of `candor diff`.
    Difference(Box<Difference>),
    /// Of `candor loop`: its record.
    Loop(Box<LoopRecord>),
    /// Of `candor validate`.
    Validation(Box<Validation>),
}

/// The record of a loop.
#[derive(Debug)]
pub struct LoopRecord {
    pub(crate) run: LoopRun,
    /// The task run of the last attempt that was judged.
    pub last: Option<TaskRun>,
}

impl Stored {
    /// Reads a stored result: a JSON document, or criterion runs, one a line. Criterion runs are scored as `candor score`
    /// scores them.
    ///
    /// # Errors
    /// When it is not JSON, not a result, or lacks a member that decides.
    ///
    /// ```
    /// use candor_report::model::Stored;
    /// let run = br#"{"task_id": "t", "verdict": "pass", "score": 1.0, "criterion_runs": []}"#;
    /// assert!(matches!(Stored::read(run), Ok(Stored::Task(_))));
    /// ```
    pub fn read(bytes: &[u8]) -> Result<Self, StoredReadError> {
        Self::of(document(bytes)?)
    }

    /// The result that a document of [`document`] holds.
    ///
    /// # Errors
    /// When it is not a result, or lacks a member that decides.
    pub fn of(value: Value) -> Result<Self, StoredReadError> {
        let wrong = StoredReadError::Member;
        let has = |name: &str| value.get(name).is_some();
        if has("loop_id") && has("attempts") {
            let attempts = value.get("attempts").and_then(Value::as_array).into_iter().flatten().rev();
            let last = attempts.filter_map(|attempt| attempt.get("task_run")).find(|run| run.is_object());
            let last = last.map(|run| task_run(run, "task_run")).transpose().map_err(wrong)?;
            let run = LoopRun::read(value).map_err(wrong)?;
            return Ok(Self::Loop(Box::new(LoopRecord { run, last })));
        }
        if has("grade") && has("criteria") {
            return Audit::read(&value).map(|audit| Self::Audit(Box::new(audit))).map_err(wrong);
        }
        if has("records") && has("added") {
            return Difference::read(&value).map(|difference| Self::Difference(Box::new(difference))).map_err(wrong);
        }
        if has("valid") && has("files") {
            let read = candor_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
            return Ok(Self::Validation(Box::new(read)));
        }
        if has("verdict") && (has("benchmark_run_id") || has("verdicts") || has("task_runs")) {
            return benchmark_run(&value).map(|run| Self::Benchmark(Box::new(run))).map_err(wrong);
        }
        if has("verdict") {
            return task_run(&value, "").map(|run| Self::Task(Box::new(run))).map_err(wrong);
        }
        Err(StoredReadError::NotAResult)
    }
}

/// The JSON document of a stored result. Criterion runs, one a line, become the task run or the benchmark run that
/// `candor score` makes of them, with the criterion runs in it. Task runs, one a line, become a benchmark run.
///
/// # Errors
/// When it is not JSON, or when its lines are not criterion runs or task runs that can be scored.
pub fn document(bytes: &[u8]) -> Result<Value, StoredReadError> {
    let mut values = Vec::new();
    for value in candor_json::Deserializer::from_slice(bytes).into_iter::<Value>() {
        values.push(value.map_err(|error| StoredReadError::NotJson {
            line: error.line(),
            column: error.column(),
            // Line and column have members of their own.
            problem: error.to_string().split(" at line ").next().unwrap_or_default().to_owned(),
        })?);
    }
    match values.as_mut_slice() {
        [] => Err(StoredReadError::Empty),
        [one] if !is_criterion_run(one) => Ok(std::mem::take(one)),
        several if several.iter().all(is_task_run) => task_runs(values),
        several => match several.iter().position(|value| !is_criterion_run(value)) {
            Some(at) => Err(StoredReadError::Lines { number: at + 1 }),
            None => criterion_runs(values),
        },
    }
}

/// Refuses a task run or a benchmark run whose verdict is not that of its criterion runs. One without criterion runs is
/// taken as it is.
///
/// # Errors
/// The first verdict, score or `conclusive` that differs, or criterion runs that cannot be scored.
pub fn refuse_changed(value: &Value) -> Result<(), StoredReadError> {
    let Some(runs) = filled(value, "task_runs") else { return rescored(value, "").map(drop) };
    let mut all = Some(BenchmarkScorer::new());
    for (index, run) in runs.iter().enumerate() {
        match rescored(run, &format!("task_runs[{index}]."))? {
            Some(made) => all.iter_mut().for_each(|all| all.add(made.task_id.as_deref(), &made.result)),
            None => all = None,
        }
    }
    let Some(made) = all.map(BenchmarkScorer::finish) else { return Ok(()) };
    same(value, "", (made.verdict, made.score.to_f64(), made.conclusive))
}

fn filled<'v>(value: &'v Value, name: &str) -> Option<&'v [Value]> {
    value.get(name)?.as_array().map(Vec::as_slice).filter(|items| !items.is_empty())
}

fn rescored(run: &Value, place: &str) -> Result<Option<Box<StoredTaskRun>>, StoredReadError> {
    let Some(criterion_runs) = filled(run, "criterion_runs") else { return Ok(None) };
    let StoredOutcome::Task(made) = scored(criterion_runs)? else {
        return Err(StoredReadError::Score(format!("{place}criterion_runs: they are of several task runs")));
    };
    same(run, place, (made.result.verdict, made.result.score.to_f64(), made.result.conclusive))?;
    Ok(Some(made))
}

fn same(run: &Value, place: &str, made: (Verdict, f64, bool)) -> Result<(), StoredReadError> {
    let (verdict, score, conclusive) = made;
    let text = run.get("verdict").and_then(Value::as_str);
    // A result without them is refused when it is read.
    let Some((stored, number)) = text.zip(run.get("score").and_then(Value::as_f64)) else { return Ok(()) };
    let is_conclusive = run.get("conclusive").and_then(Value::as_bool).unwrap_or(conclusive);
    if stored == verdict.as_str() && (number - score).abs() < 1e-9 && is_conclusive == conclusive {
        return Ok(());
    }
    let told = |verdict: &str, score: f64, is_conclusive: bool| {
        format!("{verdict}, score {score}{}", if is_conclusive { "" } else { ", not conclusive" })
    };
    let (found, expected) = (told(stored, number, is_conclusive), told(verdict.as_str(), score, conclusive));
    Err(StoredReadError::Score(format!(
        "{place}verdict: found {found}, but its criterion runs make {expected}; it was changed, or another version wrote it"
    )))
}

fn is_criterion_run(value: &Value) -> bool {
    value.get("criterion_id").is_some() && value.get("status").is_some()
}

fn is_task_run(value: &Value) -> bool {
    value.get("criterion_runs").is_some_and(Value::is_array)
}

fn task_runs(values: Vec<Value>) -> Result<Value, StoredReadError> {
    let StoredOutcome::Benchmark(result) = scored(&values)? else { return Err(StoredReadError::Empty) };
    let benchmark_id = benchmark_id(&values);
    Ok(named(with(&result, "task_runs", values)?, benchmark_id))
}

fn benchmark_id(values: &[Value]) -> Option<Value> {
    values.first().and_then(|run| run.get("benchmark_id")).cloned()
}

fn named(mut value: Value, benchmark_id: Option<Value>) -> Value {
    if let (Some(members), Some(id)) = (value.as_object_mut(), benchmark_id) {
        members.insert("benchmark_id".to_owned(), id);
    }
    value
}

fn criterion_runs(values: Vec<Value>) -> Result<Value, StoredReadError> {
    let StoredOutcome::Benchmark(result) = scored(&values)? else { return one_task_run(values) };
    let id = |value: &Value| value.get("task_run_id").cloned();
    let benchmark_id = benchmark_id(&values);
    let mut groups: Vec<Vec<Value>> = Vec::new();
    for value in values {
        match groups.last_mut() {
            Some(group) if group.first().and_then(id) == id(&value) => group.push(value),
            _ => groups.push(vec![value]),
        }
    }
    let runs = groups.into_iter().map(one_task_run).collect::<Result<Vec<Value>, _>>()?;
    Ok(named(with(&result, "task_runs", runs)?, benchmark_id))
}

fn one_task_run(values: Vec<Value>) -> Result<Value, StoredReadError> {
    match scored(&values)? {
        StoredOutcome::Task(run) => with(&run, "criterion_runs", values),
        StoredOutcome::Benchmark(_) => Err(StoredReadError::Empty),
    }
}

fn with(result: &impl Serialize, name: &str, runs: Vec<Value>) -> Result<Value, StoredReadError> {
    let mut value = candor_json::to_value(result).map_err(|error| StoredReadError::Score(error.to_string()))?;
    if let Some(members) = value.as_object_mut() {
        members.insert(name.to_owned(), Value::Array(runs));
    }
    Ok(value)
}

fn scored(values: &[Value]) -> Result<StoredOutcome, StoredReadError> {
    let lines: String = values.iter().map(|value| format!("{value}\n")).collect();
    let mut runs = StoredRuns::new(Limits::default());
    runs.read("criterion runs", lines.as_bytes(), |_| {}).map_err(|error| StoredReadError::Score(error.to_string()))?;
    Ok(runs.finish(|_| {}).outcome)
}
