//! Faults and weaknesses of a task, found before it is run.

mod accepted;
mod between;
mod codes;
mod influence;
mod slips;

use std::collections::{HashMap, HashSet};

use candor_check::Failure;
use candor_check::review::{Review, Weakness, WeaknessKind};
use candor_check::settings::InvalidAssertion;

pub use codes::{CODES, Code};

use crate::document::{FileError, dotted, steps_of};
use crate::plan::{Plan, Planned, Unbound};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The criterion cannot pass as it is written.
    Error,
    /// It can, but says less than it seems to.
    Warning,
    /// Good to know, and may well be meant. Not a complaint.
    Note,
}

impl Severity {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A fault or weakness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// A name for its kind.
    pub code: &'static str,
    /// Where, and what.
    pub error: FileError,
}

impl Finding {
    fn new(code: Code, error: FileError) -> Self {
        Self { severity: code.severity, code: code.name, error }
    }
}

/// The criteria that no work can meet: their assertion is invalid, or no check supports it. Each is an error at its place.
#[must_use]
pub fn invalid(plan: &Plan) -> Vec<FileError> {
    let unbound = plan
        .criteria
        .iter()
        .enumerate()
        .filter_map(|(index, planned)| Some((index, planned, planned.check.as_ref().err()?)));
    let findings = unbound.flat_map(|(index, planned, unbound)| of_unbound(plan, index, planned, unbound));
    findings.map(|finding| finding.error).collect()
}

/// Everything that is wrong or weak in a planned task: first the task, then its criteria in the order of the file.
#[must_use]
pub fn lint(plan: &Plan) -> Vec<Finding> {
    let mut findings = lint_with_notes(plan);
    findings.retain(|finding| finding.severity != Severity::Note);
    findings
}

/// As [`lint`], with the notes as well.
#[must_use]
pub fn lint_with_notes(plan: &Plan) -> Vec<Finding> {
    let reviews: Vec<Option<Review>> =
        plan.criteria.iter().map(|planned| planned.check.as_ref().ok().map(|(check, _)| check.review())).collect();
    let mut findings = influence::of_task(plan, &reviews);
    let of_weights = influence::of_criteria(plan);
    let mut first = HashMap::new();
    for (index, ((planned, review), of_weight)) in plan.criteria.iter().zip(&reviews).zip(of_weights).enumerate() {
        match (&planned.check, review) {
            (Err(unbound), _) => findings.extend(of_unbound(plan, index, planned, unbound)),
            (Ok(_), Some(review)) => findings.extend(of_review(plan, index, planned, review)),
            (Ok(_), None) => {}
        }
        let alike = (planned.criterion.axis.as_deref(), between::canonical(&planned.criterion.assertion));
        match first.get(&alike) {
            None => drop(first.insert(alike, planned.criterion.id.as_str())),
            Some(before) => {
                let message = format!(
                    "criterion `{}` asserts what `{before}` does: one piece of work counts twice; leave one out, or give the other its weight",
                    planned.criterion.id
                );
                let error = plan.task.error_in(index, &["assertion"], message);
                findings.push(Finding::new(codes::DUPLICATE_CRITERION, error));
            }
        }
        findings.extend(of_weight.filter(|_| planned.check.is_ok()));
    }
    findings.extend(statuses(plan, &reviews));
    findings.extend(between::of_criteria(plan, &reviews).into_iter().map(|(_, finding)| finding));
    findings.extend(influence::of_fields(plan));
    findings.extend(slips::of_task(plan));
    findings.extend(of_suite(plan));
    // A stable sort keeps the order of findings at the same place; those about the task come first.
    findings.sort_by_key(|finding| finding.error.position.map_or((0, 0), |(line, _)| (line, 0)));
    accepted::apply(plan, findings)
}

