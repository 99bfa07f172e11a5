//! `candor checks`.

use crate::exit::Outcome;
use crate::output::OutputArgs;

pub(crate) fn run(output: &OutputArgs) -> Result<Outcome, String> {
    let metas: Vec<_> = candor::inner::checks::ALL.iter().map(|check| check.meta()).collect();
    output.write(&candor::inner::report::checks(&metas, output.format())?)?;
    Ok(Outcome::Pass)
}
