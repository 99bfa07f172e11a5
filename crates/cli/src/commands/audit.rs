//! `candor audit`.

use std::path::Path;
use std::sync::Arc;

use candor::check::Sandbox;
use candor::inner::audit::{Grade, Options, Probe, Report, audit};
use candor::inner::engine::{Benchmark, Document, Task};
use candor::inner::report::model::Stored;
use candor::inner::report::{Format, junit_cases, plain_json, stored_result};
use candor::verification::TaskLoop;
use candor_json::json;

use super::harden::opened;
use super::{end, engine, listed, or_interrupt, runtime};
use crate::args::AuditArgs;
use crate::exit::Outcome;
use crate::output::OutputArgs;
use crate::spare::Reads;

pub(crate) fn probe(name: &str) -> Result<Probe, String> {
    let known: Vec<&str> = Probe::ALL.iter().map(|(name, _)| *name).collect();
    Probe::named(name).ok_or_else(|| format!("expected one of {}", known.join(", ")))
}

pub(crate) fn run(args: &AuditArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let engine = engine(&args.identity)?;
    let document = Document::read(&args.task).map_err(|error| error.to_string())?;
    let is_benchmark = document.value().get("tasks").is_some() && document.value().get("criteria").is_none();
    let audited: Vec<(String, Arc<Task>, Sandbox)> = if is_benchmark {
        if args.sandbox.is_some() || args.baseline.is_some() {
            let file = args.task.display();
            return Err(format!(
                "{file}: a benchmark names a sandbox for each task; leave out --sandbox and --baseline"
            ));
        }
        let benchmark = Benchmark::read(&args.task, candor::inner::checks::PARTS).map_err(|errors| listed(&errors))?;
        benchmark.entries.into_iter().map(|entry| (entry.id, entry.task, entry.sandbox)).collect()
    } else {
        let task = Task::from_document(document).map_err(|errors| listed(&errors))?;
        let passing = args
            .sandbox
            .as_deref()
            .ok_or("a task is audited over a sandbox in which its work was done: give it by --sandbox")?;
        vec![(task.id.clone(), Arc::new(task), opened(passing, args.baseline.as_deref())?)]
    };
    TaskLoop::check_all(audited.iter().map(|(_, task, _)| &**task)).map_err(|errors| listed(&errors))?;
    output.spare(&args.survivors, || {
        let all = audited.iter();
        all.fold(Reads::default(), |reads, (_, task, sandbox)| reads.with_task(&engine, task).with(sandbox))
    })?;
    let mut options = Options { mutants: args.mutants.get(), seed: args.seed, ..Options::default() };
    if !args.probe.is_empty() {
        options.probes.clone_from(&args.probe);
    }
    let runtime = runtime()?;
    let mut reports = Vec::new();
    for (id, task, sandbox) in &audited {
        let done =
            runtime.block_on(or_interrupt(audit(&engine, task, sandbox, candor::inner::checks::OPERATORS, &options)));
        let Some(report) = done else {
            runtime.shutdown_background();
            return Ok(end(engine.work()));
        };
        reports.push(Report { task_id: id.clone(), ..report.map_err(|error| error.to_string())? });
        sandbox.close();
    }
    runtime.shutdown_background();
    if let Some(folder) = &args.survivors {
        for report in &reports {
            let folder = if is_benchmark { folder.join(as_file_name(&report.task_id)) } else { folder.clone() };
            survivors(report, &folder)?;
        }
    }
    let stored = |report: &Report, format: Format| -> Result<String, String> {
        let stored = Stored::of(report.to_value()).map_err(|error| error.to_string())?;
        String::from_utf8(stored_result(&stored, format, output.style())?).map_err(|error| error.to_string())
    };
    let rendered = match (output.format_to_read(), is_benchmark) {
        (Format::Text, _) => reports.iter().map(Report::told).collect::<Vec<_>>().join("\n"),
        (Format::Json, false) => reports.iter().map(|report| format!("{:#}\n", report.to_value())).collect(),
        (Format::Json, true) => {
            let grade = reports.iter().map(|report| report.grade).max().unwrap_or(Grade::Unaudited);
            let values: Vec<_> = reports.iter().map(Report::to_value).collect();
            format!("{:#}\n", json!({"grade": grade, "tasks": values}))
        }
        (Format::Ndjson, _) => reports.iter().map(|report| format!("{}\n", report.to_value())).collect(),
        (Format::Markdown, _) => {
            let told = |report: &Report| Ok(format!("{}\n\n{}", report.badge(), stored(report, Format::Markdown)?));
            reports.iter().map(told).collect::<Result<Vec<_>, String>>()?.join("\n")
        }
        (Format::Junit, _) => {
            let name = |report: &Report, id: &str| match is_benchmark {
                true => format!("{}/{id}", report.task_id),
                false => id.to_owned(),
            };
            let cases: Vec<(String, Option<String>)> = reports
                .iter()
                .flat_map(|report| {
                    report.criteria.iter().map(move |one| (name(report, &one.criterion_id), one.complaint()))
                })
                .collect();
            let suite = match (is_benchmark, reports.first()) {
                (false, Some(report)) => report.task_id.clone(),
                _ => args.task.display().to_string(),
            };
            junit_cases(&suite, &cases.iter().map(|(name, why)| (name.as_str(), why.clone())).collect::<Vec<_>>())
        }
        (format, _) => {
            let [report] = reports.as_slice() else {
                return Err("this format shows the audit of one task: give a task file, not a benchmark".to_owned());
            };
            stored(report, format)?
        }
    };
    let rendered = match output.format_to_read() {
        Format::Json | Format::Ndjson => plain_json(rendered.into_bytes()),
        _ => rendered.into_bytes(),
    };
    output.write_as(output.format_to_read(), &rendered)?;
    let holds = !reports.is_empty() && reports.iter().all(|report| report.holds(args.strict));
    Ok(if holds { Outcome::Pass } else { Outcome::Findings })
}

/// A name that leads to no other folder.
fn as_file_name(name: &str) -> String {
    let name = name.replace(['/', '\\'], "-");
    if name.chars().all(|c| c == '.') { "-".to_owned() } else { name }
}

fn survivors(report: &Report, into: &Path) -> Result<(), String> {
    for criterion in &report.criteria {
        for (number, survivor) in criterion.survivors.iter().enumerate() {
            let operator = survivor.operator.replace('/', "-");
            let criterion = as_file_name(&criterion.criterion_id);
            let file = into.join(format!("{criterion}-{}-{operator}", number + 1)).join(&survivor.locator);
            let folder = file.parent().unwrap_or(into);
            let write = || std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, &survivor.content));
            write().map_err(|error| format!("{}: it cannot be written: {error}", file.display()))?;
        }
    }
    Ok(())
}
