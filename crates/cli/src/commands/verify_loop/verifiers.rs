//! Verifiers of an attempt: the task's criteria, and those that the command line names in addition.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::boundary::unmade;
use super::suite::{Ground, delegates_file};
use candor::check::Sandbox;
use candor::check::feature::missing_feature;
use candor::inner::engine::{Criterion, Engine, Plan, Task, TaskRun};
use candor::verification::delegates::CommandPerAttempt;
use candor::verification::process::{Boundary, Limited};
use candor::verification::script::{self, Grants, HookFile, Origin, Runner};
use candor::verification::verifiers::{
    Adversarial, Composite, Criteria, Evaluated, EvaluatedCriterion, EvaluatorResponse, FAIL_PATTERN, PASS_PATTERN,
    Protected, Script, TestSuite, evaluator_prompt,
};
use candor::verification::{CommandWords, FileDigests, Protection, Service, TaskLoop, is_protected, protect_globs};
use candor::verification::{
    DelegateId, Disclose, DynVerifier, PostVerifyHook, SelfAttestation, VerifierError, independent, same_program,
};
use candor_json::{Map, Value};
use clap::Args as ClapArgs;

use crate::commands::record::duration;
use crate::spare::Reads;

/// Verifiers in addition to the task's criteria. All of them must pass.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct VerifierArgs {
    /// A Starlark program that defines `run(result)` and says whether the work is done
    #[arg(long, value_name = "FILE")]
    script: Vec<PathBuf>,
    /// A text that scripts find in `args` under a name
    #[arg(long, value_name = "NAME=VALUE", value_parser = script_arg)]
    script_arg: Vec<(String, String)>,
    /// The arguments that the task gives its script
    #[clap(skip)]
    task_args: Map<String, Value>,
    /// A command that ends with 0 when the work is done, run in a copy of the workspace; split as a shell splits it, quotes
    /// included, but no shell reads it. A script of the workspace is refused unless it is protected or overlaid
    #[arg(long, value_name = "COMMAND")]
    test_suite: Vec<String>,
    /// The folder of the workspace that test suites run in
    #[arg(long, value_name = "FOLDER")]
    test_suite_dir: Option<PathBuf>,
    /// How long a test suite may take: 30s, 10m [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    test_suite_timeout: Option<Duration>,
    /// Files of the workspace that the delegate may not change, remove or add, as a glob: "tests/**"
    #[arg(long, value_name = "GLOB")]
    protect: Vec<String>,
    /// A folder of tests of yours, laid over a copy of the workspace before a command runs
    #[arg(long, value_name = "FOLDER")]
    overlay: Option<PathBuf>,
    /// The protected files as they were before attempt 0
    #[clap(skip)]
    protection: Option<Protection>,
    /// Parts of the sandbox that the delegate may write
    #[clap(skip)]
    granted: Vec<PathBuf>,
    /// The workspace, if it lies in the sandbox
    #[clap(skip)]
    inside: Option<PathBuf>,
    /// The services that are started before the first verifier
    #[clap(skip)]
    services: Vec<Service>,
    /// A command that looks at a read-only copy of the workspace and answers for each criterion with a line `WORD
    /// CRITERION_ID PASS|FAIL|UNVERIFIABLE "quote"`; split at white space, no shell reads it. It gets the task, the
    /// criteria and WORD, in a session of its own for every attempt
    #[arg(long, value_name = "COMMAND")]
    evaluator: Option<String>,
    /// A pattern of an answer that passes, for an evaluator that answers in a form of its own: it then gets the task
    /// only, and its quotes are not checked. An answer that matches neither pattern fails
    #[arg(long, value_name = "REGEX", requires = "evaluator")]
    pass_pattern: Option<String>,
    /// A pattern of such an answer that fails, which captures the reason
    #[arg(long, value_name = "REGEX", requires = "evaluator")]
    fail_pattern: Option<String>,
    /// A Starlark program that may block or change a result after the verifiers
    #[arg(long, value_name = "FILE")]
    hook: Vec<PathBuf>,
    /// A folder of such programs
    #[arg(long, value_name = "FOLDER")]
    hooks: Vec<PathBuf>,
    /// A server that scripts and hooks may ask: http://host:port
    #[arg(long, value_name = "ORIGIN")]
    allow_http: Vec<Origin>,
    /// A file or folder that scripts, hooks, test suites and the evaluator may read, in addition to the workspace
    #[arg(long, value_name = "PATH")]
    allow_read: Vec<PathBuf>,
    /// An environment variable that scripts and hooks may read
    #[arg(long, value_name = "NAME")]
    allow_env: Vec<String>,
}

