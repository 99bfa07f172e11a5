//! The task's criteria, run against the sandbox.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use candor_check::{Obstacle, Sandbox, Unverifiable};
use candor_engine::{CriterionRun, Engine, Plan, TaskRun};

use super::proposed;
use super::verdict::verdict;
use crate::disclosure::Disclose;
use crate::folder_state::FolderState;
use crate::guard;
use crate::protection::{Protection, guard as guarded};
use crate::snapshot::Snapshot;
use crate::verifier::{Finding, Verifier, VerifierError, VerifierInput, VerifierVerdict};

/// The part of a sandbox for which the delegate's workspace serves if the sandbox does not have that part.
const WORKSPACE: &str = "workspace";
/// A place at which there never is a folder.
const NOWHERE: &str = "/dev/null/nowhere";

/// Runs a task's criteria against a sandbox that is opened anew for every look. Criteria about a workspace are run against
/// the delegate's, of which the loop gives a copy, unless the sandbox has a workspace of its own. Passed is the verdict
/// `pass`; what could not be verified and could make it a pass is unverifiable.
pub struct Criteria {
    engine: Engine,
    plan: Plan,
    disclose: Disclose,
    last: Mutex<Option<TaskRun>>,
    /// The sandbox as described, and its folders as found, before the first attempt.
    still: Result<(Sandbox, Vec<HeldPart>), String>,
    granted: Vec<PathBuf>,
    /// The parts that the delegate may write, as they were before the first attempt.
    began: BTreeMap<&'static str, FolderState>,
    protection: Option<Protection>,
    overlay: Option<PathBuf>,
    kept: Option<Arc<Mutex<Vec<TaskRun>>>>,
    /// The results of the criteria that the delegate proposed with its last answer.
    proposed: Mutex<Vec<Finding>>,
}

struct HeldPart {
    path: PathBuf,
    /// Device and number; `None` where nothing was there.
    was: Option<(u64, u64)>,
}

impl HeldPart {
    fn of(path: PathBuf) -> Self {
        let was = std::fs::metadata(&path).ok().map(|there| (there.dev(), there.ino()));
        Self { path, was }
    }

    fn is_replaced(&self) -> bool {
        match self.was {
            Some(was) => !std::fs::metadata(&self.path).is_ok_and(|there| (there.dev(), there.ino()) == was),
            None => std::fs::symlink_metadata(&self.path).is_ok_and(|there| there.file_type().is_symlink()),
        }
    }
}

impl Criteria {
    /// A verifier over a planned task and the sandbox at a path.
    #[must_use]
    pub fn new(engine: Engine, plan: Plan, sandbox: impl Into<PathBuf>, disclose: Disclose) -> Self {
        let sandbox = sandbox.into();
        let still = engine.open(&sandbox).map_err(|error| error.to_string()).map(|opened| {
            let root = sandbox.is_dir().then(|| sandbox.clone());
            let named = engine.parts().iter().map(candor_check::PartType::name).map(|part| sandbox.join(part));
            let named = named.filter(|_| root.is_some());
            let folders = opened.part_folders().into_iter().map(|(_, folder)| folder);
            let held = root.iter().cloned().chain(named).chain(folders).map(HeldPart::of).collect();
            (opened, held)
        });
        let (granted, began, protection, overlay) = (Vec::new(), BTreeMap::new(), None, None);
        Self {
            engine,
            plan,
            disclose,
            last: Mutex::default(),
            still,
            granted,
            began,
            protection,
            overlay,
            kept: None,
            proposed: Mutex::default(),
        }
    }

    /// With the state from before the work.
    #[must_use]
    pub fn against(mut self, before: Sandbox) -> Self {
        self.still = self.still.map(|(sandbox, held)| (sandbox.with_baseline(before), held));
        self
    }

    /// With a workspace that lies in the sandbox's folder: it is the delegate's, as one elsewhere is, and not a part of the
    /// sandbox.
    #[must_use]
    pub fn with_workspace_inside(mut self, workspace: &Path) -> Self {
        self.still = self.still.map(|(sandbox, mut held)| {
            let workspace = guard::real(workspace);
            held.retain(|part| guard::real(&part.path) != workspace);
            (without_workspace(&sandbox), held)
        });
        self
    }

    /// Keeps the task run of every look there, in their order.
    #[must_use]
    pub fn keeping(mut self, kept: Arc<Mutex<Vec<TaskRun>>>) -> Self {
        self.kept = Some(kept);
        self
    }

