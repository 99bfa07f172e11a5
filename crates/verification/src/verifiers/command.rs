//! A command whose exit says whether the work is done.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::process::{self, Boundary, Ended, Limited};
use crate::snapshot::Snapshot;
use crate::verifier::{Verifier, VerifierError, VerifierInput, VerifierVerdict};

/// A test suite: a command that ends with 0 when the work is done, run in a copy of the workspace that is gone
/// afterwards, so that nobody else sees what it writes. What the evaluator says is not looked at. One that
/// somebody else ended (by a signal that is no fault of its own, as where memory is short) says nothing of the work.
#[derive(Clone, Debug)]
pub struct TestSuite {
    /// The program and its arguments. No shell reads them.
    pub command: Vec<OsString>,
    /// Where it runs; in the workspace where nothing is said, and relative to it.
    pub folder: Option<PathBuf>,
    /// How long it may take.
    pub time_limit: Duration,
    /// How much of the end of its output a reason holds, in bytes.
    pub tail: usize,
    /// What it can reach beside the copy; everything that this process's user can where there is none.
    pub boundary: Option<Boundary>,
}

impl TestSuite {
    /// A command with ten minutes' time and a reason of at most 2,000 bytes.
    #[must_use]
    pub fn new(command: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        let command = command.into_iter().map(Into::into).collect();
        Self { command, folder: None, time_limit: Duration::from_secs(600), tail: 2000, boundary: None }
    }
}

impl Verifier for TestSuite {
    async fn verify(&self, input: &VerifierInput) -> Result<VerifierVerdict, VerifierError> {
        let copy = match Snapshot::taken(&input.workspace).await {
            Ok(copy) => copy,
            Err(verdict) => return Ok(verdict),
        };
        let workspace = copy.as_ref().map(|copy| copy.path().to_owned()).unwrap_or_default();
        let folder = self.folder.as_ref().map_or_else(|| workspace.clone(), |folder| workspace.join(folder));
        let boundary = match &self.boundary {
            Some(boundary) => {
                let own =
                    boundary.another().map_err(|error| VerifierError::new(format!("no HOME can be made: {error}")))?;
                Some(own.writing(workspace))
            }
            None => None,
        };
        let limited = Limited { folder, time: self.time_limit, output: self.tail, boundary, ..Limited::default() };
        let ran = process::run(&self.command, &limited).await.map_err(VerifierError::new)?;
        let tail = ran.tail();
        Ok(match ran.ended {
            Ended::Code(0) => VerifierVerdict::Passed,
            Ended::Code(code) if process::is_not_started(code) => {
                let how = "by which a shell says that a command cannot be started";
                return Err(VerifierError::new(format!("the test suite ended with {code}, {how}:\n{tail}")));
            }
            Ended::Code(code) => match process::ended_from_outside(code) {
                Some(signal) => VerifierVerdict::Unverifiable {
                    reason: format!(
                        "the test suite ended with {code}: what it ran was ended by signal {signal}:\n{tail}"
                    ),
                },
                None => VerifierVerdict::Failed { reason: format!("the test suite ended with {code}:\n{tail}") },
            },
            Ended::Signal(signal) if !process::is_own_fault(signal) => VerifierVerdict::Unverifiable {
                reason: format!("the test suite was ended from outside, by signal {signal}:\n{tail}"),
            },
            Ended::Signal(signal) => {
                VerifierVerdict::Failed { reason: format!("the test suite was ended by signal {signal}:\n{tail}") }
            }
            Ended::TimedOut => VerifierVerdict::Unverifiable {
                reason: format!(
                    "the test suite took longer than {} s and was ended:\n{tail}",
                    self.time_limit.as_secs()
                ),
            },
        })
    }

    /// As many as there may be retries: it sets no bound of its own.
    fn max_iterations(&self) -> u32 {
        u32::MAX
    }
}