/// The delegate whose work is verified: an evaluator must be a different program.
pub(super) struct Looked<'a> {
    pub(super) delegate: &'a DelegateId,
    /// The words of its command; empty if it is not a command.
    pub(super) command: &'a [OsString],
    pub(super) prompt: &'a str,
    /// The folder it works in, and what it is limited to: an evaluator has the same limits.
    pub(super) limited: &'a Limited,
    /// The boundary of commands: what they can reach in addition to the copy that they run in.
    pub(super) commands: Option<&'a Boundary>,
}

pub(super) struct Looking {
    pub(super) verifier: Box<dyn DynVerifier>,
    pub(super) hooks: Vec<Box<dyn PostVerifyHook>>,
}

/// Scripts, test suites, the evaluator and hooks, read without a fault.
pub(super) struct Programs {
    scripts: Vec<(String, Script)>,
    suites: Vec<(String, TestSuite)>,
    evaluator: Option<Box<dyn DynVerifier>>,
    hooks: Vec<HookFile>,
}

impl VerifierArgs {
    /// Reads files now, so that a delegate that could change them changes nothing, and so that their faults are
    /// reported before a record is begun.
    pub(super) fn programs(&self, task: &Task, looked: &Looked<'_>) -> Result<Programs, String> {
        let runner = self.runner()?;
        let args = self.script_args()?;
        let broken = |error: VerifierError| error.message;
        let mut scripts = Vec::new();
        for file in &self.script {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            scripts.push((name, Script::read(file, runner.clone()).map_err(broken)?.with_args(args.clone())));
        }
        let mut suites = Vec::new();
        for command in &self.test_suite {
            let words = words("--test-suite", command)?;
            let boundary = looked.commands.map(|commands| self.reading(commands, &words));
            let suite = TestSuite::new(words);
            let suite = TestSuite {
                folder: self.test_suite_dir.clone(),
                time_limit: self.test_suite_timeout.unwrap_or(suite.time_limit),
                overlay: self.overlay.clone(),
                boundary,
                ..suite
            };
            suites.push((format!("test suite `{command}`"), suite));
        }
        let evaluator = self.evaluator.as_ref().map(|command| self.evaluated(command, task, looked)).transpose()?;
        let mut hooks = Vec::new();
        for file in &self.hook {
            hooks.push(HookFile::read(file, runner.clone()).map_err(broken)?);
        }
        for folder in &self.hooks {
            hooks.extend(HookFile::read_all(folder, &runner).map_err(broken)?);
        }
        HookFile::ordered(&mut hooks);
        Ok(Programs { scripts, suites, evaluator, hooks })
    }

    /// Everything that looks, in this order: criteria, protected files, scripts, test suites, an evaluator; then hooks by
    /// priority and name.
    pub(super) fn looking(
        &self,
        engine: Engine,
        task: &Arc<Task>,
        (sandbox, baseline): (&Path, Option<&Sandbox>),
        programs: Programs,
        disclose: Disclose,
        kept: &Arc<Mutex<Vec<TaskRun>>>,
    ) -> Looking {
        let Programs { scripts, suites, evaluator, hooks } = programs;
        let mut children: Vec<(String, Box<dyn DynVerifier>)> = Vec::new();
        let protects = usize::from(!self.protect.is_empty());
        let beside = protects + scripts.len() + suites.len() + usize::from(evaluator.is_some());
        if !task.criteria.is_empty() {
            let plan = engine.plan(Arc::clone(task));
            let mut criteria =
                self.criteria(engine, plan, sandbox, disclose).granting(self.granted.clone()).keeping(Arc::clone(kept));
            if let Some(before) = baseline {
                criteria = criteria.against(before.clone());
            }
            if let Some(protection) = &self.protection {
                criteria = criteria.protecting(protection.clone());
            }
            if let Some(overlay) = &self.overlay {
                criteria = criteria.with_overlay(overlay);
            }
            children.push(("criteria".to_owned(), Box::new(criteria)));
        }
        if let Some(protection) = self.protection.as_ref().filter(|_| !self.protect.is_empty()) {
            children.push(("protect".to_owned(), Box::new(Protected(protection.clone()))));
        }
        children.extend(scripts.into_iter().map(|(name, script)| (name, Box::new(script) as Box<dyn DynVerifier>)));
        for (name, suite) in suites {
            children.push((name, Box::new(TestSuite { protection: self.protection.clone(), ..suite })));
        }
        children.extend(evaluator.map(|evaluator| ("evaluator".to_owned(), evaluator)));
        let verifier = match children.pop() {
            Some((_, alone)) if children.is_empty() && beside == 0 => alone,
            last => {
                children.extend(last);
                Box::new(Composite::new(children).disclosing(disclose))
            }
        };
        let hooks = hooks.into_iter().map(|hook| Box::new(hook) as Box<dyn PostVerifyHook>).collect();
        Looking { verifier, hooks }
    }

