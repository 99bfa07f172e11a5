//! Compares the parts, record by record.

use std::ops::ControlFlow;
use std::path::PathBuf;

use candor_check::difference::{Recording, differences};
use candor_check::{Obstacle, Sandbox, Unverifiable};

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
        for part in only_now(before, sandbox).await? {
            seen.parts.push(SeenPart::without_baseline(part.name()));
        }
    }
    for part in compared {
        let (mut of_before, mut of_now) = (None, None);
        let was = Recording::of(before, part, || scratch(&mut of_before))
            .await
            .map_err(|why| of_baseline(part.name(), why))?;
        let is = Recording::of(sandbox, part, || scratch(&mut of_now)).await?;
        let name = part.name();
        let compare = move || {
            let mut found = Vec::new();
            let compared = differences(name, was.part(), is.part(), &mut |difference| {
                found.push(difference);
                if found.len() > left { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            Ok((found, compared))
        };
        let (found, compared) = sandbox.asking("the comparison with the baseline", compare).await?;
        if found.len() > left {
            let details = format!("more than {MOST} records differ from the baseline");
            return Err(Unverifiable::new(Obstacle::LimitExceeded, details));
        }
        left -= found.len();
        seen.parts.push(SeenPart {
            part: name.to_owned(),
            records: compared.records,
            differences: found,
            unread_before: compared.before,
            unreadable: compared.after,
        });
    }
    Ok(seen)
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
