//! The source of files: a folder of the sandbox, or the file server or bucket that `sandbox.toml` names in its place.

use std::collections::HashMap;
use std::future::ready;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use candor_check::draft::{Came, Selection};
use candor_check::sandbox::{Gaps, PartRecord, Recorded, Remote, Section, SectionError, SharedReading};
use candor_check::{Part, Sandbox, Source, Unverifiable};
use candor_json::Value;

use crate::alike;
#[cfg(feature = "cloud")]
use crate::store::ObjectStore;
#[cfg(feature = "sftp")]
use crate::store::SftpStore;
use crate::store::{self, FilesSettings, FolderStore, KEYS, Listed, Store, Until};

pub(crate) const PART: &str = "files";

/// So long a listing is taken for the files that are there: criteria that begin together share one, and what changes while
/// a criterion waits for its turn is seen.
const FRESH: Duration = Duration::from_secs(1);

/// The store of a sandbox, opened once.
pub(crate) struct Files {
    store: Box<dyn Store>,
    is_remote: bool,
    listings: SharedReading<String, Arc<Listed>>,
    fresh: Duration,
}

impl Files {
    fn new(store: Box<dyn Store>, is_remote: bool) -> Self {
        Self { store, is_remote, listings: SharedReading::default(), fresh: FRESH }
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The store for one look at it, which no one waits for any more once its time is over.
    pub(crate) fn for_one_look(&self, shared: Option<Arc<Listed>>) -> Until<'_> {
        Until::new(self.store(), shared)
    }

    /// The listing of a folder, which criteria of one run that ask for it at the same time share. Nothing is read here:
    /// the job of the first that needs it lists, so that each waits within its own time.
    pub(crate) async fn listing(&self, sandbox: &Sandbox, below: String) -> Result<Arc<Listed>, Unverifiable> {
        let share = |asks: Vec<String>| {
            let mut listings: HashMap<String, Arc<Listed>> = HashMap::new();
            let mut of = |folder: String| {
                let new = || Arc::new(Listed { folder: folder.clone(), fresh: self.fresh, kept: Mutex::default() });
                Arc::clone(listings.entry(folder.clone()).or_insert_with(new))
            };
            ready(Ok(asks.into_iter().map(|folder| Ok(of(folder))).collect()))
        };
        self.listings.read(sandbox, below, share).await
    }
}

impl Source for Files {
    const READS: &'static [&'static str] = &[PART];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        let settings = sandbox.settings::<Self>()?;
        let Some(remote) = &settings.remote else {
            let folder = sandbox.folder(PART).ok_or_else(|| sandbox.no_source(PART))?;
            return Ok(Self::new(Box::new(FolderStore::new(folder, PART)), false));
        };
        if remote.scheme == "sftp" { server(sandbox, remote) } else { bucket(sandbox, remote).await }
    }
}

#[cfg(feature = "cloud")]
async fn bucket(sandbox: &Sandbox, remote: &Remote) -> Result<Files, Unverifiable> {
    let (remote, limits) = (remote.clone(), sandbox.limits().clone());
    // Credentials may lie in files.
    let open = move || ObjectStore::new(&remote, &limits);
    Ok(Files::new(Box::new(sandbox.blocking(PART, open).await?), true))
}

#[cfg(not(feature = "cloud"))]
#[expect(clippy::unused_async, reason = "as the build with the feature has it")]
async fn bucket(_: &Sandbox, _: &Remote) -> Result<Files, Unverifiable> {
    Err(candor_check::feature::left_out("read buckets of cloud stores", "cloud"))
}

#[cfg(feature = "sftp")]
fn server(sandbox: &Sandbox, remote: &Remote) -> Result<Files, Unverifiable> {
    Ok(Files::new(Box::new(SftpStore::new(remote, sandbox.limits())?), true))
}

#[cfg(not(feature = "sftp"))]
fn server(_: &Sandbox, _: &Remote) -> Result<Files, Unverifiable> {
    Err(candor_check::feature::left_out("read SFTP servers", "sftp"))
}

