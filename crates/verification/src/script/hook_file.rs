//! A post-verify hook in a file.

use std::path::Path;

use super::front_matter::FrontMatter;
use super::protocol::{Claimed, Task};
use super::runner::Runner;
use super::{answer, source};
use crate::hook::{Handling, HookAnswer, HookPayload, POST_VERIFY, PostVerifyHook};
use crate::verifier::{VerifierError, VerifierVerdict};

/// A Starlark program with a front matter ([`FrontMatter`]) that defines `handle(event, payload)`.
pub struct HookFile {
    name: String,
    path: String,
    priority: i64,
    program: String,
    indent: usize,
    runner: Runner,
}

impl HookFile {
    /// Reads a hook.
    ///
    /// # Errors
    /// When the file cannot be read, or its front matter is wrong.
    pub fn read(path: &Path, runner: Runner) -> Result<Self, VerifierError> {
        let text = source::read(path)?;
        let (front, program) = FrontMatter::parse(&text)
            .map_err(|(line, why)| VerifierError::new(format!("{}:{line}: {why}", path.display())))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = path.display().to_string();
        Ok(Self { name, path, priority: front.priority, program: program.text, indent: program.indent, runner })
    }

    /// Reads all hooks of a folder: its files whose names end in `.star` or `.md`. Files whose names begin with a dot are let be.
    ///
    /// # Errors
    /// When the folder holds no hook, or something else than hooks: a hook that is left out by a wrong name would block
    /// nothing.
    pub fn read_all(folder: &Path, runner: &Runner) -> Result<Vec<Self>, VerifierError> {
        let wrong = |why: String| VerifierError::new(format!("{}: {why}", folder.display()));
        let unreadable = |error: std::io::Error| wrong(format!("it cannot be read: {error}"));
        let mut hooks = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with('.') {
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "star" && extension != "md") {
                return Err(wrong(format!("`{name}` is not a hook: a hook's name ends in .star or .md")));
            }
            hooks.push(Self::read(&path, runner.clone())?);
        }
        match hooks.is_empty() {
            true => Err(wrong("it holds no hook".to_owned())),
            false => Ok(hooks),
        }
    }

    /// Brings hooks into their order: by priority, then by file name.
    pub fn ordered(hooks: &mut [Self]) {
        hooks.sort_by(|a, b| (a.priority, &a.name, &a.path).cmp(&(b.priority, &b.name, &b.path)));
    }

    async fn answered(&self, payload: &HookPayload) -> Result<HookAnswer, VerifierError> {
        let broken = |why: String| VerifierError::new(format!("{}: {why}", self.path));
        let (outcome, reason) = match &payload.verdict {
            VerifierVerdict::Passed => ("passed", None),
            VerifierVerdict::Failed { reason } => ("failed", Some(reason.clone())),
            VerifierVerdict::Unverifiable { reason } => ("unverifiable", Some(reason.clone())),
        };
        let task = Task::Handle {
            event: POST_VERIFY.to_owned(),
            result: Claimed::of(&payload.result).map_err(|error| broken(error.to_string()))?,
            outcome: outcome.to_owned(),
            reason,
            iteration: payload.iteration,
            indent: self.indent,
        };
        let returned = self.runner.call(&self.path, &self.program, &payload.workspace, task).await?;
        answer::action(returned, &payload.result).map_err(broken)
    }
}

impl PostVerifyHook for HookFile {
    fn name(&self) -> &str {
        &self.name
    }

    fn priority(&self) -> i64 {
        self.priority
    }

    fn handle<'a>(&'a self, payload: &'a HookPayload) -> Handling<'a> {
        Box::pin(self.answered(payload))
    }
}
