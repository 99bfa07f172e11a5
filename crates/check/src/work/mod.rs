//! Where blocking work runs: threads of Candor's own, within a budget, outside any async runtime.
//!
//! A read of ground truth blocks, and judging may take seconds. Neither may run on a thread of the host's runtime. [`Work`]
//! runs both on its own threads, so it needs no tokio runtime, no timer and no reactor.
//!
//! - [`Budget`] bounds the threads and the memory of everything that one `Work` runs.
//! - A time limit starts when a job starts to run. Waiting for a free thread does not count.
//! - A job is cancelled when its future is dropped or its time is over. The job's thread cannot be stopped from outside, so
//!   long loops ask [`cancelled`] and return early. What they return is thrown away.
//! - Judging comes before reading, and older looks come before younger ones: what was read is judged and freed before
//!   more is read.
//!
//! You may change the order of jobs and what counts as held memory here. Nothing here knows a check or a source.

mod clock;
mod job;
mod pool;
mod side;

use std::any::Any;
use std::future::Future;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::oneshot;

pub use job::cancelled;
use job::{Flag, Look};
use pool::{Key, Lane, Pool, Shared};
pub use side::side_by_side;

use crate::outcome::{Obstacle, Unverifiable};
use crate::sandbox::duration_text;

/// How many threads work at the same time, and how much memory their reads may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Threads that read files or judge. At least 1 is used.
    pub threads: usize,
    /// Threads that wait for servers, databases and commands. At least 1 is used.
    pub waiting: usize,
    /// Bytes of ground truth that looks may hold before no other look may begin to read. A read that has begun goes on,
    /// and one look may always read, so the sandbox's limits bound what is above this.
    pub memory: u64,
}

impl Default for Budget {
    /// A thread for each core (at least 2), 64 threads that wait, 256 MiB.
    fn default() -> Self {
        /// Asked once, because the system reads several files to answer.
        static CORES: LazyLock<usize> =
            LazyLock::new(|| std::thread::available_parallelism().map_or(2, std::num::NonZeroUsize::get));
        Self { threads: CORES.max(2), waiting: 64, memory: 256 << 20 }
    }
}

/// Threads for reading and judging, shared by all clones. Threads start when they are needed, and end when they are idle or
/// the last clone is dropped.
#[derive(Clone)]
pub struct Work {
    pub(crate) pool: Arc<Pool>,
    look: Option<Arc<Look>>,
    run: Option<u64>,
    hurried: bool,
    fixed: Option<SystemTime>,
}

impl Default for Work {
    fn default() -> Self {
        Self::new(Budget::default())
    }
}

impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Work").field("budget", &self.pool.shared.budget).finish_non_exhaustive()
    }
}

/// Why a job has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkError {
    /// It took longer than it may.
    TimedOut,
    /// It panicked, with this message.
    Broke(String),
    /// The system refused to start a thread.
    NoThread,
}

impl Work {
    /// Threads within this budget. None is started yet.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Self { pool: Pool::new(budget), look: None, run: None, hurried: false, fixed: None }
    }

    /// The budget.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.pool.shared.budget
    }

    /// The same threads, for one look at ground truth: what the look reads counts as held until the look is dropped.
    #[must_use]
    pub fn look(&self) -> Self {
        Self { look: Some(Arc::new(Look::new(&self.pool.shared))), ..self.clone() }
    }

    /// The same threads, for the criteria of one run that are polled together:
    /// [`SharedReading`](crate::sandbox::SharedReading) reads for all of them at once.
    #[must_use]
    pub fn one_run(&self) -> Self {
        static RUNS: AtomicU64 = AtomicU64::new(0);
        Self { run: Some(RUNS.fetch_add(1, Ordering::Relaxed)), ..self.clone() }
    }

    pub(crate) fn run(&self) -> Option<u64> {
        self.run
    }

    /// Judges on one of the threads. There is no time limit: whoever has waited long enough drops the future.
    ///
    /// # Errors
    /// When `judge` panics, or no thread can be started.
    pub async fn judge<T: Send + 'static>(&self, judge: impl FnOnce() -> T + Send + 'static) -> Result<T, WorkError> {
        self.job(Lane::Working, true, None, judge).await
    }

    /// Runs something that waits for another process and has time limits of its own.
    ///
    /// # Errors
    /// When `ask` panics, or no thread can be started.
    pub async fn wait<T: Send + 'static>(&self, ask: impl FnOnce() -> T + Send + 'static) -> Result<T, WorkError> {
        self.job(Lane::Waiting, false, None, ask).await
    }

    /// Reads files; `what` names them in messages.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        limit: Duration,
        what: &str,
        read: impl FnOnce() -> Result<T, Unverifiable> + Send + 'static,
    ) -> Result<T, Unverifiable> {
        let read = self.job(Lane::Working, false, Some(limit), read).await;
        read.unwrap_or_else(|error| Err(error.reading(what, limit)))
    }

    /// Asks a server or a database; `what` names it in messages.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        limit: Duration,
        what: &str,
        ask: impl FnOnce() -> Result<T, Unverifiable> + Send + 'static,
    ) -> Result<T, Unverifiable> {
        let asked = self.job(Lane::Waiting, false, Some(limit), ask).await;
        asked.unwrap_or_else(|error| Err(error.reading(what, limit)))
    }

    /// The same threads with a clock for tests: [`Work::sleep`] takes a thousandth of its time. No product uses it.
    #[must_use]
    pub fn hurried(mut self) -> Self {
        self.hurried = true;
        self
    }

    /// The same threads, with a fixed time of day. Durations, such as time limits, are measured as before.
    #[must_use]
    pub fn at(mut self, time: SystemTime) -> Self {
        self.fixed = Some(time);
        self
    }

    /// The time of day that observations record.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        self.fixed.unwrap_or_else(SystemTime::now)
    }

    /// Waits, with or without a runtime.
    pub async fn sleep(&self, time: Duration) {
        let time = if self.hurried { time / 1000 } else { time };
        let (wake, woken) = oneshot::channel();
        let clock = &self.pool.shared.clock;
        let Some(at) = Instant::now().checked_add(time) else { return std::future::pending().await };
        clock.set(&self.pool.shared, at, wake);
        // An error means that the clock's thread could not be started; then there is no wait.
        let _ = woken.await;
    }

    /// Blocks until no thread works, for at most this long; whether that is so. For a program that is about to end after it
    /// dropped its futures: temporary copies are removed and commands are ended by then.
    pub fn settle(&self, most: Duration) -> bool {
        self.pool.shared.settle(most)
    }

    fn job<T: Send + 'static>(
        &self,
        lane: Lane,
        urgent: bool,
        limit: Option<Duration>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Job<T> {
        let shared = Arc::clone(&self.pool.shared);
        let look = self.look.clone().unwrap_or_else(|| Arc::new(Look::new(&shared)));
        let (flag, id) = (Flag::default(), look.id());
        let (give, result) = oneshot::channel();
        let (ring, late) = oneshot::channel();
        let (of_job, clock) = ((flag.clone(), Arc::clone(&look)), Arc::clone(&shared));
        let run = move || {
            let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
            let alarm = deadline.map(|deadline| clock.clock.set(&clock, deadline, ring));
            let (flag, look) = of_job;
            let done = job::within(flag, look, || catch_unwind(AssertUnwindSafe(work)));
            if let Some(alarm) = alarm {
                clock.clock.unset(alarm);
            }
            // No one may wait for it any more.
            let _ = give.send(done.map_err(|panic| WorkError::Broke(message(&*panic))));
        };
        let key = shared.submit(lane, urgent, id, look, Box::new(run));
        Job { result, is_done: false, late: limit.map(|_| late), flag, key, _pool: Arc::clone(&self.pool), shared }
    }
}

