//! Who looks at an attempt: the task's criteria, and what the command line names beside them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candor_check::feature::missing_feature;
use candor_engine::{Engine, Task};
use candor_verification::delegates::CommandPerAttempt;
use candor_verification::process::{Boundary, Limited};
use candor_verification::script::{self, Grants, HookFile, Origin, Runner};
use candor_verification::verifiers::{
    Composite, Criteria, Evaluated, EvaluatorResponse, FAIL_PATTERN, PASS_PATTERN, Script, TestSuite, evaluator_prompt,
};
use candor_verification::{DelegateId, Disclose, DynVerifier, PostVerifyHook, VerifierError, independent};
use clap::Args as ClapArgs;

/// What looks beside the task's criteria. All of it must pass.
#[derive(Debug, ClapArgs)]
pub(crate) struct VerifierArgs {
    /// A Starlark program that defines `run(result)` and says whether the work is done
    #[arg(long, value_name = "FILE")]
    script: Vec<PathBuf>,
    /// A command that ends with 0 when the work is done, run in a copy of the workspace; split at white space, no shell
    /// reads it
    #[arg(long, value_name = "COMMAND")]
    test_suite: Vec<String>,
    /// A command that looks at a read-only copy of the workspace and answers with a line `PASS`, or `FAIL: ` and why; split
    /// at white space, no shell reads it. It is told the task, in a session of its own for every attempt
    #[arg(long, value_name = "COMMAND")]
    evaluator: Option<String>,
    /// What matches an evaluator's answer that passes; what matches neither pattern fails
    #[arg(long, value_name = "REGEX", default_value = PASS_PATTERN, requires = "evaluator")]
    pass_pattern: String,
    /// What matches an evaluator's answer that fails, and captures the reason
    #[arg(long, value_name = "REGEX", default_value = FAIL_PATTERN, requires = "evaluator")]
    fail_pattern: String,
    /// A Starlark program that may block or change a result after the verifiers
    #[arg(long, value_name = "FILE")]
    hook: Vec<PathBuf>,
    /// A folder of such programs
    #[arg(long, value_name = "FOLDER")]
    hooks: Vec<PathBuf>,
    /// A server that scripts and hooks may ask: http://host:port
    #[arg(long, value_name = "ORIGIN")]
    allow_http: Vec<Origin>,
    /// A file or folder that scripts and hooks may read, beside the workspace
    #[arg(long, value_name = "PATH")]
    allow_read: Vec<PathBuf>,
    /// An environment variable that scripts and hooks may read
    #[arg(long, value_name = "NAME")]
    allow_env: Vec<String>,
}

/// Who is looked at, for whoever must be somebody else.
pub(super) struct Looked<'a> {
    pub(super) delegate: &'a DelegateId,
    /// What it is run as, where it is a command.
    pub(super) command: &'a [OsString],
    /// What the delegate is told.
    pub(super) prompt: &'a str,
    /// The folder it works in, and what it is limited to: an evaluator has the same limits.
    pub(super) limited: &'a Limited,
    /// What commands can reach beside the copy that they run in.
    pub(super) commands: Option<&'a Boundary>,
}

/// What looks, read and ready.
pub(super) struct Looking {
    pub(super) verifier: Box<dyn DynVerifier>,
    pub(super) hooks: Vec<Box<dyn PostVerifyHook>>,
}

