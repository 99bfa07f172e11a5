//! `candor check`.

use std::sync::Arc;

use candor::inner::bundle::{Recorded, of_check};
use candor::inner::engine::Document;
use candor::inner::report::{Format, task_run};
use candor::verification::TaskLoop;

use super::bundle::ToWrite;
use super::harden::opened;
use super::{end, engine, listed, or_interrupt, pages, runtime, task};
use crate::args::CheckArgs;
use crate::exit::Outcome;
use crate::output::{OutputArgs, write_file};
use crate::spare::Reads;

pub(crate) fn run(args: &CheckArgs, output: &OutputArgs) -> Result<Outcome, String> {
    args.reward.clear()?;
    checked(args, output).inspect_err(|why| args.reward.refuse(why))
}

fn checked(args: &CheckArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let to_write = ToWrite::new(&args.evidence, &args.fixed)?;
    let engine = to_write.engine(engine(&args.identity)?);
    let document = Document::read(&args.task).map_err(|error| error.to_string())?;
    let task = task(&engine, document).map_err(|errors| listed(&errors))?;
    TaskLoop::check_all([&*task]).map_err(|errors| listed(&errors))?;
    let places = [&args.html, &args.evidence.bundle];
    output.spare(places.into_iter().flatten(), || Reads::default().with_task(&engine, &task))?;
    let sandbox = opened(&args.sandbox, args.baseline.as_deref())?;
    let runtime = runtime()?;
    let run = runtime.block_on(or_interrupt(engine.run(&engine.plan(Arc::clone(&task)), &sandbox)));
    // A read that hangs beyond its time limit must not keep the process.
    runtime.shutdown_background();
    let Some(mut run) = run else { return Ok(end(engine.work())) };
    if let Some(mask) = &to_write.mask {
        mask.mask(&task, &mut run);
    }
    let recorded = Recorded { task: &task, run: &run, sandbox: &sandbox };
    to_write.write(args.identity.agent_id.as_deref(), |terms| of_check(&engine, recorded, terms))?;
    run.scored = args.scored;
    let page = || {
        let command = pages::command(
            "check",
            &[("", Some(&args.task)), ("--sandbox", Some(&args.sandbox)), ("--baseline", args.baseline.as_ref())],
        );
        // A page with masks must not quote the sources.
        let sandbox = to_write.mask.is_none().then_some(&args.sandbox);
        pages::task_run(&run, pages::Behind { sandbox, task: Some(&task), command: Some(command) })
    };
    args.reward.write(&run)?;
    if let Some(file) = &args.html {
        write_file(file, &page()?)?;
    }
    match output.format() {
        Format::Html => output.write(&page()?)?,
        format => output.write_as(format, &task_run(&run, format, output.style()))?,
    }
    let broke = run.criterion_runs.iter().any(|criterion| criterion.broke);
    let is_wrong = !args.keep_going && run.invalid_criteria().next().is_some();
    Ok(match (is_wrong, broke) {
        (true, _) => Outcome::WrongInput,
        (false, true) => Outcome::Inconclusive,
        (false, false) => Outcome::of(run.result.verdict, run.result.conclusive),
    })
}
