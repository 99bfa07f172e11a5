//! Work that runs while Python goes on: started, waited for, cancelled.
//!
//! No thread of ours ever enters the interpreter: a program may end at any time, and an interpreter that ends aborts the
//! process if a foreign thread is in it. Results and progress are kept until a thread of Python asks, and a [`Bell`] wakes
//! an event loop through a socket.

use std::any::Any;
use std::io::{Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use tokio::runtime::Runtime;
use tokio::task::{AbortHandle, JoinError, JoinHandle};

use crate::ending::Inside;
use crate::errors::{self, InternalError};

/// How long a waiting thread sleeps until it asks for signals.
const PULSE: Duration = Duration::from_millis(25);

/// Makes the result when it is asked for.
pub(crate) type Give = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

/// How many parts of the work have ended, of how many, and the name and the result of the last one.
type Step = (usize, usize, String, &'static str);

/// A running piece of work. `wait()` blocks without Python's lock until it has ended, and ends it on Ctrl-C; `ring` and
/// `result` are for those who may not block.
#[pyclass(frozen, module = "candor._native")]
pub(crate) struct Job {
    shared: Arc<Shared>,
    abort: AbortHandle,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    outcome: Option<Result<Give, JoinError>>,
    is_done: bool,
    steps: Vec<Step>,
    bell: Option<(Ringer, u64)>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, outcome: Result<Give, JoinError>) {
        let bell = {
            let mut state = self.state();
            state.outcome = Some(outcome);
            state.is_done = true;
            state.bell.take()
        };
        self.changed.notify_all();
        if let Some((bell, number)) = bell {
            bell.ring(number);
        }
    }
}

/// Tells whoever waits how far the work is.
pub(crate) struct Progress(Arc<Shared>);

impl Progress {
    /// Adds a step.
    pub(crate) fn tell(&self, done: usize, total: usize, name: &str, result: &'static str) {
        self.0.state().steps.push((done, total, name.to_owned(), result));
        self.0.changed.notify_all();
    }
}

/// Wakes an event loop: readable when jobs have ended, whose numbers `ended` gives.
#[pyclass(frozen, module = "candor._native")]
pub(crate) struct Bell {
    heard: UnixStream,
    ringer: Ringer,
}

#[derive(Clone)]
struct Ringer {
    socket: Arc<UnixStream>,
    ended: Arc<Mutex<Vec<u64>>>,
}

impl Ringer {
    fn ended(&self) -> MutexGuard<'_, Vec<u64>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self, number: u64) {
        self.ended().push(number);
        // A socket that is full wakes the loop as well, and one whose loop is gone has no loop to wake.
        let _ = (&*self.socket).write(&[1]);
    }
}

#[pymethods]
impl Bell {
    #[new]
    fn new() -> PyResult<Self> {
        let (heard, socket) = UnixStream::pair()?;
        heard.set_nonblocking(true)?;
        socket.set_nonblocking(true)?;
        Ok(Self { heard, ringer: Ringer { socket: Arc::new(socket), ended: Arc::default() } })
    }

    /// The file descriptor that an event loop waits for.
    fn fileno(&self) -> i32 {
        self.heard.as_raw_fd()
    }

    /// The numbers of the jobs that have ended since the last call.
    fn ended(&self) -> Vec<u64> {
        let mut bytes = [0; 64];
        while (&self.heard).read(&mut bytes).is_ok_and(|read| read > 0) {}
        std::mem::take(&mut *self.ringer.ended())
    }
}

/// The runtime of this process. It is never dropped: after a fork the threads of the parent's are not there to end.
fn runtime() -> PyResult<&'static Runtime> {
    // Only a thread that holds Python's lock comes here, and a fork needs that lock: no child finds this one locked.
    static RUNTIME: Mutex<Option<(u32, &'static Runtime)>> = Mutex::new(None);
    let mut runtime = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((of, runtime)) = *runtime
        && of == process
    {
        return Ok(runtime);
    }
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let made = builder.worker_threads(2).thread_name("candor-python").enable_time().build();
    let made: &'static Runtime = Box::leak(Box::new(made.map_err(errors::other)?));
    *runtime = Some((process, made));
    Ok(made)
}

