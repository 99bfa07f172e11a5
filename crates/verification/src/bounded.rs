//! The bounded loop between a delegate's "Done." and whoever relies on it.

use std::path::PathBuf;
use std::time::Duration;

use candor_check::Status;
use candor_engine::TaskRun;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use crate::claim::Claim;
use crate::delegate::{Delegate, DelegateError, Request};
use crate::disclosure::{Disclose, Disclosed};
use crate::hook::{self, HookPayload, HookRun, PostVerifyHook};
use crate::identity::{DelegateId, Parties, SelfAttestation, VerifierId};
use crate::naming;
use crate::record::{Attempt, AttemptOutcome, EscalatedAttempt, Escalation, LoopOutcome, LoopRecord, OpenCriterion};
use crate::snapshot::Snapshot;
use crate::status::{StatusHistory, TaskStatus};
use crate::template::retry_prompt;
use crate::verifier::{Finding, Verifier, VerifierError, VerifierInput, VerifierVerdict};

/// Under which name it is told that a workspace cannot be copied.
const WORKSPACE: &str = "workspace";

/// What a loop is run with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopSettings {
    /// The task's id.
    pub task_id: String,
    /// What the delegate is told on attempt 0.
    pub prompt: String,
    /// How often it may try again; 2 by default. A verifier's `max_iterations` is the other bound, 3 attempts where it does
    /// not say: [`VerifyLoop::attempts`] is what comes of both.
    pub max_verify_retries: u32,
    /// Whether the verifier looks again, as often as there may be retries, where it could not say. The delegate is not
    /// asked again for that: it is not its fault.
    pub retry_unverifiable: bool,
    /// How long the verifier waits before it looks again.
    pub look_again_after: Duration,
    /// The folder that the delegate works in.
    pub workspace: PathBuf,
    /// How much of what a hook says the delegate is told. A verifier holds its own level.
    pub disclose: Disclose,
    /// What the record says of the boundary.
    pub boundary: Option<serde_json::Value>,
}

impl LoopSettings {
    /// Two retries, and an unverifiable verdict ends the loop.
    #[must_use]
    pub fn new(task_id: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self {
            task_id: task_id.into(),
            prompt: prompt.into(),
            max_verify_retries: 2,
            retry_unverifiable: false,
            look_again_after: Duration::from_secs(1),
            workspace: PathBuf::new(),
            disclose: Disclose::default(),
            boundary: None,
        }
    }
}

/// What a loop tells while it runs.
#[derive(Debug)]
pub enum Progress<'a> {
    /// The delegate is asked.
    Asked {
        /// Which attempt this is.
        attempt: u32,
        /// The most there will be.
        of: u32,
    },
    /// The verifier looks at what the delegate left.
    Verifying {
        /// Which attempt it is.
        attempt: u32,
        /// What the delegate claims.
        claim: &'a Claim,
    },
    /// An attempt is judged and goes into the record.
    Judged(&'a Attempt),
}

/// A loop that is ready to run: verifier and delegate are two.
pub struct VerifyLoop<'a, V> {
    settings: LoopSettings,
    parties: Parties,
    verifier: &'a V,
    hooks: &'a [Box<dyn PostVerifyHook>],
}

impl<'a, V: Verifier> VerifyLoop<'a, V> {
    /// A loop.
    ///
    /// # Errors
    /// When verifier and delegate are the same.
    pub fn new(
        settings: LoopSettings,
        verifier_id: VerifierId,
        delegate_id: DelegateId,
        verifier: &'a V,
    ) -> Result<Self, SelfAttestation> {
        let parties = Parties::new(verifier_id, delegate_id)?;
        Ok(Self { settings, parties, verifier, hooks: &[] })
    }

    /// With hooks that look at every result after the verifier.
    #[must_use]
    pub fn with_hooks(mut self, hooks: &'a [Box<dyn PostVerifyHook>]) -> Self {
        self.hooks = hooks;
        self
    }

