//! `candor loop`.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candor_check::sandbox::Secret;
use candor_engine::{Task, invalid};
use candor_verification::delegates::{CommandPerAttempt, HttpEndpoint, LinesCommand};
use candor_verification::process::{Limited, Temporary, close_to_others, sweep, temporary};
use candor_verification::verifiers::Criteria;
use candor_verification::{
    AttemptOutcome, Begun, DelegateId, Disclose, LoopOutcome, LoopRecord, LoopSettings, Progress, RecordFolder,
    TaskLoop, VerifierId, VerifyLoop, independent, plain,
};

use super::bundle::{FixedArgs, ToWrite};
use super::harden::opened;
use super::telemetry::Telling;
use super::{end, engine, listed, or_interrupt, runtime, verifier_id};
use crate::exit::Outcome;
use crate::output::{OutputArgs, complain};

mod args;
mod boundary;
mod grants;
mod kept;
mod suite;
mod verifiers;

pub(crate) use args::LoopArgs;
use verifiers::{Looked, VerifierArgs, named_from_here, sha256, variable};

pub(crate) fn run(args: &LoopArgs, output: &OutputArgs) -> Result<Outcome, String> {
    // Before anybody works for it.
    close_to_others();
    sweep();
    candor_report::writes_loops(output.format())?;
    let to_write = ToWrite::new(&args.evidence, &FixedArgs::default())?;
    let engine = to_write.engine(engine(&args.identity)?);
    let task = Task::read(&args.task).map_err(|errors| listed(&errors))?;
    let prompt = args.prompt.clone().or_else(|| task.prompt.clone()).ok_or_else(|| {
        let file = args.task.display();
        format!(
            "{file}: the task has no `prompt`, so the delegate would not know what to do; add one, or give --prompt"
        )
    })?;
    let task = Arc::new(task);
    let wrong = invalid(&engine.plan(Arc::clone(&task)));
    if !args.keep_going && !wrong.is_empty() {
        return Err(format!("{}\nno attempt could pass; mend the task file, or add --keep-going", listed(&wrong)));
    }
    let settings = TaskLoop::of(&task).map_err(|error| error.to_string())?;
    let mut verifiers = args.verifiers.with_task(&settings, args.task.parent().unwrap_or(Path::new("")))?;
    let disclose = args.disclose.or(settings.disclose).unwrap_or_default();
    let sandbox = opened(&args.sandbox, args.baseline.as_deref())?;
    let written = args.boundary.grant.iter().filter(|grant| grant.write).map(|grant| &grant.path);
    let written: Vec<PathBuf> = written.chain(&args.boundary.delegate_home).cloned().collect();
    let evidence = sandbox.evidence_paths();
    let (parts, others) = grants::divided(&written, &sandbox);
    verifiers.granting(parts);
    let mut granted: Vec<PathBuf> = args.workspace.iter().cloned().chain(others).collect();
    let decides: Vec<&Path> = [args.task.as_path()].into_iter().chain(args.record.as_deref()).collect();
    let apart = |granted: &[PathBuf]| {
        independent(granted, &evidence).map_err(|e| e.to_string())?;
        verifiers.independent(granted, &decides)
    };
    verifiers.independent(&written, &decides)?;
    apart(&granted)?;
    let workspace = Workspace::open(args.workspace.as_deref())?;
    // A temporary one may lie in the sandbox, too.
    granted.push(workspace.path.clone());
    apart(&granted)?;
    verifiers.no_suite_of_the_delegate(&workspace.path)?;

    let judges: Vec<PathBuf> = verifiers.files().into_iter().chain(decides.iter().map(|path| path.into())).collect();
    let confined = args.boundary.open(&workspace.path, (&args.sandbox, &sandbox), &judges)?;
    if let Some(user) = confined.delegate.as_ref().and_then(|boundary| boundary.user) {
        workspace.given_to(user)?;
    }

    let telling = Telling::begin(args, &engine, &task)?;
    let verifier = VerifierId(verifier_id(&args.identity));
    let delegate = DelegateId(args.identity.agent_id.clone().unwrap_or_else(|| named(args)));
    let limited = Limited {
        folder: workspace.path.clone(),
        time: args.attempt_timeout,
        environment: environment(args, telling.as_ref())?,
        boundary: confined.delegate.clone(),
        ..Limited::default()
    };
    let command_words = command(args);
    let work = engine.work().clone();
    let looked = Looked {
        delegate: &delegate,
        command: &command_words,
        prompt: &prompt,
        limited: &limited,
        commands: confined.commands.as_ref(),
    };
    // What is wrong with any of these is told before a record is begun.
    let programs = verifiers.programs(&task, &looked)?;
    let mut begun = Begun::new(&task.id, &prompt, &verifier, &delegate, &decided_by(args, &verifiers, disclose)?);
    begun.protected = verifiers.protected_now(&workspace.path)?;
    let stored = args.record.as_deref().map(|folder| RecordFolder::open(folder, &begun)).transpose()?;
    // Of a loop that goes on, what was there before its first attempt.
    let before = stored.as_ref().map_or(begun.protected.as_ref(), RecordFolder::protected).cloned();
    verifiers.protecting(before)?;
    let looks = Arc::default();
    let looking =
        verifiers.looking(engine.clone(), &task, (&args.sandbox, sandbox.baseline()), programs, disclose, &looks);
    let settings = LoopSettings {
        max_verify_retries: args.max_verify_retries.or(settings.max_verify_retries).unwrap_or(2),
        retry_unverifiable: args.retry_unverifiable || settings.retry_unverifiable.unwrap_or_default(),
        services: verifiers.services().to_vec(),
        workspace: workspace.path.clone(),
        disclose,
        boundary: Some(confined.recorded.clone()),
        commands: confined.commands.clone(),
        ..LoopSettings::new(task.id.clone(), prompt)
    };
    let mut verify_loop = VerifyLoop::new(settings, verifier, delegate.clone(), &looking.verifier)
        .map_err(|e| e.to_string())?
        .with_hooks(&looking.hooks);
    if let Some(stored) = &stored {
        verify_loop = verify_loop.kept_in(stored);
    }
    let runtime = runtime()?;
    let (session, earlier) = match &stored {
        Some(stored) => (stored.session().to_owned(), stored.attempts()),
        None => (begun.session, Vec::new()),
    };
    let shows = output.shows_progress();
    let progress = |progress: Progress<'_>| {
        if shows {
            tell(&progress);
        }
    };
    if shows {
        tell_start(&workspace.path, args);
    }
    // What else looks may ask for more than the criteria do.
    let looks_before = earlier.is_empty() && !args.allow_met && verifiers.are_criteria_alone();
    let running = async {
        if looks_before {
            let criteria = Criteria::new(engine.clone(), engine.plan(Arc::clone(&task)), &args.sandbox, disclose);
            match or_interrupt(criteria.is_met(&workspace.path)).await {
                Some(true) => return Ok(Some(verify_loop.already_met())),
                Some(false) => {}
                None => return Ok(None),
            }
        }
        match &args.url {
            Some(url) => {
                let bearer = args.bearer_env.as_deref().map(variable).transpose()?.map(Secret::new);
                let mut delegate = HttpEndpoint::new(delegate, url, bearer, args.attempt_timeout);
                Ok(or_interrupt(verify_loop.run(&mut delegate, &session, earlier, progress)).await)
            }
            None if args.lines => {
                let mut delegate = LinesCommand::new(delegate, command(args), limited);
                Ok(or_interrupt(verify_loop.run(&mut delegate, &session, earlier, progress)).await)
            }
            None => {
                let mut delegate = CommandPerAttempt::new(delegate, command(args), limited);
                Ok(or_interrupt(verify_loop.run(&mut delegate, &session, earlier, progress)).await)
            }
        }
    };
    let record: Result<Option<LoopRecord>, String> = runtime.block_on(running);
    runtime.shutdown_background();
    let Some(record) = record? else {
        if let Some(Err(why)) = stored.as_ref().map(RecordFolder::settle) {
            complain(&format!("the record is not complete: {why}"));
        }
        return Ok(end(&work));
    };
    let kept = stored.as_ref().map_or(Ok(()), |stored| stored.ended(&record));
    // Where progress and result go to one terminal, nothing is told twice.
    let told = shows && output.on_terminal();
    let written = output.write(&candor_report::loop_run(&record, output.format(), told, output.style())?);
    let kept_evidence = kept::write(&to_write, &engine, (&task, &sandbox), &looks, &record);
    // The result is there before anything is told of it.
    if let Some(telling) = telling {
        telling.end(&record);
    }
    written?;
    kept_evidence?;
    if let Err(why) = kept {
        // The verdict is out, and a full disk changes nothing about it.
        complain(&format!("the verdict holds, but its record is not complete: {why}"));
    }
    Ok(match record.outcome {
        LoopOutcome::Passed => Outcome::Pass,
        LoopOutcome::VerificationFailed => Outcome::Findings,
        LoopOutcome::AlreadyMet | LoopOutcome::Unverifiable | LoopOutcome::Broken => Outcome::Inconclusive,
    })
}

