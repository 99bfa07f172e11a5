//! Results out of stored JSON. A member that decides is required; everything else may be missing.

use candor_check::Status;
use candor_json::{Map, Number, Value};
use candor_scoring::Verdict;
use serde::Deserialize;

use super::stored_error::StoredReadError;
use super::{
    AgentRun, Axis, BenchmarkOutcome, BenchmarkRun, CriterionRun, Failures, Invalid, TaskOutcome, TaskRun,
    VerdictCounts,
};

/// A member that is missing or of another kind, with its place.
pub(crate) type Wrong = String;

/// An object and its place in the document: `task_runs[3]`.
pub(crate) struct Object<'v> {
    members: &'v Map<String, Value>,
    place: String,
}

impl<'v> Object<'v> {
    pub(crate) fn of(value: &'v Value, place: &str) -> Result<Self, Wrong> {
        match value {
            Value::Object(members) => Ok(Self { members, place: place.to_owned() }),
            other => Err(format!("{}: found {}, expected an object", shown(place), kind(other))),
        }
    }

    fn at(&self, name: &str) -> String {
        if self.place.is_empty() { name.to_owned() } else { format!("{}.{name}", self.place) }
    }

    fn get(&self, name: &str) -> Option<&'v Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    fn wrong(&self, name: &str, expected: &str) -> Wrong {
        let found = self.get(name).map_or_else(
            || "nothing".to_owned(),
            |value| match value {
                Value::Array(_) | Value::Object(_) => kind(value).to_owned(),
                other => candor_check::evidence::quoted(other),
            },
        );
        format!("{}: found {found}, expected {expected}", self.at(name))
    }

    pub(crate) fn text(&self, name: &str) -> Result<&'v str, Wrong> {
        self.get(name).and_then(Value::as_str).ok_or_else(|| self.wrong(name, "a string"))
    }

    pub(crate) fn optional(&self, name: &str) -> Option<String> {
        self.get(name).and_then(Value::as_str).map(str::to_owned)
    }

    fn flag(&self, name: &str) -> Option<bool> {
        self.get(name).and_then(Value::as_bool)
    }

    fn number(&self, name: &str) -> Result<f64, Wrong> {
        self.get(name).and_then(Value::as_f64).ok_or_else(|| self.wrong(name, "a number"))
    }

    fn count(&self, name: &str) -> Option<u64> {
        self.get(name).and_then(Value::as_u64)
    }

    fn pair(&self, name: &str) -> Option<(f64, f64)> {
        let pair = self.get(name)?;
        Some((pair.get(0)?.as_f64()?, pair.get(1)?.as_f64()?))
    }

    pub(crate) fn required<T>(
        &self,
        name: &str,
        read: impl Fn(&'v Value, &str) -> Result<T, Wrong>,
    ) -> Result<Vec<T>, Wrong> {
        self.list(name, read)?.ok_or_else(|| self.wrong(name, "an array"))
    }

    /// A list, each item with its place; `None` where the member is missing.
    pub(crate) fn list<T>(
        &self,
        name: &str,
        read: impl Fn(&'v Value, &str) -> Result<T, Wrong>,
    ) -> Result<Option<Vec<T>>, Wrong> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let items = value.as_array().ok_or_else(|| self.wrong(name, "an array"))?;
        let place = self.at(name);
        items
            .iter()
            .enumerate()
            .map(|(at, item)| read(item, &format!("{place}[{at}]")))
            .collect::<Result<_, _>>()
            .map(Some)
    }
}

