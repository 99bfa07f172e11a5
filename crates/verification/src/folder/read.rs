//! Reads what a loop left in its folder, and names a file that was changed since.

use std::path::{Path, PathBuf};

use candor_json::Value;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::disk;
use super::seal::{Seal, seal, sha256};
use crate::record::{Attempt, AttemptOutcome};

pub(super) struct Files<B> {
    pub(super) begun: B,
    /// The digest of `loop.json`.
    pub(super) first: String,
    pub(super) attempts: Vec<(Attempt, String)>,
    /// `record.json`, if the loop has ended.
    pub(super) ended: Option<Value>,
}

/// An attempt as `record.json` refers to it.
#[derive(Deserialize)]
struct Reference {
    file: Option<String>,
    digest: Option<String>,
}

pub(super) fn attempt_file(folder: &Path, attempt: usize) -> PathBuf {
    folder.join(format!("attempt-{attempt}.json"))
}

/// Everything in a folder; `None` when no loop has begun there.
///
/// # Errors
/// A sentence that names the file that cannot be read, was changed, or does not belong to the others.
pub(super) fn files<B: DeserializeOwned>(folder: &Path) -> Result<Option<Files<B>>, String> {
    let Some(first) = Read::<B>::of(&folder.join("loop.json"))? else { return Ok(None) };
    let is_sealed = first.is_sealed;
    let mut before = (folder.join("loop.json"), first.digest.clone());
    let mut attempts: Vec<(Attempt, String)> = Vec::new();
    loop {
        let file = attempt_file(folder, attempts.len());
        let Some(read) = Read::<Attempt>::of(&file)? else { break };
        let wrong = |what: String| Err(format!("{}: {what}", file.display()));
        let attempt = read.value;
        if attempts.last().is_some_and(|(before, _)| before.outcome != AttemptOutcome::Failed) {
            return wrong("it follows an attempt that had not failed".to_owned());
        }
        if attempt.attempt as usize != attempts.len() {
            return wrong(format!("it holds attempt {}", attempt.attempt));
        }
        if is_sealed && !read.is_sealed {
            return wrong("it was changed after it was written: it has lost its digest".to_owned());
        }
        if read.previous.as_ref().is_some_and(|previous| *previous != before.1) {
            return wrong(format!("it does not follow {}: one of the two was changed", before.0.display()));
        }
        before = (file, read.digest.clone());
        attempts.push((attempt, read.digest));
    }
    let later = std::fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| number(&entry.path()));
    if let Some(later) = later.filter(|number| *number > attempts.len()).min() {
        let (gone, there) = (attempt_file(folder, attempts.len()), attempt_file(folder, later));
        return Err(format!("{}: it is gone, but {} is there", gone.display(), there.display()));
    }
    let ended = folder.join("record.json");
    let ended = match Read::<Value>::of(&ended)? {
        None => None,
        Some(read) if is_sealed && !read.is_sealed => {
            return Err(format!("{}: it was changed after it was written: it has lost its digest", ended.display()));
        }
        Some(read) => {
            refers(&ended, &read.value, &attempts)?;
            Some(read.value)
        }
    };
    Ok(Some(Files { begun: first.value, first: first.digest, attempts, ended }))
}

fn number(file: &Path) -> Option<usize> {
    file.file_name()?.to_str()?.strip_prefix("attempt-")?.strip_suffix(".json")?.parse().ok()
}

/// Holds the attempts that `record.json` refers to against those that are there.
fn refers(file: &Path, record: &Value, attempts: &[(Attempt, String)]) -> Result<(), String> {
    let references = record.get("attempts").cloned().unwrap_or_default();
    let references: Vec<Reference> = candor_json::from_value(references)
        .map_err(|error| format!("{}: it is not a record of a loop: {error}", file.display()))?;
    // Records of 0.1 repeat their attempts.
    if references.iter().any(|reference| reference.file.is_none()) {
        return Ok(());
    }
    let same = |(reference, (_, digest)): (&Reference, &(Attempt, String))| reference.digest.as_ref() == Some(digest);
    match references.len() == attempts.len() && references.iter().zip(attempts).all(same) {
        true => Ok(()),
        false => Err(format!(
            "{}: it refers to other attempts than those that are there: an attempt was changed or removed",
            file.display()
        )),
    }
}

struct Read<T> {
    value: T,
    /// The digest of the seal; of a file without one the digest of all of it.
    digest: String,
    previous: Option<String>,
    is_sealed: bool,
}

impl<T: DeserializeOwned> Read<T> {
    fn of(file: &Path) -> Result<Option<Self>, String> {
        let Some(bytes) = disk::read(file)? else { return Ok(None) };
        let (digest, previous, is_sealed) = match seal(&bytes) {
            Seal::Whole { digest, previous } => (digest, Some(previous), true),
            Seal::None => (sha256(&bytes), None, false),
            Seal::Broken => {
                return Err(format!(
                    "{}: it was changed after it was written: its digest does not match its content",
                    file.display()
                ));
            }
        };
        let value = candor_json::from_slice(&bytes)
            .map_err(|error| format!("{}: it is not a record of a loop: {error}", file.display()))?;
        Ok(Some(Self { value, digest, previous, is_sealed }))
    }
}
