//! `candor draft`.

use std::path::Path;

use candor::check::Sandbox;
use candor::inner::audit::{About, DraftError, draft};

use super::{IdentityArgs, end, engine, or_interrupt, runtime};
use crate::args::DraftArgs;
use crate::exit::Outcome;
use crate::output::{OutputArgs, complain};

pub(crate) fn run(args: &DraftArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let engine = engine(&IdentityArgs { verifier_id: None, agent_id: None })?;
    let open = |path: &Path| Sandbox::open(path, candor::inner::checks::PARTS).map_err(|error| error.to_string());
    let before = open(&args.before)?;
    let afters = args.after.iter().map(|after| open(after)).collect::<Result<Vec<Sandbox>, String>>()?;
    for part in candor::inner::checks::PARTS.iter().map(candor::check::PartType::name) {
        if !before.has(part) && afters.iter().any(|after| after.has(part)) {
            complain(&format!(
                "note: {} has no {part}/, so that everything in it counts as new",
                args.before.display()
            ));
        }
    }
    let about = About { id: args.id.as_deref(), prompt: args.prompt.as_deref() };
    let runtime = runtime()?;
    let done =
        runtime.block_on(or_interrupt(draft(&engine, &before, &afters, candor::inner::checks::OPERATORS, about)));
    runtime.shutdown_background();
    let Some(drafted) = done else { return Ok(end(engine.work())) };
    match drafted {
        Ok(drafted) => {
            output.write(drafted.text.as_bytes())?;
            Ok(Outcome::Pass)
        }
        Err(error) => {
            complain(&error.to_string());
            Ok(match error {
                DraftError::NoDifference { .. } | DraftError::Nothing(_) => Outcome::Findings,
                DraftError::Unread(_) => Outcome::Inconclusive,
                _ => Outcome::WrongInput,
            })
        }
    }
}
