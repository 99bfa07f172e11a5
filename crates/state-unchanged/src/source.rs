//! Source of the comparison: the parts that the baseline has.

use candor_check::{Obstacle, PartType, Sandbox, Unverifiable};

/// The name that results give to the part of a check that reads every part.
pub(crate) const PART: &str = "baseline";

/// The sandbox from before the work.
///
/// # Errors
/// `no_source` if neither the caller nor `sandbox.toml` gave one.
pub(crate) fn baseline(sandbox: &Sandbox) -> Result<&Sandbox, Unverifiable> {
    sandbox.baseline().ok_or_else(|| {
        let details = "there is no baseline, the sandbox from before the work: give one with --baseline, or as `baseline` in \
                       sandbox.toml";
        Unverifiable::new(Obstacle::NoSource, details)
    })
}

/// The parts that the sandbox has and its baseline lacks.
pub(crate) async fn only_now(before: &Sandbox, now: &Sandbox) -> Vec<PartType> {
    let (of_before, of_now) = (there(before).await, there(now).await);
    of_now.into_iter().filter(|part| of_before.iter().all(|other| other.name() != part.name())).collect()
}

/// The parts that a sandbox has. One that cannot be opened is among them, and its comparison says why.
async fn there(sandbox: &Sandbox) -> Vec<PartType> {
    let mut parts = Vec::new();
    for part in sandbox.parts() {
        // A part may be there as recorded events, without a folder.
        let absent = |why: Unverifiable| why.obstacle == Obstacle::NoSource && !sandbox.has(part.name());
        if !part.open(sandbox).await.err().is_some_and(absent) {
            parts.push(*part);
        }
    }
    parts
}

/// The parts to compare: those that are named, else all that the baseline has.
///
/// # Errors
/// When a name is that of no part, or there is no part.
pub(crate) async fn parts(before: &Sandbox, named: Option<&[String]>) -> Result<Vec<PartType>, Unverifiable> {
    let known = before.parts();
    if let Some(names) = named {
        let find = |name: &String| {
            known.iter().find(|part| part.name() == name).copied().ok_or_else(|| {
                let all: Vec<&str> = known.iter().map(PartType::name).collect();
                let details = format!("there is no part `{name}` to compare; expected one of {}", all.join(", "));
                Unverifiable::new(Obstacle::NoSource, details)
            })
        };
        return names.iter().map(find).collect();
    }
    let parts = there(before).await;
    match parts.is_empty() {
        true => Err(Unverifiable::new(Obstacle::NoSource, "the baseline has no part that could be compared")),
        false => Ok(parts),
    }
}
