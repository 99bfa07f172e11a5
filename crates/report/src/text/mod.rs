//! Text for a person at a terminal.

pub(crate) mod findings;
pub(crate) mod layout;

use candor_check::Status;
use candor_scoring::{DEFAULT_AXIS, Verdict};

use crate::model::{Axis, BenchmarkOutcome, BenchmarkRun, CriterionRun, Entry, TaskOutcome, TaskRun, record_at};
use crate::{Style, numbers, plain};
use layout::{Color, fitted, painted, wrapped};

/// The columns that the axis, the weight and the score of a criterion take.
const AXIS: usize = 14;
const WEIGHT: usize = 7;
const SCORE: usize = 7;
/// So many task runs that did not pass are named again at the end of a benchmark, and so many criteria of each.
pub(crate) const AGAIN: usize = 50;
pub(crate) const CRITERIA: usize = 3;

pub(crate) fn task_run(run: &TaskRun, style: Style) -> String {
    if run.criterion_runs.is_none() {
        return axes(&run.outcome, style) + &verdict(&run.outcome, None, failures(&run.outcome), style);
    }
    let mut out = format!("{}\n\n", painted(style, Color::Bold, wrapped(&plain(run.title()), 0, style).trim_end()));
    if run.scored {
        return out + &axes(&run.outcome, style) + &verdict(&run.outcome, None, failures(&run.outcome), style);
    }
    out += &criterion_table(run, style);
    let passed = run.criteria().iter().filter(|one| one.status == Status::Passed).count();
    let counted = (!run.criteria().is_empty()).then_some((passed, run.criteria().len()));
    out + &axes(&run.outcome, style) + &verdict(&run.outcome, counted, failures(&run.outcome), style)
}

