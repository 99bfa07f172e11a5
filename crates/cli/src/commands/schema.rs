//! `candor schema`.

use candor_verification::TaskLoop;

use crate::args::SchemaArgs;
use crate::exit::Outcome;
use crate::output::OutputArgs;

pub(crate) fn run(args: &SchemaArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let schema = match args.assert.as_deref() {
        // The settings of a loop, which a task may hold.
        Some("loop") => serde_json::from_str(TaskLoop::SCHEMA).map_err(|error| error.to_string())?,
        assert => candor_checks::schema(assert)?,
    };
    output.write(format!("{schema:#}\n").as_bytes())?;
    Ok(Outcome::Pass)
}
