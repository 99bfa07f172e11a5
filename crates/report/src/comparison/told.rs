//! A comparison as JSON, text and Markdown.

use std::fmt::Write as _;

use candor_check::Status;
use candor_json::{Value, json};

use super::{Change, Comparison, Counts, Pair};
use crate::escape::{markdown, plain};
use crate::markdown::{fitted, mark};
use crate::model::{CriterionRun, TaskRun};
use crate::numbers;

impl Change {
    /// `better`, `worse`, `undecided` or `same`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Undecided => "undecided",
            Self::Same => "same",
        }
    }
}

impl Counts {
    fn to_value(self) -> Value {
        let Self { better, worse, undecided, same, .. } = self;
        json!({"better": better, "worse": worse, "undecided": undecided, "same": same, "mcnemar_p": self.p()})
    }

    fn told(&self) -> String {
        let Self { better, worse, undecided, same, .. } = self;
        let p = if self.p() < 0.0001 { "below 0.0001".to_owned() } else { numbers::decimal(self.p()) };
        format!("{better} better, {worse} worse, {undecided} undecided, {same} the same; McNemar's exact p {p}")
    }
}

impl Comparison<'_> {
    /// The comparison as JSON: `tasks` and `criteria`, each with its counts, McNemar's exact p, and what changed.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let task = |pair: &Pair<'_, TaskRun>| {
            let side = |run: Option<&TaskRun>| {
                run.map(|run| json!({"verdict": run.outcome.verdict, "score": run.outcome.score, "conclusive": run.outcome.conclusive}))
            };
            json!({"task_id": pair.task, "change": pair.change.name(), "before": side(pair.before), "after": side(pair.after)})
        };
        let criterion = |pair: &Pair<'_, CriterionRun>| {
            let one = pair.after.or(pair.before)?;
            let side = |run: Option<&CriterionRun>| {
                run.map(|run| json!({"status": run.status.name(), "reason": run.reason, "score": run.score}))
            };
            Some(json!({
                "task_id": pair.task, "criterion_id": one.criterion_id, "change": pair.change.name(),
                "before": side(pair.before), "after": side(pair.after),
            }))
        };
        json!({
            "tasks": {"counts": self.task_counts.to_value(), "pairs": self.tasks.iter().map(task).collect::<Vec<_>>()},
            "criteria": {
                "counts": self.criterion_counts.to_value(),
                "pairs": self.criteria.iter().filter_map(criterion).collect::<Vec<_>>(),
            },
        })
    }

    /// The comparison for a person: the counts, and the criteria that did not stay as they were.
    #[must_use]
    pub fn told(&self) -> String {
        let mut out = format!("tasks: {}\ncriteria: {}\n", self.task_counts.told(), self.criterion_counts.told());
        for change in [Change::Worse, Change::Better, Change::Undecided] {
            for (pair, one) in self.changed(change) {
                // Writing into a string does not fail.
                let _ = writeln!(out, "{}: {}: {}", change.name(), plain(pair.shown), plain(&one.label));
                if let Some(after) = pair.after.filter(|after| after.status != Status::Passed) {
                    let _ = writeln!(out, "    {}", plain(&after.details));
                }
            }
        }
        out
    }

    /// The comparison as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out =
            format!("Tasks: **{}**.\n\nCriteria: {}.\n", self.task_counts.told(), self.criterion_counts.told());
        let mut head = "\n| change | task | criterion | before | after |\n| --- | --- | --- | --- | --- |\n";
        for change in [Change::Worse, Change::Better, Change::Undecided] {
            for (pair, one) in self.changed(change) {
                out += std::mem::take(&mut head);
                let side = |run: Option<&CriterionRun>| run.map_or("–", |run| mark(run.status));
                let (task, label) = (markdown(pair.shown), markdown(&one.label));
                let _ = writeln!(
                    out,
                    "| {} | {task} | {label} | {} | {} |",
                    change.name(),
                    side(pair.before),
                    side(pair.after)
                );
            }
        }
        fitted(out)
    }

    fn changed(&self, change: Change) -> impl Iterator<Item = (&Pair<'_, CriterionRun>, &CriterionRun)> {
        let of = move |pair: &&Pair<'_, CriterionRun>| pair.change == change;
        self.criteria.iter().filter(of).filter_map(|pair| Some((pair, pair.after.or(pair.before)?)))
    }
}
