//! The ground that mutants grow on: a sandbox of files, and what its parts hold.

use std::collections::BTreeMap;
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
    /// The files of each part before the work. A part that was on a server has no such list.
    before: BTreeMap<&'static str, Files>,
    _captured: Option<TempDir>,
}

impl Ground {
    /// The sandbox as it is, or captured first where one of its parts is a server. Files are read of the parts that criteria
    /// read, or of all that are folders.
    pub(crate) async fn of(sandbox: &Sandbox, reads: impl Fn(&str) -> bool, all: bool) -> Result<Self, String> {
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
        let (mut files, mut before) = (BTreeMap::new(), BTreeMap::new());
        for part in sandbox.parts().iter().map(PartType::name).filter(|part| all || reads(part)) {
            if let Some(own) = read(&sandbox, part, &mut gaps).await {
                files.insert(part, own);
            }
            if let Some(baseline) = sandbox.baseline()
                && let Some(own) = read(baseline, part, &mut Vec::new()).await
            {
                before.insert(part, own);
            }
        }
        Ok(Self { sandbox, files, gaps, before, _captured: captured })
    }

    /// The names of the parts of which files are known, now and before the work.
    pub(crate) fn compared(&self) -> impl Iterator<Item = &'static str> {
        self.files.keys().copied().filter(|part| self.before.contains_key(part))
    }

    /// The change that puts a part into its state from before the work; nothing where its files are the same.
    pub(crate) fn undone(&self, part: &str, sentence: String) -> Option<Change> {
        let (now, before) = (self.files.get(part)?, self.before.get(part)?);
        let lacks = |files: &Files, locator: &str| !files.iter().any(|(name, _)| name == locator);
        let gone = now.iter().filter(|(name, _)| lacks(before, name)).map(|(name, _)| (name.clone(), None));
        let changed = before.iter().filter(|file| !now.contains(file));
        let changed = changed.map(|(name, bytes)| (name.clone(), Some(Arc::clone(bytes))));
        let files: Vec<_> = changed.chain(gone).collect();
        let change = Change::new(files.first()?.0.as_str(), Vec::new(), sentence);
        Some(Change { files, ..change })
    }

    /// Checks that a file is unchanged since before the work, as far as that is known.
    pub(crate) fn is_as_before(&self, locator: &str) -> bool {
        let part = locator.split_once('/').map_or(locator, |(part, _)| part);
        let now = self.file(locator).unwrap_or_default();
        let is_same = |(name, bytes): &(String, Arc<[u8]>)| name == locator && bytes[..] == *now;
        self.before.get(part).is_none_or(|files| files.iter().any(is_same))
    }

    pub(crate) fn part_of(&self, locator: &str) -> &[(String, Arc<[u8]>)] {
        let part = locator.split_once('/').map_or(locator, |(part, _)| part);
        self.files.get(part).map(Vec::as_slice).unwrap_or_default()
    }

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

/// The files of a part that is a folder, in order of their locators.
async fn read(sandbox: &Sandbox, part: &'static str, gaps: &mut Vec<String>) -> Option<Files> {
    let folder = sandbox.folder(part)?;
    let read = move || {
        let listing = folder.list()?;
        let bytes = |file| folder.read(file).map(|read| Arc::<[u8]>::from(read.bytes));
        Ok(listing.files.iter().map(|file| (file.locator.clone(), bytes(file))).collect::<Vec<_>>())
    };
    let files = sandbox.blocking(part, read).await.map_err(|why| gaps.push(why.details)).ok()?;
    let files = files.into_iter().filter_map(|(locator, read)| match read {
        Ok(bytes) => Some((locator, bytes)),
        Err(why) => {
            gaps.push(why.details);
            None
        }
    });
    Some(files.collect())
}
