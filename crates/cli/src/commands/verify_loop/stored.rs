//! A loop on disk: every attempt as it was judged, so that a loop that was interrupted goes on where it stood.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use candor_verification::{Attempt, AttemptOutcome, DelegateId, LoopRecord, VerifierId};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// What makes a loop this one and no other.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Begun {
    pub(super) task_id: String,
    pub(super) prompt: String,
    pub(super) verifier_id: VerifierId,
    pub(super) delegate_id: DelegateId,
    /// SHA-256 of everything that decides: the task, what looks beside it, what it may read, what it may say.
    pub(super) decided_by: String,
    /// What the delegate knows the loop by.
    pub(super) session: String,
}

impl Begun {
    pub(super) fn new(
        task_id: &str,
        prompt: &str,
        verifier: &VerifierId,
        delegate: &DelegateId,
        decided_by: &str,
    ) -> Self {
        Self {
            task_id: task_id.to_owned(),
            prompt: prompt.to_owned(),
            verifier_id: verifier.clone(),
            delegate_id: delegate.clone(),
            decided_by: decided_by.to_owned(),
            session: format!("ls_{}", uuid::Uuid::now_v7().simple()),
        }
    }
}

/// A folder that holds `loop.json`, `attempt-0.json` and so on, and `record.json` when the loop has ended.
pub(super) struct Stored {
    folder: PathBuf,
    begun: Begun,
}

impl Stored {
    /// Opens the folder of a loop, or begins one in it.
    pub(super) fn open(folder: &Path, begun: &Begun) -> Result<Self, String> {
        fs::create_dir_all(folder).map_err(|e| format!("{}: no record can be kept here: {e}", folder.display()))?;
        let file = folder.join("loop.json");
        let Some(earlier) = read::<Begun>(&file)? else {
            write(&file, begun)?;
            return Ok(Self { folder: folder.to_owned(), begun: read(&file)?.ok_or("loop.json is gone")? });
        };
        let names =
            |of: &Begun| (of.task_id.clone(), of.prompt.clone(), of.verifier_id.clone(), of.delegate_id.clone());
        if names(&earlier) == names(begun) && earlier.decided_by != begun.decided_by {
            return Err(format!(
                "{}: the record of a loop that something else decided: the criteria, the sandbox, a script, a hook, a \
                 test suite, an evaluator or `--disclose` is another; give --record another folder",
                file.display()
            ));
        }
        if names(&earlier) != names(begun) {
            return Err(format!(
                "{}: the record of another loop (task `{}`, verifier `{}`, delegate `{}`, or another prompt); give \
                 --record another folder",
                file.display(),
                earlier.task_id,
                earlier.verifier_id.0,
                earlier.delegate_id.0
            ));
        }
        Ok(Self { folder: folder.to_owned(), begun: earlier })
    }

    pub(super) fn session(&self) -> &str {
        &self.begun.session
    }

    fn attempt(&self, number: usize) -> PathBuf {
        self.folder.join(format!("attempt-{number}.json"))
    }

    /// The attempts that were judged, in order.
    pub(super) fn attempts(&self) -> Result<Vec<Attempt>, String> {
        let mut attempts = Vec::new();
        while let Some(attempt) = read::<Attempt>(&self.attempt(attempts.len()))? {
            if attempts.last().is_some_and(|before: &Attempt| before.outcome != AttemptOutcome::Failed) {
                let file = self.attempt(attempts.len());
                return Err(format!("{}: it stands behind an attempt that had not failed", file.display()));
            }
            if attempt.attempt as usize != attempts.len() {
                let file = self.attempt(attempts.len());
                return Err(format!("{}: it holds attempt {}", file.display(), attempt.attempt));
            }
            attempts.push(attempt);
        }
        Ok(attempts)
    }

    /// Keeps an attempt.
    pub(super) fn keep(&self, attempt: &Attempt) -> Result<(), String> {
        write(&self.attempt(attempt.attempt as usize), attempt)
    }

    /// Keeps the record of a loop that has ended.
    pub(super) fn ended(&self, record: &LoopRecord) -> Result<(), String> {
        write(&self.folder.join("record.json"), record)
    }
}

fn read<T: DeserializeOwned>(file: &Path) -> Result<Option<T>, String> {
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("{}: it cannot be read: {error}", file.display())),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|e| format!("{}: it is no record of a loop: {e}", file.display()))
}

/// Writes a file whole or not at all.
fn write(file: &Path, value: &impl Serialize) -> Result<(), String> {
    let written = || -> std::io::Result<()> {
        let mut bytes = serde_json::to_vec_pretty(value)?;
        bytes.push(b'\n');
        let unfinished = file.with_extension("json.tmp");
        let mut out = File::create(&unfinished)?;
        out.write_all(&bytes)?;
        out.sync_all()?;
        fs::rename(&unfinished, file)
    };
    written().map_err(|e| format!("{}: it cannot be written: {e}", file.display()))
}