    /// With parts of the sandbox that the delegate may write: they are judged from a copy.
    #[must_use]
    pub fn granting(mut self, granted: impl IntoIterator<Item = PathBuf>) -> Self {
        self.granted = granted.into_iter().map(|path| guard::real(&path)).collect();
        let parts = self.still.as_ref().map(|(sandbox, _)| sandbox.part_folders()).unwrap_or_default();
        let began = parts.into_iter().filter(|(part, folder)| self.may_write(part, folder));
        self.began = began.map(|(part, folder)| (part, FolderState::of(&folder))).collect();
        self
    }

    /// With files of the workspace that the delegate may not change.
    #[must_use]
    pub fn protecting(mut self, protection: Protection) -> Self {
        self.protection = Some(protection);
        self
    }

    /// With a folder that is laid over a copy of the workspace before a command runs.
    #[must_use]
    pub fn with_overlay(mut self, overlay: impl Into<PathBuf>) -> Self {
        self.overlay = Some(overlay.into());
        self
    }

    /// Looks once, before a delegate is asked: are the criteria that ask for work met already? Criteria that pass where
    /// nothing was done ask for none. What a criterion says that runs code is not known without running it.
    pub async fn is_met(&self, workspace: &Path) -> bool {
        let asking: Vec<usize> = (0..self.plan.task().criteria.len())
            .filter(|&index| !self.plan.review(index).is_some_and(|review| review.passes_on_nothing))
            .collect();
        let Ok((opened, _)) = &self.still else { return false };
        let runs_code = (0..self.plan.task().criteria.len()).any(|index| self.plan.runs_code(index));
        if asking.is_empty() || runs_code {
            return false;
        }
        let mut sandbox = opened.anew();
        if sandbox.folder(WORKSPACE).is_none() && !workspace.as_os_str().is_empty() && self.plan.reads(WORKSPACE) {
            sandbox = sandbox.with_folder(WORKSPACE, workspace);
        }
        let run = self.engine.clone().looking_once().run(&self.plan, &sandbox).await;
        let is_passed = |run: &CriterionRun| run.status() == candor_check::Status::Passed;
        asking.iter().all(|&index| run.criterion_runs.get(index).is_some_and(is_passed))
    }

    /// The sandbox with copies in the place of the parts that the delegate may write, and those copies by their parts.
    async fn granted(
        &self,
        mut sandbox: Sandbox,
    ) -> Result<Result<(Sandbox, Vec<CopiedPart>), VerifierVerdict>, VerifierError> {
        let mut copies = Vec::new();
        for (part, folder) in sandbox.part_folders() {
            if self.may_write(part, &folder) {
                match Snapshot::taken(&folder).await {
                    Ok(Some(copy)) => {
                        let special = match special(&sandbox, part).await {
                            Ok(special) => special,
                            // Whoever reads the copy meets the same limit.
                            Err(why) if why.obstacle == Obstacle::LimitExceeded => Vec::new(),
                            Err(why) => return Ok(Err(VerifierVerdict::Unverifiable { reason: why.details })),
                        };
                        for below in special {
                            if let Err(verdict) = copy.with_gap(&below) {
                                return Ok(Err(verdict));
                            }
                        }
                        sandbox = sandbox.with_folder(part, copy.path());
                        let is_as_it_began =
                            self.began.get(part).is_some_and(|began| began.is_same(&FolderState::of(&folder)));
                        copies.push(CopiedPart { part, is_written: !is_as_it_began, _copy: copy });
                    }
                    Ok(None) => {}
                    Err(verdict) => return Ok(Err(verdict)),
                }
            }
        }
        Ok(Ok((sandbox, copies)))
    }

    /// Returns `true` if a part is read by a criterion and the delegate may write in it.
    fn may_write(&self, part: &str, folder: &Path) -> bool {
        let real = guard::real(folder);
        self.plan.reads(part) && self.granted.iter().any(|grant| real.starts_with(grant) || grant.starts_with(&real))
    }

    /// The criteria that the delegate's own work keeps from being verified, by their ids: a file that it left in its
    /// workspace (`is_left`), or what cannot be read whole in a part that it has written to. What is read of that is a copy on
    /// this disk, so that no server is late.
    fn charged<'r>(&self, run: &'r TaskRun, is_left: bool, copies: &[CopiedPart]) -> BTreeSet<&'r str> {
        let is_granted =
            |index: usize| copies.iter().any(|copy| copy.is_written && self.plan.part(index) == Some(copy.part));
        let runs = run.criterion_runs.iter().enumerate();
        let charged = runs.filter_map(|(index, run)| {
            let is_by_the_work = is_left && run.evidence.is_by_the_work();
            let is_unread = UNREAD.iter().any(|obstacle| run.reason() == Some(obstacle.name()));
            (is_by_the_work || (is_unread && is_granted(index))).then_some(run.criterion_id.as_str())
        });
        charged.collect()
    }
}