/// Elements of a kind of record that no criterion asserts, each once.
fn statuses(plan: &Plan, reviews: &[Option<Review>]) -> Vec<Finding> {
    let statuses = |review: &'_ Option<Review>| review.as_ref().map(|review| review.statuses.clone());
    let asserted = reviews
        .iter()
        .filter_map(statuses)
        .flat_map(|of| of.asserted.into_iter().map(move |element| (of.kind.clone(), element)).collect::<Vec<_>>());
    let mut told: HashSet<(String, &str)> = asserted.collect();
    let mut findings = Vec::new();
    for (index, (planned, review)) in plan.criteria.iter().zip(reviews).enumerate() {
        let Some(of) = review.as_ref().map(|review| &review.statuses) else { continue };
        for (element, weakness) in &of.open {
            if told.insert((of.kind.clone(), *element)) {
                findings.extend(of_weakness(plan, index, planned, weakness));
            }
        }
    }
    findings
}

fn of_unbound(plan: &Plan, index: usize, planned: &Planned, unbound: &Unbound) -> Vec<Finding> {
    let unsupported = candor_check::Reason::Failed(Failure::UnsupportedAssertion);
    let code = match unbound.evidence.reason() == Some(unsupported) {
        true => codes::UNSUPPORTED_ASSERTION,
        false => codes::INVALID_ASSERTION,
    };
    let finding = |steps: &[String], details: &str| {
        let steps: Vec<&str> = ["assertion"].into_iter().chain(steps.iter().map(String::as_str)).collect();
        let message = format!("criterion `{}`: {details}", planned.criterion.id);
        Finding::new(code, plan.task.error_in(index, &steps, message))
    };
    let others = unbound.others.iter().map(|(steps, message)| {
        let place = dotted(&steps.iter().map(String::as_str).collect::<Vec<_>>());
        let invalid = InvalidAssertion { place, message: message.clone() };
        finding(steps, invalid.into_evidence().details())
    });
    [finding(&unbound.steps, unbound.evidence.details())].into_iter().chain(others).collect()
}

/// A test suite of a loop that cannot fail, or cannot pass.
fn of_suite(plan: &Plan) -> Vec<Finding> {
    let decides =
        |weakness: &&Weakness| matches!(weakness.kind, WeaknessKind::AssertsNothing | WeaknessKind::NeverHolds);
    let of = |weakness: &Weakness| {
        let message = format!("`test_suite`: {}", weakness.message);
        Finding::new(codes::of(weakness.kind), plan.task.error_in_loop(&["test_suite", "command"], message))
    };
    plan.suite.iter().flat_map(|review| review.weaknesses.iter().filter(decides).map(of)).collect()
}

fn of_review(plan: &Plan, index: usize, planned: &Planned, review: &Review) -> Vec<Finding> {
    review.weaknesses.iter().filter_map(|weakness| of_weakness(plan, index, planned, weakness)).collect()
}

/// Returns `true` if another criterion fails on one more record of the kind that a criterion selects.
fn is_sibling_seen(plan: &Plan, index: usize) -> bool {
    let (Some(part), Some(review)) = (plan.part(index), plan.review(index)) else { return false };
    let unchanged = (0..plan.criteria.len()).filter_map(|other| plan.review(other)?.unchanged);
    unchanged.into_iter().any(|unchanged| unchanged.sees_new(part, &review.statuses.kind))
}

fn of_weakness(plan: &Plan, index: usize, planned: &Planned, weakness: &Weakness) -> Option<Finding> {
    let criterion = &planned.criterion;
    let code = codes::of(weakness.kind);
    let protects = |member: &str| plan.task.loop_settings().is_some_and(|settings| settings.get(member).is_some());
    let covered = match code {
        codes::TESTS_UNPROTECTED => protects("protect") || protects("overlay"),
        codes::OWN_COMMAND => protects("protect"),
        // Another order would be a change that nothing excepts.
        codes::SIBLING_UNSEEN => is_sibling_seen(plan, index),
        // Only a score in part would show this weakness, so it does not concern a gate, or a criterion without such a
        // score.
        codes::DEAD_FIELD | codes::NO_FIELD_WEIGHT => criterion.gate || !criterion.partial_credit,
        _ => false,
    };
    if covered {
        return None;
    }
    let steps = steps_of(&weakness.place);
    let steps: Vec<&str> = ["assertion"].into_iter().chain(steps.iter().map(String::as_str)).collect();
    let message = format!("criterion `{}`: {}", criterion.id, weakness.message);
    Some(Finding::new(code, plan.task.error_in(index, &steps, message)))
}
