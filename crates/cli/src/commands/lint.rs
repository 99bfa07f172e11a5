//! `candor lint`.

use std::sync::Arc;

use candor_engine::{Document, Finding, Severity, Task, changes, lint, lint_with_notes};
use candor_report::Format;
use candor_verification::TaskLoop;
use serde_json::json;

use super::{IdentityArgs, engine};
use crate::args::{LintArgs, Version};
use crate::exit::Outcome;
use crate::output::{OutputArgs, complain};

pub(crate) fn run(args: &LintArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let engine = engine(&IdentityArgs { verifier_id: None, agent_id: None })?;
    let mut findings = Vec::new();
    let mut unreadable = false;
    for file in &args.tasks {
        let document = match Document::read(file) {
            Ok(document) => document,
            Err(error) => {
                unreadable = true;
                complain(&error.to_string());
                continue;
            }
        };
        let mut settings = Vec::new();
        let read = match engine.lint_companion(&document) {
            Some(linted) => linted.map_err(|error| vec![error]),
            None => Task::from_document(document).map(|task| {
                settings.extend(TaskLoop::of(&task).err());
                let plan = engine.plan(Arc::new(task));
                findings.extend(if args.notes || args.strict { lint_with_notes(&plan) } else { lint(&plan) });
                findings.extend(args.since.into_iter().flat_map(|Version::V0_1| changes(&plan)));
            }),
        };
        let read = read.and(if settings.is_empty() { Ok(()) } else { Err(settings) });
        if let Err(errors) = read {
            unreadable = true;
            errors.iter().for_each(|error| complain(&error.to_string()));
        }
    }
    let rendered = match output.format_to_read() {
        Format::Text => text(&findings),
        Format::Json => format!("{:#}\n", json!(findings.iter().map(value).collect::<Vec<_>>())),
        Format::Ndjson => findings.iter().map(|finding| format!("{}\n", value(finding))).collect(),
        Format::Junit | Format::Markdown => return Err("lint writes text, json or ndjson".to_owned()),
    };
    // Where a file could not be read, nothing is said of it but why.
    if !(unreadable && findings.is_empty()) {
        output.write(rendered.as_bytes())?;
    }
    let counts = |finding: &Finding| args.strict || finding.severity != Severity::Note;
    let nothing = !findings.iter().any(counts);
    Ok(match (unreadable, nothing) {
        (true, _) => Outcome::WrongInput,
        (false, true) => Outcome::Pass,
        (false, false) => Outcome::Findings,
    })
}

fn text(findings: &[Finding]) -> String {
    let line = |finding: &Finding| {
        let error = &finding.error;
        let position = error.position.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
        let message = candor_report::plain(&error.message);
        format!("{}{position}: {}[{}]: {message}\n", error.file.display(), finding.severity.name(), finding.code)
    };
    findings.iter().map(line).collect()
}

fn value(finding: &Finding) -> serde_json::Value {
    json!({
        "file": finding.error.file,
        "line": finding.error.position.map(|(line, _)| line),
        "column": finding.error.position.map(|(_, column)| column),
        "severity": finding.severity.name(),
        "code": finding.code,
        "message": finding.error.message,
    })
}