fn decided_by(args: &LoopArgs, verifiers: &VerifierArgs, disclose: Disclose) -> Result<String, String> {
    let task = std::fs::read(&args.task).map_err(|e| format!("{}: it cannot be read: {e}", args.task.display()))?;
    let sandbox = args.sandbox.canonicalize().unwrap_or_else(|_| args.sandbox.clone());
    let workspace = args.workspace.as_ref().map(|path| path.canonicalize().unwrap_or_else(|_| path.clone()));
    let mut all = verifiers.decides();
    // What was judged with a boundary is not gone on with without one.
    if args.boundary.no_isolation {
        all.push("--no-isolation".to_owned());
    }
    all.push(format!("{:?}", (sha256(&task), sandbox, workspace, disclose)));
    Ok(sha256(all.join("\n").as_bytes()))
}

/// What a delegate is called that nobody gave a name: by what it runs.
fn named(args: &LoopArgs) -> String {
    match (&args.url, args.command.first()) {
        (Some(url), _) => format!("delegate/{}", without_secrets(url)),
        (None, Some(program)) => {
            let program = Path::new(program).file_name().unwrap_or(program);
            format!("delegate/{}", program.to_string_lossy())
        }
        (None, None) => "delegate".to_owned(),
    }
}

/// A URL less what it may hold of secrets: user, password and query.
fn without_secrets(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = rest.split_once('/').map_or((rest, String::new()), |(host, path)| (host, format!("/{path}")));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}://{host}{path}")
}

