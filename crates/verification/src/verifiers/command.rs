//! A command whose exit says whether the work is done.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::process::{self, Boundary, Ended, Limited};
use crate::protection::{Protection, guard};
use crate::snapshot::Snapshot;
use crate::verifier::{Verifier, VerifierError, VerifierInput, VerifierVerdict};

/// A test suite: a command that ends with 0 when the work is done. It runs in a copy of the workspace that is removed
/// afterwards, so that no other reader sees what it writes. It ignores the evaluator's claim. It runs the code that the
/// delegate left, so any failure is the delegate's doing, also a suite that exceeds its time or is ended by a signal.
/// Only a suite that cannot be started is broken.
#[derive(Clone, Debug)]
pub struct TestSuite {
    /// The program and its arguments. No shell reads them.
    pub command: Vec<OsString>,
    /// Where it runs, relative to the workspace; in the workspace by default.
    pub folder: Option<PathBuf>,
    /// How long it may take.
    pub time_limit: Duration,
    /// Files of the workspace that the delegate may not change.
    pub protection: Option<Protection>,
    /// A folder that is laid over the copy before it runs.
    pub overlay: Option<PathBuf>,
    /// How much of the end of its output a reason holds, in bytes, where the output names no error and no failed test.
    pub tail: usize,
    /// The boundary of the command: what it can reach in addition to the copy; without one, everything that this
    /// process's user can.
    pub boundary: Option<Boundary>,
}

/// How much of the end of its output is read for what it names.
const OUTPUT: usize = 1 << 20;

/// The end of a text, in that many bytes at most.
fn end_of(text: &str, most: usize) -> &str {
    let from = text.len().saturating_sub(most);
    let from = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text.get(from..).unwrap_or_default()
}

impl TestSuite {
    /// A command with ten minutes' time and a reason of at most 2,000 bytes.
    #[must_use]
    pub fn new(command: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        let command = command.into_iter().map(Into::into).collect();
        Self {
            command,
            folder: None,
            time_limit: Duration::from_secs(600),
            protection: None,
            overlay: None,
            tail: 2000,
            boundary: None,
        }
    }
}

impl TestSuite {
    /// Removes caches that were not there before attempt 0 from the copy, and lays the overlay over it; the verdict where a protected file was
    /// changed.
    fn laid(&self, copy: &Path) -> Result<Result<(), VerifierVerdict>, VerifierError> {
        let guard = guard(self.protection.as_ref(), self.overlay.as_deref(), copy)
            .map_err(|error| VerifierError::new(format!("the workspace cannot be read: {error}")))?;
        if !guard.changes.is_empty() {
            let reason = format!("the test suite was not run, because {}", guard.changes.join(", "));
            return Ok(Err(VerifierVerdict::Failed { reason }));
        }
        for cache in &guard.caches {
            std::fs::remove_file(copy.join(cache))
                .map_err(|error| VerifierError::new(format!("{}: it cannot be removed: {error}", cache.display())))?;
        }
        process::renew(copy, &guard.renewed)
            .map_err(|error| VerifierError::new(format!("the times of the copy cannot be set: {error}")))?;
        if let Some(overlay) = &guard.overlay {
            process::lay_over(overlay, copy).map_err(|error| {
                VerifierError::new(format!("the overlay {} cannot be laid over: {error:?}", overlay.display()))
            })?;
        }
        Ok(Ok(()))
    }
}

impl Verifier for TestSuite {
    async fn verify(&self, input: &VerifierInput) -> Result<VerifierVerdict, VerifierError> {
        let copy = match Snapshot::taken(&input.workspace).await {
            Ok(copy) => copy,
            Err(verdict) => return Ok(verdict),
        };
        let workspace = copy.as_ref().map(|copy| copy.path().to_owned()).unwrap_or_default();
        if let Err(why) = self.laid(&workspace)? {
            return Ok(why);
        }
        let folder = self.folder.as_ref().map_or_else(|| workspace.clone(), |folder| workspace.join(folder));
        if let Some(named) = self.folder.as_ref().filter(|_| copy.is_some()) {
            let real = folder.canonicalize().ok().zip(workspace.canonicalize().ok());
            if !real.is_some_and(|(real, workspace)| real.is_dir() && real.starts_with(workspace)) {
                let reason =
                    format!("the test suite was not run, because the workspace has no folder {}", named.display());
                return Ok(VerifierVerdict::Failed { reason });
            }
        }
        let boundary = match &self.boundary {
            Some(boundary) => {
                let own =
                    boundary.another().map_err(|error| VerifierError::new(format!("no HOME can be made: {error}")))?;
                Some(own.writing(&workspace))
            }
            None => None,
        };
        let output = OUTPUT.max(self.tail);
        let limited = Limited { folder, time: self.time_limit, output, boundary, ..Limited::default() };
        let runs_file = process::runs_file_of(&self.command, &limited.folder);
        let ran = process::run(&self.command, &limited).await.map_err(VerifierError::new)?;
        // The copy's place says nothing, and the delegate knows its own.
        let place = copy.as_ref().map(|copy| format!("{}/", copy.path().display())).unwrap_or_default();
        let tail = ran.named().unwrap_or_else(|| end_of(&ran.tail(), self.tail).to_owned());
        let tail = if place.is_empty() { tail } else { tail.replace(&place, "") };
        let failed = |how: String| VerifierVerdict::Failed {
            reason: match tail.as_str() {
                "" => format!("the test suite {how}"),
                tail => format!("the test suite {how}:\n{tail}"),
            },
        };
        Ok(match ran.ended {
            Ended::Code(0) => VerifierVerdict::Passed,
            Ended::Code(code) if process::is_not_started(code) && !runs_file => {
                let how = "by which a shell says that a command cannot be started";
                return Err(VerifierError::new(format!("the test suite ended with {code}, {how}:\n{tail}")));
            }
            Ended::Code(code) => failed(match process::ended_from_outside(code) {
                Some(signal) => format!("ended with {code}: what it ran was ended by {}", process::signal_name(signal)),
                None => format!("ended with {code}"),
            }),
            Ended::Signal(signal) => failed(format!("was ended by {}", process::signal_name(signal))),
            Ended::TimedOut => failed(format!("did not end within {} s, and was ended", self.time_limit.as_secs_f32())),
        })
    }

    /// As many as there may be retries: it sets no bound of its own.
    fn max_iterations(&self) -> u32 {
        u32::MAX
    }
}