/// Starts work.
///
/// # Errors
/// When the system gives no thread.
pub(crate) fn start<F>(work: F) -> PyResult<Job>
where
    F: Future<Output = Give> + Send + 'static,
{
    start_telling(|_| work)
}

/// Starts work that tells how far it is.
///
/// # Errors
/// As [`start`].
pub(crate) fn start_telling<F>(work: impl FnOnce(Progress) -> F) -> PyResult<Job>
where
    F: Future<Output = Give> + Send + 'static,
{
    let runtime = runtime()?;
    let shared = Arc::new(Shared::default());
    let task = runtime.spawn(work(Progress(Arc::clone(&shared))));
    Ok(watched(runtime, shared, task))
}

/// Starts work that computes and waits for nothing. Whoever cancels it is not kept waiting; it goes on to its end.
///
/// # Errors
/// As [`start`].
pub(crate) fn start_computing(work: impl FnOnce() -> Give + Send + 'static) -> PyResult<Job> {
    let runtime = runtime()?;
    Ok(watched(runtime, Arc::default(), runtime.spawn_blocking(work)))
}

fn watched(runtime: &'static Runtime, shared: Arc<Shared>, task: JoinHandle<Give>) -> Job {
    let abort = task.abort_handle();
    let of_task = Arc::clone(&shared);
    runtime.spawn(async move { of_task.end(task.await) });
    Job { shared, abort }
}

#[pymethods]
impl Job {
    /// Waits for the end, and gives the result. `progress` is called with each step, here and by this thread; if it raises,
    /// the work ends.
    #[pyo3(signature = (progress=None))]
    fn wait(&self, py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        let inside = Inside::enter();
        loop {
            let (is_done, steps) = py.detach(|| {
                inside.park_at_the_end();
                let waits = |state: &mut State| !state.is_done && state.steps.is_empty();
                let state = self.shared.changed.wait_timeout_while(self.shared.state(), PULSE, waits);
                let mut state = state.unwrap_or_else(PoisonError::into_inner).0;
                let seen = (state.is_done, std::mem::take(&mut state.steps));
                drop(state);
                inside.park_at_the_end();
                seen
            });
            let told = steps.into_iter().try_for_each(|step| match progress {
                Some(progress) => progress.call1(step).map(|_| ()),
                None => Ok(()),
            });
            if let Err(error) = told.and_then(|()| if is_done { Ok(()) } else { py.check_signals() }) {
                self.abort.abort();
                return Err(error);
            }
            if is_done {
                return self.result(py);
            }
        }
    }

    /// Stops the work.
    fn cancel(&self) {
        self.abort.abort();
    }

    /// Rings a bell with this number when the work has ended; at once if it has.
    fn ring(&self, bell: &Bell, number: u64) {
        let mut state = self.shared.state();
        if state.is_done {
            bell.ringer.ring(number);
        } else {
            state.bell = Some((bell.ringer.clone(), number));
        }
    }

    /// The result of work that has ended. It can be taken once.
    fn result(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let outcome = self.shared.state().outcome.take();
        match outcome {
            Some(Ok(give)) => give(py),
            Some(Err(error)) if error.is_panic() => Err(panicked(&*error.into_panic())),
            Some(Err(_)) => Err(errors::other("the work was cancelled")),
            None => Err(errors::other("the work has no result, or its result was taken")),
        }
    }
}

impl Drop for Job {
    /// Stops the work, because no caller can wait for it any more.
    fn drop(&mut self) {
        self.abort.abort();
    }
}

/// The exception of a panic.
pub(crate) fn panicked(payload: &(dyn Any + Send)) -> PyErr {
    let text = payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("no message");
    InternalError::new_err(format!("Candor itself broke, which is a defect of it, and there is no result: {text}"))
}
