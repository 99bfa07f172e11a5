//! The job that runs on a thread: whether it is cancelled, and the look that its memory counts for.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::pool::{Lent, Shared};

/// The least that a look counts as holding once it has begun to read.
const LEAST: u64 = 4 << 20;

thread_local! {
    static CURRENT: RefCell<Option<(Flag, Arc<Look>)>> = const { RefCell::new(None) };
}

/// True if the caller no longer waits for the current job: its future was dropped, or its time is over. Whatever the
/// job returns from then on is thrown away, so it returns as soon as it can. It must not keep anything that it made
/// since in a place that others read.
///
/// Ask in loops whose number of rounds depends on the ground truth; asking takes some nanoseconds. Outside a job the answer
/// is `false`.
///
/// ```
/// let mut found = Vec::new();
/// for line in "a\nb".lines() {
///     if candor_check::work::cancelled() {
///         break;
///     }
///     found.push(line);
/// }
/// assert_eq!(found, ["a", "b"]);
/// ```
#[must_use]
pub fn cancelled() -> bool {
    CURRENT.with_borrow(|current| current.as_ref().is_some_and(|(flag, _)| flag.is_set()))
}

/// Set once a job is cancelled.
#[derive(Clone, Debug, Default)]
pub(super) struct Flag(Arc<AtomicBool>);

impl Flag {
    pub(super) fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

pub(super) fn within<T>(flag: Flag, look: Arc<Look>, job: impl FnOnce() -> T) -> T {
    let before = CURRENT.replace(Some((flag, look)));
    let done = job();
    CURRENT.set(before);
    done
}

/// The flag and the look of the current job.
pub(super) fn current() -> Option<(Flag, Arc<Look>)> {
    CURRENT.with_borrow(Clone::clone)
}

pub(super) fn hold(bytes: u64) {
    CURRENT.with_borrow(|current| current.iter().for_each(|(_, look)| look.hold(bytes)));
}

pub(super) struct Look {
    id: u64,
    held: AtomicU64,
    shared: Arc<Shared>,
}

impl Look {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        Self { id: shared.next_id(), held: AtomicU64::new(0), shared: Arc::clone(shared) }
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    pub(super) fn has_begun(&self) -> bool {
        self.held.load(Ordering::Relaxed) > 0
    }

    pub(super) fn begin(&self) {
        if !self.has_begun() {
            self.hold(LEAST);
        }
    }

    pub(super) fn lend(&self, most: usize) -> Vec<Lent> {
        self.shared.lend(most)
    }

    fn hold(&self, bytes: u64) {
        self.held.fetch_add(bytes, Ordering::Relaxed);
        self.shared.hold(bytes);
    }
}

impl Drop for Look {
    fn drop(&mut self) {
        self.shared.release(*self.held.get_mut());
    }
}
