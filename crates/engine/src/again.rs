//! Judging again: stored observations in the place of a sandbox.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use candor_check::Evidence;
use candor_check::work;
use candor_scoring::{CriterionOutcome, TaskResult, TaskScorer};
use jiff::Timestamp;

use crate::observed::{Observed, Stored, What};
use crate::plan::{Plan, Planned};
use crate::record::CriterionRun;
use crate::run::{Engine, booked, broken_check, evidence_key};

/// The ids, times and limit of a criterion run, which judging again cannot find out.
#[derive(Clone, Debug)]
pub struct RunIdentity {
    /// `cr_…`
    pub id: String,
    /// `tr_…`
    pub task_run_id: String,
    /// Who verified.
    pub verifier_id: String,
    /// When it began.
    pub started_at: Timestamp,
    /// When it was done.
    pub completed_at: Timestamp,
    /// The limit of its sandbox on evidence, [`Limits::max_evidence`](candor_check::sandbox::Limits::max_evidence).
    pub max_evidence: u64,
}

/// Why a stored observation cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotJudged {
    /// The task has no such criterion.
    NoCriterion,
    /// There is no such check in this build.
    NoCheck(String),
    /// The observation was stored in another version of the check's format.
    OtherVersion {
        /// The check.
        check: String,
        /// The version that is stored.
        stored: u32,
        /// The version that this build reads.
        known: u32,
    },
    /// The observation is not one of the check.
    Unreadable {
        /// The check.
        check: String,
        /// The fault.
        problem: String,
    },
    /// The observation is of another check than the one that the criterion asks for.
    OtherCheck {
        /// The check that is stored.
        stored: String,
        /// The one that the criterion asks for.
        asked: String,
    },
    /// The observation was nested too deep to be kept.
    TooDeep,
}

impl fmt::Display for NotJudged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCriterion => f.write_str("the task has no such criterion"),
            Self::NoCheck(check) => {
                write!(
                    f,
                    "this build has no check `{check}`; replay with a build that has it (`candor checks` lists them)"
                )
            }
            Self::OtherVersion { check, stored, known } => write!(
                f,
                "the observation of `{check}` has format {stored}, this version reads format {known}; replay with the version of Candor that the bundle names"
            ),
            Self::Unreadable { check, problem } => write!(f, "the observation is not one of `{check}`: {problem}"),
            Self::OtherCheck { stored, asked } => {
                write!(f, "the observation is of `{stored}`, the criterion asks for `{asked}`")
            }
            Self::TooDeep => f.write_str("the observation was nested too deep to be kept"),
        }
    }
}

impl std::error::Error for NotJudged {}

impl Engine {
    /// Judges a stored observation by a criterion, given by its index. Nothing is read but the observation.
    ///
    /// # Errors
    /// Why it cannot be judged: a check or a version of its observations that this build does not have.
    pub fn judge_again(
        &self,
        plan: &Plan,
        index: usize,
        observed: &Observed,
        run: RunIdentity,
    ) -> Result<CriterionRun, NotJudged> {
        let planned = plan.criteria.get(index).ok_or(NotJudged::NoCriterion)?;
        let (evidence, broke) = judged(planned, observed)?;
        let evidence = match &observed.waited {
            Some(waited) if !broke => waited.added_to(evidence),
            _ => evidence,
        };
        let evidence = booked(plan, planned, evidence, run.max_evidence);
        Ok(of_criterion(plan, planned, evidence, broke, run))
    }

    /// The criterion run of a criterion that there is no observation for. A wrong assertion needs none, and ends as in any
    /// run.
    #[must_use]
    pub fn without_observation(
        &self,
        plan: &Plan,
        index: usize,
        evidence: Evidence,
        run: RunIdentity,
    ) -> Option<CriterionRun> {
        let planned = plan.criteria.get(index)?;
        let evidence = planned.check.as_ref().err().map_or(evidence, |unbound| unbound.evidence.clone());
        Some(of_criterion(plan, planned, evidence, false, run))
    }
}

