//! A loop under way: the attempts so far, and the one that is to be judged.

use jiff::Timestamp;

use crate::claim::Claim;
use crate::record::{Attempt, AttemptOutcome};
use crate::status::{StatusHistory, TaskStatus};

/// Why there is no answer to a request that a loop before this one made.
pub(crate) const LOST: &str = "the loop was ended before an answer was kept";

pub(crate) struct Left {
    pub(crate) prompt: String,
    pub(crate) claim: Claim,
    pub(crate) delegate_error: Option<String>,
    pub(crate) started_at: Timestamp,
    pub(crate) asked_before: u32,
    /// True if an earlier loop asked, and kept no answer.
    pub(crate) is_lost: bool,
}

impl Left {
    pub(crate) fn attempt(&self, attempt: u32, outcome: AttemptOutcome) -> Attempt {
        Attempt {
            attempt,
            prompt: self.prompt.clone(),
            claim: self.claim.clone(),
            delegate_error: self.delegate_error.clone(),
            delegate_stderr: None,
            outcome,
            reason: None,
            score: None,
            task_run: None,
            findings: Vec::new(),
            hooks: Vec::new(),
            modified: None,
            flags: Vec::new(),
            evaluation: None,
            looks: 0,
            asked_before: self.asked_before,
            started_at: self.started_at,
            completed_at: Timestamp::now(),
        }
    }
}

pub(crate) enum End {
    Passed,
    Failed,
    AlreadyMet,
    Unverifiable(String),
    Broken(String),
}

pub(crate) struct Running {
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) history: StatusHistory,
    pub(crate) result: Option<Claim>,
    /// How often the delegate was asked for the next attempt by loops that kept no answer.
    pub(crate) asked_before: u32,
}

impl Running {
    pub(crate) fn next(&self) -> u32 {
        u32::try_from(self.attempts.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn go(&mut self, to: TaskStatus, by: &str, reason: &str) {
        // Every caller goes a way that exists, which the tests over random verdicts hold.
        let gone = self.history.go(to, by, reason, Timestamp::now());
        debug_assert!(gone.is_ok(), "{gone:?}");
    }

    /// Goes through the states of earlier attempts again, at their times: the state that those that failed left, and what
    /// is still to be judged.
    pub(crate) fn resumed(earlier: Vec<Attempt>) -> (Self, Option<Left>) {
        let mut state = Self { attempts: Vec::new(), history: StatusHistory::new(), result: None, asked_before: 0 };
        for attempt in earlier {
            let name = format!("attempt {}", attempt.attempt);
            let mut go = |to, at| {
                let gone = state.history.go(to, "record", &name, at);
                debug_assert!(gone.is_ok(), "{gone:?}");
            };
            go(TaskStatus::InProgress, attempt.started_at);
            go(TaskStatus::AwaitingVerification, attempt.completed_at);
            if attempt.outcome != AttemptOutcome::Failed {
                let is_lost = attempt.outcome == AttemptOutcome::Asked;
                let Attempt { prompt, claim, delegate_error, started_at, asked_before, .. } = attempt;
                let delegate_error = if is_lost { Some(LOST.to_owned()) } else { delegate_error };
                return (state, Some(Left { prompt, claim, delegate_error, started_at, asked_before, is_lost }));
            }
            go(TaskStatus::VerificationInProgress, attempt.completed_at);
            state.judged(&attempt, "record");
            state.attempts.push(attempt);
        }
        (state, None)
    }

    pub(crate) fn judged(&mut self, attempt: &Attempt, by: &str) -> Option<End> {
        let reason = attempt.reason.clone().unwrap_or_default();
        match attempt.outcome {
            AttemptOutcome::Passed => {
                self.go(TaskStatus::Passed, by, "verified");
                Some(End::Passed)
            }
            AttemptOutcome::Failed => {
                self.go(TaskStatus::Failed, by, &reason);
                None
            }
            AttemptOutcome::Unverifiable => Some(End::Unverifiable(reason)),
            // What is not judged yet has no reason, and is not judged here.
            AttemptOutcome::Asked | AttemptOutcome::Answered | AttemptOutcome::Broken => Some(End::Broken(reason)),
        }
    }
}
