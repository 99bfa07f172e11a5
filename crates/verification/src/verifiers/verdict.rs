//! The verdict on a task run, for the delegate whose work it looked at.

use std::collections::BTreeSet;

use candor_engine::{CriterionRun, TaskRun};
use candor_scoring::{CriterionOutcome, Score, Status, TaskScorer, Verdict};

use crate::disclosure::{Disclose, Disclosed};
use crate::verifier::VerifierVerdict;

/// The verdict on a run. What the delegate's work makes unverifiable (`charged`) is its own to mend.
pub(super) fn verdict(disclose: Disclose, run: &TaskRun, charged: &BTreeSet<&str>) -> VerifierVerdict {
    let is_charged = |run: &CriterionRun| charged.contains(run.criterion_id.as_str());
    let reason = || Disclosed::of(disclose, run).text().to_owned();
    let result = &run.result;
    match result.verdict {
        Verdict::Pass => VerifierVerdict::Passed,
        _ if !charged.is_empty() && at_best_without(is_charged, run) != Verdict::Pass => {
            VerifierVerdict::Failed { reason: Disclosed::charging(disclose, run, is_charged).text().to_owned() }
        }
        // Everything unverifiable taken as passed, it would be a pass.
        _ if result.at_best == Verdict::Pass => VerifierVerdict::Unverifiable { reason: unverifiable(disclose, run) },
        _ => VerifierVerdict::Failed { reason: reason() },
    }
}

/// The best verdict that there could be if outages alone came to pass, and what is charged failed.
fn at_best_without(is_charged: impl Fn(&CriterionRun) -> bool, run: &TaskRun) -> Verdict {
    let mut scorer = TaskScorer::new().passing(run.result.pass.clone());
    for run in &run.criterion_runs {
        let failed = CriterionOutcome::new(&run.criterion_id, run.weight.clone(), Status::Failed, Score::ZERO);
        let outcome = if is_charged(run) { failed.map(|outcome| outcome.as_gate(run.gate)) } else { run.outcome() };
        // The engine has held status and score of every run against each other.
        if let Ok(outcome) = outcome {
            scorer.add(&outcome);
        }
    }
    scorer.finish().at_best
}

/// Why the work could not be verified. The reason does not blame the delegate, and discloses only what the level allows
/// of the rubric.
fn unverifiable(disclose: Disclose, run: &TaskRun) -> String {
    let open = run.criterion_runs.iter().filter(|run| run.status() == candor_check::Status::Unverifiable);
    match disclose {
        Disclose::None => "it could not be verified".to_owned(),
        Disclose::Count => format!("{} of {} criteria could not be verified", open.count(), run.criterion_runs.len()),
        Disclose::Criterion => open.map(|run| run.label.clone()).collect::<Vec<_>>().join("\n"),
        Disclose::Gap | Disclose::Full => {
            open.map(|run| format!("{}: {}", run.label, run.evidence.details())).collect::<Vec<_>>().join("\n")
        }
    }
}