/// The command. It and its arguments that are granted are named from where this program runs, not from the workspace in which
/// it will run.
fn command(args: &LoopArgs) -> Vec<OsString> {
    let granted: Vec<PathBuf> = args.boundary.grant.iter().filter_map(|grant| grant.path.canonicalize().ok()).collect();
    let mut command = named_from_here(args.command.clone());
    for argument in command.iter_mut().skip(1).filter(|argument| Path::new(argument).is_relative()) {
        let is_granted = |real: &PathBuf| granted.iter().any(|grant| real.starts_with(grant));
        if let Some(real) = Path::new(argument).canonicalize().ok().filter(is_granted) {
            *argument = real.into();
        }
    }
    command
}

/// Where the delegate works, and what it can reach besides.
fn tell_start(workspace: &Path, args: &LoopArgs) {
    let granted: Vec<String> = args
        .boundary
        .grant
        .iter()
        .map(|grant| format!("{}{}", grant.path.display(), if grant.write { ":rw" } else { "" }))
        .collect();
    let granted = if granted.is_empty() { "nothing".to_owned() } else { granted.join(", ") };
    let mut err = std::io::stderr().lock();
    // A closed standard error does not stop the loop.
    let _ = writeln!(err, "the delegate works in {}; granted besides: {}", workspace.display(), plain(&granted));
}

fn environment(args: &LoopArgs, telling: Option<&Telling>) -> Result<Vec<(OsString, OsString)>, String> {
    let given = args.env.iter().map(|name| Ok((name.into(), variable(name)?.into())));
    // Last, so that it is this span's and not the one's above it.
    let parent = telling.map(|telling| Ok(("TRACEPARENT".into(), telling.traceparent().into())));
    given.chain(parent).collect()
}

struct Workspace {
    path: PathBuf,
    /// Gone with this, where nobody named one.
    temporary: Option<Temporary>,
}

impl Workspace {
    fn open(path: Option<&Path>) -> Result<Self, String> {
        match path {
            Some(path) => {
                let made = std::fs::create_dir_all(path).and_then(|()| path.canonicalize());
                let path = made.map_err(|e| format!("{}: no workspace can be made here: {e}", path.display()))?;
                Ok(Self { path, temporary: None })
            }
            None => {
                let folder = temporary("workspace").map_err(|e| format!("no temporary workspace can be made: {e}"))?;
                Ok(Self { path: folder.path().to_owned(), temporary: Some(folder) })
            }
        }
    }
}

impl Workspace {
    /// Hands a temporary one over; one that somebody named is as that person made it.
    fn given_to(&self, user: candor_verification::confine::User) -> Result<(), String> {
        if self.temporary.is_none() {
            return Ok(());
        }
        std::os::unix::fs::chown(&self.path, Some(user.uid), Some(user.gid))
            .map_err(|e| format!("{}: it cannot be handed to the user: {e}", self.path.display()))
    }
}

fn tell(progress: &Progress<'_>) {
    let line = match progress {
        Progress::Asked { attempt, of } => format!("attempt {} of {of}: the delegate works", attempt + 1),
        Progress::Verifying { claim, .. } => {
            let said: String = plain(&claim.response).lines().next().unwrap_or_default().chars().take(80).collect();
            format!("  it says: {said:?}; the verifier looks")
        }
        Progress::Judged(attempt) => {
            // Of a reason, which may quote the delegate, no line begins where one of this program does.
            let first = attempt.reason.as_deref().map(plain).unwrap_or_default().replace('\n', "\n    ");
            match attempt.outcome {
                AttemptOutcome::Passed => "  ✓ verified".to_owned(),
                AttemptOutcome::Failed => format!("  ✗ {first}"),
                AttemptOutcome::Unverifiable => format!("  ? {first}"),
                AttemptOutcome::Asked | AttemptOutcome::Answered | AttemptOutcome::Broken => format!("  ! {first}"),
            }
        }
    };
    let mut err = std::io::stderr().lock();
    // Where standard error is gone there is nobody to tell.
    let _ = writeln!(err, "{line}");
}
