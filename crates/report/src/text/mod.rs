//! Text for a person at a terminal.

pub(crate) mod layout;

use candor_check::Status;
use candor_scoring::Verdict;

use crate::model::{BenchmarkOutcome, BenchmarkRun, CriterionRun, TaskOutcome, TaskRun};
use crate::{Style, numbers, plain};
use layout::{Color, fitted, painted, wrapped};

/// The columns that the axis, the weight and the score of a criterion take.
const AXIS: usize = 14;
const WEIGHT: usize = 7;
const SCORE: usize = 7;

pub(crate) fn task_run(run: &TaskRun, style: Style) -> String {
    if run.criterion_runs.is_none() {
        return axes_and_verdict(&run.outcome, style);
    }
    let mut out = format!("{}\n\n", painted(style, Color::Bold, fitted(&plain(run.title()), style.width).trim_end()));
    if !run.scored {
        out += &criterion_table(run, style);
    }
    out + &axes_and_verdict(&run.outcome, style)
}

fn criterion_table(run: &TaskRun, style: Style) -> String {
    let label_width = style.width.saturating_sub(3 + AXIS + WEIGHT + SCORE + 3).max(16);
    let mut out =
        format!("   {} {:AXIS$} {:>WEIGHT$} {:>SCORE$}\n", fitted("criterion", label_width), "axis", "weight", "score");
    for criterion in run.criteria() {
        let axis = fitted(&plain(criterion.axis.as_deref().unwrap_or_default()), AXIS);
        let weight = fitted(&criterion.weight, WEIGHT);
        out += &format!(
            " {} {} {axis} {:>WEIGHT$} {:>SCORE$}\n",
            mark(criterion.status, style),
            fitted(&plain(&criterion.label), label_width),
            weight.trim_end(),
            numbers::decimal(criterion.score),
        );
        if criterion.status != Status::Passed {
            out += &explanation(criterion, style);
        }
    }
    out.push('\n');
    out
}

/// Why a criterion did not pass, and what came closest.
fn explanation(criterion: &CriterionRun, style: Style) -> String {
    let reason = plain(criterion.reason.as_deref().unwrap_or_default());
    let details = plain(&criterion.details);
    let mut out = wrapped(&format!("{reason}: {details}"), 5, style);
    if let Some(nearest) = criterion.nearest()
        && let Some(mismatch) = &nearest.first_mismatch
    {
        let clause = plain(&mismatch.in_words());
        // The sentence of `details` often says it already.
        if !details.contains(&clause) && !details.contains("nearest") {
            out += &wrapped(&format!("nearest: {}: {clause}", plain(&nearest.label)), 5, style);
        }
    }
    out
}

fn axes_and_verdict(outcome: &TaskOutcome, style: Style) -> String {
    let mut out = String::new();
    for axis in &outcome.axes {
        let interval = numbers::interval(axis.interval).map(|i| format!(" {i}")).unwrap_or_default();
        let score = numbers::decimal(axis.score);
        let weight = axis.weight.as_deref().unwrap_or("0");
        out += &format!(" {} {score}{interval} of weight {weight}\n", fitted(&plain(&axis.name), AXIS));
    }
    out + &verdict(outcome, style)
}

fn verdict(outcome: &TaskOutcome, style: Style) -> String {
    let invalid = outcome.invalid.as_ref().and_then(|invalid| numbers::invalid(invalid, plain));
    let failures = outcome.failures.as_ref().map(|failures| numbers::failures(failures, plain));
    let color = match (outcome.verdict, outcome.conclusive) {
        _ if outcome.invalid.is_some() => Color::Yellow,
        (_, false) => Color::Yellow,
        (Verdict::Pass, _) if failures.is_some() => Color::Yellow,
        (Verdict::Pass, _) => Color::Green,
        _ => Color::Red,
    };
    let failures = failures.map(|failures| format!(", {failures};")).unwrap_or_default();
    let invalid = invalid.map(|invalid| format!(": {invalid};")).unwrap_or_default();
    let painted = painted(style, color, numbers::headline(outcome));
    let mut line = format!("\n {painted}{invalid}{failures} score {}", numbers::decimal(outcome.score));
    if let Some(interval) = numbers::interval(outcome.interval) {
        let coverage = numbers::decimal(outcome.coverage * 100.0);
        line += &format!(", between {interval}: {coverage} % of the weight could be verified");
    }
    if !outcome.conclusive {
        line += "; not conclusive: what could not be verified may change the verdict";
    }
    line + "\n"
}

pub(crate) fn benchmark_run(run: &BenchmarkRun, style: Style) -> String {
    let Some(task_runs) = &run.task_runs else { return benchmark_outcome(&run.outcome, style) };
    let mut out = format!("{}\n\n", painted(style, Color::Bold, fitted(&plain(run.title()), style.width).trim_end()));
    let verdict = task_runs.iter().map(|task| numbers::headline(&task.outcome).len()).max().unwrap_or_default().max(8);
    let width = style.width.saturating_sub(3 + verdict + SCORE + 3).max(16);
    for task in task_runs {
        out += &format!(
            " {} {} {:verdict$} {:>SCORE$}\n",
            mark(task.status(), style),
            fitted(&plain(task.task_id.as_deref().unwrap_or_default()), width),
            numbers::headline(&task.outcome),
            numbers::decimal(task.outcome.score),
        );
        if let Some(invalid) = task.outcome.invalid.as_ref().and_then(|invalid| numbers::invalid(invalid, plain)) {
            out += &wrapped(&invalid, 5, style);
        }
        if let Some(failures) = &task.outcome.failures {
            out += &wrapped(&numbers::failures(failures, plain), 5, style);
        }
    }
    out.push('\n');
    out + &benchmark_outcome(&run.outcome, style)
}

fn benchmark_outcome(result: &BenchmarkOutcome, style: Style) -> String {
    let mut out = String::new();
    for axis in &result.outcome.axes {
        let (score, runs) = (numbers::decimal(axis.score), axis.task_runs.unwrap_or_default());
        out += &format!(" {} {score} over {runs} task runs\n", fitted(&plain(&axis.name), AXIS));
    }
    let counts = &result.verdicts;
    out += &format!(
        "\n {} tasks, {} runs: {} passed, {} in part, {} failed",
        result.tasks, result.task_runs, counts.pass, counts.partial, counts.fail
    );
    if counts.inconclusive > 0 {
        out += &format!("; {} of them not conclusive", counts.inconclusive);
    }
    out.push('\n');
    if let Some((rate, confidence)) = result.pass_rate {
        out += &format!(" pass rate {}{}\n", numbers::decimal(rate), confidence.map(between).unwrap_or_default());
    }
    if let Some(confidence) = result.confidence {
        out += &format!(" mean score {}{}\n", numbers::decimal(result.outcome.score), between(confidence));
    }
    for (k, estimate) in (1..).zip(&result.pass_hat_k) {
        out += &format!(" pass^{k} {}\n", numbers::decimal(*estimate));
    }
    for note in &result.notes {
        out += &wrapped(&plain(note), 1, style);
    }
    out + &verdict(&result.outcome, style)
}

fn between((low, high): (f64, f64)) -> String {
    format!(" (95 % between {} and {})", numbers::decimal(low), numbers::decimal(high))
}

fn mark(status: Status, style: Style) -> String {
    match status {
        Status::Passed => painted(style, Color::Green, "✓"),
        Status::Failed => painted(style, Color::Red, "✗"),
        Status::Unverifiable => painted(style, Color::Yellow, "?"),
    }
}
