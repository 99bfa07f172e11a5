//! Which parts are meant.

use std::path::PathBuf;

use candor_check::{Obstacle, PartType, Sandbox, Unverifiable};
use tempfile::TempDir;

/// The parts of these names, else all that the sandbox was opened with.
///
/// # Errors
/// The name that is not the name of a part.
pub(crate) fn chosen(sandbox: &Sandbox, named: Option<&[String]>) -> Result<Vec<PartType>, String> {
    let known = sandbox.parts();
    let Some(names) = named else { return Ok(known.to_vec()) };
    let find = |name: &String| {
        known.iter().find(|part| part.name() == name).copied().ok_or_else(|| {
            let all: Vec<&str> = known.iter().map(PartType::name).collect();
            format!("there is no part `{name}`; expected one of {}", all.join(", "))
        })
    };
    names.iter().map(find).collect()
}

/// True if a sandbox has a part: as a folder, as a server, or as recorded events.
///
/// # Errors
/// When it has it and it cannot be opened.
pub(crate) async fn is_there(sandbox: &Sandbox, part: PartType) -> Result<bool, Unverifiable> {
    match part.open(sandbox).await {
        Ok(_) => Ok(true),
        Err(why) if why.obstacle == Obstacle::NoSource && !sandbox.has(part.name()) => Ok(false),
        Err(why) => Err(why),
    }
}

/// A folder for what is recorded of a server, as long as `kept` is.
pub(crate) fn scratch(kept: &mut Option<TempDir>) -> Result<PathBuf, Unverifiable> {
    let folder = tempfile::tempdir().map_err(|error| {
        Unverifiable::new(Obstacle::SourceUnavailable, format!("no temporary folder can be made: {error}"))
    })?;
    Ok(kept.insert(folder).path().to_owned())
}
