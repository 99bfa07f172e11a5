//! `candor diff`.

use std::path::{Path, PathBuf};

use candor::check::Sandbox;
use candor::inner::report::model::Stored;
use candor::inner::report::{Format, stored_result};

use super::{end, or_interrupt, runtime};
use crate::args::DiffArgs;
use crate::exit::Outcome;
use crate::output::OutputArgs;

pub(crate) fn run(args: &DiffArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let open = |path: &Path| Sandbox::open(path, candor::inner::checks::PARTS).map_err(|e| e.to_string());
    let (before, after) = (open(&args.before)?, open(&args.after)?);
    if let Some(path) = read_twice(args, &before, &after) {
        let path = path.display();
        return Err(format!(
            "{path}: both sides are read from this path, so no difference can show; name two sandboxes"
        ));
    }
    let before = before.with_work(after.work().clone());
    let runtime = runtime()?;
    let named = (!args.part.is_empty()).then_some(args.part.as_slice());
    let done = runtime.block_on(or_interrupt(candor_state::diff(&before, &after, named)));
    runtime.shutdown_background();
    let Some(diff) = done else { return Ok(end(after.work())) };
    let diff = diff?;
    let rendered = match output.format_to_read() {
        Format::Text => diff.told(),
        Format::Json => format!("{:#}\n", diff.to_value()),
        Format::Ndjson => format!("{}\n", diff.to_value()),
        format => {
            let stored = Stored::of(diff.to_value()).map_err(|error| error.to_string())?;
            let rendered = stored_result(&stored, format, output.style())?;
            String::from_utf8(rendered).map_err(|error| error.to_string())?
        }
    };
    output.write_as(output.format_to_read(), rendered.as_bytes())?;
    Ok(match (diff.unread.is_empty(), diff.differences.is_empty()) {
        (false, _) => Outcome::Inconclusive,
        (true, true) => Outcome::Pass,
        (true, false) => Outcome::Findings,
    })
}

/// The path that both sides are read from: the sandbox itself, or the folder of a part.
fn read_twice(args: &DiffArgs, before: &Sandbox, after: &Sandbox) -> Option<PathBuf> {
    let is_same = |one: &Path, other: &Path| {
        let real = |path: &Path| {
            let path = path.canonicalize().ok()?;
            Some(match path.parent() {
                Some(folder) if path.ends_with("sandbox.toml") => folder.to_owned(),
                _ => path,
            })
        };
        real(one).is_some_and(|one| real(other) == Some(one))
    };
    if is_same(&args.before, &args.after) {
        return Some(args.after.clone());
    }
    let was = before.part_folders();
    let is_compared = |part: &str| args.part.is_empty() || args.part.iter().any(|named| named == part);
    let mut folders = after.part_folders().into_iter().filter(|(part, _)| is_compared(part));
    let twice = folders.find(|(part, folder)| was.iter().any(|(other, old)| other == part && is_same(old, folder)));
    twice.map(|(_, folder)| folder)
}
