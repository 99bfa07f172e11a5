//! The arguments of `candor loop`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use candor::check::settings::one_of;
use candor::verification::{Disclose, LEVELS};
use clap::Args as ClapArgs;

use super::boundary::BoundaryArgs;
use super::verifiers::VerifierArgs;
use crate::commands::IdentityArgs;
use crate::commands::bundle::BundleArgs;
use crate::commands::record::duration;

#[derive(Clone, Debug, Default, PartialEq, ClapArgs)]
pub(crate) struct DelegateArgs {
    #[command(flatten)]
    pub boundary: BoundaryArgs,
    /// An environment variable that the delegate is given, besides PATH, HOME and the like; may be repeated
    #[arg(long, value_name = "NAME")]
    pub env: Vec<String>,
    /// Keep the command running: one line of JSON in, one out
    #[arg(long)]
    pub lines: bool,
    /// Ask this HTTP endpoint instead of a command
    #[arg(long, value_name = "URL", conflicts_with_all = ["command", "lines", "env"])]
    pub url: Option<String>,
    /// The environment variable that holds the endpoint's bearer token
    #[arg(long, value_name = "NAME", requires = "url")]
    pub bearer_env: Option<String>,
}

#[derive(Debug, Default, ClapArgs)]
pub(crate) struct LoopArgs {
    /// The task file (.json, .yaml, .yml); the delegate gets its `prompt` and never its criteria
    pub task: PathBuf,
    /// The sandbox: a folder, or a .toml file that describes one
    #[arg(long)]
    pub sandbox: PathBuf,
    /// The sandbox from before the work, for `state-unchanged`
    #[arg(long, value_name = "BEFORE")]
    pub baseline: Option<PathBuf>,
    /// The text that the delegate gets, instead of the task's `prompt`
    #[arg(long, value_name = "TEXT")]
    pub prompt: Option<String>,
    /// How many more attempts after a failed one [default: 2]
    #[arg(long, value_name = "N")]
    pub max_verify_retries: Option<u32>,
    /// Look again, instead of giving up, where it could not be verified
    #[arg(long)]
    pub retry_unverifiable: bool,
    /// How much of the rubric a reason gives away: none, count, criterion, gap or full
    /// [default: gap]
    #[arg(long, value_name = "LEVEL", value_parser = disclose)]
    pub disclose: Option<Disclose>,
    /// Ask the delegate also if the criteria are met before it is asked
    #[arg(long)]
    pub allow_met: bool,
    /// Start although criteria of the task file are invalid, so that no attempt can pass
    #[arg(long)]
    pub keep_going: bool,
    /// How long an attempt may take: 30s, 10m
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10m")]
    pub attempt_timeout: Duration,
    /// The folder that the delegate works in; made if it is not there, a temporary one where none is given
    #[arg(long, value_name = "FOLDER")]
    pub workspace: Option<PathBuf>,
    #[command(flatten)]
    pub who: DelegateArgs,
    /// Keep every attempt there, and go on where an interrupted loop ended
    #[arg(long, value_name = "FOLDER")]
    pub record: Option<PathBuf>,
    /// Send spans and metrics to this OpenTelemetry collector (OTLP over HTTP), as http://127.0.0.1:4318
    #[arg(long, value_name = "URL")]
    pub otlp: Option<String>,
    #[command(flatten)]
    pub evidence: BundleArgs,
    #[command(flatten)]
    pub verifiers: VerifierArgs,
    #[command(flatten)]
    pub identity: IdentityArgs,
    /// The sandbox is a copy that `candor bench` made, and the workspace lies in it
    #[clap(skip)]
    pub is_copy: bool,
    /// More variables of the delegate's environment
    #[clap(skip)]
    pub set: Vec<(OsString, OsString)>,
    /// Files that the delegate must not reach, in addition to the task file
    #[clap(skip)]
    pub judges: Vec<PathBuf>,
    /// The command that does the work, and its arguments
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "url")]
    pub command: Vec<OsString>,
}

fn disclose(name: &str) -> Result<Disclose, String> {
    one_of("the level", name, LEVELS)
}
