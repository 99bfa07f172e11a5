//! How much of a rubric a reason gives away.

use candor_check::Status;
use candor_engine::{CriterionRun, TaskRun};
use serde::{Deserialize, Serialize};

/// How much of what did not pass the delegate is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disclose {
    /// That the work is not verified, and nothing more.
    None,
    /// How many criteria are not met.
    Count,
    /// Which ones, by their labels.
    Criterion,
    /// Which ones, and for each what was missing where.
    #[default]
    Gap,
    /// Every result that did not pass, with what was expected and what was found.
    Full,
}

/// The levels by name.
pub const LEVELS: &[(&str, Disclose)] = &[
    ("none", Disclose::None),
    ("count", Disclose::Count),
    ("criterion", Disclose::Criterion),
    ("gap", Disclose::Gap),
    ("full", Disclose::Full),
];

const NOT_VERIFIED: &str = "the work could not be verified";

/// A reason that gives away no more than its level allows. It is made by [`Disclosed::of`] from a task run, and by
/// [`Disclosed::said`] from what another verifier or a hook said: what is above the level is left out before there is a
/// text, so that no text can hold it.
///
/// ```compile_fail
/// use candor_verification::{Disclose, Disclosed};
/// let more = Disclosed { level: Disclose::None, text: "the rubric wants status = booked".into() };
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disclosed {
    level: Disclose,
    text: String,
}

impl Disclosed {
    /// What may be told of a task run's criteria that are not passed: those that failed and, where none did, those that
    /// could not be verified.
    #[must_use]
    pub fn of(level: Disclose, run: &TaskRun) -> Self {
        Self::open(level, run, |_| false)
    }

    /// As [`Disclosed::of`], of a run in which criteria that are `charged` count as failed: the work is the cause that they
    /// could not be verified.
    #[must_use]
    pub fn charging(level: Disclose, run: &TaskRun, charged: impl Fn(&CriterionRun) -> bool) -> Self {
        Self::open(level, run, charged)
    }

    fn open(level: Disclose, run: &TaskRun, charged: impl Fn(&CriterionRun) -> bool) -> Self {
        let with = |status| run.criterion_runs.iter().filter(move |run| run.status() == status);
        let is_failed = |run: &&CriterionRun| run.status() == Status::Failed || charged(run);
        let failed: Vec<&CriterionRun> = run.criterion_runs.iter().filter(is_failed).collect();
        let open: Vec<&CriterionRun> = if failed.is_empty() { with(Status::Unverifiable).collect() } else { failed };
        Self { level, text: told(level, &open, run.criterion_runs.len()) }
    }

    /// What may be told of what a verifier beside the criteria, or a hook, said.
    ///
    /// ```
    /// use candor_verification::{Disclose, Disclosed};
    /// let told = |level| Disclosed::said(level, "report.star", "report.md is not there").text().to_owned();
    /// assert_eq!(told(Disclose::Criterion), "report.star");
    /// assert_eq!(told(Disclose::Gap), "report.star: report.md is not there");
    /// ```
    #[must_use]
    pub fn said(level: Disclose, by: &str, reason: &str) -> Self {
        let text = match level {
            Disclose::None => NOT_VERIFIED.to_owned(),
            Disclose::Count => "A check beside the criteria is not met.".to_owned(),
            Disclose::Criterion => by.to_owned(),
            Disclose::Gap | Disclose::Full => format!("{by}: {reason}"),
        };
        Self { level, text }
    }

    /// The level.
    #[must_use]
    pub fn level(&self) -> Disclose {
        self.level
    }

    /// The reason.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn told(level: Disclose, open: &[&CriterionRun], of: usize) -> String {
    let count = || match open.len() {
        0 if of == 0 => "the task has no criteria, so that there is nothing that could be met".to_owned(),
        0 => "no criterion failed, and together they make no pass".to_owned(),
        1 if of == 1 => "the one criterion is not met".to_owned(),
        1 => format!("1 of {of} criteria is not met"),
        n => format!("{n} of {of} criteria are not met"),
    };
    let each = |say: &dyn Fn(&CriterionRun) -> String| -> String {
        if open.is_empty() {
            return format!("{}.", count());
        }
        let lines: Vec<String> = open.iter().map(|run| format!("- {}", say(run))).collect();
        format!("{}:\n{}", count(), lines.join("\n"))
    };
    match level {
        Disclose::None => NOT_VERIFIED.to_owned(),
        Disclose::Count => format!("{}.", count()),
        Disclose::Criterion => each(&|run| run.label.clone()),
        Disclose::Gap => each(&|run| format!("{}: {}", run.label, run.evidence.details())),
        Disclose::Full => each(&|run| {
            let results = run.evidence.results.iter().filter(|entry| !entry.passed());
            let lines = results.map(|entry| format!("\n    {}", entry.to_value()));
            format!("{}: {}{}", run.label, run.evidence.details(), lines.collect::<String>())
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_of_no_criteria_is_a_sentence() {
        for level in LEVELS.iter().map(|(_, level)| *level).filter(|level| *level != Disclose::None) {
            assert!(told(level, &[], 0).starts_with("the task has no criteria"), "{level:?}");
            assert_eq!(told(level, &[], 2), "no criterion failed, and together they make no pass.", "{level:?}");
        }
    }
}
