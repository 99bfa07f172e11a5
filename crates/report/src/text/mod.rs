//! Text for a person at a terminal.

pub(crate) mod layout;

use candor_check::Status;
use candor_check::records::described;
use candor_engine::{BenchmarkRun, CriterionRun, TaskRun};
use candor_scoring::{BenchmarkResult, Fraction, Interval, TaskResult, Verdict};

use crate::{Style, numbers, plain};
use layout::{Color, fitted, painted, wrapped};

/// The columns that the axis, the weight and the score of a criterion take.
const AXIS: usize = 14;
const WEIGHT: usize = 7;
const SCORE: usize = 7;

pub(crate) fn task_run(run: &TaskRun, style: Style) -> String {
    let name = run.task_name.as_deref().unwrap_or(&run.task_id);
    let mut out = format!("{}\n\n", painted(style, Color::Bold, fitted(&plain(name), style.width).trim_end()));
    if !run.scored {
        out += &criterion_table(run, style);
    }
    out + &axes_and_verdict(&run.result, !run.scored, style)
}

fn criterion_table(run: &TaskRun, style: Style) -> String {
    let label_width = style.width.saturating_sub(3 + AXIS + WEIGHT + SCORE + 3).max(16);
    let mut out =
        format!("   {} {:AXIS$} {:>WEIGHT$} {:>SCORE$}\n", fitted("criterion", label_width), "axis", "weight", "score");
    for criterion in run.shown_runs() {
        let axis = fitted(&plain(criterion.axis.as_deref().unwrap_or_default()), AXIS);
        let weight = fitted(&criterion.weight.to_string(), WEIGHT);
        out += &format!(
            " {} {} {axis} {:>WEIGHT$} {:>SCORE$}\n",
            mark(criterion.status(), style),
            fitted(&plain(&criterion.label), label_width),
            weight.trim_end(),
            numbers::decimal(criterion.score().to_f64()),
        );
        if criterion.status() != Status::Passed {
            out += &explanation(criterion, style);
        }
    }
    out.push('\n');
    out
}

/// Why a criterion did not pass, and what came closest.
fn explanation(criterion: &CriterionRun, style: Style) -> String {
    let reason = criterion.reason().unwrap_or_default();
    let details = plain(criterion.evidence.details());
    let mut out = wrapped(&format!("{reason}: {details}"), 5, style);
    if let Some(nearest) = &criterion.evidence.candidates.nearest
        && let Some(mismatch) = &nearest.first_mismatch
    {
        let clause = plain(&described(mismatch));
        // The sentence of `details` often says it already.
        if !details.contains(&clause) && !details.contains("nearest") {
            out += &wrapped(&format!("nearest: {}: {clause}", plain(&nearest.label)), 5, style);
        }
    }
    out
}

pub(crate) fn task_result(result: &TaskResult, style: Style) -> String {
    axes_and_verdict(result, true, style)
}

fn axes_and_verdict(result: &TaskResult, names_failures: bool, style: Style) -> String {
    let mut out = String::new();
    for (axis, sums) in result.axes.iter() {
        let interval = numbers::interval(&sums.interval).map(|i| format!(" {i}")).unwrap_or_default();
        let score = numbers::score(&sums.score);
        out += &format!(" {} {score}{interval} of weight {}\n", fitted(&plain(axis), AXIS), sums.weight);
    }
    let failures = result.passed_with_failures.as_ref().filter(|_| names_failures);
    let failures = failures.map(|failures| numbers::failures(failures, plain));
    let (interval, coverage) = (&result.interval, &result.coverage);
    out + &verdict(result.verdict, failures, &result.score, interval, coverage, result.conclusive, style)
}

fn verdict(
    verdict: Verdict,
    failures: Option<String>,
    score: &Fraction,
    interval: &Interval,
    coverage: &Fraction,
    conclusive: bool,
    style: Style,
) -> String {
    let color = match (verdict, conclusive) {
        (_, false) => Color::Yellow,
        (Verdict::Pass, _) if failures.is_some() => Color::Yellow,
        (Verdict::Pass, _) => Color::Green,
        _ => Color::Red,
    };
    let failures = failures.map(|failures| format!(", {failures};")).unwrap_or_default();
    let painted = painted(style, color, numbers::verdict(verdict));
    let mut line = format!("\n {painted}{failures} score {}", numbers::score(score));
    if let Some(interval) = numbers::interval(interval) {
        let coverage = numbers::decimal(coverage.to_f64() * 100.0);
        line += &format!(", between {interval}: {coverage} % of the weight could be verified");
    }
    if !conclusive {
        line += "; not conclusive: what could not be verified may change the verdict";
    }
    line + "\n"
}

pub(crate) fn benchmark_run(run: &BenchmarkRun, style: Style) -> String {
    let mut out =
        format!("{}\n\n", painted(style, Color::Bold, fitted(&plain(&run.benchmark_id), style.width).trim_end()));
    let width = style.width.saturating_sub(3 + 8 + SCORE + 3).max(16);
    for task in &run.task_runs {
        let status = match (task.result.conclusive, task.result.verdict) {
            (false, _) => Status::Unverifiable,
            (true, Verdict::Pass) => Status::Passed,
            (true, _) => Status::Failed,
        };
        out += &format!(
            " {} {} {:8} {:>SCORE$}\n",
            mark(status, style),
            fitted(&plain(&task.task_id), width),
            numbers::verdict(task.result.verdict),
            numbers::score(&task.result.score),
        );
        if let Some(failures) = task.result.passed_with_failures.as_ref().filter(|_| !task.scored) {
            out += &wrapped(&numbers::failures(failures, plain), 5, style);
        }
    }
    out.push('\n');
    out + &benchmark_result(&run.result, style)
}

pub(crate) fn benchmark_result(result: &BenchmarkResult, style: Style) -> String {
    let mut out = String::new();
    for (axis, mean) in result.axes.iter() {
        let (score, runs) = (numbers::score(&mean.score), mean.task_runs);
        out += &format!(" {} {score} over {runs} task runs\n", fitted(&plain(axis), AXIS));
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
    if let Some(rate) = &result.pass_rate.value {
        let within = result.pass_rate.confidence.as_ref().map(|c| between(c.interval)).unwrap_or_default();
        out += &format!(" pass rate {}{within}\n", numbers::score(rate));
    }
    if let Some(confidence) = &result.confidence {
        out += &format!(" mean score {}{}\n", numbers::score(&result.score), between(confidence.interval));
    }
    for (k, estimate) in (1..).zip(result.pass_hat_k.iter().flatten()) {
        out += &format!(" pass^{k} {}\n", numbers::decimal(*estimate));
    }
    for note in &result.notes {
        out += &wrapped(&plain(note), 1, style);
    }
    out + &verdict(result.verdict, None, &result.score, &result.interval, &result.coverage, result.conclusive, style)
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
