//! `candor audit`.

use std::path::Path;

use candor_audit::{Options, Probe, Report, audit};
use candor_check::Sandbox;
use candor_engine::Task;
use candor_report::{Format, junit_cases};

use super::{end, engine, listed, or_interrupt, runtime};
use crate::args::AuditArgs;
use crate::exit::Outcome;
use crate::output::OutputArgs;

/// Reads the value of `--probe`.
pub(crate) fn probe(name: &str) -> Result<Probe, String> {
    let known: Vec<&str> = Probe::ALL.iter().map(|(name, _)| *name).collect();
    Probe::named(name).ok_or_else(|| format!("expected one of {}", known.join(", ")))
}

pub(crate) fn run(args: &AuditArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let engine = engine(&args.identity)?;
    let task = Task::read(&args.task).map_err(|errors| listed(&errors))?;
    let mut sandbox = Sandbox::open(&args.sandbox, candor_checks::PARTS).map_err(|e| e.to_string())?;
    if let Some(before) = &args.baseline {
        let before = Sandbox::open(before, candor_checks::PARTS).map_err(|e| format!("--baseline: {e}"))?;
        sandbox = sandbox.with_baseline(before);
    }
    let mut options = Options { mutants: args.mutants.get(), seed: args.seed, ..Options::default() };
    if !args.probe.is_empty() {
        options.probes.clone_from(&args.probe);
    }
    let runtime = runtime()?;
    let done = runtime.block_on(or_interrupt(audit(&engine, &task, &sandbox, candor_checks::OPERATORS, &options)));
    runtime.shutdown_background();
    let Some(report) = done else { return Ok(end(engine.work())) };
    let report = report.map_err(|error| error.to_string())?;
    if let Some(folder) = &args.survivors {
        survivors(&report, folder)?;
    }
    let rendered = match output.format_to_read() {
        Format::Text => report.told(),
        Format::Json => format!("{:#}\n", report.to_value()),
        Format::Ndjson => format!("{}\n", report.to_value()),
        Format::Markdown => format!("{}\n", report.badge()),
        Format::Junit => {
            let cases = report.criteria.iter().map(|one| (one.criterion_id.as_str(), one.complaint()));
            junit_cases(&report.task_id, &cases.collect::<Vec<_>>())
        }
    };
    output.write(rendered.as_bytes())?;
    Ok(if report.holds(args.strict) { Outcome::Pass } else { Outcome::Findings })
}

/// Writes each file that a survivor changed, in a folder of its own.
fn survivors(report: &Report, into: &Path) -> Result<(), String> {
    for criterion in &report.criteria {
        for (number, survivor) in criterion.survivors.iter().enumerate() {
            let operator = survivor.operator.replace('/', "-");
            let criterion = criterion.criterion_id.replace(['/', '\\'], "-");
            let file = into.join(format!("{criterion}-{}-{operator}", number + 1)).join(&survivor.locator);
            let folder = file.parent().unwrap_or(into);
            let write = || std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, &survivor.content));
            write().map_err(|error| format!("{}: it cannot be written: {error}", file.display()))?;
        }
    }
    Ok(())
}
