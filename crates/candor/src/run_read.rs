//! A run that was stored, read back from its JSON.

use std::time::SystemTime;

use candor_report::model::{self, Stored};
use candor_scoring::TaskResult;
use candor_scoring::stored::{Limits, StoredOutcome, StoredRuns};
use serde_json::{Map, Value};

use crate::score::Score;

/// A stored run. Its numbers come from its criterion runs, and its document says the same.
#[derive(Clone, Debug)]
pub(crate) struct RunRead {
    pub(crate) id: String,
    pub(crate) task_id: String,
    pub(crate) result: TaskResult,
    pub(crate) criteria: Vec<CriterionRead>,
    pub(crate) document: Value,
}

/// A criterion run of a stored run.
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
        if written.verdict != result.verdict {
            return Err(format!(
                "`verdict` is `{}`, but its criterion runs come to `{}`",
                written.verdict.as_str(),
                result.verdict.as_str()
            ));
        }
        if written.score.to_bits() != score.to_bits() {
            return Err(format!("`score` is {}, but its criterion runs come to {score}", written.score));
        }
        if written.conclusive != result.conclusive {
            return Err(format!(
                "`conclusive` is {}, but its criterion runs come to {}",
                written.conclusive, result.conclusive
            ));
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
                "passed_with_failures" | "scored" => {}
                "invalid_criteria" => drop(hidden.insert("task_file_wrong".to_owned(), true.into())),
                "criterion_runs" => drop(hidden.insert(name, Vec::<Value>::new().into())),
                "phase" => {
                    hidden.insert(name, value);
                    hidden.insert("scored".to_owned(), true.into());
                }
                _ => drop(hidden.insert(name, value)),
            }
        }
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
