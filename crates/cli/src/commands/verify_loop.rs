//! `candor loop`.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use candor::inner::engine::Task;
use candor::inner::report::{Style, lines_at, reason_lines};
use candor::verification::process::{close_to_others, sweep};
use candor::verification::{AttemptOutcome, LoopOutcome, Progress, RecordFolder, plain};

use super::bundle::{FixedArgs, ToWrite};
use super::task_run_line;
use super::telemetry::Telling;
use super::{end, engine, listed, or_interrupt, runtime};
use crate::exit::Outcome;
use crate::output::{OutputArgs, complain};

mod args;
mod boundary;
mod grants;
mod kept;
mod ready;
mod suite;
mod verifiers;

pub(crate) use args::{DelegateArgs, LoopArgs};
pub(crate) use ready::{Ready, named};
pub(crate) use verifiers::{VerifierArgs, sha256};

pub(crate) fn run(args: &LoopArgs, output: &OutputArgs) -> Result<Outcome, String> {
    // Before anybody works for it.
    close_to_others();
    sweep();
    let to_write = ToWrite::new(&args.evidence, &FixedArgs::default())?;
    let engine = to_write.engine(engine(&args.identity)?);
    let task = Arc::new(Task::read(&args.task).map_err(|errors| listed(&errors))?);
    let telling = Telling::begin(args, &engine, &task)?;
    let results: Vec<PathBuf> = output.out.iter().chain(&args.evidence.bundle).cloned().collect();
    let ready = Ready::new(args, &engine, &task, &results, telling.as_ref().map(Telling::traceparent))?;
    let shows = output.shows_progress();
    if shows {
        ready.announce(output.style());
    }
    let mut reasons = HashMap::new();
    let progress = |progress: Progress<'_>| {
        if shows {
            tell(&progress, &mut reasons, output.style());
        }
    };
    let runtime = runtime()?;
    let record = runtime.block_on(or_interrupt(ready.run(progress)));
    runtime.shutdown_background();
    let stored = ready.stored.as_ref();
    let Some(record) = record.transpose()? else {
        if let Some(Err(why)) = stored.map(RecordFolder::settle) {
            complain(&format!("the record is not complete: {why}"));
        }
        return Ok(end(engine.work()));
    };
    let kept = stored.map_or(Ok(()), |stored| {
        stored.ended(&record)?;
        task_run_line::keep(args.record.as_deref(), &engine, &task, &record)
    });
    // If progress and result go to the same terminal, nothing is shown twice.
    let told = shows && output.on_terminal();
    let format = output.format();
    let written = output.write_as(format, &candor::inner::report::loop_run(&record, format, told, output.style())?);
    let kept_evidence = kept::write(&to_write, &engine, (&task, &ready.sandbox), &ready.looks, &record);
    // The result is written before telemetry about it is sent.
    if let Some(telling) = telling {
        telling.end(&record);
    }
    written?;
    kept_evidence?;
    if let Err(why) = kept {
        // The verdict is out, and a full disk changes nothing about it.
        complain(&format!("the verdict holds, but its record is not complete: {why}"));
    }
    Ok(match record.outcome {
        LoopOutcome::Passed => Outcome::Pass,
        LoopOutcome::VerificationFailed => Outcome::Findings,
        LoopOutcome::AlreadyMet | LoopOutcome::Unverifiable | LoopOutcome::Broken => Outcome::Inconclusive,
    })
}

/// Writes a step of a loop to standard error. `reasons` keeps the first attempt of each reason, so that none is there twice.
fn tell(progress: &Progress<'_>, reasons: &mut HashMap<String, u32>, style: Style) {
    let text = match progress {
        Progress::Asked { attempt, of } => {
            lines_at(0, &format!("attempt {} of {of}: the delegate works", attempt + 1), style)
        }
        Progress::Verifying { claim, .. } => {
            let said: String = plain(&claim.response).lines().next().unwrap_or_default().chars().take(80).collect();
            lines_at(2, &format!("it says: {said:?}; the verifier looks"), style)
        }
        Progress::Judged(attempt) => {
            let reason = attempt.reason.clone().unwrap_or_default();
            let first = *reasons.entry(reason.clone()).or_insert(attempt.attempt);
            let earlier = (first != attempt.attempt).then_some(first.into());
            let why = match attempt.outcome {
                AttemptOutcome::Passed => "verified".to_owned(),
                _ => reason_lines(&reason, earlier, style),
            };
            let mark = match attempt.outcome {
                AttemptOutcome::Passed => "✓",
                AttemptOutcome::Failed => "✗",
                AttemptOutcome::Unverifiable => "?",
                AttemptOutcome::Asked | AttemptOutcome::Answered | AttemptOutcome::Broken => "!",
            };
            // The mark takes the place of the first columns.
            format!("  {mark} {}\n", why.trim())
        }
    };
    let mut err = std::io::stderr().lock();
    // Without standard error the text cannot be shown.
    let _ = write!(err, "{text}");
}
