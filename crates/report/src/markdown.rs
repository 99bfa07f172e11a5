//! Markdown: a table, and what did not pass below it.

use std::fmt::Write as _;

use candor_check::Status;

use crate::causes::{Cause, causes};
use crate::escape::{markdown, markdown_id};
use crate::model::{BenchmarkOutcome, BenchmarkRun, TaskOutcome, TaskRun, Validation};
use crate::numbers;

/// The most task runs of a benchmark that surely fit.
const MOST_ROWS: usize = 300;
/// The most causes of a benchmark, and the most tasks that are named for each.
const MOST_CAUSES: usize = 20;
const MOST_TASKS: usize = 5;
/// So many bytes leave room within a comment of a pull request, which holds 65,536 characters.
const FITS: usize = 56 << 10;

/// The lines that fit, and how many do not.
pub(crate) fn fitted(text: String) -> String {
    if text.len() <= FITS {
        return text;
    }
    let end = text.floor_char_boundary(FITS);
    let shown = text.get(..end).and_then(|text| text.rsplit_once('\n')).map_or("", |(lines, _)| lines);
    let more = text.lines().count().saturating_sub(shown.lines().count());
    format!("{shown}\n\n{more} more lines do not fit: other formats have them.\n")
}

pub(crate) fn task_run(run: &TaskRun) -> String {
    if run.criterion_runs.is_none() {
        return verdict(&run.outcome);
    }
    let mut out = format!("# {}\n\n", markdown(run.title()));
    out += &verdict(&run.outcome);
    if run.scored {
        return out;
    }
    out.push('\n');
    let criteria = run.criteria();
    let has_axis = criteria.iter().any(|one| one.axis.is_some());
    let has_weight = criteria.iter().any(|one| one.weight != "1");
    let mut row = |cells: [&str; 5]| {
        let [mark, label, axis, weight, score] = cells;
        let axis = if has_axis { format!(" {axis} |") } else { String::new() };
        let weight = if has_weight { format!(" {weight} |") } else { String::new() };
        // Writing into a string does not fail.
        let _ = writeln!(out, "| {mark} | {label} |{axis}{weight} {score} |");
    };
    row(["", "criterion", "axis", "weight", "score"]);
    row(["---"; 5]);
    for criterion in criteria {
        let axis = markdown(criterion.axis.as_deref().unwrap_or_default());
        let (label, weight) = (markdown(&criterion.label), markdown_number(&criterion.weight));
        row([mark(criterion.status), &label, &axis, &weight, &numbers::score(criterion.score)]);
    }
    let open: Vec<_> = run.criteria().iter().filter(|c| c.status != Status::Passed).collect();
    if !open.is_empty() {
        out.push('\n');
        for (told, criterion) in open.iter().enumerate() {
            if out.len() > FITS {
                let more = open.len() - told;
                let _ = writeln!(out, "- and {more} more, whose sentences do not fit: other formats have them");
                break;
            }
            let reason = markdown_id(criterion.reason.as_deref().unwrap_or_default());
            let details = markdown(&criterion.details);
            let _ = writeln!(out, "- **{}** ({reason}): {details}", markdown(&criterion.label));
        }
    }
    out
}

fn markdown_number(text: &str) -> String {
    match text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) {
        true => text.to_owned(),
        false => markdown(text),
    }
}

pub(crate) fn benchmark_run(run: &BenchmarkRun) -> String {
    let Some(task_runs) = &run.task_runs else { return benchmark_outcome(&run.outcome) };
    let mut out = format!("# {}\n\n", markdown(run.title()));
    out += &benchmark_outcome(&run.outcome);
    out += &caused(&causes(&task_runs.iter().enumerate().collect::<Vec<_>>(), true));
    out += "\n| | task | verdict | score |\n| --- | --- | --- | --- |\n";
    // What did not pass comes first if not everything fits.
    let mut ordered: Vec<&TaskRun> = task_runs.iter().collect();
    if task_runs.len() > MOST_ROWS {
        ordered.sort_by_key(|task| task.status() == Status::Passed);
    }
    for (told, task) in ordered.into_iter().enumerate() {
        if out.len() > FITS {
            let _ = writeln!(out, "\n{} more task runs do not fit: other formats have them.", task_runs.len() - told);
            break;
        }
        let score = numbers::score(task.outcome.score);
        let failures = failures(&task.outcome);
        let verdict = numbers::headline(&task.outcome);
        let id = markdown(task.shown_id().unwrap_or_default());
        let _ = writeln!(out, "| {} | {id} | {verdict}{failures} | {score} |", mark(task.status()));
    }
    out
}

