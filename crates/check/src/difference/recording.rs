//! A part as something that can be listed twice: the source itself where it is a recording, or one made of it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::outcome::{Obstacle, Unverifiable};
use crate::records::Unreadable;
use crate::sandbox::{
    CAPTURE, Captured, CapturedPart, Gap, Gaps, OpenedPart, PartType, Recorded, Sandbox, keys_of_both,
};

/// A part that can be listed.
pub struct Recording(Arc<dyn OpenedPart>);

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recording").finish_non_exhaustive()
    }
}

impl Recording {
    /// The part of a sandbox. What can change while it is read is written into a folder first, and that is listed. `scratch`
    /// is asked for the folder only then; it must be empty, and stay until the recording is no longer used.
    ///
    /// # Errors
    /// When the part is not there, or cannot be read at all.
    pub async fn of(
        sandbox: &Sandbox,
        part: PartType,
        scratch: impl FnOnce() -> Result<PathBuf, Unverifiable>,
    ) -> Result<Self, Unverifiable> {
        let opened = part.open(sandbox).await?;
        if opened.is_listed() {
            return Ok(Self(opened));
        }
        let scratch = scratch()?;
        let captured = write_part(sandbox, part, &scratch, true).await?;
        let mut capture = Captured::new("");
        capture.parts.insert(part.name().to_owned(), captured);
        let text = candor_json::to_vec(&capture).unwrap_or_default();
        fs::write(scratch.join(CAPTURE), text).map_err(|error| not_written(CAPTURE, &error))?;
        let wrong = |error: crate::SandboxError| Unverifiable::new(Obstacle::SourceUnavailable, error.to_string());
        // Limits hold for the recording as for the source.
        fs::write(scratch.join("sandbox.toml"), sandbox.kept_settings())
            .map_err(|error| not_written("sandbox.toml", &error))?;
        let recorded = Sandbox::open(&scratch, sandbox.parts()).map_err(wrong)?;
        let part = part.open(&recorded.with_work(sandbox.work().clone())).await?;
        Ok(Self(part))
    }

    /// How many records there are, by collection, and what could not be read.
    ///
    /// # Errors
    /// When the part cannot be listed.
    pub fn count(&self) -> Result<(BTreeMap<String, u64>, Gaps), Unverifiable> {
        let mut counts = BTreeMap::new();
        let gaps = self.0.records(&mut |record| {
            *counts.entry(record.collection).or_insert(0) += 1;
            ControlFlow::Continue(())
        })?;
        Ok((counts, gaps))
    }

    /// By collection, the fields that tell its records apart, where there was a choice.
    ///
    /// # Errors
    /// When the part cannot be listed.
    pub fn keys(&self) -> Result<BTreeMap<String, Vec<String>>, Unverifiable> {
        self.0.keys().map(|keys| keys_of_both(BTreeMap::new(), keys))
    }

    /// The part, to be listed and read.
    #[must_use]
    pub fn part(&self) -> &dyn OpenedPart {
        &*self.0
    }
}

/// Writes a part of a sandbox below a folder, under the part's name, and says what was written. A folder is copied as it is,
/// unless it is to be `listable` and is not; any other source becomes files.
///
/// # Errors
/// When the part is not there, cannot be read at all, or cannot be written.
pub async fn write_part(
    sandbox: &Sandbox,
    part: PartType,
    into: &Path,
    listable: bool,
) -> Result<CapturedPart, Unverifiable> {
    let name = part.name();
    let below = into.join(name);
    fs::create_dir_all(&below).map_err(|error| not_written(name, &error))?;
    let opened = part.open(sandbox).await?;
    let as_it_is = sandbox.folder(name).filter(|_| !sandbox.is_live(name) && (opened.is_listed() || !listable));
    // What a capture of a capture does not hold it says again.
    let before = as_it_is.as_ref().and_then(|folder| folder.captured()).cloned().unwrap_or_default();
    let to = below.clone();
    let write = move || match as_it_is {
        Some(folder) => {
            let gaps = folder.copy_into(&to)?;
            Ok(Recorded { gaps, only: before.only, facts: before.facts })
        }
        None => opened.record(&to),
    };
    let broke =
        |error| Unverifiable::new(Obstacle::SourceUnavailable, format!("capturing {name} broke off: {error:?}"));
    let recorded: Recorded = sandbox.work().wait(write).await.map_err(broke)??;
    let files = sandbox.work().wait(move || hashes(&below)).await.map_err(broke)?;
    let files = files.map_err(|error| not_written(name, &error))?;
    Ok(CapturedPart {
        from: sandbox.section(name).text("url").ok().flatten().unwrap_or_else(|| format!("{name}/")),
        records: BTreeMap::new(),
        gaps: gaps(&recorded.gaps),
        only: recorded.only,
        facts: recorded.facts,
        keys: BTreeMap::new(),
        files: files.into_iter().map(|(path, hash)| (format!("{name}/{path}"), hash)).collect(),
    })
}

fn gaps(unreadable: &[Unreadable]) -> Vec<Gap> {
    let gap = |one: &Unreadable| Gap { place: one.place.locator.clone(), what: one.what.clone() };
    unreadable.iter().map(gap).collect()
}

fn not_written(what: &str, error: &std::io::Error) -> Unverifiable {
    Unverifiable::new(Obstacle::SourceUnavailable, format!("{what} cannot be written: {error}"))
}

/// SHA-256 of every file below a folder, by its path there.
fn hashes(root: &Path) -> std::io::Result<BTreeMap<String, String>> {
    let mut hashes = BTreeMap::new();
    let mut open = vec![(root.to_owned(), String::new())];
    while let Some((folder, path)) = open.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if path.is_empty() { name } else { format!("{path}/{name}") };
            if entry.file_type()?.is_dir() {
                open.push((entry.path(), path));
                continue;
            }
            hashes.insert(path, hash(&entry.path())?);
        }
    }
    Ok(hashes)
}

fn hash(file: &Path) -> std::io::Result<String> {
    let (mut hasher, mut open) = (Sha256::new(), fs::File::open(file)?);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match open.read(&mut buffer)? {
            0 => return Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            read => hasher.update(buffer.get(..read).unwrap_or_default()),
        }
    }
}
