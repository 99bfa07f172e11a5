//! JUnit's XML, as build servers read it.

use std::fmt::Write as _;

use candor_check::Status;
use candor_engine::{CriterionRun, TaskRun};
use candor_scoring::{TaskResult, Verdict};

use crate::escape::xml;
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

/// Single tests of one name, each with what is wrong with it.
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
    let verdict = match (run.result.verdict, run.result.conclusive) {
        (Verdict::Pass, true) => Status::Passed,
        (_, false) => Status::Unverifiable,
        _ => Status::Failed,
    };
    if run.scored { vec![verdict] } else { run.shown_runs().iter().map(CriterionRun::status).collect() }
}

fn counts(statuses: impl Iterator<Item = Status> + Clone) -> String {
    let number = |wanted| statuses.clone().filter(|status| *status == wanted).count();
    let (failures, errors) = (number(Status::Failed), number(Status::Unverifiable));
    format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\"", statuses.clone().count())
}

fn suite(out: &mut String, run: &TaskRun) {
    let result = &run.result;
    // Writing into a string does not fail.
    let _ = writeln!(out, "  <testsuite name=\"{}\" {}>", xml(&run.task_id), counts(statuses(run).into_iter()));
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
    for status in statuses(run).into_iter().filter(|_| run.scored) {
        let _ = write!(out, "    <testcase classname=\"{}\" name=\"verdict\"", xml(&run.task_id));
        match element(status) {
            None => out.push_str("/>\n"),
            Some(element) => {
                let _ = writeln!(out, "><{element} message=\"{}\"/></testcase>", numbers::verdict(result.verdict));
            }
        }
    }
    for criterion in run.shown_runs() {
        case(out, run, criterion);
    }
    out.push_str("  </testsuite>\n");
}

/// The element that says why a test did not pass.
fn element(status: Status) -> Option<&'static str> {
    match status {
        Status::Passed => None,
        Status::Failed => Some("failure"),
        Status::Unverifiable => Some("error"),
    }
}

fn case(out: &mut String, run: &TaskRun, criterion: &CriterionRun) {
    let class = criterion.axis.as_deref().map_or_else(|| run.task_id.clone(), |axis| format!("{}.{axis}", run.task_id));
    let time = criterion.completed_at.duration_since(criterion.started_at).as_secs_f64().max(0.0);
    let name = xml(&criterion.label);
    let _ = write!(out, "    <testcase classname=\"{}\" name=\"{name}\" time=\"{time:.3}\"", xml(&class));
    let Some(element) = element(criterion.status()) else {
        out.push_str("/>\n");
        return;
    };
    let (kind, details) = (criterion.reason().unwrap_or_default(), criterion.evidence.details());
    let _ = writeln!(
        out,
        "><{element} type=\"{}\" message=\"{}\">{}</{element}></testcase>",
        xml(kind),
        xml(details),
        xml(details)
    );
}