/// Why criteria did not pass, those first that are most.
fn caused(causes: &[Cause<'_>]) -> String {
    let mut out = String::new();
    for cause in causes.iter().take(MOST_CAUSES) {
        let mut tasks: Vec<&str> = cause.cases.iter().filter_map(|case| case.task.shown_id()).collect();
        tasks.dedup();
        let more = tasks.len().saturating_sub(MOST_TASKS);
        let named = tasks.iter().take(MOST_TASKS).map(|task| markdown(task)).collect::<Vec<_>>().join(", ");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let first = cause.first.criterion;
        let times = if cause.cases.len() > 1 { format!("{} × ", cause.cases.len()) } else { String::new() };
        let at = cause.named_path().map(|path| format!(" at {}", markdown_id(path))).unwrap_or_default();
        let (label, reason, details) = (markdown(&first.label), markdown_id(cause.reason), markdown(&first.details));
        // Writing into a string does not fail.
        let _ = writeln!(out, "- **{times}{label}** ({reason}{at}) in {named}{more}: {details}");
    }
    if causes.len() > MOST_CAUSES {
        let _ = writeln!(out, "- and {} more causes", causes.len() - MOST_CAUSES);
    }
    if out.is_empty() { out } else { format!("\n{out}") }
}

fn failures(outcome: &TaskOutcome) -> String {
    let invalid = outcome.invalid.as_ref().and_then(|invalid| numbers::invalid(invalid, markdown_id));
    let failures = outcome.failures.as_ref().map(|failures| numbers::failures(failures, markdown_id));
    let named: Vec<String> = invalid.into_iter().chain(failures).collect();
    if named.is_empty() { String::new() } else { format!(", {}", named.join(", ")) }
}

fn verdict(outcome: &TaskOutcome) -> String {
    let interval = numbers::interval(outcome.interval).map(|i| format!(", interval {i}")).unwrap_or_default();
    let sure = if outcome.conclusive { "" } else { ", **not conclusive**" };
    let (verdict, score) = (numbers::headline(outcome), numbers::score(outcome.score));
    match failures(outcome) {
        failures if failures.is_empty() => format!("Verdict **{verdict}**, score {score}{interval}{sure}.\n"),
        failures => format!("Verdict **{verdict}**{failures}; score {score}{interval}{sure}.\n"),
    }
}

fn benchmark_outcome(result: &BenchmarkOutcome) -> String {
    let sure = if result.outcome.conclusive { "" } else { ", **not conclusive**" };
    let (verdict, score) = (numbers::headline(&result.outcome), numbers::score(result.outcome.score));
    let counts = &result.verdicts;
    format!(
        "Verdict **{verdict}**, score {score} over {} task runs{sure}: {} passed, {} in part, {} failed.\n",
        result.task_runs, counts.pass, counts.partial, counts.fail
    )
}

/// A line for each file, and one for each kind of finding.
pub(crate) fn validation(read: &Validation) -> String {
    let (errors, warnings) = read.counts();
    let word = if errors > 0 { "not valid" } else { "valid" };
    let files = read.files.len();
    let number = |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let counts = [number(files as u64, "file"), number(errors, "error"), number(warnings, "warning")];
    let mut out = format!("**{word}**: {}.\n", counts.join(", "));
    out += "\n| | file | standard | errors | warnings |\n| --- | --- | --- | --- | --- |\n";
    for (told, file) in read.files.iter().enumerate() {
        if out.len() > FITS / 2 {
            let _ = writeln!(out, "\n{} more files do not fit: other formats have them.", files - told);
            break;
        }
        let (errors, warnings) = file.counts();
        let sign = if errors > 0 { "✗" } else { "✓" };
        let (name, standard) = (markdown(&file.file), markdown(&file.standard));
        let _ = writeln!(out, "| {sign} | {name} | {standard} | {errors} | {warnings} |");
    }
    let groups = read.grouped();
    for (told, group) in groups.iter().enumerate() {
        if told == 0 {
            out.push('\n');
        }
        if out.len() > FITS {
            let _ = writeln!(out, "- and {} more kinds, which do not fit", groups.len() - told);
            break;
        }
        let times = if group.count > 1 { format!("{} × ", group.count) } else { String::new() };
        let line = group.first.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let first = if group.count > 1 { "first in " } else { "" };
        let (severity, code) = (markdown(&group.first.severity), markdown_id(&group.first.code));
        let (sentence, file) = (markdown(&group.first.sentence()), markdown(group.file));
        let _ = writeln!(out, "- {times}{severity} {code}: {sentence} ({first}{file}{line})");
    }
    for file in &read.skipped {
        let _ = writeln!(out, "\n{} was skipped, because its format is unknown.", markdown(file));
    }
    out
}

pub(crate) fn mark(status: Status) -> &'static str {
    match status {
        Status::Passed => "✓",
        Status::Failed => "✗",
        Status::Unverifiable => "?",
    }
}
