//! Compares the parts, record by record.

use std::ops::ControlFlow;
use std::path::PathBuf;

use candor_check::difference::{Recording, differences};
use candor_check::{Obstacle, PartType, Sandbox, Unverifiable};

use tempfile::TempDir;

use crate::seen::{Seen, SeenPart};
use crate::settings::Settings;
use crate::source::{baseline, only_now, parts};

/// The most differences that are held.
const MOST: usize = 100_000;

pub(crate) async fn observe(settings: &Settings, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
    let before = baseline(sandbox)?;
    let mut seen = Seen { parts: Vec::new() };
    let mut left = MOST;
    let compared = parts(before, settings.parts.as_deref()).await?;
    if settings.parts.is_none() {
        for part in only_now(before, sandbox).await {
            seen.parts.push(SeenPart::without_baseline(part.name()));
        }
    }
    let mut unread = None;
    for part in compared {
        match compare(before, sandbox, part, left).await {
            Ok(one) => {
                left -= one.differences.len();
                seen.parts.push(one);
            }
            Err(why) => {
                seen.parts.push(SeenPart::unread(part.name(), &why));
                unread = unread.or(Some(why));
            }
        }
    }
    // A change that was seen counts, whatever else could not be read.
    match unread.filter(|_| seen.parts.iter().all(|part| part.differences.is_empty())) {
        Some(why) => Err(why),
        None => Ok(seen),
    }
}

/// Compares one part, of which at most `most` records may differ.
async fn compare(before: &Sandbox, now: &Sandbox, part: PartType, most: usize) -> Result<SeenPart, Unverifiable> {
    let name = part.name();
    if folder(now, part).is_some_and(|is| folder(before, part) == Some(is)) {
        let details = format!(
            "the sandbox and its baseline read the part `{name}` from the same folder, so no difference can show; give the \
             baseline a folder of its own, or name the parts to compare in `parts`"
        );
        return Err(Unverifiable::new(Obstacle::NoSource, details));
    }
    let (mut of_before, mut of_now) = (None, None);
    let was = Recording::of(before, part, || scratch(&mut of_before)).await.map_err(|why| of_baseline(name, why))?;
    let is = Recording::of(now, part, || scratch(&mut of_now)).await?;
    let list = move || {
        let mut found = Vec::new();
        let compared = differences(name, was.part(), is.part(), &mut |difference| {
            found.push(difference);
            if found.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok((found, compared))
    };
    let (differences, compared) = now.asking("the comparison with the baseline", list).await?;
    if differences.len() > most {
        let details = format!("more than {MOST} records differ from the baseline");
        return Err(Unverifiable::new(Obstacle::LimitExceeded, details));
    }
    Ok(SeenPart {
        part: name.to_owned(),
        records: compared.records,
        differences,
        unread_before: compared.before,
        unreadable: compared.after,
    })
}

/// The folder of a part, if all that it holds is read from there.
fn folder(sandbox: &Sandbox, part: PartType) -> Option<PathBuf> {
    let folder = sandbox.folder(part.name()).filter(|folder| !folder.is_in_memory())?;
    folder.location()?.canonicalize().ok()
}

/// A folder for what is recorded of a server, as long as `kept` is.
fn scratch(kept: &mut Option<TempDir>) -> Result<PathBuf, Unverifiable> {
    let folder = tempfile::tempdir().map_err(|error| {
        Unverifiable::new(Obstacle::SourceUnavailable, format!("no temporary folder can be made: {error}"))
    })?;
    Ok(kept.insert(folder).path().to_owned())
}

fn of_baseline(part: &str, why: Unverifiable) -> Unverifiable {
    // The sentence is about a sandbox, and this sandbox is the baseline.
    let details = why.details.replacen("the sandbox has no", "it has no", 1).replacen(
        "in sandbox.toml",
        "in its sandbox.toml",
        1,
    );
    Unverifiable { details: format!("the part `{part}` of the baseline: {details}"), ..why }
}
