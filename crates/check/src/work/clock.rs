//! The clock: one thread that ends waits when their time has come.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::oneshot;

use super::pool::{IDLE, Shared};

pub(super) type Alarm = (Instant, u64);

#[derive(Default)]
pub(super) struct Clock {
    state: Mutex<State>,
    earlier: Condvar,
}

#[derive(Default)]
struct State {
    alarms: BTreeMap<Alarm, oneshot::Sender<()>>,
    is_running: bool,
    is_closed: bool,
}

impl Clock {
    /// Sends when the time has come. Without a thread that could, the sender is dropped.
    pub(super) fn set(&self, shared: &Arc<Shared>, at: Instant, ring: oneshot::Sender<()>) -> Alarm {
        let alarm = (at, shared.next_id());
        let mut state = self.lock();
        state.alarms.insert(alarm, ring);
        if !state.is_running {
            let shared = Arc::clone(shared);
            let thread = std::thread::Builder::new().name("candor-clock".to_owned());
            state.is_running = thread.spawn(move || shared.clock.run()).is_ok();
            if !state.is_running {
                state.alarms.clear();
            }
        } else if state.alarms.first_key_value().is_some_and(|(first, _)| *first == alarm) {
            self.earlier.notify_one();
        }
        alarm
    }

    pub(super) fn unset(&self, alarm: Alarm) {
        self.lock().alarms.remove(&alarm);
    }

    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.earlier.notify_one();
    }

    fn run(&self) {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            let later = state.alarms.split_off(&(now, u64::MAX));
            let due = std::mem::replace(&mut state.alarms, later);
            if !due.is_empty() {
                drop(state);
                for ring in due.into_values() {
                    // Whoever waited may be gone; whoever is woken may do anything, so no lock is held.
                    let _ = ring.send(());
                }
                state = self.lock();
                continue;
            }
            let next = state.alarms.first_key_value().map(|((at, _), _)| at.saturating_duration_since(now));
            let waited = self.earlier.wait_timeout(state, next.unwrap_or(IDLE)).unwrap_or_else(PoisonError::into_inner);
            state = waited.0;
            if state.is_closed || waited.1.timed_out() && state.alarms.is_empty() {
                state.is_running = false;
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