    /// With what the task says, where the command line says nothing. Paths of the task are relative to its file.
    pub(crate) fn with_task(&self, task: &TaskLoop, folder: &Path) -> Result<Self, String> {
        let mut all = self.clone();
        let from_task = |words: &CommandWords| {
            let mut words = words.clone();
            if let Some(program) = words.0.first_mut()
                && Path::new(program).components().count() > 1
            {
                *program = folder.join(&*program).into();
            }
            words.joined()
        };
        if let (true, Some(script)) = (all.script.is_empty(), &task.script) {
            all.task_args = script.args.clone().into_iter().collect();
            all.script.push(folder.join(&script.file));
        }
        if all.hook.is_empty() && all.hooks.is_empty() {
            for path in task.hooks.iter().map(|path| folder.join(path)) {
                if path.is_dir() { all.hooks.push(path) } else { all.hook.push(path) }
            }
        }
        if let (true, Some(suite)) = (all.test_suite.is_empty(), &task.test_suite) {
            all.test_suite.push(from_task(&suite.command));
            all.test_suite_dir = all.test_suite_dir.or_else(|| suite.folder.clone());
            all.test_suite_timeout = all.test_suite_timeout.or(suite.timeout);
        }
        all.evaluator = all.evaluator.or_else(|| task.evaluator.as_ref().map(from_task));
        if all.protect.is_empty() {
            all.protect.clone_from(&task.protect);
        }
        all.overlay = all.overlay.or_else(|| task.overlay.as_ref().map(|overlay| folder.join(overlay)));
        if let Some(overlay) = &mut all.overlay {
            *overlay = overlay.canonicalize().ok().filter(|path| path.is_dir()).ok_or_else(|| {
                format!("{}: there is no folder here that could be laid over the workspace", overlay.display())
            })?;
        }
        all.services = task.services.iter().map(|service| service.service()).collect();
        protect_globs(&all.protect)?;
        Ok(all)
    }

    /// The protected files of a workspace and its caches as they are now; `None` where commands run what the delegate left.
    pub(super) fn protected_now(&self, workspace: &Path) -> Result<Option<FileDigests>, String> {
        if self.protect.is_empty() && self.overlay.is_none() {
            return Ok(None);
        }
        let digests = Protection::digests(&protect_globs(&self.protect)?, workspace);
        digests.map(Some).map_err(|error| format!("{}: it cannot be read: {error}", workspace.display()))
    }

    /// Protects files as they were before attempt 0.
    pub(super) fn protecting(&mut self, before: Option<FileDigests>) -> Result<(), String> {
        let globs = protect_globs(&self.protect)?;
        self.protection = before.map(|before| Protection::new(globs, before));
        Ok(())
    }

    /// With parts of the sandbox that the delegate may write: they are judged from a copy. `inside` is the workspace, if it
    /// lies in the sandbox.
    pub(super) fn granting(&mut self, granted: Vec<PathBuf>, inside: Option<PathBuf>) {
        self.granted = granted;
        self.inside = inside;
    }

    /// The task's criteria over a sandbox, before the delegate is asked.
    pub(super) fn criteria(&self, engine: Engine, plan: Plan, sandbox: &Path, disclose: Disclose) -> Criteria {
        let criteria = Criteria::new(engine, plan, sandbox, disclose);
        match &self.inside {
            Some(workspace) => criteria.with_workspace_inside(workspace),
            None => criteria,
        }
    }

    /// Returns `true` if nothing here could find work done: hooks and protected files only refuse it.
    pub(super) fn are_none(&self) -> bool {
        self.script.is_empty() && self.test_suite.is_empty() && self.evaluator.is_none()
    }

    /// Returns `true` if nothing but criteria and protected files decides.
    pub(super) fn are_criteria_alone(&self) -> bool {
        self.are_none() && self.hook.is_empty() && self.hooks.is_empty()
    }

    pub(super) fn services(&self) -> &[Service] {
        &self.services
    }

