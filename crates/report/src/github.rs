//! Annotations of GitHub Actions: what a run prints, its page shows.

use candor_check::Status;

use crate::model::TaskRun;
use crate::sarif::FileFinding;
use crate::{numbers, plain};

/// Each finding at its place in the file. GitHub shows ten of a kind a step; the log has all.
///
/// Source: "Workflow commands for GitHub Actions", setting an error, warning or notice message.
///
/// ```
/// use candor_report::sarif::FileFinding;
/// let finding = FileFinding {
///     file: "task.yaml".into(),
///     position: Some((3, 5)),
///     severity: "note",
///     code: "status_open".into(),
///     message: "100 % open".into(),
/// };
/// let line = "::notice file=task.yaml,line=3,col=5,title=status_open::100 %25 open\n";
/// assert_eq!(candor_report::github_annotations(&[finding]), line);
/// ```
#[must_use]
pub fn github_annotations(findings: &[FileFinding]) -> String {
    let line = |finding: &FileFinding| {
        let level = match finding.severity {
            "error" => "error",
            "warning" => "warning",
            _ => "notice",
        };
        let place = finding.position.map(|(line, column)| format!(",line={line},col={column}")).unwrap_or_default();
        let (file, title) = (property(&finding.file), property(&finding.code));
        format!("::{level} file={file}{place},title={title}::{}\n", data(&finding.message))
    };
    findings.iter().map(line).collect()
}

/// An error for each criterion that failed, a warning for each that could not be verified.
pub(crate) fn task_runs(runs: &[&TaskRun]) -> String {
    runs.iter().flat_map(|run| task_run(run)).collect()
}

fn task_run(run: &TaskRun) -> Vec<String> {
    let task = run.shown_id().unwrap_or("task");
    if run.scored || run.criterion_runs.is_none() {
        let outcome = &run.outcome;
        let (headline, score) = (numbers::headline(outcome), numbers::score(outcome.score));
        let failures = outcome.failures.as_ref().filter(|_| !run.scored);
        let named = failures.map(|failures| format!("{};", numbers::failures(failures, str::to_owned)));
        let text = format!("{headline}, {}score {score}", named.map(|named| named + " ").unwrap_or_default());
        return vec![annotation(run.status(), task, &text).unwrap_or_else(|| line("notice", task, &text))];
    }
    let criteria = run.criteria().iter();
    criteria.filter_map(|one| annotation(one.status, &format!("{task}: {}", one.label), &one.details)).collect()
}

fn annotation(status: Status, title: &str, text: &str) -> Option<String> {
    let level = match status {
        Status::Passed => return None,
        Status::Failed => "error",
        Status::Unverifiable => "warning",
    };
    Some(line(level, title, text))
}

fn line(level: &str, title: &str, text: &str) -> String {
    format!("::{level} title={}::{}\n", property(title), data(text))
}

fn data(text: &str) -> String {
    plain(text).replace('%', "%25")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
