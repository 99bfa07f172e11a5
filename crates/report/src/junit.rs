//! JUnit's XML, as build servers read it.

use std::fmt::Write as _;

use candor_check::Status;
use candor_engine::{CriterionRun, TaskRun};
use candor_scoring::{TaskResult, Verdict};

use crate::escape::xml;
use crate::numbers;

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

pub(crate) fn task_runs(name: &str, runs: &[&TaskRun]) -> String {
    let all = || runs.iter().flat_map(|run| &run.criterion_runs);
    let mut out = format!("{HEAD}<testsuites name=\"{}\" {}>\n", xml(name), counts(all()));
    for run in runs {
        suite(&mut out, run);
    }
    out.push_str("</testsuites>\n");
    out
}

/// A task's result without its criterion runs.
pub(crate) fn task_result(result: &TaskResult) -> String {
    let failures = result.passed_with_failures.as_ref();
    verdict(result.verdict, failures.map(|failures| numbers::failures(failures, str::to_owned)))
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

fn counts<'a>(runs: impl Iterator<Item = &'a CriterionRun> + Clone) -> String {
    let number = |status| runs.clone().filter(|run| run.status() == status).count();
    let (failures, errors) = (number(Status::Failed), number(Status::Unverifiable));
    format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\"", runs.clone().count())
}

fn suite(out: &mut String, run: &TaskRun) {
    let result = &run.result;
    // Writing into a string does not fail.
    let _ = writeln!(out, "  <testsuite name=\"{}\" {}>", xml(&run.task_id), counts(run.criterion_runs.iter()));
    out.push_str("    <properties>\n");
    for (name, value) in [
        ("task_run_id", run.id.clone()),
        ("verdict", numbers::verdict(result.verdict).to_lowercase()),
        ("score", result.score.to_f64().to_string()),
        ("coverage", result.coverage.to_f64().to_string()),
        ("conclusive", result.conclusive.to_string()),
    ] {
        let _ = writeln!(out, "      <property name=\"{name}\" value=\"{}\"/>", xml(&value));
    }
    if let Some(failures) = result.passed_with_failures.as_ref().filter(|_| !run.scored) {
        let failures = numbers::failures(failures, str::to_owned);
        let _ = writeln!(out, "      <property name=\"passed_with_failures\" value=\"{}\"/>", xml(&failures));
    }
    out.push_str("    </properties>\n");
    for criterion in &run.criterion_runs {
        case(out, run, criterion);
    }
    out.push_str("  </testsuite>\n");
}

fn case(out: &mut String, run: &TaskRun, criterion: &CriterionRun) {
    let class = criterion.axis.as_deref().map_or_else(|| run.task_id.clone(), |axis| format!("{}.{axis}", run.task_id));
    let time = criterion.completed_at.duration_since(criterion.started_at).as_secs_f64().max(0.0);
    let name = if run.scored { &criterion.criterion_id } else { &criterion.label };
    let _ = write!(out, "    <testcase classname=\"{}\" name=\"{}\" time=\"{time:.3}\"", xml(&class), xml(name));
    let element = match criterion.status() {
        Status::Passed => {
            out.push_str("/>\n");
            return;
        }
        Status::Failed => "failure",
        Status::Unverifiable => "error",
    };
    if run.scored {
        let _ = writeln!(out, "><{element}/></testcase>");
        return;
    }
    let (kind, details) = (criterion.reason().unwrap_or_default(), criterion.evidence.details());
    let _ = writeln!(
        out,
        "><{element} type=\"{}\" message=\"{}\">{}</{element}></testcase>",
        xml(kind),
        xml(details),
        xml(details)
    );
}
