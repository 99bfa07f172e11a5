//! Waiting: a criterion on a live source is observed and judged again until it passes or its time is over.
//!
//! The last look decides, and every look is in the evidence. A pass that rests on something being there ends the wait. One
//! that may rest on nothing being there (`count` allows 0) does not: at the first look nothing has had the time to show,
//! so it is waited to the end. A login that was refused is not tried again: it could lock an account.

use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_check::work::WorkError;
use candor_check::{BoundCheck, Evidence, Obstacle, Reason, Sandbox, Status, Within};
use serde_json::{Value, json};

/// The most entries of `polls`; looks with the same outcome in a row are one.
const MOST: usize = 100;

/// Observes and judges, again where the assertion allows it time.
///
/// # Errors
/// When judging broke.
pub(crate) async fn verified(check: &Arc<dyn BoundCheck>, sandbox: &Sandbox) -> Result<Evidence, WorkError> {
    match check.within(sandbox) {
        Some(within) => waited(check, sandbox, within).await,
        None => once(check, sandbox).await,
    }
}

/// One look. What it read counts as held until it is judged.
async fn once(check: &Arc<dyn BoundCheck>, sandbox: &Sandbox) -> Result<Evidence, WorkError> {
    let look = sandbox.work().look();
    match check.observe(&sandbox.with_work(look.clone())).await {
        Ok(seen) => {
            let check = Arc::clone(check);
            look.judge(move || check.judge(&seen)).await
        }
        Err(unverifiable) => Ok(unverifiable.into_evidence()),
    }
}

async fn waited(check: &Arc<dyn BoundCheck>, sandbox: &Sandbox, within: Within) -> Result<Evidence, WorkError> {
    let start = Instant::now();
    let mut polls = Polls::default();
    loop {
        let began = start.elapsed();
        let evidence = once(check, sandbox).await?;
        polls.add(began, &evidence);
        let now = start.elapsed();
        if now >= within.timeout || is_settled(&evidence, within) {
            return Ok(polls.into_evidence(evidence, now));
        }
        let next = (began + within.every).clamp(now, within.timeout.max(now));
        sandbox.work().sleep(next - now).await;
    }
}

/// Whether no later look could matter.
fn is_settled(evidence: &Evidence, within: Within) -> bool {
    match evidence.reason() {
        None => evidence.status() == Status::Passed && !within.to_the_end,
        Some(Reason::Unverifiable(obstacle)) => matches!(obstacle, Obstacle::NoSource | Obstacle::SourceDenied),
        Some(Reason::Failed(_)) => false,
    }
}

/// The looks, those with the same outcome in a row together.
#[derive(Default)]
struct Polls {
    looks: u64,
    runs: Vec<Poll>,
    cut: u64,
}

#[derive(PartialEq)]
struct Outcome {
    status: Status,
    reason: Option<Reason>,
    matched: u64,
}

struct Poll {
    outcome: Outcome,
    times: u64,
    first: Duration,
    last: Duration,
}

impl Polls {
    fn add(&mut self, at: Duration, evidence: &Evidence) {
        self.looks += 1;
        let matched = evidence.candidates.matched;
        let outcome = Outcome { status: evidence.status(), reason: evidence.reason(), matched };
        match self.runs.last_mut().filter(|last| last.outcome == outcome) {
            Some(last) => {
                last.times += 1;
                last.last = at;
            }
            None => {
                // What came first tells least: the end of the wait is what decided.
                if self.runs.len() == MOST {
                    self.cut += self.runs.remove(0).times;
                }
                self.runs.push(Poll { outcome, times: 1, first: at, last: at });
            }
        }
    }

    fn into_evidence(self, evidence: Evidence, waited: Duration) -> Evidence {
        let polls: Vec<Value> = self.runs.iter().map(Poll::to_value).collect();
        let looks = if self.looks == 1 { "once".to_owned() } else { format!("{} times", self.looks) };
        let sentence = format!("Looked {looks} within {} ms.", waited.as_millis());
        let evidence = evidence.adding(&sentence).with("polls", polls.into());
        if self.cut == 0 { evidence } else { evidence.with("polls_cut", json!(self.cut)) }
    }
}

impl Poll {
    fn to_value(&self) -> Value {
        json!({
            "times": self.times,
            "first_ms": u64::try_from(self.first.as_millis()).unwrap_or(u64::MAX),
            "last_ms": u64::try_from(self.last.as_millis()).unwrap_or(u64::MAX),
            "status": self.outcome.status.name(),
            "reason": self.outcome.reason.map(Reason::name),
            "matched": self.outcome.matched,
        })
    }
}
