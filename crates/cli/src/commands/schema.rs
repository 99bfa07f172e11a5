//! `candor schema`.

use clap::Args as ClapArgs;

use crate::exit::Outcome;
use crate::output::OutputArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct SchemaArgs {
    /// The kind of assertion, as in `candor checks`; or task, benchmark, sandbox, result, loop
    pub assert: Option<String>,
}

pub(crate) fn run(args: &SchemaArgs, output: &OutputArgs) -> Result<Outcome, String> {
    // A schema as text is its JSON.
    output.write(format!("{:#}\n", candor::schema(args.assert.as_deref())?).as_bytes())?;
    Ok(Outcome::Pass)
}