    pub(super) fn no_suite_of_the_delegate(&self, workspace: &Path) -> Result<(), String> {
        let globs = protect_globs(&self.protect)?;
        let overlay = self.overlay.as_deref();
        let is_operators =
            |path: &str| is_protected(&globs, path) || overlay.is_some_and(|overlay| overlay.join(path).is_file());
        let folder = self.test_suite_dir.as_deref().unwrap_or(Path::new(""));
        if folder.is_absolute() || folder.components().any(|part| part == std::path::Component::ParentDir) {
            return Err(format!("--test-suite-dir is {}; it is a folder of the workspace", folder.display()));
        }
        for command in &self.test_suite {
            let words = CommandWords(words("--test-suite", command)?);
            let relative = CommandWords::parse(command)?;
            let ground = Ground { workspace, folder, is_operators: &is_operators };
            // A program that is named by a path is found from here, and only what comes after it from the workspace.
            let found = delegates_file(&words, &ground)
                .or_else(|| delegates_file(&relative, &ground).filter(|_| !named_by_path(&relative)));
            if let Some(file) = found {
                return Err(format!(
                    "--test-suite \"{command}\": {file} is a file of the workspace, which the delegate may write; add \
                     --protect {file}, or lay your own over it with --overlay FOLDER"
                ));
            }
        }
        Ok(())
    }

    fn evaluated(&self, command: &str, task: &Task, looked: &Looked<'_>) -> Result<Box<dyn DynVerifier>, String> {
        let (words, limited) = (words("--evaluator", command)?, looked.limited.clone());
        if same_program(&words, looked.command, &[Path::new("."), &limited.folder]) {
            return Err("the evaluator is the delegate itself, and must be another program".to_owned());
        }
        let program = words.first().map(Path::new).and_then(Path::file_name).unwrap_or_default();
        let id = DelegateId(format!("evaluator/{}", program.to_string_lossy()));
        let make = {
            let (id, commands) = (id.clone(), looked.commands.map(|commands| self.reading(commands, &words)));
            move |copy: &Path| {
                // Read-only, whatever the modes of its files let it change.
                let boundary = commands.as_ref().map(Boundary::another).transpose().map_err(unmade)?;
                let boundary = boundary.map(|own| own.reading(copy));
                let limited = Limited { folder: copy.to_owned(), boundary, ..limited.clone() };
                Ok(CommandPerAttempt::new(id.clone(), words.clone(), limited))
            }
        };
        let itself = |error: SelfAttestation| error.to_string();
        if self.pass_pattern.is_none() && self.fail_pattern.is_none() {
            let shown =
                |criterion: &Criterion| EvaluatedCriterion { id: criterion.id.clone(), label: criterion.label.clone() };
            let criteria = task.criteria.iter().map(shown).collect();
            let evaluator = Adversarial::new(&id, looked.delegate, make, looked.prompt, criteria).map_err(itself)?;
            return Ok(Box::new(evaluator));
        }
        let pass = self.pass_pattern.as_deref().unwrap_or(PASS_PATTERN);
        let response = EvaluatorResponse::new(pass, self.fail_pattern.as_deref().unwrap_or(FAIL_PATTERN));
        let response = response.map_err(|error| error.message)?;
        let prompt = evaluator_prompt(looked.prompt);
        Ok(Box::new(Evaluated::new(&id, looked.delegate, make, prompt, response).map_err(itself)?))
    }

    /// The boundary of a command that reads what the operator names in it, or by `--allow-read`.
    fn reading(&self, commands: &Boundary, words: &[OsString]) -> Boundary {
        let named = words.iter().skip(1).map(PathBuf::from).filter(|path| path.is_absolute() && path.is_file());
        named.chain(self.allow_read.iter().cloned()).fold(commands.clone(), |all, path| {
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            all.reading(path).reading(real)
        })
    }