    /// The most attempts there will be, at least one.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.settings.max_verify_retries.saturating_add(1).min(self.verifier.max_iterations()).max(1)
    }

    /// Runs to the end. `earlier` are the attempts of a loop that was interrupted, in order; it goes on behind those that
    /// failed. Where one did not fail, whether it passed or could not be judged, the verifier looks again at what the
    /// delegate left, who is not asked for that: what was kept of a pass is no look.
    pub async fn run<D: Delegate>(
        &self,
        delegate: &mut D,
        session: &str,
        earlier: Vec<Attempt>,
        mut progress: impl FnMut(Progress<'_>),
    ) -> LoopRecord {
        let (mut state, mut left) = Running::resumed(earlier);
        let mut ended = None;
        let of = self.attempts();
        while ended.is_none() {
            let answered = match left.take() {
                Some(left) => Ok(left),
                None if state.next() >= of => break,
                None => self.asked(delegate, session, &mut state, &mut progress).await,
            };
            ended = match answered {
                Ok(left) => self.judged(left, &mut state, &mut progress).await,
                Err(unreachable) => Some(End::Broken(unreachable)),
            };
        }
        delegate.end().await;
        self.concluded(state, ended.unwrap_or(End::Failed))
    }

    /// Asks for the next attempt; a delegate that cannot be reached is an error.
    async fn asked<D: Delegate>(
        &self,
        delegate: &mut D,
        session: &str,
        state: &mut Running,
        progress: &mut impl FnMut(Progress<'_>),
    ) -> Result<Left, String> {
        let (attempt, of) = (state.next(), self.attempts());
        let prompt = match state.attempts.last().and_then(|last| last.reason.as_deref()) {
            Some(reason) => retry_prompt(&self.settings.prompt, reason, attempt, of),
            None => self.settings.prompt.clone(),
        };
        let started_at = Timestamp::now();
        let by = &self.parties.delegate_id().0;
        state.go(TaskStatus::InProgress, by, &format!("attempt {attempt}"));
        progress(Progress::Asked { attempt, of });
        let request = Request { prompt, attempt, session: session.to_owned() };
        let (claim, delegate_error) = match delegate.attempt(&request).await {
            Ok(claim) => (claim, None),
            Err(DelegateError::Broke(what)) => (Claim::default(), Some(what)),
            Err(error @ DelegateError::Unreachable(_)) => return Err(error.to_string()),
        };
        state.go(TaskStatus::AwaitingVerification, by, delegate_error.as_deref().unwrap_or("the delegate answered"));
        Ok(Left { prompt: request.prompt, claim, delegate_error, started_at })
    }

    /// Looks at what the delegate left, and judges. `Some` where the loop ends with it.
    async fn judged(&self, left: Left, state: &mut Running, progress: &mut impl FnMut(Progress<'_>)) -> Option<End> {
        let attempt = state.next();
        progress(Progress::Verifying { attempt, claim: &left.claim });
        let by = &self.parties.verifier_id().0;
        state.go(TaskStatus::VerificationInProgress, by, &format!("attempt {attempt}"));
        let (looked, broken) = match self.looked(left.claim.clone(), attempt).await {
            Ok(looked) => (looked, None),
            Err(error) => (Looked::nothing(left.claim.clone()), Some(error.to_string())),
        };
        let Looked { verdict, result, modified, run, findings, hooks, looks, blind } = looked;
        let (outcome, reason) = match (broken, verdict) {
            (Some(broken), _) => (AttemptOutcome::Broken, Some(broken)),
            (None, VerifierVerdict::Passed) => (AttemptOutcome::Passed, None),
            (None, VerifierVerdict::Failed { reason }) => (AttemptOutcome::Failed, Some(reason)),
            (None, VerifierVerdict::Unverifiable { reason }) => (AttemptOutcome::Unverifiable, Some(reason)),
        };
        let task_run = run.as_ref().and_then(|run| serde_json::to_value(run).ok());
        let before = state.attempts.last().and_then(|last| last.task_run.as_ref());
        let only_named = before.zip(task_run.as_ref()).is_some_and(|(a, b)| naming::changed_only_what_failed(a, b));
        let judged = Attempt {
            attempt,
            prompt: left.prompt,
            claim: left.claim,
            delegate_error: left.delegate_error,
            outcome,
            score: task_run.as_ref().and_then(|run| run.get("score").cloned()),
            task_run,
            findings,
            hooks,
            modified: modified.then(|| result.clone()),
            flags: if only_named { vec![naming::FLAG.to_owned()] } else { Vec::new() },
            looks,
            // What was said of an earlier attempt is nothing of this one.
            evaluation: self.verifier.evaluation().filter(|_| !blind),
            started_at: left.started_at,
            completed_at: Timestamp::now(),
            reason,
        };
        progress(Progress::Judged(&judged));
        let end = state.judged(&judged, by);
        state.result = (judged.outcome == AttemptOutcome::Passed).then_some(result);
        state.attempts.push(judged);
        end
    }

    /// What verifier and hooks say together of what the delegate left.
    async fn looked(&self, claim: Claim, attempt: u32) -> Result<Looked, VerifierError> {
        let mut looks = 1;
        let mut copy = self.copy().await;
        let mut verdict = self.verified(&claim, attempt, &copy).await?;
        while self.settings.retry_unverifiable
            && matches!(verdict, VerifierVerdict::Unverifiable { .. })
            && looks <= self.settings.max_verify_retries
        {
            tokio::time::sleep(self.settings.look_again_after).await;
            looks += 1;
            copy = self.copy().await;
            verdict = self.verified(&claim, attempt, &copy).await?;
        }
        // Without a copy nobody looked at anything.
        let copy = match copy {
            Ok(copy) => copy,
            Err(whole) => {
                let findings = vec![Finding { verifier: WORKSPACE.to_owned(), verdict: whole }];
                return Ok(Looked { verdict, findings, looks, blind: true, ..Looked::nothing(claim) });
            }
        };
        let run = self.verifier.task_run();
        let findings = self.verifier.findings();
        let payload =
            HookPayload { result: claim, verdict: verdict.clone(), workspace: path(copy.as_ref()), iteration: attempt };
        let handled = hook::run(self.hooks, payload).await?;
        let blocked: Vec<String> = handled
            .runs
            .iter()
            .filter_map(|run| run.reason.as_deref().map(|reason| (run, reason)))
            .map(|(run, reason)| Disclosed::said(self.settings.disclose, &run.name, reason).text().to_owned())
            .collect();
        let joined = |mut reasons: Vec<String>| {
            reasons.dedup();
            VerifierVerdict::Failed { reason: reasons.join("\n") }
        };
        let verdict = match (verdict, blocked.is_empty()) {
            (VerifierVerdict::Passed, false) => joined(blocked),
            (VerifierVerdict::Failed { reason }, false) => joined([vec![reason], blocked].concat()),
            (verdict, _) => verdict,
        };
        let hook::Handled { result, modified, runs: hooks } = handled;
        Ok(Looked { verdict, result, modified, run, findings, hooks, looks, blind: false })
    }

    /// A copy of the workspace as it is now, where anybody looks at it.
    async fn copy(&self) -> Result<Option<Snapshot>, VerifierVerdict> {
        match self.verifier.reads_workspace() || self.hooks.iter().any(|hook| hook.reads_workspace()) {
            true => Snapshot::taken(&self.settings.workspace).await,
            false => Ok(None),
        }
    }

    async fn verified(
        &self,
        claim: &Claim,
        attempt: u32,
        copy: &Result<Option<Snapshot>, VerifierVerdict>,
    ) -> Result<VerifierVerdict, VerifierError> {
        let workspace = match copy {
            Ok(copy) => path(copy.as_ref()),
            Err(VerifierVerdict::Failed { reason }) => {
                let told = Disclosed::said(self.settings.disclose, WORKSPACE, reason);
                return Ok(VerifierVerdict::Failed { reason: told.text().to_owned() });
            }
            Err(verdict) => return Ok(verdict.clone()),
        };
        let input = VerifierInput { build_result: claim.clone(), eval_result: None, workspace, iteration: attempt };
        self.verifier.verify(&input).await
    }

    fn concluded(&self, mut state: Running, end: End) -> LoopRecord {
        let by = &self.parties.verifier_id().0;
        let (outcome, reason) = match end {
            End::Passed => {
                state.go(TaskStatus::Completed, by, "the verifier and every hook passed it");
                (LoopOutcome::Passed, None)
            }
            End::Failed => {
                state.go(TaskStatus::EscalatedToHuman, by, "no attempt passed");
                let reason = state.attempts.last().and_then(|last| last.reason.clone());
                (LoopOutcome::VerificationFailed, reason)
            }
            End::Unverifiable(reason) => (LoopOutcome::Unverifiable, Some(reason)),
            End::Broken(reason) => (LoopOutcome::Broken, Some(reason)),
        };
        let score = |attempt: Option<&Attempt>| attempt.and_then(|attempt| attempt.score.clone());
        LoopRecord {
            loop_id: format!("lp_{}", Uuid::now_v7().simple()),
            task_id: self.settings.task_id.clone(),
            parties: self.parties.clone(),
            outcome,
            status: state.history.status(),
            reason,
            first_score: score(state.attempts.first()),
            last_score: score(state.attempts.last()),
            result: state.result.filter(|_| outcome == LoopOutcome::Passed),
            escalation: (outcome == LoopOutcome::VerificationFailed)
                .then(|| escalation(&self.settings, &state.attempts)),
            history: state.history.transitions().to_vec(),
            attempts: state.attempts,
            boundary: self.settings.boundary.clone(),
        }
    }
}

fn path(copy: Option<&Snapshot>) -> PathBuf {
    copy.map(|copy| copy.path().to_owned()).unwrap_or_default()
}

struct Looked {
    verdict: VerifierVerdict,
    result: Claim,
    modified: bool,
    run: Option<TaskRun>,
    findings: Vec<Finding>,
    hooks: Vec<HookRun>,
    looks: u32,
    /// Whether there was nothing that the verifier could have looked at.
    blind: bool,
}

impl Looked {
    /// Of a verifier or hook that broke.
    fn nothing(result: Claim) -> Self {
        let verdict = VerifierVerdict::Unverifiable { reason: String::new() };
        Self {
            verdict,
            result,
            modified: false,
            run: None,
            findings: Vec::new(),
            hooks: Vec::new(),
            looks: 1,
            blind: false,
        }
    }
}

/// What the delegate left, and nobody has judged yet.
struct Left {
    prompt: String,
    claim: Claim,
    delegate_error: Option<String>,
    started_at: Timestamp,
}

/// How a loop ends.
enum End {
    Passed,
    Failed,
    Unverifiable(String),
    Broken(String),
}

/// A loop under way.
struct Running {
    attempts: Vec<Attempt>,
    history: StatusHistory,
    result: Option<Claim>,
}

impl Running {
    fn next(&self) -> u32 {
        u32::try_from(self.attempts.len()).unwrap_or(u32::MAX)
    }

    fn go(&mut self, to: TaskStatus, by: &str, reason: &str) {
        // Every caller goes a way that exists, which the tests over random verdicts hold.
        let gone = self.history.go(to, by, reason, Timestamp::now());
        debug_assert!(gone.is_ok(), "{gone:?}");
    }

    /// Goes through the states of earlier attempts again, at their times: the state that those that failed left, and what
    /// is still to be judged.
    fn resumed(earlier: Vec<Attempt>) -> (Self, Option<Left>) {
        let mut state = Self { attempts: Vec::new(), history: StatusHistory::new(), result: None };
        for attempt in earlier {
            let name = format!("attempt {}", attempt.attempt);
            let mut go = |to, at| {
                let gone = state.history.go(to, "record", &name, at);
                debug_assert!(gone.is_ok(), "{gone:?}");
            };
            go(TaskStatus::InProgress, attempt.started_at);
            go(TaskStatus::AwaitingVerification, attempt.completed_at);
            if attempt.outcome != AttemptOutcome::Failed {
                let Attempt { prompt, claim, delegate_error, started_at, .. } = attempt;
                return (state, Some(Left { prompt, claim, delegate_error, started_at }));
            }
            go(TaskStatus::VerificationInProgress, attempt.completed_at);
            state.judged(&attempt, "record");
            state.attempts.push(attempt);
        }
        (state, None)
    }

    fn judged(&mut self, attempt: &Attempt, by: &str) -> Option<End> {
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
            AttemptOutcome::Broken => Some(End::Broken(reason)),
        }
    }
}

/// What a human is told: everything, whatever the delegate was not.
fn escalation(settings: &LoopSettings, attempts: &[Attempt]) -> Escalation {
    let last_attempt = attempts.last();
    let last = last_attempt.and_then(|attempt| attempt.task_run.as_ref());
    let runs = last.and_then(|run| run.get("criterion_runs")).and_then(Value::as_array).into_iter().flatten();
    Escalation {
        task_id: settings.task_id.clone(),
        prompt: settings.prompt.clone(),
        open_criteria: runs.filter_map(open_criterion).collect(),
        findings: last_attempt
            .map(|attempt| attempt.findings.iter().filter(|finding| finding.verdict != VerifierVerdict::Passed))
            .into_iter()
            .flatten()
            .cloned()
            .collect(),
        blocked: last_attempt
            .map(|attempt| attempt.hooks.iter().filter(|hook| hook.reason.is_some()))
            .into_iter()
            .flatten()
            .cloned()
            .collect(),
        attempts: attempts
            .iter()
            .map(|attempt| EscalatedAttempt {
                attempt: attempt.attempt,
                reason: attempt.reason.clone().or_else(|| attempt.delegate_error.clone()),
                claim: attempt.claim.response.clone(),
            })
            .collect(),
    }
}

/// A criterion run as it is stored, where it did not pass.
fn open_criterion(run: &Value) -> Option<OpenCriterion> {
    let text = |key: &str| run.get(key).and_then(Value::as_str).map(str::to_owned);
    let status = text("status").filter(|status| status != Status::Passed.name())?;
    Some(OpenCriterion {
        criterion_id: text("criterion_id")?,
        label: text("label").unwrap_or_default(),
        status,
        reason: text("reason"),
        evidence_gap: text("details").unwrap_or_default(),
    })
}
