//! What is wrong or weak in a task before it is run.

use candor_check::Failure;

use crate::document::FileError;
use crate::plan::Plan;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The criterion cannot pass as it is written.
    Error,
    /// It can, but says less than it seems to.
    Warning,
}

/// One thing that is wrong or weak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// A name for its kind.
    pub code: &'static str,
    /// Where, and what.
    pub error: FileError,
}

/// Everything that is wrong or weak in a planned task, in the order of the file.
#[must_use]
pub fn lint(plan: &Plan) -> Vec<Finding> {
    let mut findings = Vec::new();
    let task = &plan.task;
    let mut warn = |code, error| findings.push(Finding { severity: Severity::Warning, code, error });
    if plan.criteria.is_empty() {
        warn("no_criteria", task.error("the task has no criteria, so its verdict is always `fail`"));
    } else if plan.criteria.iter().all(|planned| planned.criterion.weight.is_zero()) {
        warn("no_weight", task.error("every criterion has weight 0, so the score is always 0"));
    }
    for (index, planned) in plan.criteria.iter().enumerate() {
        let criterion = &planned.criterion;
        if let Err(unbound) = &planned.check {
            let steps: Vec<&str> = ["assertion"].into_iter().chain(unbound.steps.iter().map(String::as_str)).collect();
            let unsupported = candor_check::Reason::Failed(Failure::UnsupportedAssertion);
            findings.push(Finding {
                severity: Severity::Error,
                code: if unbound.evidence.reason() == Some(unsupported) {
                    "unsupported_assertion"
                } else {
                    "invalid_assertion"
                },
                error: task.error_in(
                    index,
                    &steps,
                    format!("criterion `{}`: {}", criterion.id, unbound.evidence.details()),
                ),
            });
        } else if criterion.weight.is_zero()
            && !criterion.gate
            && plan.criteria.iter().any(|p| !p.criterion.weight.is_zero())
        {
            let message = format!("criterion `{}` has weight 0 and is no gate: no verdict depends on it", criterion.id);
            findings.push(Finding {
                severity: Severity::Warning,
                code: "dead_criterion",
                error: task.error_in(index, &["weight"], message),
            });
        }
    }
    findings
}
