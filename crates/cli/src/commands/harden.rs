//! `candor harden`.

use std::io::{BufRead as _, Write as _};
use std::path::Path;

use candor::check::Sandbox;
use candor::inner::audit::{Hardened, Left, Mended, Options, harden};
use candor::inner::engine::Task;
use candor::inner::report::{Format, plain};

use super::diff::refuse_itself;
use super::{IdentityArgs, end, engine, or_interrupt, runtime};
use crate::args::HardenArgs;
use crate::exit::Outcome;
use crate::output::{OutputArgs, complain};
use crate::spare::Reads;

pub(crate) fn run(args: &HardenArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let format = output.format_to_read();
    let engine = engine(&IdentityArgs { verifier_id: None, agent_id: None })?;
    let text = read(&args.task)?;
    // A task file with a fault is refused below, with its place.
    if let Ok(task) = Task::read(&args.task) {
        output.spare(None, || Reads::default().with_task(&engine, &task))?;
    }
    let sandbox = opened(&args.sandbox, args.baseline.as_deref())?;
    let runtime = runtime()?;
    let mut ask = |mended: &Mended| !args.interactive || is_wanted(mended);
    let options = Options { widen: args.widen, ..Options::default() };
    let hardening = harden(&engine, &args.task, &text, &sandbox, candor::inner::checks::OPERATORS, &options, &mut ask);
    let done = runtime.block_on(or_interrupt(hardening));
    runtime.shutdown_background();
    let Some(hardened) = done else { return Ok(end(engine.work())) };
    let hardened = hardened.map_err(|error| error.to_string())?;
    match format {
        Format::Json | Format::Ndjson => {
            let value = hardened.to_value();
            let line = if format == Format::Json { format!("{value:#}\n") } else { format!("{value}\n") };
            output.write(line.as_bytes())?;
        }
        _ => {
            output.write(hardened.text.as_bytes())?;
            if !output.quiet {
                tell(&hardened);
            }
        }
    }
    Ok(if hardened.left.is_empty() { Outcome::Pass } else { Outcome::Findings })
}

pub(super) fn read(file: &Path) -> Result<String, String> {
    let unread = |what: String| format!("{}: {what}", file.display());
    let bytes = std::fs::read(file).map_err(|error| unread(format!("it cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|error| {
        unread(format!("it is not UTF-8: the byte at offset {} is not", error.utf8_error().valid_up_to()))
    })
}

pub(super) fn opened(place: &Path, before: Option<&Path>) -> Result<Sandbox, String> {
    let sandbox = Sandbox::open(place, candor::inner::checks::PARTS).map_err(|error| error.to_string())?;
    let sandbox = match before {
        Some(before) => sandbox.with_baseline(baseline(before)?),
        None => sandbox,
    };
    refuse_itself(place, before, &sandbox)?;
    Ok(sandbox)
}

pub(super) fn baseline(before: &Path) -> Result<Sandbox, String> {
    Sandbox::open(before, candor::inner::checks::PARTS).map_err(|error| format!("--baseline: {error}"))
}

/// Writes what was added and what was not to standard error: only the task file goes to standard output.
fn tell(hardened: &Hardened) {
    for mended in &hardened.mended {
        let (id, what) = (&mended.criterion_id, addition(mended));
        let done = if mended.alternatives.is_some() { "widened" } else { "added to" };
        complain(&plain(&format!("{done} {id}: {what}, because: {}", mended.survivor)));
    }
    for Left { criterion_id, what, why } in &hardened.left {
        let place = criterion_id.as_deref().unwrap_or("the task");
        complain(&plain(&format!("not mended in {place}: {what} Reason: {why}.")));
    }
    if hardened.refused > 0 {
        let made = hardened.mended.iter().filter(|one| one.alternatives.is_none());
        let of = hardened.refused + made.count();
        complain(&format!(
            "refused {} of {of} additions: they reject the work, or the same work written differently",
            hardened.refused
        ));
    }
    if hardened.mended.is_empty() && hardened.left.is_empty() {
        complain("nothing to add: no mutant survives");
    }
}

fn addition(mended: &Mended) -> String {
    match (&mended.addition, &mended.sibling, &mended.alternatives) {
        (Some(addition), ..) => addition.to_string(),
        (None, Some(sibling), _) => format!("a criterion {}", sibling["id"]),
        (None, None, Some(lists)) => lists.to_string(),
        (None, None, None) => String::new(),
    }
}

/// Asks on standard error and reads the answer from standard input. The end of input declines.
fn is_wanted(mended: &Mended) -> bool {
    let mut err = std::io::stderr().lock();
    // Without standard error the command cannot ask, which counts as no.
    let asked = writeln!(err, "{}", plain(&format!("{}: {}", mended.criterion_id, mended.survivor)))
        .and_then(|()| write!(err, "  add {}? [y/N] ", plain(&addition(mended))))
        .and_then(|()| err.flush());
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    asked.is_ok() && read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}