/// A job that somebody waits for. It is cancelled when this is dropped.
struct Job<T> {
    result: oneshot::Receiver<Result<T, WorkError>>,
    is_done: bool,
    late: Option<oneshot::Receiver<()>>,
    flag: Flag,
    key: Key,
    shared: Arc<Shared>,
    _pool: Arc<Pool>,
}

impl<T> Future for Job<T> {
    type Output = Result<T, WorkError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Poll::Ready(result) = Pin::new(&mut self.result).poll(context) {
            self.is_done = true;
            return Poll::Ready(result.unwrap_or(Err(WorkError::NoThread)));
        }
        let late = self.late.as_mut().map(|late| Pin::new(late).poll(context));
        match late {
            Some(Poll::Ready(Ok(()))) => Poll::Ready(Err(WorkError::TimedOut)),
            // The alarm was unset: the result is there, or the job was dropped.
            Some(Poll::Ready(Err(_))) => {
                self.late = None;
                Poll::Pending
            }
            _ => Poll::Pending,
        }
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        // The thread of a job that is done takes the next one by itself.
        if !self.is_done {
            self.flag.cancel();
            self.shared.give_up(self.key);
        }
    }
}

impl WorkError {
    fn reading(self, what: &str, limit: Duration) -> Unverifiable {
        match self {
            Self::TimedOut => {
                let details = format!("reading {what} took longer than {}", duration_text(limit));
                Unverifiable::new(Obstacle::Timeout, details)
            }
            Self::Broke(_) => {
                let details = format!("reading {what} broke the reader, which is a defect of this program: {self}");
                Unverifiable::new(Obstacle::Undecidable, details)
            }
            Self::NoThread => {
                let details = format!("{what} could not be read: {self}");
                Unverifiable::new(Obstacle::SourceUnavailable, details)
            }
        }
    }
}

impl std::fmt::Display for WorkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TimedOut => f.write_str("it took longer than it may"),
            Self::Broke(message) => write!(f, "it panicked with message {message:?}"),
            Self::NoThread => f.write_str("the system started no thread for it"),
        }
    }
}

impl std::error::Error for WorkError {}

/// The message of a panic.
#[must_use]
pub fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

/// Counts bytes as held by the look that the current job belongs to, until that look is over.
pub(crate) fn hold(bytes: u64) {
    job::hold(bytes);
}

/// A reader that ends with an error once the current job is cancelled.
pub(crate) fn until_cancelled<R: io::Read>(reader: R) -> impl io::Read + use<R> {
    Until(reader)
}

struct Until<R>(R);

impl<R: io::Read> io::Read for Until<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        in_time()?;
        self.0.read(buffer)
    }
}

/// An error once the current job is cancelled, for `?` in loops: see [`cancelled`].
///
/// # Errors
/// When no one waits for the job any more.
pub fn wanted() -> Result<(), Unverifiable> {
    in_time().map_err(|error| Unverifiable::new(Obstacle::Timeout, error.to_string()))
}

/// An error once the current job is cancelled. It is not `Interrupted`, after which readers try again.
pub(crate) fn in_time() -> io::Result<()> {
    if cancelled() { Err(io::Error::other("the caller no longer waits for it")) } else { Ok(()) }
}
