//! Markdown: a table, and what did not pass below it.

use std::fmt::Write as _;

use candor_check::Status;
use candor_engine::{BenchmarkRun, TaskRun};
use candor_scoring::{BenchmarkResult, TaskResult, Verdict};

use crate::escape::{markdown, markdown_id};
use crate::numbers;

pub(crate) fn task_run(run: &TaskRun) -> String {
    let name = run.task_name.as_deref().unwrap_or(&run.task_id);
    let mut out = format!("# {}\n\n", markdown(name));
    out += &verdict(&run.result, !run.scored);
    if run.scored {
        return out;
    }
    out += "\n| | criterion | axis | weight | score |\n| --- | --- | --- | --- | --- |\n";
    for criterion in run.shown_runs() {
        // Writing into a string does not fail.
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            mark(criterion.status()),
            markdown(&criterion.label),
            markdown(criterion.axis.as_deref().unwrap_or_default()),
            criterion.weight,
            numbers::decimal(criterion.score().to_f64()),
        );
    }
    let open: Vec<_> = run.shown_runs().iter().filter(|c| c.status() != Status::Passed).collect();
    if !open.is_empty() {
        out.push('\n');
        for criterion in open {
            let reason = criterion.reason().unwrap_or_default();
            let details = markdown(criterion.evidence.details());
            let _ = writeln!(out, "- **{}** (`{reason}`): {details}", markdown(&criterion.label));
        }
    }
    out
}

pub(crate) fn benchmark_run(run: &BenchmarkRun) -> String {
    let mut out = format!("# {}\n\n", markdown(&run.benchmark_id));
    out += &benchmark_result(&run.result);
    out += "\n| | task | verdict | score |\n| --- | --- | --- | --- |\n";
    for task in &run.task_runs {
        let (verdict, score) = (task.result.verdict, numbers::score(&task.result.score));
        let mark = if verdict == Verdict::Pass { "✓" } else { "✗" };
        let mark = if task.result.conclusive { mark } else { "?" };
        let failures = failures(&task.result, !task.scored);
        let verdict = numbers::verdict(verdict);
        let _ = writeln!(out, "| {mark} | {} | {verdict}{failures} | {score} |", markdown(&task.task_id));
    }
    out
}

pub(crate) fn task_result(result: &TaskResult) -> String {
    verdict(result, true)
}

fn failures(result: &TaskResult, names_failures: bool) -> String {
    let failures = result.passed_with_failures.as_ref().filter(|_| names_failures);
    failures.map(|failures| format!(", {}", numbers::failures(failures, markdown_id))).unwrap_or_default()
}

fn verdict(result: &TaskResult, names_failures: bool) -> String {
    let interval = numbers::interval(&result.interval).map(|i| format!(", interval {i}")).unwrap_or_default();
    let sure = if result.conclusive { "" } else { ", **not conclusive**" };
    let (verdict, score) = (numbers::verdict(result.verdict), numbers::score(&result.score));
    match failures(result, names_failures) {
        failures if failures.is_empty() => format!("Verdict **{verdict}**, score {score}{interval}{sure}.\n"),
        failures => format!("Verdict **{verdict}**{failures}; score {score}{interval}{sure}.\n"),
    }
}

pub(crate) fn benchmark_result(result: &BenchmarkResult) -> String {
    let sure = if result.conclusive { "" } else { ", **not conclusive**" };
    let (verdict, score) = (numbers::verdict(result.verdict), numbers::score(&result.score));
    let counts = &result.verdicts;
    format!(
        "Verdict **{verdict}**, score {score} over {} task runs{sure}: {} passed, {} in part, {} failed.\n",
        result.task_runs, counts.pass, counts.partial, counts.fail
    )
}

fn mark(status: Status) -> &'static str {
    match status {
        Status::Passed => "✓",
        Status::Failed => "✗",
        Status::Unverifiable => "?",
    }
}
