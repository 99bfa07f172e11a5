//! A loop on disk: a folder that holds every attempt, so that a loop that was interrupted continues where it ended.
//!
//! | file | holds |
//! | --- | --- |
//! | `loop.json` | the identity of the loop |
//! | `attempt-0.json` … | an attempt: `asked`, then `answered`, then its judgement |
//! | `record.json` | the record of a loop that has ended; it refers to the attempts |
//! | `lock` | the number of the process that holds the folder, while it does |
//!
//! Each file ends with the digest of its own content and the digest of the file before it.

mod disk;
mod read;
mod seal;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use candor_json::{Value, json};
use serde::{Deserialize, Serialize};

use self::disk::Lock;
use self::read::{Files, attempt_file, files};
use self::seal::sealed;
use crate::identity::{DelegateId, VerifierId};
use crate::keep::Keep;
use crate::protection::FileDigests;
use crate::record::{Attempt, LoopRecord};

/// The identity of a loop. A folder is only continued with the same task, prompt, parties and `decided_by`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// The task's id.
    pub task_id: String,
    /// The delegate's prompt on attempt 0.
    pub prompt: String,
    /// Who verifies.
    pub verifier_id: VerifierId,
    /// Who does the work.
    pub delegate_id: DelegateId,
    /// SHA-256 of everything that decides: the task, the other checks, what they may read, what a reason may disclose.
    pub decided_by: String,
    /// The session by which the delegate knows the loop.
    pub session: String,
    /// The protected files of the workspace before attempt 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protected: Option<FileDigests>,
}

impl Begun {
    /// A loop that begins now, with a session of its own.
    #[must_use]
    pub fn new(task_id: &str, prompt: &str, verifier: &VerifierId, delegate: &DelegateId, decided_by: &str) -> Self {
        Self {
            task_id: task_id.to_owned(),
            prompt: prompt.to_owned(),
            verifier_id: verifier.clone(),
            delegate_id: delegate.clone(),
            decided_by: decided_by.to_owned(),
            session: format!("ls_{}", uuid::Uuid::now_v7().simple()),
            protected: None,
        }
    }
}

/// The folder of a loop, held by this process alone.
#[derive(Debug)]
pub struct RecordFolder {
    folder: PathBuf,
    begun: Begun,
    earlier: Vec<Attempt>,
    state: Mutex<State>,
    _lock: Lock,
}

#[derive(Debug)]
struct State {
    /// The digest of `loop.json`, and of each attempt that is kept.
    digests: Vec<String>,
    /// An attempt that could not be kept, to be kept before anything else.
    unkept: Option<Attempt>,
    /// True if `record.json` belongs to an earlier end.
    is_ended: bool,
}

impl RecordFolder {
    /// Opens the folder of a loop, or begins one in it.
    ///
    /// # Errors
    /// When another process holds it, it is the folder of another loop, or a file in it was changed.
    pub fn open(folder: &Path, begun: &Begun) -> Result<Self, String> {
        fs::create_dir_all(folder).map_err(|e| format!("{}: no record can be kept here: {e}", folder.display()))?;
        let lock = Lock::take(folder)?;
        disk::remove_unfinished(folder);
        let Some(Files { begun: earlier, first, attempts, ended }) = files::<Begun>(folder)? else {
            let (bytes, digest) = sealed(begun, "")?;
            disk::write(&folder.join("loop.json"), &bytes)?;
            return Ok(Self::held(folder, begun.clone(), Vec::new(), vec![digest], false, lock));
        };
        is_same_loop(&folder.join("loop.json"), &earlier, begun)?;
        let (attempts, digests): (Vec<_>, Vec<_>) = attempts.into_iter().unzip();
        let digests = [vec![first], digests].concat();
        Ok(Self::held(folder, earlier, attempts, digests, ended.is_some(), lock))
    }

    fn held(
        folder: &Path,
        begun: Begun,
        earlier: Vec<Attempt>,
        digests: Vec<String>,
        is_ended: bool,
        lock: Lock,
    ) -> Self {
        let state = Mutex::new(State { digests, unkept: None, is_ended });
        Self { folder: folder.to_owned(), begun, earlier, state, _lock: lock }
    }

    /// Protected files of the workspace, as they were before attempt 0.
    #[must_use]
    pub fn protected(&self) -> Option<&FileDigests> {
        self.begun.protected.as_ref()
    }

