//! `candor completions`.

use clap::CommandFactory as _;

use crate::args::{Args, CompletionsArgs};
use crate::exit::Outcome;
use crate::output::OutputArgs;

pub(crate) fn run(args: &CompletionsArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "candor", &mut script);
    output.write(&script)?;
    Ok(Outcome::Pass)
}
