//! The bounded loop between a delegate's "Done." and whoever relies on it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use candor_engine::TaskRun;
use candor_process::Held;
use jiff::Timestamp;
use uuid::Uuid;

use crate::claim::Claim;
use crate::delegate::{Delegate, DelegateError, Request};
use crate::disclosure::{Disclose, Disclosed};
use crate::escalation::escalation;
use crate::hook::{self, HookPayload, HookRun, PostVerifyHook};
use crate::identity::{DelegateId, Parties, SelfAttestation, VerifierId};
use crate::keep::{Keep, Nowhere};
use crate::naming;
use crate::process::Boundary;
use crate::record::{Attempt, AttemptOutcome, LoopOutcome, LoopRecord};
use crate::running::{End, LOST, Left, Running};
use crate::service::{self, Service};
use crate::snapshot::Snapshot;
use crate::status::TaskStatus;
use crate::template::{asked_again, retry_prompt};
use crate::verifier::{Finding, Verifier, VerifierError, VerifierInput, VerifierVerdict};

/// The name under which a finding reports that the workspace cannot be copied.
const WORKSPACE: &str = "workspace";

const MET: &str = "the criteria were met before the delegate was asked, so it was not asked";
/// Why a pass becomes a failure: the delegate may have undone the work while the verifier judged it.
const RAN: &str = "a process of the delegate ran while its work was judged";

/// The settings of a loop.
#[derive(Clone, Debug)]
pub struct LoopSettings {
    /// The task's id.
    pub task_id: String,
    /// The delegate's prompt on attempt 0.
    pub prompt: String,
    /// How often the delegate may try again; 2 by default. A verifier's `max_iterations` is the other bound, 3 attempts
    /// by default: [`VerifyLoop::attempts`] combines the two.
    pub max_verify_retries: u32,
    /// True if the verifier looks again after an unverifiable verdict, as often as there may be retries. The delegate
    /// is not asked again for that: it did not cause it.
    pub retry_unverifiable: bool,
    /// How long the verifier waits before it looks again.
    pub look_again_after: Duration,
    /// The folder that the delegate works in.
    pub workspace: PathBuf,
    /// How much of a hook's reason the delegate may read. A verifier holds its own level.
    pub disclose: Disclose,
    /// Services that are started over a copy of the workspace before the verifier looks, and ended after it.
    pub services: Vec<Service>,
    /// The boundary, as the record describes it.
    pub boundary: Option<candor_json::Value>,
    /// The boundary of services: what they may reach in addition to a copy of the workspace; `None` sets no boundary.
    pub commands: Option<Boundary>,
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
            services: Vec::new(),
            boundary: None,
            commands: None,
        }
    }
}

