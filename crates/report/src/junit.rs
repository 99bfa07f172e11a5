//! JUnit's XML, as build servers read it.

use std::fmt::Write as _;

use candor_check::Status;
use candor_scoring::Verdict;

use crate::escape::xml;
use crate::model::{CriterionRun, TaskOutcome, TaskRun};
use crate::numbers;

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

pub(crate) fn task_runs(name: &str, runs: &[&TaskRun]) -> String {
    let all = runs.iter().flat_map(|run| statuses(run));
    let mut out = format!("{HEAD}<testsuites name=\"{}\" {}>\n", xml(name), counts(all));
    for run in runs {
        suite(&mut out, run);
    }
    out.push_str("</testsuites>\n");
    out
}

/// A task's result without its criterion runs.
pub(crate) fn task_outcome(outcome: &TaskOutcome) -> String {
    let failures = outcome.failures.as_ref();
    verdict(outcome.verdict, failures.map(|failures| numbers::failures(failures, str::to_owned)))
}

/// A result that has no criterion runs: its verdict as the one test.
pub(crate) fn verdict(verdict: Verdict, failures: Option<String>) -> String {
    let failed = u8::from(verdict != Verdict::Pass);
    let mut out = format!("{HEAD}<testsuites name=\"candor\" tests=\"1\" failures=\"{failed}\" errors=\"0\">\n");
    let _ = writeln!(out, "  <testsuite name=\"score\" tests=\"1\" failures=\"{failed}\" errors=\"0\">");
    let text = numbers::verdict(verdict);
    match (verdict, failures) {
        (Verdict::Pass, Some(failures)) => {
            let failures = xml(&failures);
            let _ = writeln!(out, "    <testcase name=\"verdict\"><system-out>{failures}</system-out></testcase>");
        }
        (Verdict::Pass, None) => out.push_str("    <testcase name=\"verdict\"/>\n"),
        _ => {
            let _ = writeln!(out, "    <testcase name=\"verdict\"><failure message=\"{text}\"/></testcase>");
        }
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

pub(crate) fn cases(name: &str, cases: &[(&str, Option<String>)]) -> String {
    let name = xml(name);
    let failures = cases.iter().filter(|(_, complaint)| complaint.is_some()).count();
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"0\"", cases.len());
    let mut out = format!("{HEAD}<testsuites name=\"{name}\" {counts}>\n  <testsuite name=\"{name}\" {counts}>\n");
    for (case, complaint) in cases {
        let case = xml(case);
        let _ = match complaint {
            None => writeln!(out, "    <testcase name=\"{case}\"/>"),
            Some(why) => {
                writeln!(out, "    <testcase name=\"{case}\"><failure message=\"{}\"/></testcase>", xml(why))
            }
        };
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

/// How each test of a task ended: its criteria, or the verdict alone where the rubric is hidden.
fn statuses(run: &TaskRun) -> Vec<Status> {
    match shows_verdict(run) {
        true => vec![run.status()],
        false => run.criteria().iter().map(|criterion| criterion.status).collect(),
    }
}

fn shows_verdict(run: &TaskRun) -> bool {
    run.scored || run.criterion_runs.is_none()
}

fn counts(statuses: impl Iterator<Item = Status> + Clone) -> String {
    let number = |wanted| statuses.clone().filter(|status| *status == wanted).count();
    let (failures, errors) = (number(Status::Failed), number(Status::Unverifiable));
    format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\"", statuses.clone().count())
}

fn suite(out: &mut String, run: &TaskRun) {
    let outcome = &run.outcome;
    let task_id = run.shown_id().unwrap_or("task");
    // Writing into a string does not fail.
    let _ = writeln!(out, "  <testsuite name=\"{}\" {}>", xml(task_id), counts(statuses(run).into_iter()));
    out.push_str("    <properties>\n");
    for (name, value) in [
        ("task_run_id", run.id.clone().unwrap_or_default()),
        ("verdict", numbers::verdict(outcome.verdict).to_lowercase()),
        ("score", outcome.score.to_string()),
        ("coverage", outcome.coverage.to_string()),
        ("conclusive", outcome.conclusive.to_string()),
    ] {
        let _ = writeln!(out, "      <property name=\"{name}\" value=\"{}\"/>", xml(&value));
    }
    if let Some(invalid) = &outcome.invalid {
        let named = numbers::invalid(invalid, str::to_owned).unwrap_or_default();
        let _ = writeln!(out, "      <property name=\"invalid_criteria\" value=\"{}\"/>", xml(&named));
    }
    if let Some(failures) = &outcome.failures {
        let failures = numbers::failures(failures, str::to_owned);
        let _ = writeln!(out, "      <property name=\"passed_with_failures\" value=\"{}\"/>", xml(&failures));
    }
    out.push_str("    </properties>\n");
    if shows_verdict(run) {
        let _ = write!(out, "    <testcase classname=\"{}\" name=\"verdict\"", xml(task_id));
        match element(run.status()) {
            None => out.push_str("/>\n"),
            Some(element) => {
                let _ = writeln!(out, "><{element} message=\"{}\"/></testcase>", numbers::headline(outcome));
            }
        }
    }
    for criterion in run.criteria() {
        case(out, task_id, criterion);
    }
    out.push_str("  </testsuite>\n");
}

fn element(status: Status) -> Option<&'static str> {
    match status {
        Status::Passed => None,
        Status::Failed => Some("failure"),
        Status::Unverifiable => Some("error"),
    }
}

fn case(out: &mut String, task_id: &str, criterion: &CriterionRun) {
    let class = criterion.axis.as_deref().map_or_else(|| task_id.to_owned(), |axis| format!("{task_id}.{axis}"));
    let name = xml(&criterion.label);
    let _ = write!(out, "    <testcase classname=\"{}\" name=\"{name}\"", xml(&class));
    if let Some(seconds) = criterion.seconds() {
        let _ = write!(out, " time=\"{seconds:.3}\"");
    }
    let Some(element) = element(criterion.status) else {
        out.push_str("/>\n");
        return;
    };
    let (kind, details) = (criterion.reason.as_deref().unwrap_or_default(), xml(&criterion.details));
    let _ = writeln!(out, "><{element} type=\"{}\" message=\"{details}\">{details}</{element}></testcase>", xml(kind));
}
