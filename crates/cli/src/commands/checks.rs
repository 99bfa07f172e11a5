//! `candor checks`.

use crate::exit::Outcome;
use crate::output::OutputArgs;

pub(crate) fn run(output: &OutputArgs) -> Result<Outcome, String> {
    let metas: Vec<_> = candor_checks::ALL.iter().map(|check| check.meta()).collect();
    output.write(&candor_report::checks(&metas, output.format())?)?;
    Ok(Outcome::Pass)
}
