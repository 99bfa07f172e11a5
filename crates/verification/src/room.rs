//! The room that a delegate takes on the disk: in HOME, TMPDIR and the workspace together.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{Thread, park_timeout};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::process::{Limited, free_bytes};

/// The most that a delegate may add in one loop. A workspace is not copied beyond as many bytes.
const MOST_BYTES: u64 = 8 << 30;
const MOST_FILES: u64 = 1_000_000;

/// How often the folders are walked, and how many times as long as a walk took is waited before the next one.
const LOOK: Duration = Duration::from_millis(250);
const REST: u32 = 10;

/// Bytes on the disk, and files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) bytes: u64,
    pub(crate) files: u64,
}

/// The folders that a delegate behind a boundary may fill.
#[derive(Debug)]
pub(crate) struct Room {
    /// HOME and TMPDIR, where they are made for it and gone with it.
    own: Vec<PathBuf>,
    workspace: PathBuf,
    /// The content of the workspace before the delegate was first asked.
    before: OnceLock<Taken>,
}

impl Room {
    /// The room of a command behind a boundary. Without a boundary it has no bound.
    pub(crate) fn of(limited: &Limited) -> Option<Arc<Self>> {
        let own = limited.boundary.as_ref()?.own_folders();
        Some(Arc::new(Self::new(own, limited.folder.clone())))
    }

    pub(crate) fn new(own: Vec<PathBuf>, workspace: PathBuf) -> Self {
        Self { own, workspace, before: OnceLock::new() }
    }

    /// Waits for work, and gives it up where it takes more room than there may be.
    pub(crate) async fn within<T>(room: Option<&Arc<Self>>, work: impl Future<Output = T>) -> Result<T, String> {
        let Some(room) = room.cloned() else { return Ok(work.await) };
        room.before();
        let (tell, mut told) = oneshot::channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        // A thread of its own, from before the delegate can use up what threads there may be.
        let watch = std::thread::Builder::new().name("candor-room".to_owned()).spawn(move || {
            if let Some(why) = room.watched(&over) {
                let _ = tell.send(why);
            }
        });
        let watch = watch.map_err(|error| format!("the room that it takes cannot be watched: {error}"))?;
        let _guard = Guard { is_over, thread: watch.thread().clone() };
        tokio::select! {
            done = work => Ok(done),
            Ok(why) = &mut told => Err(why),
        }
    }

    /// Looks until the work is over; says why where it takes too much room.
    fn watched(&self, is_over: &AtomicBool) -> Option<String> {
        let before = self.before();
        while !is_over.load(Ordering::Relaxed) {
            let began = Instant::now();
            let mut now = taken(&self.workspace);
            for folder in &self.own {
                let more = taken(folder);
                now =
                    Taken { bytes: now.bytes.saturating_add(more.bytes), files: now.files.saturating_add(more.files) };
            }
            let added = |now: u64, before: u64, most: u64| now.saturating_sub(before) > most;
            let what = match () {
                () if added(now.bytes, before.bytes, MOST_BYTES) => format!("{MOST_BYTES} bytes"),
                () if added(now.files, before.files, MOST_FILES) => format!("{MOST_FILES} files"),
                () => {
                    park_timeout(LOOK.max(began.elapsed() * REST));
                    continue;
                }
            };
            return Some(format!("it added more than {what} to HOME, TMPDIR and the workspace, and was ended"));
        }
        None
    }

    fn before(&self) -> Taken {
        *self.before.get_or_init(|| taken(&self.workspace))
    }

    /// Empties HOME and TMPDIR. Says so where the delegate, by what it added to the workspace, left no room for a copy.
    pub(crate) fn make(&self) -> Result<(), String> {
        for entry in self.own.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten() {
            let path = entry.path();
            // One that cannot be removed takes its room.
            let _ = if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                fs::remove_dir_all(path)
            } else {
                fs::remove_file(path)
            };
        }
        let (before, now) = (self.before().bytes, taken(&self.workspace).bytes);
        let Ok(free) = free_bytes(&std::env::temp_dir()) else { return Ok(()) };
        let added = now.saturating_sub(before);
        // Without it there would be room.
        match added > 0 && now > free && before <= free.saturating_add(added) {
            true => {
                Err(format!("the workspace holds {now} bytes, and the disk has no room for a copy of them; leave less"))
            }
            false => Ok(()),
        }
    }
}

struct Guard {
    is_over: Arc<AtomicBool>,
    thread: Thread,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.unpark();
    }
}

/// Counts the content of a folder. An entry that cannot be read, or changes meanwhile, is left out; a file of several names
/// counts once.
pub(crate) fn taken(folder: &Path) -> Taken {
    const BLOCK: u64 = 512;
    let mut all = Taken::default();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            all.files = all.files.saturating_add(1);
            let bytes = metadata.blocks().saturating_mul(BLOCK);
            if metadata.is_dir() {
                all.bytes = all.bytes.saturating_add(bytes);
                open.push(entry.path());
            } else {
                all.bytes = all.bytes.saturating_add(bytes / metadata.nlink().max(1));
            }
        }
    }
    all
}