    /// The session by which the delegate knows the loop.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.begun.session
    }

    /// The attempts that were kept before, in order.
    #[must_use]
    pub fn attempts(&self) -> Vec<Attempt> {
        self.earlier.clone()
    }

    /// Keeps the record of a loop that has ended, and what could not be kept before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn ended(&self, record: &LoopRecord) -> Result<(), String> {
        let mut state = self.state();
        self.kept_before(&mut state)?;
        let value = candor_json::to_value(record).map_err(|error| error.to_string())?;
        let value = referring(value, state.digests.get(1..).unwrap_or_default());
        let (bytes, _) = sealed(&value, state.digests.last().map(String::as_str).unwrap_or_default())?;
        disk::write(&self.folder.join("record.json"), &bytes)?;
        state.is_ended = true;
        Ok(())
    }

    /// Keeps what could not be kept before, for a loop that ends without a record.
    ///
    /// # Errors
    /// When it still cannot be written.
    pub fn settle(&self) -> Result<(), String> {
        self.kept_before(&mut self.state())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept_before(&self, state: &mut State) -> Result<(), String> {
        match state.unkept.take() {
            Some(unkept) => self.written(state, &unkept),
            None => Ok(()),
        }
    }

    /// Writes an attempt; one that cannot be written is kept for later.
    fn written(&self, state: &mut State, attempt: &Attempt) -> Result<(), String> {
        let number = attempt.attempt as usize;
        let write = |state: &mut State| {
            if std::mem::take(&mut state.is_ended) {
                // It refers to attempts that are no longer the last ones.
                disk::remove(&self.folder.join("record.json"))?;
            }
            state.digests.truncate(number.saturating_add(1));
            let (bytes, digest) = sealed(attempt, state.digests.last().map(String::as_str).unwrap_or_default())?;
            disk::write(&attempt_file(&self.folder, number), &bytes)?;
            state.digests.push(digest);
            Ok(())
        };
        let written = write(state);
        if written.is_err() {
            state.unkept = Some(attempt.clone());
        }
        written
    }
}

impl Keep for RecordFolder {
    fn keep(&self, attempt: &Attempt) -> Result<(), String> {
        let mut state = self.state();
        if state.unkept.as_ref().is_some_and(|unkept| unkept.attempt != attempt.attempt) {
            self.kept_before(&mut state)?;
        }
        state.unkept = None;
        self.written(&mut state, attempt)
    }

    fn forget(&self, attempt: u32) -> Result<(), String> {
        let mut state = self.state();
        state.digests.truncate((attempt as usize).saturating_add(1));
        state.unkept = state.unkept.take().filter(|unkept| unkept.attempt != attempt);
        disk::remove(&attempt_file(&self.folder, attempt as usize))
    }
}

fn is_same_loop(file: &Path, earlier: &Begun, begun: &Begun) -> Result<(), String> {
    let names = |of: &Begun| (of.task_id.clone(), of.prompt.clone(), of.verifier_id.clone(), of.delegate_id.clone());
    if names(earlier) != names(begun) {
        return Err(format!(
            "{}: the record of another loop (task `{}`, verifier `{}`, delegate `{}`, or another prompt); give --record \
             another folder",
            file.display(),
            earlier.task_id,
            earlier.verifier_id.0,
            earlier.delegate_id.0
        ));
    }
    if earlier.decided_by != begun.decided_by {
        return Err(format!(
            "{}: the record of a loop that something else decided: the criteria, the sandbox, a script, a hook, a test \
             suite, an evaluator, `--disclose` or `--no-isolation` is another; give --record another folder",
            file.display()
        ));
    }
    Ok(())
}

/// A record whose attempts, and whose result, are references to the files that hold them.
fn referring(mut record: Value, digests: &[String]) -> Value {
    let Some(members) = record.as_object_mut() else { return record };
    let name = |attempt: usize| format!("attempt-{attempt}.json");
    let last = digests.len().checked_sub(1);
    if let (Some(result @ Value::Object(_)), Some(last)) = (members.get_mut("result"), last) {
        *result = json!({ "file": name(last) });
    }
    let attempts = digests.iter().enumerate();
    let references = attempts.map(|(n, digest)| json!({"attempt": n, "file": name(n), "digest": digest}));
    members.insert("attempts".to_owned(), references.collect());
    record
}

/// The record of a loop that has ended, as `candor loop --format json` wrote it; `None` when it has not ended.
///
/// # Errors
/// A sentence that names the file that cannot be read, or was changed after it was written.
pub fn read_record(folder: &Path) -> Result<Option<Value>, String> {
    let Some(Files { attempts, ended: Some(mut record), .. }) = files::<Begun>(folder)? else { return Ok(None) };
    let Some(members) = record.as_object_mut() else { return Ok(Some(record)) };
    if members.shift_remove("digest").is_none() {
        // 0.1 wrote everything into this file.
        return Ok(Some(record));
    }
    members.shift_remove("previous");
    let last = attempts.last().map(|(attempt, _)| attempt.modified.as_ref().unwrap_or(&attempt.claim));
    if members.get("result").is_some_and(Value::is_object) {
        members.insert("result".to_owned(), json!(last));
    }
    members.insert("attempts".to_owned(), attempts.iter().map(|(attempt, _)| json!(attempt)).collect());
    Ok(Some(Value::Object(members.clone())))
}
