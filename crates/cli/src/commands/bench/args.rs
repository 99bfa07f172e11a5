//! The arguments of `candor bench` that run an agent.

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args as ClapArgs;

use crate::commands::record::duration;
use crate::commands::verify_loop::DelegateArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct RunArgs {
    /// Run an agent over the tasks, each in a fresh copy of its world, and add a line for each task run to this file. A task
    /// run that is there already is not run again
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "scored", "bundle", "sign", "at", "mask"])]
    pub results: Option<PathBuf>,
    /// How often each task is run
    #[arg(long, value_name = "N", default_value = "1", requires = "results")]
    pub epochs: NonZeroU32,
    /// How long the agent may take for an answer: 30s, 10m
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10m", requires = "results")]
    pub timeout: Duration,
    /// Run only the entries whose ids match
    #[arg(long, value_name = "GLOB", requires = "results")]
    pub only: Option<String>,
    /// Copy the world of each task run that did not pass there
    #[arg(long, value_name = "DIR", requires = "results")]
    pub keep_failed: Option<PathBuf>,
    /// How often the agent may try again. The score is that of its first answer
    #[arg(long, value_name = "N", default_value = "0", requires = "results")]
    pub max_verify_retries: u32,
    /// Ask the agent also where the criteria are met before it is asked
    #[arg(long, requires = "results")]
    pub allow_met: bool,
    #[command(flatten)]
    pub who: DelegateArgs,
    /// The command that does the work, and its arguments. `{world}`, `{entry}` and `{epoch}` are replaced in it; CANDOR_WORLD
    /// names the copy of the world
    #[arg(last = true, value_name = "COMMAND", requires = "results")]
    pub command: Vec<OsString>,
}
