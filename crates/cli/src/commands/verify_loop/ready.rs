//! A loop over one task, from its arguments to its record: what `candor loop` runs once, and `candor bench` for each task.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use candor::check::Sandbox;
use candor::check::sandbox::Secret;
use candor::inner::engine::{Engine, Task, TaskRun, invalid};
use candor::inner::report::{Style, lines_at};
use candor::verification::delegates::{CommandPerAttempt, HttpEndpoint, LinesCommand};
use candor::verification::process::{Limited, Temporary, temporary};
use candor::verification::verifiers::without_workspace;
use candor::verification::{
    Attempt, Begun, DelegateId, Disclose, LoopRecord, LoopSettings, Progress, RecordFolder, TaskLoop, VerifierId,
    VerifyLoop, independent,
};

use super::LoopArgs;
use super::boundary::Grant;
use super::grants;
use super::verifiers::{Looked, Looking, VerifierArgs, named_from_here, sha256, variable};
use crate::commands::harden::opened;
use crate::commands::{listed, verifier_id};

/// A loop over one task that is ready to run. Its arguments, its task and its boundary are right, its record has begun, and
/// the delegate has not been asked yet.
pub(crate) struct Ready<'a> {
    args: &'a LoopArgs,
    engine: Engine,
    task: Arc<Task>,
    pub(super) sandbox: Sandbox,
    workspace: Workspace,
    verifiers: VerifierArgs,
    granted: Vec<Grant>,
    settings: LoopSettings,
    verifier: VerifierId,
    delegate: DelegateId,
    bearer: Option<String>,
    limited: Limited,
    looking: Looking,
    /// Every look at the work, in order.
    pub(super) looks: Arc<Mutex<Vec<TaskRun>>>,
    looks_before: bool,
    session: String,
    earlier: Vec<Attempt>,
    pub(super) stored: Option<RecordFolder>,
}

