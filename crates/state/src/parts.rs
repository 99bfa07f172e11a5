//! Which parts are meant.

use candor_check::{Obstacle, PartType, Sandbox, Unverifiable};

/// The parts of these names, else all that the sandbox was opened with.
///
/// # Errors
/// The name that is none of a part.
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

/// Whether a sandbox has a part: as a folder, as a server, or as recorded events.
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
