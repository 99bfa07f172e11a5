//! `candor diff`.

use std::path::{Path, PathBuf};

use candor::check::Sandbox;
use candor::inner::report::model::Stored;
use candor::inner::report::{Format, json, stored_result};

use super::{end, or_interrupt, runtime};
use crate::args::DiffArgs;
use crate::exit::Outcome;
use crate::output::OutputArgs;

pub(crate) fn run(args: &DiffArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let open = |path: &Path| Sandbox::open(path, candor::inner::checks::PARTS).map_err(|e| e.to_string());
    let (before, after) = (open(&args.before)?, open(&args.after)?);
    if let Some(path) = read_twice(args, &before, &after) {
        return Err(no_difference_shows(&path));
    }
    let before = before.with_work(after.work().clone());
    let runtime = runtime()?;
    let named = (!args.part.is_empty()).then_some(args.part.as_slice());
    let done = runtime.block_on(or_interrupt(candor_state::diff(&before, &after, named)));
    runtime.shutdown_background();
    let Some(diff) = done else { return Ok(end(after.work())) };
    let diff = diff?;
    let rendered = match output.format_to_read() {
        Format::Text => diff.told().into_bytes(),
        Format::Json => json::document(&diff.to_value()),
        Format::Ndjson => json::line(&diff.to_value()),
        format => {
            let stored = Stored::of(diff.to_value()).map_err(|error| error.to_string())?;
            stored_result(&stored, format, output.style())?
        }
    };
    output.write_as(output.format_to_read(), &rendered)?;
    Ok(match (diff.unread.is_empty(), diff.differences.is_empty()) {
        (false, _) => Outcome::Inconclusive,
        (true, true) => Outcome::Pass,
        (true, false) => Outcome::Findings,
    })
}

/// The path that both sides are read from: the sandbox itself, or the folder of a part.
fn read_twice(args: &DiffArgs, before: &Sandbox, after: &Sandbox) -> Option<PathBuf> {
    if is_same(&args.before, &args.after) {
        return Some(args.after.clone());
    }
    let is_compared = |part: &str| args.part.is_empty() || args.part.iter().any(|named| named == part);
    let (was, is) = (before.part_folders(), after.part_folders());
    let twice = is.into_iter().find(|one| is_compared(one.0) && is_among(one, &was));
    twice.map(|(_, folder)| folder)
}

/// Refuses a baseline that is the sandbox itself, by its path or by those of all its parts.
///
/// # Errors
/// A sentence that names the sandbox.
pub(super) fn refuse_itself(place: &Path, baseline: Option<&Path>, sandbox: &Sandbox) -> Result<(), String> {
    let was = sandbox.baseline().map(Sandbox::part_folders).unwrap_or_default();
    let is = sandbox.part_folders();
    let is_live = sandbox.parts().iter().any(|part| sandbox.is_live(part.name()));
    let is_all = !is_live && !is.is_empty() && is.iter().all(|one| is_among(one, &was));
    match is_all || baseline.is_some_and(|before| is_same(before, place)) {
        true => Err(no_difference_shows(place)),
        false => Ok(()),
    }
}

fn no_difference_shows(path: &Path) -> String {
    let path = path.display();
    format!("{path}: both sides are read from this path, so no difference can show; name two sandboxes")
}

fn is_among((part, folder): &(&str, PathBuf), others: &[(&str, PathBuf)]) -> bool {
    others.iter().any(|(other, old)| other == part && is_same(old, folder))
}

/// Returns `true` if both paths lead to one folder; a description is at the folder that it lies in.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| {
        let path = path.canonicalize().ok()?;
        Some(match path.parent() {
            Some(folder) if path.ends_with("sandbox.toml") => folder.to_owned(),
            _ => path,
        })
    };
    real(one).is_some_and(|one| real(other) == Some(one))
}
