//! Criteria that did not pass, grouped by assertion, reason and field: many red tasks often have few causes.
#![cfg_attr(not(feature = "html"), expect(dead_code, reason = "only a page counts and links them"))]

use std::collections::{BTreeSet, HashMap};

use candor_check::Status;

use crate::model::{CriterionRun, Entry, TaskRun};

/// A criterion that did not pass.
#[derive(Clone, Copy)]
pub(crate) struct Case<'r> {
    /// The number of its task run in the benchmark, from 0.
    pub(crate) number: usize,
    pub(crate) task: &'r TaskRun,
    /// Its place among the criteria of its task.
    pub(crate) at: usize,
    pub(crate) criterion: &'r CriterionRun,
}

/// Criteria that did not pass for the same reason at the same field.
pub(crate) struct Cause<'r> {
    pub(crate) reason: &'r str,
    /// The field or phrase; empty where a whole record is missing, or where evidence is not at hand.
    pub(crate) path: String,
    pub(crate) first: Case<'r>,
    pub(crate) cases: Vec<Case<'r>>,
}

impl Cause<'_> {
    /// The number of different criteria.
    pub(crate) fn criteria(&self) -> usize {
        self.cases.iter().map(|case| case.criterion.criterion_id.as_str()).collect::<BTreeSet<_>>().len()
    }

    /// The path, if a reader knows it: `$count` and the like only repeat the reason.
    pub(crate) fn named_path(&self) -> Option<&str> {
        Some(self.path.as_str()).filter(|path| !path.is_empty() && !path.starts_with('$'))
    }

    pub(crate) fn task_runs(&self) -> usize {
        self.cases.iter().map(|case| case.number).collect::<BTreeSet<_>>().len()
    }
}

/// The causes of what did not pass, those with most criteria first. A criterion that several tasks have is an assertion of
/// its own. Others are grouped by the part of the sandbox that they read. `with_paths` is false where not every
/// criterion has its evidence.
pub(crate) fn causes<'r>(runs: &[(usize, &'r TaskRun)], with_paths: bool) -> Vec<Cause<'r>> {
    let mut tasks: HashMap<&str, BTreeSet<Option<&str>>> = HashMap::new();
    for (_, task) in runs {
        for one in task.criteria() {
            tasks.entry(&one.criterion_id).or_default().insert(task.task_id.as_deref());
        }
    }
    let several = runs.iter().map(|(_, task)| task.task_id.as_deref()).collect::<BTreeSet<_>>().len() > 1;
    let mut found: Vec<Cause<'r>> = Vec::new();
    let mut places: HashMap<(String, &str, String), usize> = HashMap::new();
    for (number, task) in runs {
        for (at, one) in task.criteria().iter().enumerate().filter(|(_, one)| one.status != Status::Passed) {
            let is_shared = !several || tasks.get(one.criterion_id.as_str()).is_some_and(|tasks| tasks.len() > 1);
            let assertion = if is_shared { format!("id {}", one.criterion_id) } else { format!("part {}", part(one)) };
            let reason = one.reason.as_deref().unwrap_or(one.status.name());
            let path = if with_paths { path(one) } else { String::new() };
            let case = Case { number: *number, task, at, criterion: one };
            let place = *places.entry((assertion, reason, path.clone())).or_insert(found.len());
            match found.get_mut(place) {
                Some(cause) => cause.cases.push(case),
                None => found.push(Cause { reason, path, first: case, cases: vec![case] }),
            }
        }
    }
    found.sort_by_key(|cause| std::cmp::Reverse(cause.cases.len()));
    found
}

/// The part of the sandbox that a criterion read: `hl7`, `portal`.
fn part(one: &CriterionRun) -> String {
    let locator = one.sources().into_iter().map(|(place, _)| place.locator).next();
    let part = locator.as_deref().and_then(|locator| locator.split('/').next());
    part.or(one.evidence_key()).unwrap_or_default().to_owned()
}

/// The first field or phrase that is not as asserted, of the nearest candidate if none was selected.
fn path(one: &CriterionRun) -> String {
    let wrong = one.entries().into_iter().find(|entry| !entry.passed()).map(|entry| match entry {
        Entry::Field(field) => field.path,
        Entry::Phrase(phrase) => format!("“{}”", phrase.phrase),
    });
    let nearest = || one.nearest()?.first_mismatch.map(|field| field.path);
    wrong.or_else(nearest).unwrap_or_default()
}