impl<'a> Ready<'a> {
    /// Holds the arguments, the task and the boundary to each other, and begins the record if one is asked for.
    /// `results` are written when the loop has ended; `traceparent` is handed on to the delegate.
    ///
    /// # Errors
    /// The first thing that is wrong, in a sentence. Nothing was started, and no record was begun.
    pub(crate) fn new(
        args: &'a LoopArgs,
        engine: &Engine,
        task: &Arc<Task>,
        results: &[PathBuf],
        traceparent: Option<String>,
    ) -> Result<Self, String> {
        let prompt = args.prompt.clone().or_else(|| task.prompt.clone()).ok_or_else(|| {
            let file = args.task.display();
            format!(
                "{file}: the task has no `prompt`, so the delegate would not know what to do; add one, or give --prompt"
            )
        })?;
        if let Some(url) = &args.who.url {
            HttpEndpoint::check(url).map_err(|what| format!("--url {what}"))?;
        }
        let plan = engine.plan(Arc::clone(task));
        let (wrong, reads_workspace) = (invalid(&plan), plan.reads("workspace"));
        if !args.keep_going && !wrong.is_empty() {
            return Err(format!("{}\nno attempt could pass; mend the task file, or add --keep-going", listed(&wrong)));
        }
        let settings = TaskLoop::of(task).map_err(|error| error.to_string())?;
        let mut verifiers = args.verifiers.with_task(&settings, args.task.parent().unwrap_or(Path::new("")))?;
        if task.criteria.is_empty() && verifiers.are_none() {
            let file = args.task.display();
            return Err(format!(
                "{file}: the task has no criteria, and no script, test suite or evaluator looks at the work, so no attempt \
                 could pass; add criteria, or one of these"
            ));
        }
        verifiers.reads(engine, task).spare(results)?;
        let disclose = args.disclose.or(settings.disclose).unwrap_or_default();
        let mut sandbox = opened(&args.sandbox, args.baseline.as_deref())?;
        if args.is_copy {
            let before = sandbox.baseline().cloned();
            sandbox = without_workspace(&sandbox);
            // A workspace that no criterion reads is not compared either.
            let before = before.map(|before| if reads_workspace { before } else { without_workspace(&before) });
            sandbox = before.map_or(sandbox.clone(), |before| sandbox.with_baseline(before));
        }
        let boundary = args.who.boundary.with_parts(&settings.grant, &args.task, &sandbox)?;
        let written = boundary.grant.iter().filter(|grant| grant.write).map(|grant| &grant.path);
        let written: Vec<PathBuf> = written.chain(&boundary.delegate_home).cloned().collect();
        if let Some(before) = sandbox.baseline() {
            independent(&written, &before.evidence_paths()).map_err(|error| {
                let (granted, before) = (error.granted.display(), error.evidence.display());
                format!(
                    "the delegate may write to {granted}, and the baseline is read from there ({before}); name a baseline \
                     that it cannot write to"
                )
            })?;
        }
        let evidence = sandbox.evidence_paths();
        let (parts, others) = grants::divided(&written, &sandbox);
        // Evidence is not lost with one in a copy: the copy was made for it.
        let (inside, elsewhere) = if args.is_copy { (&args.workspace, &None) } else { (&None, &args.workspace) };
        verifiers.granting(parts, inside.clone());
        let mut granted: Vec<PathBuf> = elsewhere.iter().cloned().chain(others).collect();
        let judges = args.judges.iter().map(PathBuf::as_path);
        let decides: Vec<&Path> =
            [args.task.as_path()].into_iter().chain(args.record.as_deref()).chain(judges).collect();
        let apart = |granted: &[PathBuf]| {
            independent(granted, &evidence).map_err(|e| e.to_string())?;
            verifiers.independent(granted, &decides)
        };
        verifiers.independent(&written, &decides)?;
        apart(&granted)?;
        let workspace = Workspace::open(args.workspace.as_deref())?;
        if args.is_copy {
            verifiers.independent(std::slice::from_ref(&workspace.path), &decides)?;
        } else {
            // A temporary one may lie in the sandbox, too.
            granted.push(workspace.path.clone());
            apart(&granted)?;
        }
        let own: Vec<PathBuf> = written.iter().chain([&workspace.path]).cloned().collect();
        independent(&own, results).map_err(|error| {
            format!(
                "{}: the delegate may write to {}, and could lead the result elsewhere; name a place outside of it",
                error.evidence.display(),
                error.granted.display()
            )
        })?;
        verifiers.no_suite_of_the_delegate(&workspace.path)?;

        let judges: Vec<PathBuf> =
            verifiers.files().into_iter().chain(decides.iter().map(|path| path.into())).collect();
        let confined = boundary.open(&workspace.path, (&args.sandbox, &sandbox), &judges)?;
        if let Some(user) = confined.delegate.as_ref().and_then(|boundary| boundary.user) {
            workspace.given_to(user)?;
        }

        let verifier = VerifierId(verifier_id(&args.identity));
        let delegate =
            DelegateId(args.identity.agent_id.clone().unwrap_or_else(|| named(args.who.url.as_deref(), &args.command)));
        let bearer = args.who.bearer_env.as_deref().map(variable).transpose()?;
        let limited = Limited {
            folder: workspace.path.clone(),
            time: args.attempt_timeout,
            environment: environment(args, traceparent)?,
            boundary: confined.delegate.clone(),
            ..Limited::default()
        };
        let command_words = command(args);
        let looked = Looked {
            delegate: &delegate,
            command: &command_words,
            prompt: &prompt,
            limited: &limited,
            commands: confined.commands.as_ref(),
        };
        // What is wrong with any of these is an error before a record is begun.
        let programs = verifiers.programs(task, &looked)?;
        let mut begun = Begun::new(&task.id, &prompt, &verifier, &delegate, &decided_by(args, &verifiers, disclose)?);
        begun.protected = verifiers.protected_now(&workspace.path)?;
        let stored = args.record.as_deref().map(|folder| RecordFolder::open(folder, &begun)).transpose()?;
        // Of a loop that goes on, what was there before its first attempt.
        let before = stored.as_ref().map_or(begun.protected.as_ref(), RecordFolder::protected).cloned();
        verifiers.protecting(before)?;
        let looks = Arc::default();
        let looking =
            verifiers.looking(engine.clone(), task, (&args.sandbox, sandbox.baseline()), programs, disclose, &looks);
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
        let (session, earlier) = match &stored {
            Some(stored) => (stored.session().to_owned(), stored.attempts()),
            None => (begun.session, Vec::new()),
        };
        // What else looks may ask for more than the criteria do.
        let looks_before = earlier.is_empty() && !args.allow_met && verifiers.are_criteria_alone();
        let (engine, task) = (engine.clone(), Arc::clone(task));
        Ok(Self {
            args,
            engine,
            task,
            sandbox,
            workspace,
            verifiers,
            granted: boundary.grant,
            settings,
            verifier,
            delegate,
            bearer,
            limited,
            looking,
            looks,
            looks_before,
            session,
            earlier,
            stored,
        })
    }

    /// Writes to standard error where the delegate works, and what else it can reach.
    pub(super) fn announce(&self, style: Style) {
        let granted: Vec<String> = self
            .granted
            .iter()
            .map(|grant| format!("{}{}", grant.path.display(), if grant.write { ":rw" } else { "" }))
            .collect();
        let granted = if granted.is_empty() { "nothing".to_owned() } else { granted.join(", ") };
        let mut err = std::io::stderr().lock();
        // A closed standard error does not stop the loop.
        let workspace = self.workspace.path.display();
        let said = format!("the delegate works in {workspace}\ngranted besides: {granted}");
        let _ = write!(err, "{}", lines_at(0, &said, style));
    }

