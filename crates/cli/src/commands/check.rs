//! `candor check`.

use std::sync::Arc;

use candor_check::Sandbox;
use candor_engine::Task;
use candor_report::task_run;

use super::{end, engine, listed, or_interrupt, runtime};
use crate::args::CheckArgs;
use crate::exit::Outcome;
use crate::output::OutputArgs;

pub(crate) fn run(args: &CheckArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let engine = engine(&args.identity)?;
    let task = Task::read(&args.task).map_err(|errors| listed(&errors))?;
    let sandbox = Sandbox::open(&args.sandbox, candor_checks::PARTS).map_err(|e| e.to_string())?;
    let sandbox = match &args.baseline {
        Some(before) => {
            let before = Sandbox::open(before, candor_checks::PARTS).map_err(|e| format!("--baseline: {e}"))?;
            sandbox.with_baseline(before)
        }
        None => sandbox,
    };
    let runtime = runtime()?;
    let run = runtime.block_on(or_interrupt(engine.run(&engine.plan(Arc::new(task)), &sandbox)));
    // A read that hangs beyond its time limit must not keep the process.
    runtime.shutdown_background();
    let Some(mut run) = run else { return Ok(end(engine.work())) };
    run.scored = args.scored;
    output.write(&task_run(&run, output.format(), output.style()))?;
    Ok(match run.criterion_runs.iter().any(|criterion| criterion.broke) {
        true => Outcome::Inconclusive,
        false => Outcome::of(run.result.verdict, run.result.conclusive),
    })
}
