//! The plan: every criterion of a task bound to a check, or to the reason why it cannot be.

use std::sync::Arc;

use candor_check::review::Review;
use candor_check::settings::nearest;
use candor_check::{BoundCheck, CheckType, Evidence, Failure, PartType, Share};
use candor_json::Value;

use crate::companion;
use crate::document::steps_of;
use crate::faults::{self, Fault};
use crate::task::{Criterion, Task};

pub(crate) struct Planned {
    pub criterion: Criterion,
    pub check: Result<(Arc<dyn BoundCheck>, &'static str), Box<Unbound>>,
    /// The part of a sandbox that the check reads.
    pub part: Option<&'static str>,
    /// The check, if there is one of that name.
    pub check_type: Option<CheckType>,
}

pub(crate) struct Unbound {
    /// The outcome of the criterion.
    pub evidence: Evidence,
    /// The member of its evidence that would hold the results.
    pub evidence_key: &'static str,
    /// The steps from the assertion to what is wrong in it.
    pub steps: Vec<String>,
    /// Further faults in it.
    pub others: Vec<Fault>,
}

/// A task with its criteria bound to checks.
pub struct Plan {
    pub(crate) task: Arc<Task>,
    pub(crate) criteria: Vec<Planned>,
    /// The review of the command of `loop.test_suite`, as of a criterion's.
    pub(crate) suite: Option<Review>,
}

impl Plan {
    pub(crate) fn new(task: Arc<Task>, checks: &[CheckType], parts: &[PartType]) -> Self {
        let criteria = task
            .criteria
            .iter()
            .map(|criterion| {
                let asserts = criterion.assertion.get("assert");
                let check_type = checks.iter().find(|check| asserts.is_some_and(|name| name == check.meta().assert));
                Planned {
                    criterion: criterion.clone(),
                    check: bind(criterion, checks, parts, &task),
                    part: check_type.map(|check| check.meta().part),
                    check_type: check_type.copied(),
                }
            })
            .collect();
        let suite = suite(&task, checks);
        Self { task, criteria, suite }
    }

    /// The task.
    #[must_use]
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Weaknesses of a criterion that are visible from its settings alone; `None` if it is not bound to a check.
    #[must_use]
    pub fn review(&self, index: usize) -> Option<Review> {
        self.criteria.get(index)?.check.as_ref().ok().map(|(check, _)| check.review())
    }

    /// True if a criterion is bound to a check.
    #[must_use]
    pub fn is_bound(&self, index: usize) -> bool {
        self.criteria.get(index).is_some_and(|planned| planned.check.is_ok())
    }

    /// True if a criterion's check runs code of the delegate.
    #[must_use]
    pub fn runs_code(&self, index: usize) -> bool {
        self.criteria.get(index).and_then(|one| one.check.as_ref().ok()).is_some_and(|(check, _)| check.runs_code())
    }

    /// The part of a sandbox that a criterion's check reads.
    #[must_use]
    pub fn part(&self, index: usize) -> Option<&'static str> {
        self.criteria.get(index)?.part
    }

    /// True if any of its criteria reads a part of the sandbox (`fhir`, `workspace`).
    #[must_use]
    pub fn reads(&self, part: &str) -> bool {
        self.criteria.iter().any(|planned| planned.part == Some(part))
    }

    /// True if any of its criteria compares a part of the sandbox with the state from before the work.
    #[must_use]
    pub fn compares(&self, part: &str) -> bool {
        let mut unchanged = (0..self.criteria.len()).filter_map(|index| self.review(index)?.unchanged);
        unchanged.any(|of| of.parts.is_none_or(|parts| parts.iter().any(|name| name == part)))
    }
}

/// The exit code of the test suite is its verdict, as that of `lint-passes` is.
fn suite(task: &Task, checks: &[CheckType]) -> Option<Review> {
    let command = task.loop_settings()?.get("test_suite")?.get("command")?;
    let check = checks.iter().find(|check| check.meta().assert == "lint-passes")?;
    let bound = check.bind(candor_json::json!({"assert": "lint-passes", "command": command})).ok()?;
    Some(bound.review())
}

fn bind(
    criterion: &Criterion,
    checks: &[CheckType],
    parts: &[PartType],
    task: &Task,
) -> Result<(Arc<dyn BoundCheck>, &'static str), Box<Unbound>> {
    let assertion = &criterion.assertion;
    let unbound = |failure, steps: Vec<String>, details: String, evidence_key| {
        let evidence = Evidence::failed(failure, Share::default(), Vec::new(), details);
        Box::new(Unbound { evidence, evidence_key, steps, others: Vec::new() })
    };
    let known: Vec<&str> = checks.iter().map(|check| check.meta().assert).collect();
    let name = match assertion.get("assert") {
        Some(Value::String(name)) => name,
        found => {
            let details = match found {
                Some(other) => format!("The assertion's `assert` is {other}; expected one of {}.", known.join(", ")),
                None => format!("The assertion has no `assert`; expected one of {}.", known.join(", ")),
            };
            return Err(unbound(Failure::InvalidAssertion, vec!["assert".to_owned()], details, "fieldResults"));
        }
    };
    let Some(check) = checks.iter().find(|check| check.meta().assert == name) else {
        // `fhir` for `fhir-resource-state`.
        let is_begun = |known: &&&str| name.len() > 1 && known.starts_with(name.as_str());
        let meant = match nearest(name, &known).or_else(|| known.iter().find(is_begun).copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known are {}.", known.join(", ")),
        };
        let details = format!("No check asserts `{name}`; {meant}");
        return Err(unbound(Failure::UnsupportedAssertion, vec!["assert".to_owned()], details, "fieldResults"));
    };
    let evidence_key = check.meta().evidence_key;
    let (assertion, files) = match companion::read(assertion, check, task) {
        Ok(read) => read,
        Err((member, error)) => {
            let details = format!("The assertion is invalid: {member}: {error}");
            return Err(unbound(Failure::InvalidAssertion, vec![member.to_owned()], details, evidence_key));
        }
    };
    let whole = files.is_empty().then(|| assertion.clone());
    match check.bind(assertion).and_then(|bound| bound.check_names(parts).map(|()| bound)) {
        Ok(mut bound) => {
            criterion.zone.iter().for_each(|zone| bound.set_zone(zone));
            Ok((bound.into(), evidence_key))
        }
        Err(invalid) => {
            let steps = steps_of(&invalid.place);
            let file = files.iter().find(|(member, _)| steps.first().is_some_and(|step| step == member));
            let Some((member, file)) = file else {
                let others = whole.map(|whole| faults::behind(&invalid, check, whole)).unwrap_or_default();
                return Err(Box::new(Unbound { steps, evidence: invalid.into_evidence(), evidence_key, others }));
            };
            // The fault is in the file that is named, and that is where it is shown.
            let within: Vec<&str> = steps.iter().skip(1).map(String::as_str).collect();
            let details = format!("The assertion is invalid: {member}: {}", file.error(&within, invalid.message));
            Err(unbound(Failure::InvalidAssertion, vec![(*member).to_owned()], details, evidence_key))
        }
    }
}
