//! The facts of a verified delegation that telemetry sends. They are taken out of its record by name, so that no other
//! text gets in.

use std::collections::HashMap;

use candor_json::Value;
use candor_verification::{LoopOutcome, LoopRecord};
use jiff::Timestamp;

use crate::attributes::plain_name;

/// How the delegate is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelegateKind {
    /// A command that is run once per attempt.
    Command,
    /// A command that is kept running.
    Lines,
    /// An HTTP endpoint.
    Http,
}

impl DelegateKind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Lines => "lines",
            Self::Http => "http",
        }
    }
}

/// The facts of a verified delegation, as telemetry sends them.
#[derive(Clone, Debug, PartialEq)]
pub struct Delegation {
    pub(crate) kind: DelegateKind,
    pub(crate) outcome: &'static str,
    pub(crate) attempts: u64,
    pub(crate) task_id: Option<String>,
    /// When the first attempt began, if there was one.
    pub(crate) started: Option<u64>,
    pub(crate) runs: Vec<CriterionRun>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CriterionRun {
    pub(crate) attempt: u64,
    pub(crate) index: u64,
    pub(crate) id: Option<String>,
    pub(crate) check: &'static str,
    pub(crate) status: &'static str,
    pub(crate) reason: Option<String>,
    pub(crate) score: f64,
    pub(crate) weight_share: f64,
    /// Nanoseconds since 1970.
    pub(crate) started: u64,
    pub(crate) completed: u64,
}

const STATUSES: [&str; 3] = ["passed", "failed", "unverifiable"];

impl Delegation {
    /// The facts of a loop that ended. `checks` names the check of each criterion by its id.
    #[must_use]
    pub fn new(record: &LoopRecord, kind: DelegateKind, checks: &HashMap<String, &'static str>) -> Self {
        let runs = record.attempts.iter().flat_map(|attempt| {
            let runs = attempt.task_run.as_ref().and_then(|run| run.get("criterion_runs")).and_then(Value::as_array);
            let runs = runs.map(Vec::as_slice).unwrap_or_default();
            let weight = |run: &Value| run.get("weight").and_then(Value::as_f64).unwrap_or_default();
            let whole: f64 = runs.iter().map(weight).sum();
            let share = move |run: &Value| if whole > 0.0 { (weight(run) / whole).clamp(0.0, 1.0) } else { 0.0 };
            let one = move |(index, run)| criterion_run(attempt.attempt, index, run, share(run), checks);
            runs.iter().enumerate().filter_map(one).collect::<Vec<_>>()
        });
        Self {
            kind,
            // Where no verdict was come to, verification did not take place.
            outcome: match record.outcome {
                LoopOutcome::Passed => "passed",
                LoopOutcome::VerificationFailed => "failed",
                LoopOutcome::AlreadyMet | LoopOutcome::Unverifiable | LoopOutcome::Broken => "skipped",
            },
            attempts: record.attempts.len() as u64,
            task_id: plain_name(&record.task_id).map(str::to_owned),
            started: record.attempts.first().map(|attempt| nanoseconds(attempt.started_at)),
            runs: runs.collect(),
        }
    }
}

fn criterion_run(
    attempt: u32,
    index: usize,
    run: &Value,
    weight_share: f64,
    checks: &HashMap<String, &'static str>,
) -> Option<CriterionRun> {
    let text = |name: &str| run.get(name).and_then(Value::as_str);
    let time = |name: &str| text(name)?.parse().ok().map(nanoseconds);
    let id = text("criterion_id")?;
    let status = text("status")?;
    let started = time("started_at")?;
    Some(CriterionRun {
        attempt: u64::from(attempt),
        index: index as u64,
        id: plain_name(id).map(str::to_owned),
        check: checks.get(id).copied().unwrap_or("unknown"),
        status: STATUSES.into_iter().find(|known| *known == status)?,
        reason: text("reason").and_then(plain_name).map(str::to_owned),
        score: run.get("score").and_then(Value::as_f64).filter(|score| (0.0..=1.0).contains(score)).unwrap_or_default(),
        weight_share,
        started,
        completed: time("completed_at")?.max(started),
    })
}

/// Nanoseconds since 1970; 0 before it.
pub(crate) fn nanoseconds(time: Timestamp) -> u64 {
    u64::try_from(time.as_nanosecond()).unwrap_or_default()
}
