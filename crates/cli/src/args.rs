//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand};

/// Did the work actually happen? Checks a healthcare task's criteria against ground truth.
///
/// Exit codes: 0 the verdict is pass, or nothing to complain about; 1 partial, fail, or findings; 2 the command line, a
/// task file or a sandbox description is wrong; 3 the verdict is not conclusive, or a check broke; 130 interrupted.
#[derive(Debug, Parser)]
#[command(name = "candor", version, propagate_version = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Where and how results are written.
#[derive(Debug, ClapArgs)]
pub(crate) struct OutputArgs {
    /// text, json, ndjson, junit or markdown; text on a terminal, else json
    #[arg(long, global = true, value_name = "FORMAT", value_parser = crate::output::format)]
    pub format: Option<candor_report::Format>,
    /// Write the result there instead of standard output
    #[arg(long, global = true, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// No progress on standard error
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a task's criteria against a sandbox
    Check(CheckArgs),
    /// Run every task of a benchmark file
    Bench(BenchArgs),
    /// Score stored criterion runs, without a sandbox
    Score(ScoreArgs),
    /// Say what is wrong or weak in task files
    Lint(LintArgs),
    /// Print the JSON Schema of an assertion, or of all
    Schema(SchemaArgs),
    /// Print the table of checks
    Checks,
}

/// Who verifies whom.
#[derive(Debug, ClapArgs)]
pub(crate) struct IdentityArgs {
    /// The name under which results are recorded
    #[arg(long, value_name = "ID")]
    pub verifier_id: Option<String>,
    /// Who did the work; never the verifier
    #[arg(long, value_name = "ID")]
    pub agent_id: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CheckArgs {
    /// The task file (.json, .yaml, .yml)
    pub task: PathBuf,
    /// The sandbox: a folder, or a .toml file that describes one
    #[arg(long)]
    pub sandbox: PathBuf,
    /// Leave out what a hidden rubric must not give away: labels, reasons, details, evidence
    #[arg(long)]
    pub scored: bool,
    #[command(flatten)]
    pub identity: IdentityArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BenchArgs {
    /// The benchmark file (.json, .yaml, .yml)
    pub benchmark: PathBuf,
    /// How many tasks run at a time [default: the number of cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Leave out what a hidden rubric must not give away: labels, reasons, details, evidence
    #[arg(long)]
    pub scored: bool,
    #[command(flatten)]
    pub identity: IdentityArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ScoreArgs {
    /// Files of criterion runs, one JSON object a line; - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct LintArgs {
    /// The task files
    #[arg(required = true, value_name = "TASK")]
    pub tasks: Vec<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SchemaArgs {
    /// The kind of assertion, as in `candor checks`
    pub assert: Option<String>,
}
