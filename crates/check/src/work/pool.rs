//! The threads and the queues that they take jobs from.

use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Budget;
use super::clock::Clock;
use super::job::Look;

/// How long a thread without a job stays.
pub(super) const IDLE: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    Working,
    Waiting,
}

/// A job's place in its queue: judging first, then by the age of the look, then by its own.
type Turn = (bool, u64, u64);
pub(super) type Key = (Lane, Turn);

struct Queued {
    look: Arc<Look>,
    run: Box<dyn FnOnce() + Send>,
}

/// Ends the threads when it is dropped.
pub(crate) struct Pool {
    pub(crate) shared: Arc<Shared>,
}

impl Pool {
    pub(super) fn new(budget: Budget) -> Arc<Self> {
        let shared = Shared {
            budget,
            clock: Clock::default(),
            next: AtomicU64::new(0),
            held: AtomicU64::new(0),
            state: Mutex::default(),
            working: Condvar::new(),
            waiting: Condvar::new(),
            quiet: Condvar::new(),
        };
        Arc::new(Self { shared: Arc::new(shared) })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.close();
    }
}

pub(crate) struct Shared {
    pub(super) budget: Budget,
    pub(super) clock: Clock,
    next: AtomicU64,
    held: AtomicU64,
    state: Mutex<State>,
    working: Condvar,
    waiting: Condvar,
    quiet: Condvar,
}

#[derive(Default)]
struct State {
    working: Line,
    waiting: Line,
    /// Threads that run a job, given up or not.
    busy: usize,
    is_closed: bool,
}

#[derive(Default)]
struct Line {
    queue: BTreeMap<Turn, Queued>,
    running: HashSet<Turn>,
    threads: usize,
    /// Those that have taken no job yet.
    starting: usize,
    idle: usize,
    /// Those that jobs use in addition to their own.
    lent: usize,
}

impl State {
    fn line(&mut self, lane: Lane) -> &mut Line {
        match lane {
            Lane::Working => &mut self.working,
            Lane::Waiting => &mut self.waiting,
        }
    }
}

/// A thread of the budget that is lent to a job, until this is dropped.
pub(crate) struct Lent(Arc<Shared>);

impl Lent {
    /// Returns `true` if a job waits that could run in its place.
    pub(super) fn is_wanted(&self) -> bool {
        !self.0.lock().working.queue.is_empty()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.working.lent -= 1;
        let lost = self.0.stir(&mut state, Lane::Working);
        drop(state);
        drop(lost);
    }
}

impl Shared {
    pub(super) fn next_id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn submit(
        self: &Arc<Self>,
        lane: Lane,
        urgent: bool,
        look_id: u64,
        look: Arc<Look>,
        run: Box<dyn FnOnce() + Send>,
    ) -> Key {
        let turn = (!urgent, look_id, self.next_id());
        let mut state = self.lock();
        state.line(lane).queue.insert(turn, Queued { look, run });
        let lost = self.stir(&mut state, lane);
        drop(state);
        drop(lost);
        (lane, turn)
    }

    /// No one waits for a job any more. If it runs, another one may run in its place: it may take a while to notice.
    pub(super) fn give_up(self: &Arc<Self>, (lane, turn): Key) {
        let mut state = self.lock();
        let queued = state.line(lane).queue.remove(&turn);
        let lost = match state.line(lane).running.remove(&turn) {
            true => self.stir(&mut state, lane),
            false => None,
        };
        drop(state);
        // What a job holds may take a while to drop, and may end a look.
        drop((queued, lost));
    }

