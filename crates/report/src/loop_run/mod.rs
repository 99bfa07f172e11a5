//! The record of a loop, as far as a person is shown it.
//!
//! The record is read in the shape in which it is written, so that this crate needs nothing of the loop's own.

mod markdown;
mod text;

use candor_json::Value;
use serde::Deserialize;

use crate::model::Failures;

pub(crate) use markdown::markdown;
pub(crate) use text::text;
pub use text::{lines_at, reason_lines};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LoopEnd {
    Passed,
    /// An attempt; of a loop it is `verification_failed`.
    #[serde(alias = "verification_failed")]
    Failed,
    AlreadyMet,
    Unverifiable,
    #[serde(alias = "asked", alias = "answered")]
    Broken,
}

#[derive(Debug, Deserialize)]
pub(crate) struct LoopRun {
    pub(crate) task_id: String,
    pub(crate) outcome: LoopEnd,
    pub(crate) reason: Option<String>,
    first_score: Option<f64>,
    last_score: Option<f64>,
    pub(crate) attempts: Vec<LoopAttempt>,
    escalation: Option<LoopEscalation>,
    boundary: Option<LoopBoundary>,
}

#[derive(Debug, Deserialize)]
struct LoopBoundary {
    mode: String,
    as_user: Option<String>,
    #[serde(default)]
    weaker_because: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct LoopAttempt {
    pub(crate) attempt: u64,
    pub(crate) outcome: LoopEnd,
    pub(crate) score: Option<f64>,
    pub(crate) claim: LoopClaim,
    delegate_error: Option<String>,
    delegate_stderr: Option<String>,
    pub(crate) reason: Option<String>,
    #[serde(default)]
    hooks: Vec<LoopHook>,
    #[serde(default)]
    flags: Vec<String>,
    task_run: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct LoopClaim {
    pub(crate) response: String,
    #[serde(default)]
    outputs: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct LoopHook {
    name: String,
    action: String,
    reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct LoopEscalation {
    open_criteria: Vec<OpenItem>,
    #[serde(default)]
    findings: Vec<LoopFinding>,
    #[serde(default)]
    blocked: Vec<LoopHook>,
}

#[derive(Debug, Deserialize)]
struct OpenItem {
    label: String,
    evidence_gap: String,
}

#[derive(Debug, Deserialize)]
struct LoopFinding {
    verifier: String,
    reason: Option<String>,
}

impl LoopRun {
    pub(crate) fn read(record: Value) -> Result<Self, String> {
        candor_json::from_value(record).map_err(|error| format!("this is not the record of a loop: {error}"))
    }

    /// The weakness of the boundary, for the reader: that the loop ran without a boundary, or what the boundary does
    /// not hold.
    pub(crate) fn weakness(&self) -> Option<String> {
        let boundary = self.boundary.as_ref()?;
        let mechanism = match (boundary.mode.as_str(), &boundary.as_user) {
            ("none", _) => Some("no boundary kept the delegate from what judges it (--no-isolation)"),
            ("landlock", None) => {
                Some("the boundary is Landlock's: times and modes of this user's files are not held, nor UNIX sockets")
            }
            ("landlock", Some(_)) => Some("the boundary is Landlock's: UNIX sockets in folders are not held"),
            _ => None,
        };
        let keyrings = boundary.weaker_because.iter().any(|why| why.starts_with("keyrings: "));
        let keyrings = keyrings.then_some("this system keeps no delegate from the keyrings of its user");
        let all: Vec<&str> = mechanism.into_iter().chain(keyrings).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// The things open for a person: by name, and why.
    fn open(&self) -> Vec<(&'static str, &str, &str)> {
        let Some(escalation) = &self.escalation else { return Vec::new() };
        let criteria = escalation.open_criteria.iter().map(|open| ("open", &*open.label, &*open.evidence_gap));
        let findings = escalation.findings.iter().filter_map(|f| Some(("open", &*f.verifier, f.reason.as_deref()?)));
        let blocked =
            escalation.blocked.iter().map(|hook| ("blocked", &*hook.name, hook.reason.as_deref().unwrap_or_default()));
        criteria.chain(findings).chain(blocked).collect()
    }

    fn failures(&self) -> Option<Failures> {
        let run = self.attempts.last()?.task_run.as_ref()?;
        let named = run.get("passed_with_failures")?.as_array()?;
        let ids: Vec<String> = named.iter().filter_map(|id| id.as_str().map(str::to_owned)).collect();
        let criteria = run.get("criterion_runs")?.as_array()?.len() as u64;
        Some(Failures { criteria: Some(criteria), failed: ids.len() as u64, ids })
    }

    /// `passed, 1 of 11 criteria failed: mg-dose`, `verification_failed after 3 attempts`. `shown` makes text harmless.
    pub(crate) fn end(&self, shown: impl Fn(&str) -> String) -> String {
        let attempts = match self.attempts.len() {
            1 => "1 attempt".to_owned(),
            n => format!("{n} attempts"),
        };
        match (self.outcome, self.failures()) {
            (LoopEnd::Passed, Some(failures)) => format!("passed, {}", crate::numbers::failures(&failures, shown)),
            (LoopEnd::Passed, None) => "passed: the work is verified".to_owned(),
            (LoopEnd::Failed, _) => format!("verification_failed: escalated to a human after {attempts}"),
            (LoopEnd::AlreadyMet, _) => {
                "already_met: nothing was verified, because the delegate was not asked".to_owned()
            }
            (LoopEnd::Unverifiable, _) => format!("unverifiable after {attempts}"),
            (LoopEnd::Broken, _) => format!("broken after {attempts}"),
        }
    }

    /// The reasons that keep the loop from an answer, where no attempt says the same.
    fn reason_beside_attempts(&self) -> Option<&str> {
        let reason = self.reason.as_deref()?;
        let told = self.attempts.last().is_some_and(|last| last.reason.as_deref() == Some(reason));
        (!told && self.outcome != LoopEnd::Passed).then_some(reason)
    }
}

impl LoopAttempt {
    /// How the delegate broke off, where the reason does not say it, and the last lines that it wrote to standard error.
    pub(crate) fn of_delegate(&self) -> Vec<String> {
        const LAST: usize = 5;
        let reason = self.reason.as_deref().unwrap_or_default();
        let is_told = |error: &&String| reason.contains(error.lines().next().unwrap_or_default());
        let broke = self.delegate_error.as_ref().filter(|error| !is_told(error));
        let broke = broke.map(|error| format!("the delegate broke off: {error}"));
        let wrote = self.delegate_stderr.as_deref().map(str::trim_end).filter(|text| !text.is_empty()).map(|text| {
            let lines: Vec<&str> = text.lines().collect();
            let (hidden, last) = lines.split_at(lines.len().saturating_sub(LAST));
            let cut = if hidden.is_empty() { "" } else { "…\n" };
            format!("it wrote to standard error: {cut}{}", last.join("\n"))
        });
        broke.into_iter().chain(wrote).collect()
    }
}

impl LoopClaim {
    /// The outputs that the delegate names, in one line; the first ones where there are many.
    fn named_outputs(&self) -> Option<String> {
        const SHOWN: usize = 20;
        const LONGEST: usize = 200;
        let named = |output: &Value| {
            let text = |name: &str| output.get(name).and_then(Value::as_str);
            let named = match (text("path").or_else(|| text("url")), text("what")) {
                (Some(at), Some(what)) => format!("{at} ({what})"),
                (Some(at), None) => at.to_owned(),
                (None, _) => output.to_string(),
            };
            named.chars().take(LONGEST).collect::<String>()
        };
        let shown: Vec<String> = self.outputs.iter().take(SHOWN).map(named).collect();
        let more = match self.outputs.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!shown.is_empty()).then(|| shown.join(", ") + &more)
    }
}
