//! Waiting: a criterion on a live source is observed and judged again until it passes or its time is over.
//!
//! The last look decides, and every look is in the evidence. A pass that rests on something being there ends the wait. One
//! that may rest on nothing being there (`count` allows 0) does not: at the first look nothing has had the time to show,
//! so it is waited to the end. A login that was refused is not tried again: it could lock an account.

use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_check::work::WorkError;
use candor_check::{BoundCheck, Evidence, Obstacle, Reason, Sandbox, Status, Within};
use candor_json::{Value, json};

use crate::observed::Kept;
use crate::waited::Waited;

/// The most entries of `polls`; looks with the same outcome in a row are one.
const MOST: usize = 100;

#[derive(Clone, Copy)]
pub(crate) struct How {
    /// The check's name and the version of its observations, where these are to be kept.
    pub kept: Option<(&'static str, u32)>,
    /// Again, for as long as the assertion allows.
    pub waits: bool,
}

/// The outcome of an assertion: its evidence, and the observation it was judged by, if that is kept.
pub(crate) struct Verified {
    pub evidence: Evidence,
    pub kept: Option<Arc<[u8]>>,
}

/// Observes and judges, again where the assertion allows it time.
pub(crate) async fn verified(check: &Arc<dyn BoundCheck>, sandbox: &Sandbox, how: How) -> Result<Verified, WorkError> {
    match check.within(sandbox).filter(|_| how.waits) {
        Some(within) => waited(check, sandbox, within, how).await,
        None => {
            let (evidence, kept) = once(check, sandbox, how).await?;
            Ok(Verified { evidence, kept: kept.map(|kept| kept.into_bytes(None)) })
        }
    }
}

/// Looks once. The data it read counts as held until it is judged.
async fn once(check: &Arc<dyn BoundCheck>, sandbox: &Sandbox, how: How) -> Result<(Evidence, Option<Kept>), WorkError> {
    let look = sandbox.work().look();
    match check.observe(&sandbox.with_work(look.clone())).await {
        Ok(seen) => {
            let check = Arc::clone(check);
            let judge = move || {
                let kept = how.kept.map(|(name, version)| Kept::seen(name, version, &seen.to_value()));
                (check.judge(&seen), kept)
            };
            look.judge(judge).await
        }
        Err(unverifiable) => {
            let kept = how.kept.map(|_| Kept::unverifiable(&unverifiable));
            Ok((unverifiable.into_evidence(), kept))
        }
    }
}

async fn waited(
    check: &Arc<dyn BoundCheck>,
    sandbox: &Sandbox,
    within: Within,
    how: How,
) -> Result<Verified, WorkError> {
    let start = Instant::now();
    let mut polls = Polls::default();
    loop {
        let began = start.elapsed();
        let (evidence, kept) = once(check, sandbox, how).await?;
        polls.add(began, &evidence);
        let now = start.elapsed();
        if now >= within.timeout || is_settled(&evidence, within) {
            let waited = polls.into_waited(now);
            let kept = kept.map(|kept| kept.into_bytes(Some(&waited)));
            return Ok(Verified { evidence: waited.added_to(evidence), kept });
        }
        let next = (began + within.every).clamp(now, within.timeout.max(now));
        sandbox.work().sleep(next - now).await;
    }
}

fn is_settled(evidence: &Evidence, within: Within) -> bool {
    match evidence.reason() {
        None => evidence.status() == Status::Passed && !within.to_the_end,
        Some(Reason::Unverifiable(obstacle)) => matches!(obstacle, Obstacle::NoSource | Obstacle::SourceDenied),
        Some(Reason::Failed(_)) => false,
    }
}

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

    fn into_waited(self, waited: Duration) -> Waited {
        let polls = self.runs.iter().map(Poll::to_value).collect();
        let looks = if self.looks == 1 { "once".to_owned() } else { format!("{} times", self.looks) };
        let sentence = format!("Looked {looks} within {} ms.", waited.as_millis());
        Waited { sentence, polls, polls_cut: self.cut }
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