    /// The files of scripts and hooks, and the folder of tests.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = [&self.script, &self.hook, &self.hooks].into_iter().flatten().cloned().collect();
        for folder in &self.hooks {
            // A hook may be a link to elsewhere.
            files.extend(fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        files.extend(self.overlay.clone());
        files
    }

    /// The files and folders that commands name by a path.
    fn named(&self) -> Vec<PathBuf> {
        let commands = self.test_suite.iter().chain(&self.evaluator);
        let words = |command: &String| CommandWords::parse(command).map(|words| words.0).unwrap_or_default();
        let named = commands.flat_map(words).map(PathBuf::from);
        named.filter(|path| path.components().count() > 1 && path.exists()).collect()
    }

    /// The files that decide whether the work of a task is done, for a command that writes no result over them.
    pub(crate) fn reads(&self, engine: &Engine, task: &Task) -> Reads {
        let others = self.named();
        Reads::of(others.iter().chain(&self.allow_read)).with_task(engine, task).judged_by(self.files())
    }

    /// Refuses grants by which a delegate could write what judges it: a loop that goes on later would read it again.
    /// `more` is what else decides, and a record that is gone on from.
    pub(super) fn independent(&self, granted: &[PathBuf], more: &[&Path]) -> Result<(), String> {
        let mut files = self.files();
        files.extend(self.named());
        files.extend(more.iter().map(|path| path.to_path_buf()));
        independent(granted, &files).map_err(|error| {
            format!(
                "the delegate may write to {}, where what judges it is read from ({}); give it a workspace elsewhere",
                error.granted.display(),
                error.evidence.display()
            )
        })
    }

    /// Everything here that decides whether an attempt passes, files with their content: what is the same, decides the same.
    pub(super) fn decides(&self) -> Vec<String> {
        let mut files: Vec<PathBuf> = self.script.iter().chain(&self.hook).cloned().collect();
        for folder in &self.hooks {
            let mut found: Vec<PathBuf> =
                fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
            found.sort();
            files.extend(found);
        }
        let digest = |file: &PathBuf| match fs::read(file) {
            Ok(bytes) => format!("{} {}", file.display(), sha256(&bytes)),
            Err(error) => format!("{} {error}", file.display()),
        };
        let mut all: Vec<String> = files.iter().map(digest).collect();
        all.push(format!(
            "{:?}",
            (
                &self.test_suite,
                &self.evaluator,
                &self.pass_pattern,
                &self.fail_pattern,
                &self.script_arg,
                &self.allow_http,
                &self.allow_read,
                &self.allow_env
            )
        ));
        let more = (&self.test_suite_dir, &self.test_suite_timeout, &self.protect, &self.services, &self.overlay);
        let is_given = self.test_suite_dir.is_some() || self.test_suite_timeout.is_some() || self.overlay.is_some();
        // A record of a loop without any of these does not mention them.
        if is_given || !self.protect.is_empty() || !self.services.is_empty() {
            all.push(format!("{:?}", (more, self.overlay.as_deref().map(content))));
        }
        all
    }

    /// The variable `args` of scripts.
    fn script_args(&self) -> Result<Map<String, Value>, String> {
        let mut given = Map::new();
        for (name, value) in &self.script_arg {
            if given.insert(name.clone(), Value::String(value.clone())).is_some() {
                return Err(format!("--script-arg gives `{name}` twice"));
            }
        }
        let mut args = self.task_args.clone();
        args.extend(given);
        Ok(args)
    }

    fn runner(&self) -> Result<Runner, String> {
        let runs = !(self.script.is_empty() && self.hook.is_empty() && self.hooks.is_empty());
        if runs && !script::BUILT_IN {
            return Err(missing_feature("run scripts", "script"));
        }
        if let Some(missing) = self.allow_read.iter().find(|path| !path.exists()) {
            return Err(format!("{}: there is nothing here that --allow-read could grant", missing.display()));
        }
        for name in &self.allow_env {
            variable(name)?;
        }
        let grants =
            Grants { http: self.allow_http.clone(), read: self.allow_read.clone(), env: self.allow_env.clone() };
        Ok(Runner::default().grants(grants))
    }
}

/// `NAME=VALUE`.
fn script_arg(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

fn words(option: &str, command: &str) -> Result<Vec<OsString>, String> {
    if command.trim().is_empty() {
        return Err(format!("{option} names no command"));
    }
    let words = CommandWords::parse(command).map_err(|why| format!("{option}: {why}"))?;
    Ok(named_from_here(words.0))
}

fn named_by_path(words: &CommandWords) -> bool {
    words.0.first().is_some_and(|program| Path::new(program).components().count() > 1)
}

fn content(folder: &Path) -> Result<FileDigests, String> {
    let every = protect_globs(&["**".to_owned()])?;
    Protection::digests(&every, folder).map_err(|error| error.to_string())
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A command whose program, where it is named by a path, is named by the whole of it.
pub(super) fn named_from_here(mut command: Vec<OsString>) -> Vec<OsString> {
    if let Some(program) = command.first_mut()
        && Path::new(program).components().count() > 1
        && let Ok(absolute) = std::path::absolute(&*program)
    {
        *program = absolute.into();
    }
    command
}

pub(super) fn variable(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|_| format!("the environment variable {name} is not set"))
}
