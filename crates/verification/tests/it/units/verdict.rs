//! The verdict on a task run.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::collections::BTreeSet;

use candor_engine::TaskRun;
use candor_scoring::{CriterionOutcome, Score, Status, TaskScorer};
use candor_verification::{Disclose, VerifierVerdict};

use crate::verdict::verdict;

/// A task run by a rule for a pass, of so much weight that passed, failed and was unverifiable.
fn run(pass: &str, passed: &str, failed: &str, open: &str) -> TaskRun {
    let mut scorer = TaskScorer::new().passing(pass.parse().unwrap());
    scorer.add(&CriterionOutcome::passed("a", passed.parse().unwrap()));
    scorer.add(&CriterionOutcome::new("b", failed.parse().unwrap(), Status::Failed, Score::ZERO).unwrap());
    scorer.add(&CriterionOutcome::unverifiable("c", open.parse().unwrap()));
    let (id, task_id) = ("tr_1".to_owned(), "t".to_owned());
    TaskRun { id, task_id, task_name: None, result: scorer.finish(), criterion_runs: Vec::new(), scored: false }
}

#[test]
fn an_outage_is_charged_to_nobody_and_excuses_no_failure() {
    let nothing = BTreeSet::new();
    let told = |pass, passed, failed, open| match verdict(Disclose::None, &run(pass, passed, failed, open), &nothing) {
        VerifierVerdict::Passed => "passed",
        VerifierVerdict::Failed { .. } => "failed",
        VerifierVerdict::Unverifiable { .. } => "unverifiable",
    };
    assert_eq!(told("0.9", "9", "1", "0"), "passed");
    assert_eq!(told("0.9", "8", "1", "1"), "unverifiable");
    assert_eq!(told("0.9", "7", "2", "1"), "failed");
    // What failed keeps it from being a pass, whatever could not be read.
    assert_eq!(told("all", "0", "0.5", "10"), "failed");
    assert_eq!(told("all", "9", "0", "1"), "unverifiable");
    assert_eq!(told("all", "9", "0", "0"), "passed");
    assert_eq!(told("0.5", "0", "4", "6"), "unverifiable");
    assert_eq!(told("0.5", "5", "5", "0"), "passed");
}