impl VerifierArgs {
    /// Everything that looks, in this order: criteria, scripts, test suites, an evaluator; then hooks by priority and
    /// name. Files are read now, so that a delegate that could change them changes nothing.
    pub(super) fn open(
        &self,
        engine: Engine,
        task: &Arc<Task>,
        sandbox: &Path,
        looked: &Looked<'_>,
        disclose: Disclose,
    ) -> Result<Looking, String> {
        let runner = self.runner()?;
        let broken = |error: VerifierError| error.message;
        let mut children: Vec<(String, Box<dyn DynVerifier>)> = Vec::new();
        let beside = self.script.len() + self.test_suite.len() + usize::from(self.evaluator.is_some());
        // Criteria that there are none of decide nothing; where nothing else looks, that is what is said of them.
        if !task.criteria.is_empty() || beside == 0 {
            let plan = engine.plan(Arc::clone(task));
            let criteria = Criteria::new(engine, plan, sandbox, disclose);
            children.push(("criteria".to_owned(), Box::new(criteria)));
        }
        for file in &self.script {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            children.push((name, Box::new(Script::read(file, runner.clone()).map_err(broken)?)));
        }
        for command in &self.test_suite {
            let words = words("--test-suite", command)?;
            children.push((
                format!("test suite `{command}`"),
                Box::new(TestSuite { boundary: looked.commands.cloned(), ..TestSuite::new(words) }),
            ));
        }
        if let Some(command) = &self.evaluator {
            children.push(("evaluator".to_owned(), self.evaluated(command, looked)?));
        }
        let mut hooks = Vec::new();
        for file in &self.hook {
            hooks.push(HookFile::read(file, runner.clone()).map_err(broken)?);
        }
        for folder in &self.hooks {
            hooks.extend(HookFile::read_all(folder, &runner).map_err(broken)?);
        }
        HookFile::ordered(&mut hooks);
        let verifier = match children.pop() {
            Some((_, alone)) if children.is_empty() && beside == 0 => alone,
            last => {
                children.extend(last);
                Box::new(Composite::new(children).disclosing(disclose))
            }
        };
        Ok(Looking {
            verifier,
            hooks: hooks.into_iter().map(|hook| Box::new(hook) as Box<dyn PostVerifyHook>).collect(),
        })
    }

    fn evaluated(&self, command: &str, looked: &Looked<'_>) -> Result<Box<dyn DynVerifier>, String> {
        let (words, limited) = (words("--evaluator", command)?, looked.limited.clone());
        if words == looked.command {
            return Err("the evaluator is the delegate itself; nobody evaluates their own work".to_owned());
        }
        let program = words.first().map(Path::new).and_then(Path::file_name).unwrap_or_default();
        let id = DelegateId(format!("evaluator/{}", program.to_string_lossy()));
        let response = EvaluatorResponse::new(&self.pass_pattern, &self.fail_pattern).map_err(|error| error.message)?;
        let make = {
            let (id, commands) = (id.clone(), looked.commands.cloned());
            move |copy: &Path| {
                // Read-only, whatever the modes of its files let it change.
                let boundary = commands.as_ref().and_then(|own| own.another().ok()).map(|own| own.reading(copy));
                // A folder that could not be made is an outage and no reason to go without a boundary.
                let boundary = boundary.or_else(|| commands.clone());
                let limited = Limited { folder: copy.to_owned(), boundary, ..limited.clone() };
                CommandPerAttempt::new(id.clone(), words.clone(), limited)
            }
        };
        let evaluated = Evaluated::new(&id, looked.delegate, make, evaluator_prompt(looked.prompt), response);
        Ok(Box::new(evaluated.map_err(|error| error.to_string())?))
    }

    /// The files of scripts and hooks.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = [&self.script, &self.hook, &self.hooks].into_iter().flatten().cloned().collect();
        for folder in &self.hooks {
            // A hook may be a link to elsewhere.
            files.extend(fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        files
    }

    /// Refuses grants by which a delegate could write what judges it: a loop that goes on later would read it again.
    /// `more` is what else decides, and a record that is gone on from.
    pub(super) fn independent(&self, granted: &[PathBuf], more: &[&Path]) -> Result<(), String> {
        let mut files = self.files();
        let commands = self.test_suite.iter().chain(&self.evaluator);
        let named = commands.flat_map(|command| command.split_whitespace()).map(PathBuf::from);
        files.extend(named.filter(|path| path.components().count() > 1 && path.exists()));
        files.extend(more.iter().map(|path| path.to_path_buf()));
        independent(granted, &files).map_err(|error| {
            format!(
                "the delegate may write to {}, where what judges it is read from ({}); give it a workspace beside it",
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
                &self.allow_http,
                &self.allow_read,
                &self.allow_env
            )
        ));
        all
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

/// A command as it stands behind an option.
fn words(option: &str, command: &str) -> Result<Vec<OsString>, String> {
    if command.trim().is_empty() {
        return Err(format!("{option} names no command"));
    }
    Ok(named_from_here(command.split_whitespace().map(OsString::from).collect()))
}

pub(super) fn sha256(bytes: &[u8]) -> String {
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
