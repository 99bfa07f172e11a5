//! The end of the interpreter, while threads of Python's are in a call.
//!
//! A daemon thread that asks for Python's lock after that is ended by CPython before 3.14 in a way that aborts the process if
//! there are frames of Rust on its stack. So a call asks here before it takes the lock again, and parks its thread for the
//! rest of the process. `end` is called by `atexit`, and waits until no thread is on its way.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How long the end waits for threads that run a callback.
const MOST: Duration = Duration::from_secs(2);

/// The thread that ends the interpreter.
static ENDING: OnceLock<ThreadId> = OnceLock::new();
/// How many threads are in a call, and the process that they are of: a fork takes none of them along.
static INSIDE: AtomicU64 = AtomicU64::new(0);

/// A thread that is in a call.
pub(crate) struct Inside;

impl Inside {
    pub(crate) fn enter() -> Self {
        count(|inside| inside + 1);
        Self
    }

    /// Parks the thread if the interpreter ends. Call it without Python's lock, before the lock is taken again.
    pub(crate) fn park_at_the_end(&self) {
        if ENDING.get().is_some_and(|ending| *ending != thread::current().id()) {
            count(|inside| inside.saturating_sub(1));
            loop {
                thread::park();
            }
        }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        count(|inside| inside.saturating_sub(1));
    }
}

fn count(change: impl Fn(u64) -> u64) {
    let process = u64::from(std::process::id()) << 32;
    let changed = |packed: u64| Some(process | change(inside_of(packed, process)));
    // It always changes.
    let _ = INSIDE.fetch_update(Ordering::AcqRel, Ordering::Acquire, changed);
}

/// The lower half, if the upper one is this process.
fn inside_of(packed: u64, process: u64) -> u64 {
    if packed & !u64::from(u32::MAX) == process { packed & u64::from(u32::MAX) } else { 0 }
}

/// Lets calls know that the interpreter ends. `atexit` calls it.
#[pyfunction]
pub(crate) fn end(py: Python<'_>) {
    // It ends once.
    let _ = ENDING.set(thread::current().id());
    py.detach(|| {
        let (began, process) = (Instant::now(), u64::from(std::process::id()) << 32);
        while inside_of(INSIDE.load(Ordering::Acquire), process) > 0 && began.elapsed() < MOST {
            thread::sleep(Duration::from_millis(2));
        }
    });
}
