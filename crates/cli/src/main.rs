//! The `candor` command: reads the command line, calls the engine with the list of checks, renders. Nothing else.

mod args;
mod commands;
mod exit;
mod help;
mod input;
mod output;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use args::Command;
use commands::record::RecordCommand;
use commands::until_signal;
use exit::Outcome;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    // Before anything starts a thread: the program confines itself, and then becomes the command.
    if words.next().is_some_and(|word| word == "confine") {
        return candor::verification::confine::shim(words.collect());
    }
    candor::inner::http::host::use_proxies_of_environment();
    if let Some(version) = commands::version::verbose(std::env::args_os().skip(1)) {
        return output::say(version.as_bytes()).map_or_else(refused, |()| Outcome::Pass.into());
    }
    let args = match help::parse() {
        Ok(args) => args,
        Err(message) => return refused(message),
    };
    // With an agent, its boundary is one of the arguments.
    let has_agent = match &args.command {
        Command::Bench(bench) => bench.run.results.is_some(),
        command => matches!(command, Command::Loop(_)),
    };
    if !has_agent && let Ok(program) = std::env::current_exe() {
        candor::verification::confine::offer(vec![program.into(), "confine".into()], None);
    }
    let (page, read) = files(&args.command);
    if let Err(message) = args.output.spare(page, read) {
        return refused(message);
    }
    let outcome = match args.command {
        Command::Check(check) => commands::check::run(&check, &args.output),
        Command::Capture(capture) => commands::capture::run(&capture, &args.output),
        Command::Audit(audit) => commands::audit::run(&audit, &args.output),
        Command::Harden(harden) => commands::harden::run(&harden, &args.output),
        Command::Draft(draft) => commands::draft::run(&draft, &args.output),
        Command::Diff(diff) => commands::diff::run(&diff, &args.output),
        Command::Bench(bench) => commands::bench::run(&bench, &args.output),
        Command::Loop(verify) => commands::verify_loop::run(&verify, &args.output),
        Command::Report(report) => until_signal(move || commands::report::run(&report, &args.output)),
        Command::Serve(serve) => commands::serve::run(&serve, &args.output),
        Command::Replay(replay) => commands::replay::run(&replay, &args.output),
        Command::Redact(redact) => commands::redact::run(&redact, &args.output),
        Command::Keys(keys) => commands::keys::run(&keys, &args.output),
        Command::Score(score) => until_signal(move || commands::score::run(&score, &args.output)),
        Command::Lint(lint) => commands::lint::run(&lint, &args.output),
        Command::Record(RecordCommand::Mllp(mllp)) => commands::record::mllp(&mllp, &args.output),
        Command::Validate(validate) => until_signal(move || commands::validate::run(&validate, &args.output)),
        Command::Explain(explain) => until_signal(move || commands::explain::run(&explain, &args.output)),
        Command::Try(tried) => until_signal(move || commands::try_out::run(&tried, &args.output)),
        Command::Init(init) => commands::init::run(&init, &args.output),
        Command::Schema(schema) => commands::schema::run(&schema, &args.output),
        Command::Checks => commands::checks::run(&args.output),
        Command::Completions(completions) => commands::completions::run(&completions, &args.output),
        Command::Doctor => commands::doctor::run(&args.output),
        Command::ScriptChild => return candor::verification::script::child(std::io::stdin(), std::io::stdout()),
    };
    match outcome {
        Ok(outcome) => outcome.into(),
        Err(message) => refused(message),
    }
}

/// The page that a command writes, and the files that it reads.
fn files(command: &Command) -> (Option<&Path>, Vec<&PathBuf>) {
    match command {
        Command::Check(args) => (args.html.as_deref(), vec![&args.task]),
        Command::Audit(args) => (None, vec![&args.task]),
        Command::Harden(args) => (None, vec![&args.task]),
        Command::Bench(args) => (args.html.as_deref(), vec![&args.benchmark]),
        Command::Loop(args) => (None, vec![&args.task]),
        Command::Report(args) => {
            let others = args.against.iter().chain(&args.task_file);
            (args.html.as_deref(), others.chain([&args.result]).collect())
        }
        Command::Replay(args) => (None, args.task.iter().chain(&args.verify).chain([&args.bundle]).collect()),
        Command::Redact(args) => (None, args.mask.iter().chain(&args.sign).chain([&args.bundle]).collect()),
        Command::Score(args) => (None, args.files.iter().collect()),
        Command::Lint(args) => (None, args.tasks.iter().collect()),
        Command::Validate(args) => (None, args.files.iter().collect()),
        Command::Explain(args) => (None, vec![&args.file]),
        _ => (None, Vec::new()),
    }
}

fn refused(message: String) -> ExitCode {
    output::complain(&message);
    Outcome::WrongInput.into()
}
