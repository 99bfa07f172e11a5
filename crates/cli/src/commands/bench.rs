//! `candor bench`.

use std::num::NonZeroUsize;

use candor_engine::{Benchmark, TaskRun};
use candor_report::benchmark_run;
use indicatif::{ProgressBar, ProgressStyle};

use super::{end, engine, listed, or_interrupt, runtime};
use crate::args::BenchArgs;
use crate::exit::Outcome;
use crate::output::OutputArgs;

pub(crate) fn run(args: &BenchArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let engine = engine(&args.identity)?;
    let benchmark = Benchmark::read(&args.benchmark, candor_checks::PARTS).map_err(|errors| listed(&errors))?;
    let jobs = args.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let bar = progress(benchmark.entries.len() as u64, output.shows_progress());
    let runtime = runtime()?;
    let done = |task: &TaskRun| {
        bar.set_message(task.task_id.chars().filter(|c| !c.is_control()).take(40).collect::<String>());
        bar.inc(1);
    };
    let run = runtime.block_on(or_interrupt(engine.run_benchmark(&benchmark, jobs, done)));
    runtime.shutdown_background();
    bar.finish_and_clear();
    let Some(mut run) = run else { return Ok(end(engine.work())) };
    run.task_runs.iter_mut().for_each(|task| task.scored = args.scored);
    output.write(&benchmark_run(&run, output.format(), output.style()))?;
    let broke = run.task_runs.iter().flat_map(|task| &task.criterion_runs).any(|criterion| criterion.broke);
    Ok(match broke {
        true => Outcome::Inconclusive,
        false => Outcome::of(run.result.verdict, run.result.conclusive),
    })
}

fn progress(tasks: u64, shown: bool) -> ProgressBar {
    if !shown {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(tasks);
    match ProgressStyle::with_template("{bar:32} {pos}/{len} {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
