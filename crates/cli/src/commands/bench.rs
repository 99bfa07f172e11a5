//! `candor bench`.

use std::num::NonZeroUsize;
use std::path::Path;

use candor::inner::bundle::{Recorded, of_benchmark};
use candor::inner::engine::{Benchmark, TaskRun};
use candor::inner::report::{Format, benchmark_run};
use candor::verification::TaskLoop;
use indicatif::{ProgressBar, ProgressStyle};

use super::bundle::ToWrite;
use super::harden::baseline;
use super::verify_loop::DelegateArgs;
use super::{end, engine, listed, or_interrupt, pages, runtime};
use crate::args::BenchArgs;
use crate::exit::Outcome;
use crate::output::{OutputArgs, columns, write_file};
use crate::spare::Reads;

mod args;
mod entries;
mod filled;
mod results;
mod running;
mod world;

pub(crate) use args::RunArgs;

pub(crate) fn run(args: &BenchArgs, output: &OutputArgs) -> Result<Outcome, String> {
    match &args.run.results {
        Some(results) => running::run(args, results, output),
        None if args.run.who != DelegateArgs::default() => {
            Err("these options are for an agent; add --results FILE, and its command after --".to_owned())
        }
        None => graded(args, output),
    }
}

fn graded(args: &BenchArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let to_write = ToWrite::new(&args.evidence, &args.fixed)?;
    let engine = to_write.engine(engine(&args.identity)?);
    let mut benchmark =
        Benchmark::read(&args.benchmark, candor::inner::checks::PARTS).map_err(|errors| listed(&errors))?;
    TaskLoop::check_all(benchmark.entries.iter().map(|entry| &*entry.task)).map_err(|errors| listed(&errors))?;
    if let Some(before) = &args.baseline {
        benchmark.set_baseline(&baseline(before)?);
    }
    let places = [&args.html, &args.evidence.bundle];
    output.spare(places.into_iter().flatten(), || {
        let entries = benchmark.entries.iter();
        entries.fold(Reads::default(), |reads, entry| reads.with_task(&engine, &entry.task).with(&entry.sandbox))
    })?;
    if let Some((part, parts)) = args.shard {
        benchmark.keep_part(part, parts);
        // A benchmark without a task would be a result about nothing.
        if benchmark.entries.is_empty() {
            return Err(no_task_left(&args.benchmark, (part, parts)));
        }
    }
    let jobs = jobs(args);
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
    if let Some(mask) = &to_write.mask {
        benchmark.entries.iter().zip(&mut run.task_runs).for_each(|(entry, run)| mask.mask(&entry.task, run));
    }
    let entries = benchmark.entries.iter().zip(&run.task_runs);
    let recorded: Vec<Recorded<'_>> =
        entries.map(|(entry, run)| Recorded { task: &entry.task, run, sandbox: &entry.sandbox }).collect();
    to_write.write(args.identity.agent_id.as_deref(), |terms| of_benchmark(&engine, &run, &recorded, terms))?;
    run.task_runs.iter_mut().for_each(|task| task.scored = args.scored);
    // A page with masks must not quote the sources.
    let shown = if to_write.mask.is_none() { benchmark.entries.as_slice() } else { &[] };
    match output.format() {
        Format::Html => output.write(&pages::benchmark_run(&run, shown)?)?,
        format => output.write_as(format, &benchmark_run(&run, format, output.style()))?,
    }
    if let Some(file) = &args.html {
        write_file(file, &pages::benchmark_run(&run, shown)?)?;
    }
    let broke = run.task_runs.iter().flat_map(|task| &task.criterion_runs).any(|criterion| criterion.broke);
    let is_wrong = !args.keep_going && run.task_runs.iter().any(|task| task.invalid_criteria().next().is_some());
    Ok(match (is_wrong, broke) {
        (true, _) => Outcome::WrongInput,
        (false, true) => Outcome::Inconclusive,
        (false, false) => Outcome::of(run.result.verdict, run.result.conclusive),
    })
}

/// Reads `I/N`: which part, from 1 on, of how many.
pub(crate) fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
    match parts {
        Some((part, parts)) if (1..=parts).contains(&part) => Ok((part, parts)),
        _ => Err("expected a part and the number of parts, from 1/N to N/N".to_owned()),
    }
}

fn no_task_left(benchmark: &Path, (part, parts): (usize, usize)) -> String {
    let file = benchmark.display();
    format!("{file}: no task is left for --shard {part}/{parts}; make fewer parts than it has tasks")
}

fn jobs(args: &BenchArgs) -> usize {
    args.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}

fn progress(tasks: u64, shown: bool) -> ProgressBar {
    if !shown {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(tasks);
    // Next to the bar there is room for the counts and a name.
    let width = columns(std::io::stderr()).map_or(32, |columns| columns.saturating_sub(24).clamp(4, 32));
    match ProgressStyle::with_template(&format!("{{bar:{width}}} {{pos}}/{{len}} {{msg}}")) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
