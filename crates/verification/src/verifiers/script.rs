//! A Starlark program that says whether the work is done.

use std::path::Path;

use candor_json::value::to_raw_value;
use candor_json::{Map, Value};

use crate::script::{self, Claimed, Runner, Task};
use crate::verifier::{Verifier, VerifierError, VerifierInput, VerifierVerdict};

/// A program that defines `run(result)` and returns `json.encode({"verified": bool, "reason": str})` or a bare bool.
/// Whatever else it does is a broken verifier: it does not compile, fails, returns something else, or takes more than
/// its limits.
#[derive(Clone, Debug)]
pub struct Script {
    name: String,
    program: String,
    args: Map<String, Value>,
    runner: Runner,
}

impl Script {
    /// Reads a program and keeps its text: a later change of the file has no effect.
    ///
    /// # Errors
    /// When it cannot be read, is larger than [`script::MOST_SOURCE`], or is not UTF-8.
    pub fn read(path: &Path, runner: Runner) -> Result<Self, VerifierError> {
        Ok(Self { name: path.display().to_string(), program: script::read(path)?, args: Map::new(), runner })
    }

    /// A program by its text; its errors are reported with the name.
    #[must_use]
    pub fn new(name: impl Into<String>, program: impl Into<String>, runner: Runner) -> Self {
        Self { name: name.into(), program: program.into(), args: Map::new(), runner }
    }

    /// With values that the program finds in `args`, which is empty by default.
    #[must_use]
    pub fn with_args(mut self, args: Map<String, Value>) -> Self {
        self.args = args;
        self
    }
}

impl Verifier for Script {
    async fn verify(&self, input: &VerifierInput) -> Result<VerifierVerdict, VerifierError> {
        let broken = |why: String| VerifierError::new(format!("{}: {why}", self.name));
        let unwritten = |error: candor_json::Error| broken(error.to_string());
        let task = Task::Run {
            result: Claimed::of(&input.build_result).map_err(unwritten)?,
            eval_result: input.eval_result.as_ref().map(Claimed::of).transpose().map_err(unwritten)?,
            iteration: input.iteration,
            args: to_raw_value(&self.args).map_err(unwritten)?,
        };
        let returned = self.runner.call(&self.name, &self.program, &input.workspace, task).await?;
        script::verdict(returned).map_err(broken)
    }

    /// As many as there may be retries: it sets no bound of its own.
    fn max_iterations(&self) -> u32 {
        u32::MAX
    }
}
