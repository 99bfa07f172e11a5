//! A run that was stored, read back from its JSON.

use std::time::SystemTime;

use candor_json::{Map, Value};
use candor_report::model::{self, Stored};
use candor_scoring::TaskResult;
use candor_scoring::stored::{Limits, StoredOutcome, StoredRuns};

use crate::score::Score;

/// The members that tell nothing of the rubric, next to those that are changed.
const SHOWN: &str = "task_run_id task_id benchmark_run_id benchmark_id name verdict pass score interval coverage \
                     conclusive axes started_at completed_at task_file_wrong";

/// A stored run. Its numbers come from its criterion runs, and its document says the same.
#[derive(Clone, Debug)]
pub(crate) struct RunRead {
    pub(crate) id: String,
    pub(crate) task_id: String,
    pub(crate) result: TaskResult,
    pub(crate) criteria: Vec<CriterionRead>,
    pub(crate) document: Value,
}

#[derive(Clone, Debug)]
pub(crate) struct CriterionRead {
    pub(crate) run: model::CriterionRun,
    pub(crate) score: Score,
    pub(crate) share: Score,
    pub(crate) times: (SystemTime, SystemTime),
    pub(crate) document: Value,
}

impl RunRead {
    pub(crate) fn of(document: Value) -> Result<Self, String> {
        let is_run = document.get("task_run_id").is_some() && document.get("criterion_id").is_none();
        let listed = document.get("criterion_runs").and_then(Value::as_array);
        let (true, Some(listed)) = (is_run, listed) else {
            return Err("it is not a task run, which has a `task_run_id` and `criterion_runs`".to_owned());
        };
        if document.get("phase").and_then(Value::as_str) == Some("expired") {
            return Err("its time was over, so that its criterion runs do not decide its verdict".to_owned());
        }
        let documents = listed.clone();
        let mut runs = StoredRuns::new(Limits::default());
        let line = document.to_string();
        runs.read("task run", line.as_bytes(), |_| {}).map_err(|error| error.problem.to_string())?;
        let StoredOutcome::Task(scored) = runs.finish(|_| {}).outcome else {
            return Err("it holds several task runs".to_owned());
        };
        let result = scored.result;
        let Stored::Task(stored) = Stored::of(document.clone()).map_err(|error| error.to_string())? else {
            return Err("it is not the result of one task".to_owned());
        };
        let (written, score) = (&stored.outcome, result.score.to_f64());
        let (said, found) = (written.verdict.as_str(), result.verdict.as_str());
        if said != found {
            return Err(format!("`verdict` is `{said}`, but its criterion runs come to `{found}`"));
        }
        if written.score.to_bits() != score.to_bits() {
            return Err(format!("`score` is {}, but its criterion runs come to {score}", written.score));
        }
        let (said, found) = (written.conclusive, result.conclusive);
        if said != found {
            return Err(format!("`conclusive` is {said}, but its criterion runs come to {found}"));
        }
        let come_to = candor_json::to_value(&result).map_err(|error| error.to_string())?;
        for name in ["interval", "coverage", "axes", "passed_with_failures"] {
            let Some(written) = document.get(name).filter(|value| !value.is_null()) else { continue };
            let expected = come_to.get(name).unwrap_or(&Value::Null);
            if !same(written, expected) {
                return Err(format!("`{name}` is {written}, but its criterion runs come to {expected}"));
            }
        }
        let criteria = stored.criterion_runs.unwrap_or_default().into_iter().zip(documents);
        let criteria =
            criteria.map(|(run, document)| CriterionRead::of(run, document)).collect::<Result<_, String>>()?;
        let (id, task_id) = (stored.id.unwrap_or_default(), stored.task_id.unwrap_or_default());
        Ok(Self { id, task_id, result, criteria, document })
    }

    /// Takes out of the document what shows the rubric.
    pub(crate) fn hide(&mut self) {
        let Some(members) = self.document.as_object_mut() else { return };
        let mut hidden = Map::new();
        for (name, value) in std::mem::take(members) {
            match name.as_str() {
                "invalid_criteria" => drop(hidden.insert("task_file_wrong".to_owned(), true.into())),
                "criterion_runs" => drop(hidden.insert(name, Vec::<Value>::new().into())),
                "phase" => {
                    hidden.insert(name, value);
                    hidden.insert("scored".to_owned(), true.into());
                }
                _ if SHOWN.split(' ').any(|shown| shown == name) => drop(hidden.insert(name, value)),
                _ => {}
            }
        }
        hidden.insert("scored".to_owned(), true.into());
        *members = hidden;
    }
}

impl CriterionRead {
    fn of(run: model::CriterionRun, document: Value) -> Result<Self, String> {
        let wrong = |member: &str, expected: &str| {
            format!("`{member}` of criterion `{}`: expected {expected}", run.criterion_id)
        };
        let score = |number: f64| number.to_string().parse::<candor_scoring::Score>().ok();
        let share = score(run.share.unwrap_or(run.score)).ok_or_else(|| wrong("share", "a number from 0 to 1"))?;
        let score = score(run.score).ok_or_else(|| wrong("score", "a number from 0 to 1"))?;
        let times = run.times().ok_or_else(|| wrong("started_at", "two times, with `completed_at`"))?;
        let [score, share] = [score, share].map(|score| Score::from_fraction(&score.to_fraction()));
        Ok(Self { score, share, times, run, document })
    }
}

/// Returns `true` if two values say the same. Numbers may differ in the last digits of a float.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let both = one.as_f64().zip(other.as_f64());
            both.is_some_and(|(one, other)| (one - other).abs() <= 1e-12 * other.abs().max(1.0))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let is_same = |(name, value): (&String, &Value)| other.get(name).is_some_and(|other| same(value, other));
            one.len() == other.len() && one.iter().all(is_same)
        }
        _ => one == other,
    }
}
