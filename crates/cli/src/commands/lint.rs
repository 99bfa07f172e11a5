//! `candor lint`.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use candor::inner::engine::{Benchmark, Document, Finding, Severity, Task, lint, lint_with_notes};
use candor::inner::report::Format;
use candor::verification::TaskLoop;

use super::{IdentityArgs, engine, task};
use crate::args::LintArgs;
use crate::exit::Outcome;
use crate::output::{OutputArgs, complain};
use crate::spare::Reads;

pub(crate) fn run(args: &LintArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let engine = engine(&IdentityArgs { verifier_id: None, agent_id: None })?;
    let mut findings = Vec::new();
    let mut reads = Reads::default();
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
        let mut look = |task: Arc<Task>| {
            settings.extend(TaskLoop::of(&task).err());
            reads = std::mem::take(&mut reads).with_task(&engine, &task);
            let plan = engine.plan(task);
            findings.extend(if args.notes || args.strict { lint_with_notes(&plan) } else { lint(&plan) });
        };
        let is_benchmark = document.value().get("tasks").is_some() && document.value().get("criteria").is_none();
        let read = match engine.lint_companion(&document) {
            Some(linted) => linted.map_err(|error| vec![error]),
            None if is_benchmark => Benchmark::read(file, candor::inner::checks::PARTS).map(|benchmark| {
                let mut looked: HashSet<PathBuf> = HashSet::new();
                for entry in benchmark.entries {
                    // A task may be checked over several sandboxes.
                    if looked.insert(entry.task.file().to_owned()) {
                        look(entry.task);
                    }
                }
            }),
            None => task(&engine, document).map(look),
        };
        let read = read.and(if settings.is_empty() { Ok(()) } else { Err(settings) });
        if let Err(errors) = read {
            unreadable = true;
            errors.iter().for_each(|error| complain(&error.to_string()));
        }
    }
    output.spare(None, || reads)?;
    let format = output.format_to_read();
    let rendered = candor::inner::report::findings(&findings, format)?;
    // For a file that could not be read, only the reason is shown.
    if !(unreadable && findings.is_empty()) {
        output.write_as(format, &rendered)?;
    }
    if !unreadable && output.on_terminal() && format == Format::Text {
        output.write_as(format, counted(args.tasks.len(), &findings).as_bytes())?;
    }
    let counts = |finding: &Finding| args.strict || finding.severity != Severity::Note;
    let nothing = !findings.iter().any(counts);
    Ok(match (unreadable, nothing) {
        (true, _) => Outcome::WrongInput,
        (false, true) => Outcome::Pass,
        (false, false) => Outcome::Findings,
    })
}

/// The line that counts the files, and the findings of each severity.
fn counted(files: usize, findings: &[Finding]) -> String {
    let number = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let of = |severity: Severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let severities = [Severity::Error, Severity::Warning, Severity::Note];
    let counts: Vec<String> = severities
        .into_iter()
        .filter(|severity| of(*severity) > 0)
        .map(|severity| number(of(severity), severity.name()))
        .collect();
    let found = if counts.is_empty() { "no findings".to_owned() } else { counts.join(", ") };
    format!("{}, {found}\n", number(files, "file"))
}