impl Part for Files {
    const NAME: &'static str = PART;
    const MADE_UP: &'static str = include_str!("made-up.txt");
    const KEYS: &'static [&'static str] = KEYS;
    type Settings = FilesSettings;

    fn selections(came: &Came<'_>) -> Vec<Selection> {
        crate::draft::selections(came)
    }

    fn settings(section: &Section) -> Result<FilesSettings, SectionError> {
        FilesSettings::read(section)
    }

    fn is_live(settings: &FilesSettings) -> bool {
        settings.remote.is_some()
    }

    const KEPT: &'static [&'static str] = store::OF_DECRYPTION;

    fn is_listed(&self) -> bool {
        !self.is_remote
    }

    fn records(&self, visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>) -> Result<Gaps, Unverifiable> {
        self.visit_records(visit)
    }

    fn fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        self.record_fields(record)
    }

    fn align(&self, before: &mut Vec<(String, Value)>, after: &mut Vec<(String, Value)>) {
        alike::align(before, after);
    }

    fn record(&self, into: &Path) -> Result<Recorded, Unverifiable> {
        self.write_all(into)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::{Context, Poll, Waker};

    use candor_check::Obstacle;
    use candor_check::sandbox::Limits;

    use super::*;
    use crate::store::{Listing, StoredFile};

    /// A store whose listings name their number; the folder `gone` cannot be listed.
    #[derive(Default)]
    struct Numbered {
        listings: AtomicU32,
        limits: Limits,
    }

    impl Store for Numbered {
        fn name(&self) -> &'static str {
            "files/"
        }

        fn limits(&self) -> &Limits {
            &self.limits
        }

        fn list(&self, below: &str) -> Result<Listing, Unverifiable> {
            let number = (1 + self.listings.fetch_add(1, Ordering::Relaxed)).to_string();
            match below {
                "gone" => Err(Unverifiable::new(Obstacle::SourceUnavailable, number)),
                _ => Ok(Listing { outside_links: vec![number], ..Listing::default() }),
            }
        }

        fn stat(&self, _: &str) -> Result<Option<StoredFile>, Unverifiable> {
            Ok(None)
        }

        fn open(&self, file: &StoredFile) -> Result<Box<dyn Read + '_>, Unverifiable> {
            Err(Unverifiable::new(Obstacle::SourceUnavailable, file.locator.clone()))
        }
    }

    fn number(look: &Until<'_>, below: &str) -> String {
        look.list(below).map_or_else(|why| why.details, |listing| listing.outside_links.concat())
    }

    /// Which listing each of the criteria of a run gets, that ask for these folders.
    fn numbers(files: &Files, folders: &[&str], is_one_run: bool) -> Vec<String> {
        let sandbox = Sandbox::builder().build(&[]).unwrap();
        let work = sandbox.work().clone();
        let sandbox = sandbox.with_work(if is_one_run { work.one_run() } else { work });
        let mut asking: Vec<_> =
            folders.iter().map(|below| Box::pin(files.listing(&sandbox, (*below).to_owned()))).collect();
        let mut looks: Vec<Option<Until<'_>>> = folders.iter().map(|_| None).collect();
        for _ in 0..2 {
            for (future, look) in asking.iter_mut().zip(&mut looks).filter(|(_, look)| look.is_none()) {
                if let Poll::Ready(shared) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                    *look = Some(files.for_one_look(Some(shared.unwrap())));
                }
            }
        }
        std::thread::scope(|scope| {
            let list = |(look, below)| scope.spawn(move || number(look, below));
            let listing: Vec<_> = looks.iter().flatten().zip(folders.iter().copied()).map(list).collect();
            listing.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn ten_criteria_of_a_run_list_once() {
        let files = || Files { fresh: Duration::MAX, ..Files::new(Box::<Numbered>::default(), false) };
        assert_eq!(numbers(&files(), &["in"; 10], true), ["1"; 10]);
        // An error is that of one.
        let mut errors = numbers(&files(), &["gone"; 3], true);
        errors.sort();
        assert_eq!(errors, ["1", "2", "3"]);
        // The files may be others by now.
        let old = Files { fresh: Duration::ZERO, ..files() };
        let mut listings = numbers(&old, &["in"; 3], true);
        listings.sort();
        assert_eq!(listings, ["1", "2", "3"]);
        // The next look lists anew.
        let twice = files();
        let looks = [1, 2].map(|_| numbers(&twice, &["in"; 2], true));
        assert_eq!(looks, [["1"; 2], ["2"; 2]]);
        assert_eq!(number(&twice.for_one_look(None), "in"), "3");
    }

    #[test]
    fn other_folders_and_runs_have_listings_of_their_own() {
        let files = || Files { fresh: Duration::MAX, ..Files::new(Box::<Numbered>::default(), false) };
        let seen = numbers(&files(), &["in", "out", "in"], true);
        assert_eq!(seen.first(), seen.last());
        assert_ne!(seen.first(), seen.get(1));
        let mut seen = numbers(&files(), &["in"; 3], false);
        seen.sort();
        assert_eq!(seen, ["1", "2", "3"]);
    }
}