    /// Runs the loop to its end. Dropping the future ends the delegate.
    ///
    /// # Errors
    /// When the verifier and the delegate have the same id.
    pub(crate) async fn run(&self, progress: impl FnMut(Progress<'_>)) -> Result<LoopRecord, String> {
        let delegate = self.delegate.clone();
        let mut verify_loop =
            VerifyLoop::new(self.settings.clone(), self.verifier.clone(), delegate.clone(), &self.looking.verifier)
                .map_err(|e| e.to_string())?
                .with_hooks(&self.looking.hooks);
        if let Some(stored) = &self.stored {
            verify_loop = verify_loop.kept_in(stored);
        }
        if self.looks_before {
            let plan = self.engine.plan(Arc::clone(&self.task));
            let (engine, disclose) = (self.engine.clone(), self.settings.disclose);
            let criteria = self.verifiers.criteria(engine, plan, &self.args.sandbox, disclose);
            if criteria.is_met(&self.workspace.path).await {
                return Ok(verify_loop.already_met());
            }
        }
        let (session, earlier, args) = (&self.session, self.earlier.clone(), self.args);
        let limited = self.limited.clone();
        Ok(match &args.who.url {
            Some(url) => {
                let bearer = self.bearer.clone().map(Secret::new);
                let mut delegate = HttpEndpoint::new(delegate, url, bearer, args.attempt_timeout);
                verify_loop.run(&mut delegate, session, earlier, progress).await
            }
            None if args.who.lines => {
                let mut delegate = LinesCommand::new(delegate, command(args), limited);
                verify_loop.run(&mut delegate, session, earlier, progress).await
            }
            None => {
                let mut delegate = CommandPerAttempt::new(delegate, command(args), limited);
                verify_loop.run(&mut delegate, session, earlier, progress).await
            }
        })
    }
}

fn decided_by(args: &LoopArgs, verifiers: &VerifierArgs, disclose: Disclose) -> Result<String, String> {
    let task = std::fs::read(&args.task).map_err(|e| format!("{}: it cannot be read: {e}", args.task.display()))?;
    let sandbox = args.sandbox.canonicalize().unwrap_or_else(|_| args.sandbox.clone());
    let workspace = args.workspace.as_ref().map(|path| path.canonicalize().unwrap_or_else(|_| path.clone()));
    let mut all = verifiers.decides();
    // What was judged with a boundary is not gone on with without one.
    if args.who.boundary.no_isolation {
        all.push("--no-isolation".to_owned());
    }
    all.push(format!("{:?}", (sha256(&task), sandbox, workspace, disclose)));
    Ok(sha256(all.join("\n").as_bytes()))
}

/// The name of a delegate without a name of its own: the program that it runs, or its URL.
pub(crate) fn named(url: Option<&str>, command: &[OsString]) -> String {
    match (url, command.first()) {
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
    let granted: Vec<PathBuf> =
        args.who.boundary.grant.iter().filter_map(|grant| grant.path.canonicalize().ok()).collect();
    let mut command = named_from_here(args.command.clone());
    for argument in command.iter_mut().skip(1).filter(|argument| Path::new(argument).is_relative()) {
        let is_granted = |real: &PathBuf| granted.iter().any(|grant| real.starts_with(grant));
        if let Some(real) = Path::new(argument).canonicalize().ok().filter(is_granted) {
            *argument = real.into();
        }
    }
    command
}

fn environment(args: &LoopArgs, traceparent: Option<String>) -> Result<Vec<(OsString, OsString)>, String> {
    let given = args.who.env.iter().map(|name| Ok((name.into(), variable(name)?.into())));
    let given = given.chain(args.set.iter().cloned().map(Ok));
    // Last, so that it is this span's and not the one's above it.
    let parent = traceparent.map(|traceparent| Ok(("TRACEPARENT".into(), traceparent.into())));
    given.chain(parent).collect()
}

struct Workspace {
    path: PathBuf,
    /// The folder that is removed with this, if the caller named no workspace.
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
    fn given_to(&self, user: candor::verification::confine::User) -> Result<(), String> {
        if self.temporary.is_none() {
            return Ok(());
        }
        std::os::unix::fs::chown(&self.path, Some(user.uid), Some(user.gid))
            .map_err(|e| format!("{}: it cannot be handed to the user: {e}", self.path.display()))
    }
}