    pub(super) fn hold(&self, bytes: u64) {
        self.held.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn release(self: &Arc<Self>, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
        if bytes > 0 {
            let mut state = self.lock();
            let lost = [Lane::Working, Lane::Waiting].map(|lane| self.stir(&mut state, lane));
            drop(state);
            drop(lost);
        }
    }

    /// Lends at most `most` of the threads that work, of those that neither run a job nor will run one that waits.
    pub(crate) fn lend(self: &Arc<Self>, most: usize) -> Vec<Lent> {
        let mut state = self.lock();
        let line = &mut state.working;
        let used = line.running.len() + line.queue.len() + line.lent;
        let number = self.budget.threads.saturating_sub(used).min(most);
        line.lent += number;
        (0..number).map(|_| Lent(Arc::clone(self))).collect()
    }

    pub(super) fn settle(&self, most: Duration) -> bool {
        let end = Instant::now() + most;
        let mut state = self.lock();
        while state.busy > 0 {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.quiet.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.working.notify_all();
        self.waiting.notify_all();
        self.clock.close();
    }

    fn due(&self, line: &Line, lane: Lane) -> Option<Turn> {
        let most = match lane {
            Lane::Working => self.budget.threads,
            Lane::Waiting => self.budget.waiting,
        };
        if line.running.len() + line.lent >= most.max(1) {
            return None;
        }
        let has_room = line.running.is_empty() || self.held.load(Ordering::Relaxed) < self.budget.memory;
        // Judging frees memory, and so does a look that goes on to its end.
        let fits = |(is_read, ..): &Turn, queued: &Queued| has_room || !is_read || queued.look.has_begun();
        line.queue.iter().find(|(turn, queued)| fits(turn, queued)).map(|(turn, _)| *turn)
    }

    /// Sees to it that a thread takes the job whose turn it is. Gives back the jobs that no thread can be started for.
    fn stir(self: &Arc<Self>, state: &mut State, lane: Lane) -> Option<BTreeMap<Turn, Queued>> {
        let line = state.line(lane);
        self.due(line, lane)?;
        if line.starting > 0 {
            // It takes the job, and sees to the next one.
            return None;
        }
        if line.idle > 0 {
            self.bell(lane).notify_one();
            return None;
        }
        let name = match lane {
            Lane::Working => "candor-work",
            Lane::Waiting => "candor-wait",
        };
        let shared = Arc::clone(self);
        let thread = std::thread::Builder::new().name(format!("{name}-{}", line.threads + 1));
        match thread.spawn(move || shared.serve(lane)) {
            Ok(_) => {
                line.threads += 1;
                line.starting += 1;
            }
            Err(_) if line.threads == 0 => return Some(std::mem::take(&mut line.queue)),
            // One of the others will come to it.
            Err(_) => {}
        }
        None
    }

    fn serve(self: &Arc<Self>, lane: Lane) {
        let mut done = None;
        while let Some((turn, Queued { look, run })) = self.next_job(lane, done) {
            // What breaks here is the end of a value that no one waits for.
            let _ = catch_unwind(AssertUnwindSafe(run));
            drop(look);
            done = Some(turn);
        }
    }

    /// The next job, waited for; nothing when the thread is to end. `done` is the thread's last job: it is over and the next
    /// one begins under one lock, so that no other thread is started in between.
    fn next_job(self: &Arc<Self>, lane: Lane, done: Option<Turn>) -> Option<(Turn, Queued)> {
        let mut state = self.lock();
        match done {
            None => state.line(lane).starting -= 1,
            Some(turn) => {
                state.busy -= 1;
                state.line(lane).running.remove(&turn);
                if state.busy == 0 {
                    self.quiet.notify_all();
                }
            }
        }
        let mut is_over = false;
        loop {
            let line = state.line(lane);
            if let Some(turn) = self.due(line, lane)
                && let Some(queued) = line.queue.remove(&turn)
            {
                line.running.insert(turn);
                queued.look.begin();
                state.busy += 1;
                let lost = self.stir(&mut state, lane);
                drop(state);
                drop(lost);
                return Some((turn, queued));
            }
            if is_over || state.is_closed {
                state.line(lane).threads -= 1;
                return None;
            }
            state.line(lane).idle += 1;
            let waited = self.bell(lane).wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
            state = waited.0;
            state.line(lane).idle -= 1;
            is_over = waited.1.timed_out();
        }
    }

    fn bell(&self, lane: Lane) -> &Condvar {
        match lane {
            Lane::Working => &self.working,
            Lane::Waiting => &self.waiting,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