/// The pipes, sockets and devices of a part, by their paths in it. Those of a workspace are not records.
async fn special(sandbox: &Sandbox, part: &'static str) -> Result<Vec<String>, Unverifiable> {
    let Some(folder) = sandbox.folder(part).filter(|_| part != WORKSPACE) else { return Ok(Vec::new()) };
    let listing = sandbox.blocking(part, move || folder.list()).await?;
    let below = |place: &str| place.strip_prefix(part)?.strip_prefix('/').map(str::to_owned);
    Ok(listing.special.iter().filter_map(|(place, _)| below(place)).collect())
}

/// How the content of a part keeps it from being read.
const UNREAD: [Obstacle; 3] = [Obstacle::SourceMalformed, Obstacle::LimitExceeded, Obstacle::Timeout];

/// The same sandbox without a workspace of its own.
#[must_use]
pub fn without_workspace(sandbox: &Sandbox) -> Sandbox {
    sandbox.with_folder(WORKSPACE, NOWHERE)
}

/// A part of the sandbox that the delegate may write, with the copy that is judged.
struct CopiedPart {
    part: &'static str,
    is_written: bool,
    _copy: Snapshot,
}

impl Criteria {
    async fn looked(&self, input: &VerifierInput) -> Result<VerifierVerdict, VerifierError> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let (opened, held) = self.still.as_ref().map_err(|why| VerifierError::new(why.clone()))?;
        if let Some(part) = held.iter().find(|part| part.is_replaced()) {
            let reason = format!(
                "{}: another folder, or a link, has taken the place of what the evidence is read from",
                part.path.display()
            );
            // Only who may write there could do that.
            return match self
                .granted
                .iter()
                .any(|grant| guard::real(&part.path).starts_with(grant) || part.path.starts_with(grant))
            {
                true => Ok(VerifierVerdict::Failed { reason }),
                false => Err(VerifierError::new(reason)),
            };
        }
        let mut sandbox = opened.anew();
        let is_left = sandbox.folder(WORKSPACE).is_none() && !input.workspace.as_os_str().is_empty();
        if is_left && self.plan.reads(WORKSPACE) {
            sandbox = sandbox.with_folder(WORKSPACE, &input.workspace);
        }
        let (sandbox, copies) = match self.granted(sandbox).await? {
            Ok(granted) => granted,
            Err(verdict) => return Ok(verdict),
        };
        let sandbox = match is_left && (self.protection.is_some() || self.overlay.is_some()) {
            true => {
                let guard = guarded(self.protection.as_ref(), self.overlay.as_deref(), &input.workspace);
                sandbox.with_workspace_guard(guard.map_err(|error| VerifierError::new(error.to_string()))?)
            }
            false => sandbox,
        };
        let run = self.engine.run(&self.plan, &sandbox).await;
        if let Some(kept) = &self.kept {
            kept.lock().unwrap_or_else(PoisonError::into_inner).push(run.clone());
        }
        if let Some(broken) = run.criterion_runs.iter().find(|run| run.broke) {
            return Err(VerifierError::new(format!("{}: {}", broken.criterion_id, broken.evidence.details())));
        }
        let verdict = verdict(self.disclose, &run, &self.charged(&run, is_left, &copies));
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(run);
        Ok(verdict)
    }
}

impl Verifier for Criteria {
    async fn verify(&self, input: &VerifierInput) -> Result<VerifierVerdict, VerifierError> {
        let verdict = self.looked(input).await?;
        let claimed = &input.build_result.criteria;
        let findings = match &self.still {
            Ok((opened, _)) if !claimed.is_empty() && !input.workspace.as_os_str().is_empty() => {
                let sandbox = opened.anew().with_folder(WORKSPACE, &input.workspace);
                proposed::findings(&self.engine, &sandbox, claimed).await
            }
            _ => proposed::without_workspace(claimed),
        };
        let verdict = proposed::with_gaps(verdict, &findings);
        *self.proposed.lock().unwrap_or_else(PoisonError::into_inner) = findings;
        Ok(verdict)
    }

    /// As many as there may be retries: it sets no bound of its own.
    fn max_iterations(&self) -> u32 {
        u32::MAX
    }

    fn reads_workspace(&self) -> bool {
        // A sandbox that cannot be opened is an error when it is to be looked at.
        let own = self.still.as_ref().is_ok_and(|(sandbox, _)| sandbox.folder(WORKSPACE).is_some());
        self.plan.reads(WORKSPACE) && !own
    }

    fn task_run(&self) -> Option<TaskRun> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn findings(&self) -> Vec<Finding> {
        self.proposed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn discloses(&self) -> bool {
        true
    }
}
