//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand};

use crate::commands::IdentityArgs;
use crate::commands::bench::RunArgs;
use crate::commands::bundle::{BundleArgs, FixedArgs};
use crate::commands::init::InitArgs;
use crate::commands::keys::KeysCommand;
use crate::commands::record::RecordCommand;
use crate::commands::reward_dir::RewardArgs;
use crate::commands::schema::SchemaArgs;
use crate::commands::serve::ServeArgs;
use crate::commands::try_out::TryCommand;
use crate::commands::validate::ValidateArgs;
use crate::commands::verify_loop::LoopArgs;
use crate::output::OutputArgs;

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

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a task with a right and a wrong world, ready to run
    Init(InitArgs),
    /// Check the criteria of a task against what the work left
    Check(CheckArgs),
    /// Grade a benchmark, or run an agent over it (--results)
    Bench(Box<BenchArgs>),
    /// Copy the data behind a sandbox into a folder
    Capture(CaptureArgs),
    /// Show what changed between two sandboxes
    Diff(DiffArgs),
    /// Break a right result in many ways and report what a task misses
    ///
    /// Each change is made on a copy of a sandbox in which the work was done: criteria must go red where the work is then wrong,
    /// and stay green where it is only written differently.
    Audit(AuditArgs),
    /// Add to a task file what its audit found missing
    ///
    /// The file is printed, not changed; comments, order and layout stay.
    Harden(HardenArgs),
    /// Write a task file from a sandbox before and after the work
    Draft(DraftArgs),
    /// Run an agent on a task, check its work, let it try again
    ///
    /// A command or an endpoint does the task. After each attempt its work is checked, and it is sent back with the reason, a
    /// bounded number of times.
    Loop(Box<LoopArgs>),
    /// Serve runs, sandboxes and verdicts over HTTP
    Serve(Box<ServeArgs>),
    /// Judge a stored evidence bundle again, without its sandbox
    Replay(ReplayArgs),
    /// Leave parts out of an evidence bundle, or mask its values
    Redact(RedactArgs),
    /// Make keys that sign bundles, and the keys of a service
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Score stored criterion runs, without a sandbox
    Score(ScoreArgs),
    /// Write a stored result in another format, or compare two
    Report(ReportArgs),
    /// Find mistakes and weak criteria in task files and profiles
    Lint(LintArgs),
    /// Receive messages and keep them, to check later
    #[command(subcommand)]
    Record(RecordCommand),
    /// Find what is wrong in X12, HL7 v2, FHIR and other files
    ///
    /// No task is needed. --ack writes the acknowledgment that a gateway would send.
    Validate(ValidateArgs),
    /// Show a file as a readable tree, or explain a code
    ///
    /// Files: X12, HL7 v2 and FHIR, and transcripts with --voice. Codes: the reasons of results, codes of lint, changes of audit, operators.
    Explain(ExplainArgs),
    /// Show what a path, search or phrase selects in your files
    ///
    /// Where it selects nothing, the command says why.
    #[command(subcommand)]
    Try(TryCommand),
    /// Print the JSON Schema of an assertion or of a task file
    Schema(SchemaArgs),
    /// Show what this build and this machine can do
    Doctor,
    /// List the kinds of assertions
    Checks,
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Run a script that another `candor` hands over on standard input
    #[command(hide = true)]
    ScriptChild,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CheckArgs {
    /// The task file (.json, .yaml, .yml)
    pub task: PathBuf,
    /// The sandbox: a folder, or a .toml file that describes one
    #[arg(long)]
    pub sandbox: PathBuf,
    /// The sandbox from before the work, for `state-unchanged`
    #[arg(long, value_name = "BEFORE")]
    pub baseline: Option<PathBuf>,
    /// Hide the criteria: print only verdict, score and axes
    #[arg(long)]
    pub scored: bool,
    /// Where criteria of a task file are invalid, end with the code of the verdict, not with 2
    #[arg(long)]
    pub keep_going: bool,
    /// Also write the result as a page for a browser
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub reward: RewardArgs,
    #[command(flatten)]
    pub evidence: BundleArgs,
    #[command(flatten)]
    pub fixed: FixedArgs,
    #[command(flatten)]
    pub identity: IdentityArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ReplayArgs {
    /// The bundle, as `candor check --bundle` writes it
    pub bundle: PathBuf,
    /// Also verify who signed it, with this public key: a PEM file
    #[arg(long, value_name = "PUB")]
    pub verify: Option<PathBuf>,
    /// Judge the same observations by this task file instead, as far as they suffice
    #[arg(long, value_name = "OTHER")]
    pub task: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RedactArgs {
    /// The bundle, as `candor check --bundle` writes it
    pub bundle: PathBuf,
    /// The criteria whose observations and evidence are handed on; --out FILE is where the bundle goes
    #[arg(long, value_name = "CRITERION", value_delimiter = ',', required = true)]
    pub keep: Vec<String>,
    /// Put keyed hashes in the place of their actual values; the key is any file of at least 16 bytes
    #[arg(long, value_name = "KEYFILE")]
    pub mask: Option<PathBuf>,
    /// Sign the masked bundle with this key
    #[arg(long, value_name = "KEY", requires = "mask")]
    pub sign: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CaptureArgs {
    /// The sandbox: a folder, or a .toml file that describes one
    #[arg(long)]
    pub sandbox: PathBuf,
    /// The folder to write; it must be new or empty
    #[arg(long, value_name = "FOLDER")]
    pub into: PathBuf,
    /// Only these parts: fhir, hl7, x12, portal, files, voice, workspace
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    pub part: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiffArgs {
    /// The sandbox before
    pub before: PathBuf,
    /// The sandbox after
    pub after: PathBuf,
    /// Only these parts: fhir, hl7, x12, portal, files, voice, workspace
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    pub part: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AuditArgs {
    /// The task file, or a benchmark file (.json, .yaml, .yml)
    pub task: PathBuf,
    /// The sandbox in which the work was done; a benchmark names its own
    #[arg(long, value_name = "PASSING")]
    pub sandbox: Option<PathBuf>,
    /// The sandbox from before the work
    #[arg(long, value_name = "BEFORE")]
    pub baseline: Option<PathBuf>,
    /// Only these: null, leaf, harm, equivalence, influence, order
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = crate::commands::audit::probe)]
    pub probe: Vec<candor::inner::audit::Probe>,
    /// At most so many changes for each probe and criterion
    #[arg(long, value_name = "N", default_value = "500")]
    pub mutants: NonZeroUsize,
    /// Which changes are tried if there are more
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// End with 1 unless every criterion is proven
    #[arg(long)]
    pub strict: bool,
    /// Write the files that survivors changed there
    #[arg(long, value_name = "FOLDER")]
    pub survivors: Option<PathBuf>,
    #[command(flatten)]
    pub identity: IdentityArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct HardenArgs {
    /// The task file (.json, .yaml, .yml); it is not written to
    pub task: PathBuf,
    /// The sandbox in which the work was done
    #[arg(long, value_name = "PASSING")]
    pub sandbox: PathBuf,
    /// The sandbox from before the work
    #[arg(long, value_name = "BEFORE")]
    pub baseline: Option<PathBuf>,
    /// Also accept other forms of the same work, where no wrong work passes by it
    #[arg(long)]
    pub widen: bool,
    /// Ask before each addition
    #[arg(long)]
    pub interactive: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DraftArgs {
    /// The sandbox from before the work
    #[arg(long, value_name = "BEFORE")]
    pub before: PathBuf,
    /// A sandbox in which the work was done; give several demonstrations one by one
    #[arg(long, value_name = "AFTER", required = true)]
    pub after: Vec<PathBuf>,
    /// The id of the task [default: drafted-task]
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// The text that the delegate gets
    #[arg(long, value_name = "TEXT")]
    pub prompt: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BenchArgs {
    /// The benchmark file (.json, .yaml, .yml)
    pub benchmark: PathBuf,
    /// The sandbox from before the work, for `state-unchanged`, of tasks whose sandbox names none
    #[arg(long, value_name = "BEFORE")]
    pub baseline: Option<PathBuf>,
    /// How many tasks run at a time [default: the number of cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Run one part of the tasks, such as 2/5, where five machines share them; `candor score` takes the criterion runs of all
    /// parts (--format ndjson)
    #[arg(long, value_name = "I/N", value_parser = crate::commands::bench::shard)]
    pub shard: Option<(usize, usize)>,
    /// Hide the criteria: print only verdict, score and axes
    #[arg(long)]
    pub scored: bool,
    /// Where criteria of a task file are invalid, end with the code of the verdict, not with 2
    #[arg(long)]
    pub keep_going: bool,
    /// Also write the result as a page for a browser
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub evidence: BundleArgs,
    #[command(flatten)]
    pub fixed: FixedArgs,
    #[command(flatten)]
    pub identity: IdentityArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ReportArgs {
    /// The result, as JSON or as criterion runs, one a line, or an evidence bundle; - for standard input
    pub result: PathBuf,
    /// Write a page for a browser there, and nothing else unless --format or --out asks for it
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Of a benchmark run, only the task run with this task's id
    #[arg(long, value_name = "ID")]
    pub task: Option<String>,
    /// Of a benchmark run, this page of 1000 task runs
    #[arg(long, value_name = "N", default_value = "1")]
    pub page: NonZeroUsize,
    /// An older result to compare with: what got better, worse, and what is undecided
    #[arg(long, value_name = "BEFORE", conflicts_with_all = ["task", "page"])]
    pub against: Option<PathBuf>,
    /// The sandbox folder that was checked: pages show what its files hold around what decided
    #[arg(long, value_name = "FOLDER")]
    pub sandbox: Option<PathBuf>,
    /// The task file: conformance vectors on pages hold its assertions
    #[arg(long, value_name = "FILE")]
    pub task_file: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ScoreArgs {
    /// Files of criterion runs, one JSON object a line; - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Where criteria of a task file are invalid, end with the code of the verdict, not with 2
    #[arg(long)]
    pub keep_going: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct LintArgs {
    /// The task files
    #[arg(required = true, value_name = "TASK")]
    pub tasks: Vec<PathBuf>,
    /// Also say what may well be meant and is good to know
    #[arg(long)]
    pub notes: bool,
    /// Let notes count as warnings do
    #[arg(long)]
    pub strict: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainArgs {
    /// The file; - for standard input; or a code, such as no_candidate, status_open or portal/shadow-row
    pub file: PathBuf,
    /// It is a transcript of a call: print each turn with its normalized forms, clauses and values
    #[arg(long)]
    pub voice: bool,
    /// Show where this phrase comes near in the transcript, and what keeps it from counting
    #[arg(long, requires = "voice")]
    pub phrase: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CompletionsArgs {
    /// bash, elvish, fish, powershell or zsh
    #[arg(hide_possible_values = true)]
    pub shell: clap_complete::Shell,
}