fn shown(place: &str) -> &str {
    if place.is_empty() { "the document" } else { place }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

pub(crate) fn criterion_run(value: &Value, place: &str) -> Result<CriterionRun, Wrong> {
    let run = Object::of(value, place)?;
    let status = status(run.text("status")?).ok_or_else(|| run.wrong("status", "passed, failed or unverifiable"))?;
    let criterion_id = run.text("criterion_id")?.to_owned();
    let weight = match run.get("weight") {
        None => "1".to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        Some(_) => return Err(run.wrong("weight", "a number")),
    };
    Ok(CriterionRun {
        id: run.optional("id").unwrap_or_default(),
        task_run_id: run.optional("task_run_id"),
        label: run.optional("label").unwrap_or_else(|| criterion_id.clone()),
        criterion_id,
        axis: run.optional("axis"),
        weight,
        gate: run.flag("gate").unwrap_or_default(),
        status,
        score: run.number("score")?,
        share: run.get("share").and_then(Value::as_f64),
        reason: run.optional("reason"),
        details: run.optional("details").unwrap_or_default(),
        evidence: run.get("evidence").and_then(Value::as_object).cloned().unwrap_or_default(),
        verifier_id: run.optional("verifier_id").unwrap_or_default(),
        started_at: run.optional("started_at"),
        completed_at: run.optional("completed_at"),
    })
}

#[derive(Deserialize)]
struct Outline {
    #[serde(default)]
    id: String,
    task_run_id: Option<String>,
    criterion_id: String,
    label: Option<String>,
    axis: Option<String>,
    weight: Option<Number>,
    gate: Option<bool>,
    status: String,
    score: f64,
    share: Option<f64>,
    reason: Option<String>,
    details: Option<String>,
    verifier_id: Option<String>,
    started_at: Option<String>,
    completed_at: Option<String>,
}

impl CriterionRun {
    /// Reads a stored criterion run, and skips its evidence: for lists of many.
    ///
    /// # Errors
    /// When it is not JSON, not a criterion run, or lacks a member that decides.
    pub fn outline(json: &str) -> Result<Self, StoredReadError> {
        let wrong = |error: candor_json::Error| StoredReadError::Member(error.to_string());
        let one: Outline = candor_json::from_str(json).map_err(wrong)?;
        let status = status(&one.status)
            .ok_or_else(|| StoredReadError::Member("status: expected passed, failed or unverifiable".to_owned()))?;
        Ok(Self {
            id: one.id,
            task_run_id: one.task_run_id,
            label: one.label.unwrap_or_else(|| one.criterion_id.clone()),
            criterion_id: one.criterion_id,
            axis: one.axis,
            weight: one.weight.map_or_else(|| "1".to_owned(), |weight| weight.to_string()),
            gate: one.gate.unwrap_or_default(),
            status,
            score: one.score,
            share: one.share,
            reason: one.reason,
            details: one.details.unwrap_or_default(),
            evidence: Map::new(),
            verifier_id: one.verifier_id.unwrap_or_default(),
            started_at: one.started_at,
            completed_at: one.completed_at,
        })
    }

    /// Reads a stored criterion run with its evidence.
    ///
    /// # Errors
    /// When it is not JSON, not a criterion run, or lacks a member that decides.
    pub fn read(json: &str) -> Result<Self, StoredReadError> {
        let value: Value = candor_json::from_str(json).map_err(|error| StoredReadError::Member(error.to_string()))?;
        criterion_run(&value, "").map_err(StoredReadError::Member)
    }
}

fn status(name: &str) -> Option<Status> {
    match name {
        "passed" => Some(Status::Passed),
        "failed" => Some(Status::Failed),
        "unverifiable" => Some(Status::Unverifiable),
        _ => None,
    }
}

fn outcome(run: &Object<'_>) -> Result<TaskOutcome, Wrong> {
    let verdict = match run.text("verdict")? {
        "pass" => Verdict::Pass,
        "partial" => Verdict::Partial,
        "fail" => Verdict::Fail,
        _ => return Err(run.wrong("verdict", "pass, partial or fail")),
    };
    let named = run.get("passed_with_failures").and_then(Value::as_array);
    let failures = named.map(|ids| {
        let criteria = run.get("criterion_runs").and_then(Value::as_array);
        let status = |run: &&Value| run.get("status").and_then(Value::as_str) == Some("failed");
        Failures {
            criteria: criteria.map(|runs| runs.len() as u64),
            failed: criteria.map_or(ids.len(), |runs| runs.iter().filter(status).count()) as u64,
            ids: ids.iter().filter_map(|id| id.as_str().map(str::to_owned)).collect(),
        }
    });
    let ids = run.get("invalid_criteria").and_then(Value::as_array);
    let invalid = match run.flag("task_file_wrong") {
        Some(true) => Some(Invalid::default()),
        _ => ids.map(|ids| Invalid {
            criteria: run.get("criterion_runs").and_then(Value::as_array).map(|runs| runs.len() as u64),
            ids: ids.iter().filter_map(|id| id.as_str().map(str::to_owned)).collect(),
        }),
    };
    let score = run.number("score")?;
    let axes = run.get("axes").and_then(Value::as_object).into_iter().flatten();
    let axis = |(name, value): (&String, &Value)| {
        let axis = Object::of(value, &format!("{}.{name}", run.at("axes")))?;
        let score = axis.number("score")?;
        Ok(Axis {
            name: name.clone(),
            score,
            interval: axis.pair("interval").unwrap_or((score, score)),
            weight: axis.get("weight").map(|weight| weight.as_str().map_or_else(|| weight.to_string(), str::to_owned)),
            task_runs: axis.count("task_runs"),
        })
    };
    Ok(TaskOutcome {
        verdict,
        failures,
        invalid,
        score,
        interval: run.pair("interval").unwrap_or((score, score)),
        coverage: run.get("coverage").and_then(Value::as_f64).unwrap_or(1.0),
        conclusive: run.flag("conclusive").unwrap_or(true),
        axes: axes.map(axis).collect::<Result<_, Wrong>>()?,
    })
}

pub(crate) fn task_run(value: &Value, place: &str) -> Result<TaskRun, Wrong> {
    let run = Object::of(value, place)?;
    Ok(TaskRun {
        id: run.optional("task_run_id").or_else(|| run.optional("id")),
        task_id: run.optional("task_id"),
        task_name: run.optional("task_name").or_else(|| run.optional("name")),
        scored: run.flag("scored").unwrap_or_default(),
        phase: run.optional("phase"),
        outcome: outcome(&run)?,
        criterion_runs: run.list("criterion_runs", criterion_run)?,
        agent: agent_run(&run),
    })
}

fn agent_run(run: &Object<'_>) -> Option<AgentRun> {
    let number = |name: &str| run.get(name).and_then(Value::as_f64);
    let again = run.count("attempts").is_some_and(|attempts| attempts > 1);
    Some(AgentRun {
        epoch: run.count("epoch")?,
        shown_id: None,
        seconds: number("seconds"),
        kept: run.optional("kept"),
        gained: again.then(|| Some(number("last_score")? - number("score")?)).flatten(),
    })
}

/// Names the runs of a task by their epochs, where there is more than one epoch.
fn name_epochs(runs: &mut [TaskRun]) {
    let epoch = |run: &TaskRun| run.agent.as_ref().map(|agent| agent.epoch);
    if runs.iter().any(|run| epoch(run).is_some_and(|epoch| epoch > 1)) {
        for run in runs {
            let Some(agent) = &mut run.agent else { continue };
            let named = |name: &String| format!("{name}, epoch {}", agent.epoch);
            let (id, name) = (run.task_id.as_ref().map(named), run.task_name.as_ref().map(named));
            (agent.shown_id, run.task_name) = (id, name);
        }
    }
}

pub(crate) fn benchmark_run(value: &Value) -> Result<BenchmarkRun, Wrong> {
    let run = Object::of(value, "")?;
    let mut runs = match run.get("task_runs") {
        Some(Value::Array(_)) => run.list("task_runs", task_run)?,
        _ => None,
    };
    name_epochs(runs.as_deref_mut().unwrap_or_default());
    let counted = |verdict: Verdict| {
        let has = |task: &&TaskRun| task.outcome.verdict == verdict;
        runs.as_deref().unwrap_or_default().iter().filter(has).count() as u64
    };
    let verdicts = match run.get("verdicts") {
        Some(value) => {
            let counts = Object::of(value, "verdicts")?;
            let count = |name: &str| counts.count(name).unwrap_or_default();
            let (pass, partial, fail) = (count("pass"), count("partial"), count("fail"));
            VerdictCounts { pass, partial, fail, inconclusive: count("inconclusive") }
        }
        None => VerdictCounts {
            pass: counted(Verdict::Pass),
            partial: counted(Verdict::Partial),
            fail: counted(Verdict::Fail),
            inconclusive: runs.iter().flatten().filter(|task| !task.outcome.conclusive).count() as u64,
        },
    };
    let within = |value: Option<&Value>| {
        let interval = value?.get("interval")?;
        Some((interval.get(0)?.as_f64()?, interval.get(1)?.as_f64()?))
    };
    let pass_rate =
        run.get("pass_rate").and_then(|rate| Some((rate.get("value")?.as_f64()?, within(rate.get("confidence")))));
    let texts = run.get("notes").and_then(Value::as_array).into_iter().flatten();
    let stored = runs.as_ref().map(|runs| runs.len() as u64);
    // Of a score without its runs, `task_runs` is their number.
    let task_runs = run.count("task_runs").or(stored).unwrap_or(verdicts.pass + verdicts.partial + verdicts.fail);
    Ok(BenchmarkRun {
        id: run.optional("benchmark_run_id").or_else(|| run.optional("id")),
        benchmark_id: run.optional("benchmark_id"),
        outcome: BenchmarkOutcome {
            outcome: outcome(&run)?,
            tasks: run.count("tasks").unwrap_or(task_runs),
            task_runs,
            verdicts,
            pass_rate,
            confidence: within(run.get("confidence")),
            pass_hat_k: run
                .get("pass_hat_k")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_f64)
                .collect(),
            notes: texts.filter_map(|note| note.as_str().map(str::to_owned)).collect(),
        },
        task_runs: runs,
    })
}
