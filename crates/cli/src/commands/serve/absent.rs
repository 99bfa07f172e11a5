//! `candor serve` in a build without the service.

use candor::check::feature::missing_feature;
use clap::Args as ClapArgs;

use crate::exit::Outcome;
use crate::output::OutputArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct ServeArgs {
    /// The options of a build that has the service
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub options: Vec<std::ffi::OsString>,
}

pub(crate) fn run(_args: &ServeArgs, _output: &OutputArgs) -> Result<Outcome, String> {
    Err(missing_feature("serve runs over HTTP", "server"))
}
