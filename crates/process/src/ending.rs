//! The end of this process: everything that it started is ended, and what it made for a time is removed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use candor_confine::remove_all;

static IS_ENDING: AtomicBool = AtomicBool::new(false);
static GROUPS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// How long temporary folders are removed in which ended commands or copies still write.
const REMOVING: Duration = Duration::from_secs(5);

/// Ends every command that this process started and removes its temporary folders. For a process that is about to end:
/// it starts no command and makes no temporary folder from then on.
pub fn end_everything() {
    {
        let mut groups = groups();
        IS_ENDING.store(true, Ordering::SeqCst);
        for group in std::mem::take(&mut *groups).into_iter().filter_map(Pid::from_raw) {
            // One that has ended by itself is what is wanted.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    remove_all(REMOVING);
}

/// True if this process is ending, so that long work stops.
pub(crate) fn is_ending() -> bool {
    IS_ENDING.load(Ordering::SeqCst)
}

pub(crate) fn runs(group: Pid) {
    let mut groups = groups();
    if is_ending() {
        let _ = kill_process_group(group, Signal::KILL);
    } else {
        groups.insert(group.as_raw_nonzero().get());
    }
}

pub(crate) fn is_over(group: Pid) {
    groups().remove(&group.as_raw_nonzero().get());
}

fn groups() -> MutexGuard<'static, BTreeSet<i32>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}
