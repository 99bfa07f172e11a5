//! The `candor` command: reads the command line, calls the engine with the list of checks, renders. Nothing else.

mod args;
mod commands;
mod exit;
mod help;
mod input;
mod output;
mod spare;

use std::path::PathBuf;
use std::process::ExitCode;

use args::Command;
use commands::bundle::key_file;
use commands::record::RecordCommand;
use commands::until_signal;
use exit::Outcome;
use output::OutputArgs;
use spare::Reads;

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
    if let Err(message) = refuse_places(&args.command, &args.output) {
        if let Command::Check(check) = &args.command
            && check.reward.clear().is_ok()
        {
            check.reward.refuse(&message);
        }
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

/// Refuses to write over what the command reads, and two results into one file. The files of a reward are removed in any
/// case, so they are held against the other results alone.
fn refuse_places(command: &Command, output: &OutputArgs) -> Result<(), String> {
    let places = written(command);
    output.spare(&places, || reads(command))?;
    match command {
        Command::Check(check) => output.spare(places.iter().chain(&check.reward.files()), Reads::default),
        _ => Ok(()),
    }
}

/// The places that a command writes, besides `--out` and the files of a reward.
fn written(command: &Command) -> Vec<PathBuf> {
    let places: [Option<&PathBuf>; 2] = match command {
        Command::Check(args) => [args.html.as_ref(), args.evidence.bundle.as_ref()],
        Command::Bench(args) => [args.html.as_ref(), args.evidence.bundle.as_ref()],
        Command::Loop(args) => [args.evidence.bundle.as_ref(), args.record.as_ref()],
        Command::Report(args) => [args.html.as_ref(), None],
        Command::Capture(args) => [Some(&args.into), None],
        Command::Audit(args) => [args.survivors.as_ref(), None],
        _ => [None; 2],
    };
    places.into_iter().flatten().cloned().collect()
}

/// The files that a command reads, by its arguments.
fn reads(command: &Command) -> Reads {
    let key = |sign: &Option<PathBuf>| key_file(sign.as_deref()).map(|(file, _)| file);
    match command {
        Command::Check(args) => Reads::of(args.fixed.mask.iter().chain(&key(&args.evidence.sign)).chain([&args.task]))
            .at(args.baseline.iter().chain([&args.sandbox])),
        Command::Bench(args) => {
            Reads::of(args.fixed.mask.iter().chain(&key(&args.evidence.sign)).chain([&args.benchmark]))
                .at(&args.baseline)
        }
        Command::Loop(args) => Reads::of(key(&args.evidence.sign).iter().chain([&args.task]))
            .at(args.baseline.iter().chain([&args.sandbox])),
        Command::Capture(args) => Reads::default().at([&args.sandbox]),
        Command::Diff(args) => Reads::default().at([&args.before, &args.after]),
        Command::Audit(args) => Reads::of([&args.task]).at(args.baseline.iter().chain(&args.sandbox)),
        Command::Harden(args) => Reads::of([&args.task]).at(args.baseline.iter().chain([&args.sandbox])),
        Command::Draft(args) => Reads::default().at(args.after.iter().chain([&args.before])),
        Command::Report(args) => {
            Reads::of(args.against.iter().chain(&args.task_file).chain([&args.result])).at(&args.sandbox)
        }
        Command::Replay(args) => Reads::of(args.task.iter().chain(&args.verify).chain([&args.bundle])),
        Command::Redact(args) => Reads::of(args.mask.iter().chain(&key(&args.sign)).chain([&args.bundle])),
        Command::Score(args) => Reads::of(&args.files),
        Command::Lint(args) => Reads::of(&args.tasks),
        Command::Validate(args) => Reads::of(args.files.iter().chain(&args.profile)),
        Command::Explain(args) => Reads::of([&args.file]),
        Command::Try(tried) => Reads::of(tried.files()),
        _ => Reads::default(),
    }
}

fn refused(message: String) -> ExitCode {
    output::complain(&message);
    Outcome::WrongInput.into()
}
