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
    /// Let a command or an endpoint do a task, check what it did, and send it back with the reason, a bounded number of times
    Loop(Box<LoopArgs>),
    /// Score stored criterion runs, without a sandbox
    Score(ScoreArgs),
    /// Say what is wrong or weak in task files, and in the profiles they name
    Lint(LintArgs),
    /// Record what is sent, to be checked later
    #[command(subcommand)]
    Record(RecordCommand),
    /// Print an X12 file as a tree of loops, with what each answer means; or a call's turns as they are compared
    Explain(ExplainArgs),
    /// Print the JSON Schema of an assertion, or of all
    Schema(SchemaArgs),
    /// Print the table of checks
    Checks,
    /// Run a script that another `candor` hands over on standard input
    #[command(hide = true)]
    ScriptChild,
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
pub(crate) struct LoopArgs {
    /// The task file (.json, .yaml, .yml); the delegate is told its `prompt` and never its criteria
    pub task: PathBuf,
    /// The sandbox: a folder, or a .toml file that describes one
    #[arg(long)]
    pub sandbox: PathBuf,
    /// What the delegate is told, instead of the task's `prompt`
    #[arg(long, value_name = "TEXT")]
    pub prompt: Option<String>,
    /// How often the delegate may try again, whatever looks at its work
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub max_verify_retries: u32,
    /// Look again, instead of giving up, where it could not be verified
    #[arg(long)]
    pub retry_unverifiable: bool,
    /// How much of the rubric a reason gives away: none, count, criterion, gap or full
    #[arg(long, value_name = "LEVEL", default_value = "gap", value_parser = crate::commands::verify_loop::disclose)]
    pub disclose: candor_verification::Disclose,
    /// How long an attempt may take: 30s, 10m
    #[arg(long, value_name = "TIME", value_parser = crate::commands::record::duration, default_value = "10m")]
    pub attempt_timeout: std::time::Duration,
    /// The folder that the delegate works in; made if it is not there, a temporary one where none is given
    #[arg(long, value_name = "FOLDER")]
    pub workspace: Option<PathBuf>,
    /// Another path that the delegate may write to. One that the verifier reads its evidence from is refused
    #[arg(long, value_name = "PATH")]
    pub grant: Vec<PathBuf>,
    /// An environment variable that the delegate is given, beside PATH, HOME and the like
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
    /// Keep every attempt there, and go on where an interrupted loop stood
    #[arg(long, value_name = "FOLDER")]
    pub record: Option<PathBuf>,
    /// Send spans and metrics to this OpenTelemetry collector (OTLP over HTTP), as http://127.0.0.1:4318
    #[arg(long, value_name = "URL")]
    pub otlp: Option<String>,
    #[command(flatten)]
    pub verifiers: crate::commands::verify_loop::VerifierArgs,
    #[command(flatten)]
    pub identity: IdentityArgs,
    /// The command that does the work, and its arguments
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "url")]
    pub command: Vec<std::ffi::OsString>,
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
    /// Also say what may well be meant and is good to know
    #[arg(long)]
    pub notes: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainArgs {
    /// The file; - for standard input
    pub file: PathBuf,
    /// It is a transcript of a call: print each turn beside its normalized form
    #[arg(long)]
    pub voice: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SchemaArgs {
    /// The kind of assertion, as in `candor checks`
    pub assert: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RecordCommand {
    /// Listen for HL7 v2 over MLLP: keep every frame in a file of its own, and acknowledge what was kept
    Mllp(MllpArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MllpArgs {
    /// Where to listen; port 0 takes a free one, which standard error names
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:2575")]
    pub listen: std::net::SocketAddr,
    /// The folder that frames are written to, usually the `hl7` of a sandbox; made if it is not there
    #[arg(long, value_name = "FOLDER")]
    pub into: PathBuf,
    /// What messages are answered with: as they are read (AA, or AE and AR where they cannot be), always AE, always AR, or not at all
    #[arg(long, value_name = "CODE", default_value = "as-read", value_parser = ["as-read", "AE", "AR", "none"])]
    pub answer: String,
    /// How long an acknowledgment waits: 500ms, 2s
    #[arg(long, value_name = "TIME", value_parser = crate::commands::record::duration)]
    pub delay: Option<std::time::Duration>,
    /// Stop after so many messages
    #[arg(long, value_name = "N")]
    pub messages: Option<u64>,
    /// Stop after so long: 30s, 5m
    #[arg(long = "for", value_name = "TIME", value_parser = crate::commands::record::duration)]
    pub stop_after: Option<std::time::Duration>,
    /// The most connections at one time
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub connections: usize,
    /// The most bytes of one frame
    #[arg(long, value_name = "N", default_value_t = 64 << 20)]
    pub max_bytes: usize,
    /// Close a connection that says nothing for so long
    #[arg(long, value_name = "TIME", value_parser = crate::commands::record::duration, default_value = "10m")]
    pub idle: std::time::Duration,
}