fn of_criterion(plan: &Plan, planned: &Planned, evidence: Evidence, broke: bool, run: RunIdentity) -> CriterionRun {
    let criterion = &planned.criterion;
    CriterionRun {
        id: run.id,
        task_run_id: run.task_run_id,
        criterion_id: criterion.id.clone(),
        label: criterion.label.clone(),
        axis: criterion.axis.clone(),
        weight: criterion.weight.clone(),
        gate: criterion.gate,
        partial_credit: criterion.partial_credit,
        task_pass: plan.task.pass.clone(),
        evidence,
        broke,
        evidence_key: evidence_key(planned),
        verifier_id: run.verifier_id,
        started_at: run.started_at,
        completed_at: run.completed_at,
        observed: None,
    }
}

/// The evidence, and whether the check broke.
fn judged(planned: &Planned, observed: &Observed) -> Result<(Evidence, bool), NotJudged> {
    let stored = match &observed.what {
        What::Broke(how) => return Ok((broken_check(how), true)),
        What::TooDeep(_) => return Err(NotJudged::TooDeep),
        What::Unbound(_) => {
            let asked = || NotJudged::OtherCheck { stored: "no check".to_owned(), asked: asked_for(planned) };
            return match &planned.check {
                Err(unbound) => Ok((unbound.evidence.clone(), false)),
                Ok(_) => Err(asked()),
            };
        }
        What::Unverifiable(hindered) => {
            let unknown = || NotJudged::Unreadable {
                check: asked_for(planned),
                problem: "this version does not know its reason".to_owned(),
            };
            return hindered.evidence().map(|evidence| (evidence, false)).ok_or_else(unknown);
        }
        What::Seen(stored) => stored,
    };
    let check = &stored.check;
    let bound = match (&planned.check, &planned.check_type) {
        (Ok((bound, _)), Some(check_type)) if check_type.missing_feature().is_none() => {
            let asked = check_type.meta().assert;
            if asked != check {
                return Err(NotJudged::OtherCheck { stored: check.clone(), asked: asked.to_owned() });
            }
            let known = check_type.observation_version();
            if stored.version != known {
                return Err(NotJudged::OtherVersion { check: check.clone(), stored: stored.version, known });
            }
            bound
        }
        _ => return Err(NotJudged::NoCheck(check.clone())),
    };
    let unreadable = |problem: String| NotJudged::Unreadable { check: check.clone(), problem };
    let Stored { observation, .. } = stored;
    let seen = bound.restore(observation.clone()).map_err(|error| unreadable(error.to_string()))?;
    if seen.to_value() != *observation {
        return Err(unreadable("it has members that the check does not know, or leaves some out".to_owned()));
    }
    match catch_unwind(AssertUnwindSafe(|| bound.judge(&seen))) {
        Ok(evidence) => Ok((evidence, false)),
        Err(panic) => Ok((broken_check(&format!("it panicked with message {:?}", work::message(&*panic))), true)),
    }
}

fn asked_for(planned: &Planned) -> String {
    planned.check_type.map_or_else(|| "no check".to_owned(), |check| check.meta().assert.to_owned())
}

impl Plan {
    /// Scores outcomes of the task's criteria.
    #[must_use]
    pub fn score<'a>(&'a self, outcomes: impl IntoIterator<Item = CriterionOutcome<'a>>) -> TaskResult {
        let axes = self.task.criteria.iter().filter_map(|criterion| criterion.axis.as_deref());
        let mut scorer = TaskScorer::with_axes(axes).passing(self.task.pass.clone());
        outcomes.into_iter().for_each(|outcome| scorer.add(&outcome));
        scorer.finish()
    }

    /// True if the observation for a criterion of another plan is all that a criterion of this one needs.
    #[must_use]
    pub fn observes_the_same(&self, index: usize, other: &Self, of: usize) -> bool {
        let (Some(one), Some(stored)) = (self.criteria.get(index), other.criteria.get(of)) else { return false };
        let same = |check: &candor_check::CheckType| {
            check.observes_the_same(&one.criterion.assertion, &stored.criterion.assertion)
        };
        one.criterion.zone == stored.criterion.zone && one.check_type.as_ref().is_some_and(same)
    }
}