/// An event that a loop reports while it runs.
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
        /// The delegate's claim.
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
    keep: &'a dyn Keep,
    /// The workspace, from before the first attempt on.
    held: Mutex<Option<Arc<Held>>>,
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
        Ok(Self { settings, parties, verifier, hooks: &[], keep: &Nowhere, held: Mutex::default() })
    }

    /// With hooks that look at every result after the verifier.
    #[must_use]
    pub fn with_hooks(mut self, hooks: &'a [Box<dyn PostVerifyHook>]) -> Self {
        self.hooks = hooks;
        self
    }

    /// With a place where attempts are kept while it runs.
    #[must_use]
    pub fn kept_in(mut self, keep: &'a dyn Keep) -> Self {
        self.keep = keep;
        self
    }

    /// The most attempts there will be, at least one.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.settings.max_verify_retries.saturating_add(1).min(self.verifier.max_iterations()).max(1)
    }

    /// Runs to the end. `earlier` are the attempts of a loop that was interrupted, in order; the loop continues after
    /// those that failed. For an earlier attempt that did not fail (it passed, was not judged or could not be judged)
    /// the verifier looks again at the work that the delegate left, without asking the delegate: a kept pass does not
    /// replace a look. If no answer was kept, the verifier looks first, and the delegate is asked again only for work
    /// that is not done.
    pub async fn run<D: Delegate>(
        &self,
        delegate: &mut D,
        session: &str,
        earlier: Vec<Attempt>,
        mut progress: impl FnMut(Progress<'_>),
    ) -> LoopRecord {
        self.hold();
        let (mut state, mut left) = Running::resumed(earlier);
        let mut ended = service::taken(&self.settings.services).await.err().map(End::Broken);
        let of = self.attempts();
        while ended.is_none() {
            let answered = match left.take() {
                Some(left) => Ok(left),
                None if state.next() >= of => break,
                None => self.asked(delegate, session, &mut state, &mut progress).await,
            };
            ended = match answered {
                Ok(left) => {
                    delegate.freeze().await;
                    let end = self.judged(delegate, left, &mut state, &mut progress).await;
                    // One that is done with stays stopped until it is ended.
                    if end.is_none() {
                        delegate.thaw().await;
                    }
                    end
                }
                Err(end) => Some(end),
            };
        }
        delegate.end().await;
        self.concluded(state, ended.unwrap_or(End::Failed))
    }

    /// Keeps an attempt, once more without what the delegate keeps on the disk. The error says why it cannot be kept, and
    /// whether that is the delegate's doing.
    async fn kept<D: Delegate>(&self, delegate: &mut D, attempt: &Attempt) -> Result<(), (String, Option<String>)> {
        match self.keep.keep(attempt) {
            Ok(()) => Ok(()),
            Err(why) => match delegate.make_room().await {
                Some(made) => {
                    if self.keep.keep(attempt).is_ok() {
                        return Ok(());
                    }
                    // A file that has no name takes its room until the process that holds it ends.
                    delegate.end().await;
                    self.keep.keep(attempt).map_err(|why| (why, made.err()))
                }
                None => Err((why, None)),
            },
        }
    }

    /// The record of a loop whose criteria were met before, which asks no delegate.
    #[must_use]
    pub fn already_met(&self) -> LoopRecord {
        self.concluded(Running::resumed(Vec::new()).0, End::AlreadyMet)
    }

    /// Asks for the next attempt; a delegate that cannot be reached is an error.
    async fn asked<D: Delegate>(
        &self,
        delegate: &mut D,
        session: &str,
        state: &mut Running,
        progress: &mut impl FnMut(Progress<'_>),
    ) -> Result<Left, End> {
        let (attempt, of) = (state.next(), self.attempts());
        let asked_before = std::mem::take(&mut state.asked_before);
        let mut prompt = match state.attempts.last().and_then(|last| Some((last, last.reason.as_deref()?))) {
            Some((last, reason)) => {
                retry_prompt(&self.settings.prompt, reason, last.delegate_error.as_deref(), attempt, of)
            }
            None => self.settings.prompt.clone(),
        };
        if asked_before > 0 {
            prompt = asked_again(&prompt);
        }
        let mut left = Left {
            prompt,
            claim: Claim::default(),
            delegate_error: None,
            started_at: Timestamp::now(),
            asked_before,
            is_lost: false,
        };
        let kept = self.kept(delegate, &left.attempt(attempt, AttemptOutcome::Asked)).await;
        if let Err((why, is_its_doing)) = kept {
            return Err(match is_its_doing {
                Some(_) if attempt > 0 => End::Failed,
                _ => End::Broken(format!("the delegate was not asked, because the record cannot be kept: {why}")),
            });
        }
        if !self.settings.workspace.as_os_str().is_empty() {
            // One that the last attempt removed is made anew: without it no command could be started. Where it cannot be
            // made, the delegate says so itself.
            if self.settings.workspace.symlink_metadata().is_err()
                && std::fs::create_dir_all(&self.settings.workspace).is_ok()
            {
                self.hold();
            }
            // One that the last attempt closed would let no command begin in it.
            let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let _ = held.map(|held| held.open_to_owner());
        }
        let by = &self.parties.delegate_id().0;
        state.go(TaskStatus::InProgress, by, &format!("attempt {attempt}"));
        progress(Progress::Asked { attempt, of });
        let request = Request { prompt: left.prompt.clone(), attempt, session: session.to_owned() };
        match delegate.attempt(&request).await {
            Ok(claim) => left.claim = claim,
            Err(DelegateError::Broke(what)) => left.delegate_error = Some(what),
            Err(error @ DelegateError::Unreachable(_)) => {
                // Where it cannot be forgotten, the next loop looks before it asks.
                let _ = self.keep.forget(attempt);
                return Err(End::Broken(error.to_string()));
            }
            Err(error @ DelegateError::Lost(_)) => return Err(End::Broken(error.to_string())),
        }
        // The keeper knows what it could not keep. An answer is judged nonetheless.
        let _ = self.kept(delegate, &left.attempt(attempt, AttemptOutcome::Answered)).await;
        let how = left.delegate_error.as_deref().unwrap_or("the delegate answered");
        state.go(TaskStatus::AwaitingVerification, by, how);
        Ok(left)
    }

    /// Looks at what the delegate left, and judges. `Some` where the loop ends with it.
    async fn judged<D: Delegate>(
        &self,
        delegate: &mut D,
        left: Left,
        state: &mut Running,
        progress: &mut impl FnMut(Progress<'_>),
    ) -> Option<End> {
        let attempt = state.next();
        progress(Progress::Verifying { attempt, claim: &left.claim });
        let by = &self.parties.verifier_id().0;
        state.go(TaskStatus::VerificationInProgress, by, &format!("attempt {attempt}"));
        let (looked, broken) = match self.looked(delegate, left.claim.clone(), attempt).await {
            Ok(looked) => (looked, None),
            Err(error) => (Looked::nothing(left.claim.clone()), Some(error.to_string())),
        };
        let Looked { mut verdict, result, modified, run, findings, hooks, looks, blind } = looked;
        if !delegate.held().await && broken.is_none() {
            verdict = match verdict {
                VerifierVerdict::Failed { reason } => VerifierVerdict::Failed { reason: format!("{reason}\n{RAN}") },
                _ => VerifierVerdict::Failed { reason: RAN.to_owned() },
            };
        }
        if verdict == VerifierVerdict::Passed {
            delegate.end().await;
        }
        let (outcome, reason) = match (broken, verdict) {
            (Some(broken), _) => (AttemptOutcome::Broken, Some(broken)),
            (None, VerifierVerdict::Passed) => (AttemptOutcome::Passed, None),
            (None, VerifierVerdict::Failed { reason }) => (AttemptOutcome::Failed, Some(reason)),
            (None, VerifierVerdict::Unverifiable { reason }) => (AttemptOutcome::Unverifiable, Some(reason)),
        };
        if left.is_lost && outcome == AttemptOutcome::Failed {
            // The delegate may never have begun: it is asked again, and this does not count as an attempt.
            state.go(TaskStatus::Failed, by, LOST);
            state.asked_before = left.asked_before.saturating_add(1);
            return None;
        }
        let wrote = delegate.stderr().await.filter(|_| left.delegate_error.is_none());
        let task_run = run.as_ref().and_then(|run| candor_json::to_value(run).ok());
        let before = state.attempts.last().and_then(|last| last.task_run.as_ref());
        let only_named = before.zip(task_run.as_ref()).is_some_and(|(a, b)| naming::changed_only_what_failed(a, b));
        let judged = Attempt {
            score: task_run.as_ref().and_then(|run| run.get("score").cloned()),
            task_run,
            findings,
            hooks,
            modified: modified.then(|| result.clone()),
            flags: if only_named { vec![naming::FLAG.to_owned()] } else { Vec::new() },
            looks,
            delegate_stderr: wrote,
            // An evaluator's answer about an earlier attempt does not belong to this one.
            evaluation: self.verifier.evaluation().filter(|_| !blind),
            reason,
            ..left.attempt(attempt, outcome)
        };
        let _ = self.kept(delegate, &judged).await;
        progress(Progress::Judged(&judged));
        let end = state.judged(&judged, by);
        state.result = (judged.outcome == AttemptOutcome::Passed).then_some(result);
        state.attempts.push(judged);
        end
    }

    async fn looked<D: Delegate>(&self, delegate: &mut D, claim: Claim, attempt: u32) -> Result<Looked, VerifierError> {
        let mut looks = 1;
        let mut copy = self.copy(&claim).await;
        if let Err(VerifierVerdict::Unverifiable { .. }) = copy
            && let Some(made) = delegate.make_room().await
        {
            let mut again = self.copy(&claim).await;
            if let Err(VerifierVerdict::Unverifiable { .. }) = again {
                // A file that has no name takes its room until the process that holds it ends.
                delegate.end().await;
                again = self.copy(&claim).await;
            }
            copy = match (again, made) {
                (Err(VerifierVerdict::Unverifiable { .. }), Err(reason)) => Err(VerifierVerdict::Failed { reason }),
                (again, _) => again,
            };
        }
        let mut verdict = self.verified(&claim, attempt, &copy).await?;
        while self.settings.retry_unverifiable
            && matches!(verdict, VerifierVerdict::Unverifiable { .. })
            && looks <= self.settings.max_verify_retries
        {
            tokio::time::sleep(self.settings.look_again_after).await;
            looks += 1;
            copy = self.copy(&claim).await;
            verdict = self.verified(&claim, attempt, &copy).await?;
        }
        // Without a copy neither the verifier nor a hook looked at anything.
        let copy = match copy {
            Ok(copy) => copy,
            Err(whole) => {
                let findings = vec![Finding::new(WORKSPACE, whole)];
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
    async fn copy(&self, claim: &Claim) -> Result<Option<Snapshot>, VerifierVerdict> {
        let serves = !self.settings.services.is_empty() || !claim.criteria.is_empty();
        match serves || self.verifier.reads_workspace() || self.hooks.iter().any(|hook| hook.reads_workspace()) {
            true => {
                let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).clone();
                match held {
                    Some(held) => Snapshot::of_held(held).await.map(Some),
                    // There was no folder to hold, and so there may be one or none now.
                    None => Snapshot::taken(&self.settings.workspace).await,
                }
            }
            false => Ok(None),
        }
    }

    /// Holds the workspace as it is now: what takes its place later is not looked at.
    fn hold(&self) {
        let workspace = &self.settings.workspace;
        let held = if workspace.as_os_str().is_empty() { None } else { Held::of(workspace).ok() };
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = held.map(Arc::new);
    }

    async fn verified(
        &self,
        claim: &Claim,
        attempt: u32,
        copy: &Result<Option<Snapshot>, VerifierVerdict>,
    ) -> Result<VerifierVerdict, VerifierError> {
        let started = match copy {
            Ok(copy) => {
                service::started(&self.settings.services, &path(copy.as_ref()), self.settings.commands.as_ref()).await
            }
            Err(verdict) => Err(verdict.clone()),
        };
        // They run until the verifier has looked.
        let mut running;
        let workspace = match started {
            Ok(started) => {
                running = started;
                path(copy.as_ref().ok().and_then(Option::as_ref))
            }
            Err(VerifierVerdict::Failed { reason }) => {
                let told = Disclosed::said(self.settings.disclose, WORKSPACE, &reason);
                return Ok(VerifierVerdict::Failed { reason: told.text().to_owned() });
            }
            Err(verdict) => return Ok(verdict),
        };
        let input = VerifierInput { build_result: claim.clone(), eval_result: None, workspace, iteration: attempt };
        let verdict = self.verifier.verify(&input).await;
        if let Ok(VerifierVerdict::Passed | VerifierVerdict::Failed { .. }) = verdict {
            return verdict;
        }
        // What was asked there is the work's.
        match running.ended().await {
            None => verdict,
            Some(reason) => {
                let told = Disclosed::said(self.settings.disclose, WORKSPACE, &reason);
                Ok(VerifierVerdict::Failed { reason: told.text().to_owned() })
            }
        }
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
            End::AlreadyMet => (LoopOutcome::AlreadyMet, Some(MET.to_owned())),
            End::Unverifiable(reason) => (LoopOutcome::Unverifiable, Some(reason)),
            End::Broken(reason) => (LoopOutcome::Broken, Some(reason)),
        };
        let Self { settings: LoopSettings { task_id, prompt, .. }, .. } = self;
        let escalation =
            (outcome != LoopOutcome::Passed).then(|| escalation(task_id, prompt, &state.attempts, reason.as_deref()));
        let score = |attempt: Option<&Attempt>| attempt.and_then(|attempt| attempt.score.clone());
        LoopRecord {
            loop_id: format!("lp_{}", Uuid::now_v7().simple()),
            task_id: task_id.clone(),
            parties: self.parties.clone(),
            outcome,
            status: state.history.status(),
            reason,
            first_score: score(state.attempts.first()),
            last_score: score(state.attempts.last()),
            result: state.result.filter(|_| outcome == LoopOutcome::Passed),
            escalation,
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
    /// True if there was nothing that the verifier could have looked at.
    blind: bool,
}

impl Looked {
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