/// A line for each criterion. A column is there if a criterion has more to say in it than the default.
fn criterion_table(run: &TaskRun, style: Style) -> String {
    let criteria = run.criteria();
    let with = |is_there: bool, width: usize| if is_there { width } else { 0 };
    let axis = with(criteria.iter().any(|one| one.axis.is_some()), AXIS + 1);
    let weight = with(criteria.iter().any(|one| one.weight != "1"), WEIGHT + 1);
    let score = with(criteria.iter().any(|one| one.score > 0.0 && one.score < 1.0), SCORE + 1);
    let label_width = style.width.saturating_sub(3 + axis + weight + score).max(16);
    let line = |mark: &str, label: &str, cells: [&str; 3]| {
        let [of_axis, of_weight, of_score] = cells;
        // A label that is wider than its column continues on the lines below.
        let label = wrapped(label, 0, Style { width: label_width, ..style });
        let (label, below) = label.split_once('\n').unwrap_or((label.as_str(), ""));
        let mut line = format!(" {mark} {}", fitted(label, label_width));
        if axis > 0 {
            line += &format!(" {}", fitted(of_axis, AXIS));
        }
        if weight > 0 {
            line += &format!(" {:>WEIGHT$}", fitted(of_weight, WEIGHT).trim_end());
        }
        if score > 0 {
            line += &format!(" {of_score:>SCORE$}");
        }
        line.trim_end().to_owned() + "\n" + below
    };
    let mut out = String::new();
    if axis + weight + score > 0 {
        out += &line(" ", "", ["axis", "weight", "score"]);
    }
    for criterion in criteria {
        let axis = plain(criterion.axis.as_deref().unwrap_or_default());
        let cells = [axis.as_str(), &criterion.weight, &numbers::score(criterion.score)];
        out += &line(&mark(criterion.status, style), &plain(&criterion.label), cells);
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
    let mut out = sentence(&reason, &details, style);
    out += &records(criterion, &details, style);
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

/// The keys of the records in which results did not pass, where the sentence does not name them.
fn records(criterion: &CriterionRun, details: &str, style: Style) -> String {
    const NAMED: usize = 3;
    let records = criterion.records();
    let mut keys: Vec<String> = Vec::new();
    // A number is of several records, of which it names the first; so is a value that several share.
    let of_several = |path: &str| matches!(path, "$count" | "$unique" | "$sequence");
    let is_of_one =
        |entry: &&Entry| !entry.passed() && !matches!(entry, Entry::Field(field) if of_several(&field.path));
    for entry in criterion.entries().iter().filter(is_of_one) {
        let key = entry.source().and_then(|place| record_at(&records, place)).map(plain);
        let tells = |key: &String| !details.contains(key.as_str()) && !key.starts_with("masked:");
        keys.extend(key.filter(|key| tells(key) && !keys.contains(key)));
    }
    let more = match keys.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    keys.truncate(NAMED);
    if keys.is_empty() { String::new() } else { wrapped(&format!("record: {}{more}", keys.join("; ")), 5, style) }
}

/// `details` behind what it is about: one paragraph, or a line a finding below its beginning.
fn sentence(about: &str, details: &str, style: Style) -> String {
    match findings::listed(details) {
        None => wrapped(&format!("{about}: {details}"), 5, style),
        Some((begin, lines)) => {
            let lines = lines.iter().map(|line| wrapped(&format!("- {line}"), 5, style));
            wrapped(&format!("{about}: {begin}"), 5, style) + &lines.collect::<String>()
        }
    }
}

/// The axes that the author named.
fn axes(outcome: &TaskOutcome, style: Style) -> String {
    let mut out = String::new();
    for axis in named_axes(outcome) {
        let name = if axis.name == DEFAULT_AXIS { "no axis" } else { &axis.name };
        let interval = numbers::interval(axis.interval).map(|i| format!(" {i}")).unwrap_or_default();
        let weight = axis.weight.as_deref().unwrap_or("0");
        let name = fitted(&plain(name), AXIS.min(style.width));
        out += &format!(" {name} {}{interval} of weight {weight}\n", numbers::score(axis.score));
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// All axes, if the author named one.
fn named_axes(outcome: &TaskOutcome) -> &[Axis] {
    let is_named = outcome.axes.iter().any(|axis| axis.name != DEFAULT_AXIS);
    if is_named { &outcome.axes } else { &[] }
}

fn failures(outcome: &TaskOutcome) -> Option<String> {
    outcome.failures.as_ref().map(|failures| numbers::failures(failures, plain))
}

/// `counted`: how many criteria passed, of how many. `failures`: what failed where the verdict is to pass.
fn verdict(outcome: &TaskOutcome, counted: Option<(usize, usize)>, failures: Option<String>, style: Style) -> String {
    let invalid = outcome.invalid.as_ref().and_then(|invalid| numbers::invalid(invalid, plain));
    let color = match (outcome.verdict, outcome.conclusive) {
        _ if outcome.invalid.is_some() => Color::Yellow,
        (_, false) => Color::Yellow,
        (Verdict::Pass, _) if failures.is_some() => Color::Yellow,
        (Verdict::Pass, _) => Color::Green,
        _ => Color::Red,
    };
    let counted = counted.filter(|_| failures.is_none() && invalid.is_none());
    let counted = counted.map(|(passed, all)| format!("  {passed} of {all} criteria passed,")).unwrap_or_default();
    let failures = failures.map(|failures| format!(", {failures};")).unwrap_or_default();
    let invalid = invalid.map(|invalid| format!(": {invalid};")).unwrap_or_default();
    let painted = painted(style, color, numbers::headline(outcome));
    let mut line = format!(" {painted}{counted}{invalid}{failures} score {}", numbers::score(outcome.score));
    if let Some(interval) = numbers::interval(outcome.interval) {
        let coverage = (outcome.coverage * 100.0).floor();
        line += &format!(", between {interval}: {coverage} % of the weight could be verified");
    }
    if !outcome.conclusive {
        line += "; not conclusive: what could not be verified may change the verdict";
    }
    line + "\n"
}

pub(crate) fn benchmark_run(run: &BenchmarkRun, style: Style) -> String {
    let Some(task_runs) = &run.task_runs else { return benchmark_outcome(&run.outcome, style) };
    let mut out = format!("{}\n\n", painted(style, Color::Bold, wrapped(&plain(run.title()), 0, style).trim_end()));
    let verdict = task_runs.iter().map(|task| numbers::headline(&task.outcome).len()).max().unwrap_or_default().max(8);
    let width = style.width.saturating_sub(3 + verdict + SCORE + 3).max(16);
    for task in task_runs {
        out += &format!(
            " {} {} {:verdict$} {:>SCORE$}\n",
            mark(task.status(), style),
            fitted(&plain(task.shown_id().unwrap_or_default()), width),
            numbers::headline(&task.outcome),
            numbers::score(task.outcome.score),
        );
        if let Some(invalid) = task.outcome.invalid.as_ref().and_then(|invalid| numbers::invalid(invalid, plain)) {
            out += &wrapped(&invalid, 5, style);
        }
        if let Some(failures) = &task.outcome.failures {
            out += &wrapped(&numbers::failures(failures, plain), 5, style);
        }
    }
    out.push('\n');
    out += &not_passed(task_runs, style);
    out + &benchmark_outcome(&run.outcome, style)
}

/// Repeats the task runs that did not pass, each with the criteria that did not, so that a reader need not search the list.
fn not_passed(task_runs: &[TaskRun], style: Style) -> String {
    let open: Vec<&TaskRun> = task_runs.iter().filter(|task| task.status() != Status::Passed).collect();
    let mut out = String::new();
    for task in open.iter().take(AGAIN) {
        let name = plain(task.shown_id().unwrap_or_default());
        out += &format!(" {} {name}\n", mark(task.status(), style));
        let criteria: Vec<&CriterionRun> = match task.scored {
            true => Vec::new(),
            false => task.criteria().iter().filter(|one| one.status != Status::Passed).collect(),
        };
        for criterion in criteria.iter().take(CRITERIA) {
            out += &sentence(&plain(&criterion.label), &plain(&criterion.details), style);
        }
        if criteria.len() > CRITERIA {
            out += &format!("     and {} more criteria\n", criteria.len() - CRITERIA);
        }
    }
    if open.len() > AGAIN {
        out += &format!(" and {} more task runs that did not pass\n", open.len() - AGAIN);
    }
    if !open.is_empty() {
        out.push('\n');
    }
    out
}

fn benchmark_outcome(result: &BenchmarkOutcome, style: Style) -> String {
    let counts = &result.verdicts;
    let mut counted = format!(
        " {} tasks, {} runs: {} passed, {} in part, {} failed",
        result.tasks, result.task_runs, counts.pass, counts.partial, counts.fail
    );
    if counts.inconclusive > 0 {
        counted += &format!("; {} of them not conclusive", counts.inconclusive);
    }
    benchmark_statistics(result, &counted, style)
}

/// The axes, the line that counts the runs, and the statistics of a benchmark.
pub(crate) fn benchmark_statistics(result: &BenchmarkOutcome, counted: &str, style: Style) -> String {
    let mut out = String::new();
    for axis in named_axes(&result.outcome) {
        let name = if axis.name == DEFAULT_AXIS { "no axis" } else { &axis.name };
        let (score, runs) = (numbers::score(axis.score), axis.task_runs.unwrap_or_default());
        out += &format!(" {} {score} over {runs} task runs\n", fitted(&plain(name), AXIS));
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out += counted;
    out.push('\n');
    if let Some((rate, confidence)) = result.pass_rate {
        out += &format!(" pass rate {}{}\n", numbers::score(rate), confidence.map(between).unwrap_or_default());
    }
    if let Some(confidence) = result.confidence {
        out += &format!(" mean score {}{}\n", numbers::score(result.outcome.score), between(confidence));
    }
    for (k, estimate) in (1..).zip(&result.pass_hat_k) {
        out += &format!(" pass^{k} {}\n", numbers::score(*estimate));
    }
    for note in &result.notes {
        out += &wrapped(&plain(note), 1, style);
    }
    // A failed gate leaves the score of its task, and the verdict counts 0 for it.
    let (failed, score) = (result.verdicts.fail, result.outcome.score);
    let is_lower = result.outcome.verdict == Verdict::Fail && score > 0.0;
    let named = (failed > 0 && (score >= 0.9 || is_lower))
        .then(|| format!("{failed} of {} task runs failed", result.task_runs));
    out + &verdict(&result.outcome, None, named, style)
}

fn between((low, high): (f64, f64)) -> String {
    format!(" (95 % between {} and {})", numbers::score(low), numbers::score(high))
}

pub(crate) fn mark(status: Status, style: Style) -> String {
    match status {
        Status::Passed => painted(style, Color::Green, "✓"),
        Status::Failed => painted(style, Color::Red, "✗"),
        Status::Unverifiable => painted(style, Color::Yellow, "?"),
    }
}
