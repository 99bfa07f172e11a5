//! The ground that mutants grow on: a sandbox of files, and what its parts hold.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use candor_check::operators::Change;
use candor_check::strict_json::edited;
use candor_check::{PartType, Sandbox};
use tempfile::TempDir;

type Files = Vec<(String, Arc<[u8]>)>;

pub(crate) struct Ground {
    pub(crate) sandbox: Sandbox,
    /// The files of each part, read once, in order of their locators.
    files: BTreeMap<&'static str, Files>,
    pub(crate) gaps: Vec<String>,
    /// By part, the files that hold what they held before the work. A part that was on a server has no such list.
    as_before: BTreeMap<&'static str, BTreeSet<String>>,
    _captured: Option<TempDir>,
}

impl Ground {
    /// The sandbox as it is, or captured first where one of its parts is a server. Files are read of the parts that criteria
    /// read.
    pub(crate) async fn of(sandbox: &Sandbox, reads: impl Fn(&str) -> bool) -> Result<Self, String> {
        let live =
            |part: &PartType| reads(part.name()) && sandbox.has(part.name()) && sandbox.folder(part.name()).is_none();
        let mut gaps = Vec::new();
        let (sandbox, captured) = match sandbox.parts().iter().any(live) {
            false => (sandbox.clone(), None),
            true => {
                let folder =
                    tempfile::tempdir().map_err(|error| format!("no temporary folder can be made: {error}"))?;
                let into = folder.path().join("captured");
                let captured = candor_state::capture(sandbox, &into, None).await.map_err(|error| error.to_string())?;
                gaps.extend(
                    captured
                        .parts
                        .values()
                        .flat_map(|part| &part.gaps)
                        .map(|gap| format!("{}: {}", gap.place, gap.what)),
                );
                let mut copy = Sandbox::open(&into, sandbox.parts()).map_err(|error| error.to_string())?;
                if let Some(before) = sandbox.baseline() {
                    copy = copy.with_baseline(before.clone());
                }
                (copy.with_work(sandbox.work().clone()), Some(folder))
            }
        };
        let mut files = BTreeMap::new();
        for part in sandbox.parts().iter().filter(|part| reads(part.name())) {
            let Some(folder) = sandbox.folder(part.name()) else { continue };
            let read = move || {
                let listing = folder.list()?;
                let mut of_part = Vec::with_capacity(listing.files.len());
                for file in &listing.files {
                    of_part.push((file.locator.clone(), folder.read(file).map(|read| Arc::from(read.bytes))));
                }
                Ok(of_part)
            };
            match sandbox.blocking(part.name(), read).await {
                Ok(of_part) => {
                    let of_part = of_part.into_iter().filter_map(|(locator, read)| match read {
                        Ok(bytes) => Some((locator, bytes)),
                        Err(why) => {
                            gaps.push(why.details);
                            None
                        }
                    });
                    let of_part: Files = of_part.collect();
                    files.insert(part.name(), of_part);
                }
                Err(why) => gaps.push(why.details),
            }
        }
        let mut as_before = BTreeMap::new();
        for (part, own) in &files {
            let Some(folder) = sandbox.baseline().and_then(|before| before.folder(part)) else { continue };
            let own = own.clone();
            let read = move || {
                let listing = folder.list()?;
                let is_same = |file: &candor_check::sandbox::FileEntry| {
                    let now = own.iter().find(|(locator, _)| *locator == file.locator);
                    now.is_some_and(|(_, now)| folder.read(file).is_ok_and(|read| read.bytes[..] == now[..]))
                };
                Ok(listing.files.iter().filter(|file| is_same(file)).map(|file| file.locator.clone()).collect())
            };
            if let Ok(same) = sandbox.blocking(part, read).await {
                as_before.insert(*part, same);
            }
        }
        Ok(Self { sandbox, files, gaps, as_before, _captured: captured })
    }

    /// Checks that a file is unchanged since before the work, as far as that is known.
    pub(crate) fn is_as_before(&self, locator: &str) -> bool {
        let part = locator.split_once('/').map_or(locator, |(part, _)| part);
        self.as_before.get(part).is_none_or(|same| same.contains(locator))
    }

    /// The files of the part that a locator is one of.
    pub(crate) fn part_of(&self, locator: &str) -> &[(String, Arc<[u8]>)] {
        let part = locator.split_once('/').map_or(locator, |(part, _)| part);
        self.files.get(part).map(Vec::as_slice).unwrap_or_default()
    }

    /// How many bytes all files have.
    pub(crate) fn bytes(&self) -> usize {
        self.files.values().flatten().map(|(_, bytes)| bytes.len()).sum()
    }

    pub(crate) fn file(&self, locator: &str) -> Option<&[u8]> {
        let files = self.part_of(locator);
        let at = files.binary_search_by(|(name, _)| name.as_str().cmp(locator)).ok();
        files.get(at?).map(|(_, bytes)| bytes.as_ref())
    }

    pub(crate) fn changed(&self, change: &Change) -> Vec<u8> {
        let whole = change.files.iter().find(|(locator, _)| *locator == change.locator);
        match whole {
            Some((_, bytes)) => bytes.as_deref().unwrap_or_default().to_vec(),
            None => edited(self.file(&change.locator).unwrap_or_default(), &change.edits),
        }
    }

    pub(crate) fn mutant(&self, change: &Change) -> Sandbox {
        let edited = match change.edits.is_empty() {
            true => self.sandbox.clone(),
            false => self.sandbox.with_file(&change.locator, self.changed(change)),
        };
        change.files.iter().fold(edited, |sandbox, (locator, bytes)| match bytes {
            Some(bytes) => sandbox.with_file(locator, Arc::clone(bytes)),
            None => sandbox.without_file(locator),
        })
    }

    /// The sandbox with every part there and empty.
    pub(crate) fn empty(&self) -> Result<Sandbox, String> {
        let parts = self.sandbox.parts().iter().filter(|part| self.sandbox.has(part.name()));
        let builder = parts.fold(Sandbox::builder(), |builder, part| builder.folder(part.name()));
        let built = builder.settings(self.sandbox.kept_settings()).build(self.sandbox.parts());
        built.map(|empty| empty.with_work(self.sandbox.work().clone())).map_err(|error| error.to_string())
    }
}
