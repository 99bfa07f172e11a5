//! `candor checks`.

use crate::exit::Outcome;
use crate::output::OutputArgs;

pub(crate) fn run(output: &OutputArgs) -> Result<Outcome, String> {
    let metas: Vec<_> = candor::inner::checks::ALL.iter().map(|check| check.meta()).collect();
    let format = output.format();
    output.write_as(format, &candor::inner::report::checks(&metas, format)?)?;
    Ok(Outcome::Pass)
}
