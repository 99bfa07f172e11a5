//! The state that all requests share.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use candor::check::PartType;
use candor_engine::{Document, Engine, FileError, Task};
use candor_json::{Value, json};
use tokio::sync::{Mutex as AsyncMutex, Notify, OwnedMutexGuard, Semaphore};

use crate::error::ApiError;
use crate::ids::now;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::store::{NewWrite, Store, StoreError, TaskRun, Write};
use crate::world::State;
use crate::world::parts::Parts;

/// The most sandboxes whose state is kept in memory; others are read again from their log.
const MOST_STATES: usize = 256;
/// The most requests at one time.
const MOST_REQUESTS: usize = 1024;

type Slot = Arc<AsyncMutex<Option<State>>>;

#[derive(Debug)]
pub(crate) struct App {
    pub options: Options,
    pub store: Store,
    pub engine: Engine,
    pub parts: Vec<PartType>,
    /// The name under which this server holds leases.
    pub owner: String,
    /// Where it can be reached, without a slash at the end.
    pub url: String,
    /// The beginning of addresses on pages: the path of `url`.
    pub base: String,
    pub metrics: Metrics,
    pub requests: Arc<Semaphore>,
    /// How many gradings run at a time.
    pub gradings: Arc<Semaphore>,
    /// The task runs that this server grades at the moment.
    pub grading: Mutex<HashSet<String>>,
    /// Who waits for the result of a task run.
    pub results: Mutex<HashMap<String, Arc<Notify>>>,
    /// MLLP's ports in use, by task run.
    pub mllp: Mutex<HashMap<String, (u16, tokio::sync::watch::Sender<bool>)>>,
    states: Mutex<HashMap<String, Slot>>,
}

impl App {
    pub(crate) fn new(options: Options, store: Store, url: String) -> Self {
        let checks = candor::Engine::standard();
        let parts: Vec<PartType> = candor::parts().collect();
        let engine =
            Engine::new(checks.checks().iter().copied(), &options.verifier_id).with_parts(parts.iter().copied());
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZeroUsize::get);
        Self {
            options,
            store,
            engine,
            parts,
            owner: crate::ids::new_id("server"),
            base: path_of(&url),
            url,
            metrics: Metrics::default(),
            requests: Arc::new(Semaphore::new(MOST_REQUESTS)),
            gradings: Arc::new(Semaphore::new((cores * 8).max(16))),
            grading: Mutex::default(),
            results: Mutex::default(),
            mllp: Mutex::default(),
            states: Mutex::default(),
        }
    }

    pub(crate) async fn state(&self, task_run: &TaskRun) -> Result<OwnedMutexGuard<Option<State>>, ApiError> {
        let slot = {
            let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
            if states.len() >= MOST_STATES && !states.contains_key(&task_run.id) {
                // A state that no request uses at the moment can be read again.
                states.retain(|_, slot| Arc::strong_count(slot) > 1);
            }
            Arc::clone(states.entry(task_run.id.clone()).or_default())
        };
        let mut guard = slot.lock_owned().await;
        if guard.is_none() {
            let parts = self.world(task_run).await?;
            *guard = Some(State::of(&parts, &agent_tables(&task_run.task)));
        }
        if let Some(state) = guard.as_mut() {
            for write in self.store.writes(&task_run.id, state.next).await? {
                state.apply(&write);
            }
        }
        Ok(guard)
    }

    /// Drops the state of a sandbox that is not written to any more.
    pub(crate) fn forget(&self, task_run_id: &str) {
        self.states.lock().unwrap_or_else(PoisonError::into_inner).remove(task_run_id);
        let port = self.mllp.lock().unwrap_or_else(PoisonError::into_inner).remove(task_run_id);
        if let Some((_, stop)) = port {
            stop.send_replace(true);
        }
    }

    pub(crate) async fn world(&self, task_run: &TaskRun) -> Result<Parts, ApiError> {
        let Some(digest) = &task_run.world else { return Ok(Parts::default()) };
        let content = self.store.world(digest).await?;
        let content = content.and_then(|content| candor_json::from_slice::<Value>(&content).ok());
        let parts = content.as_ref().map(Parts::read);
        match parts {
            Some(Ok(parts)) => Ok(parts),
            _ => {
                tracing::error!(task_run = %task_run.id, "the stored world of a task run cannot be read");
                Err(ApiError::internal())
            }
        }
    }

    /// Writes to a task run's sandbox: `decide` says what, by the state that it finds, and what is answered.
    ///
    /// # Errors
    /// 409 when the task run is not started or is over; what `decide` refuses.
    pub(crate) async fn write<T>(
        &self,
        task_run: &TaskRun,
        by: &str,
        decide: impl FnOnce(&State, &str) -> Result<(Vec<NewWrite>, T), ApiError>,
    ) -> Result<T, ApiError> {
        let mut guard = self.state(task_run).await?;
        let mut writing = self.store.write().await?;
        let now = now();
        let Some(next) = writing.open_sandbox(&task_run.id, &now).await? else {
            return Err(self.closed(&task_run.id).await);
        };
        let Some(state) = guard.as_mut() else { return Err(ApiError::internal()) };
        if next > state.next {
            for write in writing.writes(&task_run.id, state.next).await? {
                state.apply(&write);
            }
        }
        let (writes, answer) = decide(state, &now)?;
        if writes.is_empty() {
            return Ok(answer);
        }
        writing.append(&task_run.id, next, &writes, by, &now).await?;
        if let Err(error) = writing.commit().await {
            // It may or may not be stored: read the log again.
            *guard = None;
            return Err(error.into());
        }
        for (seq, write) in (next..).zip(writes) {
            let NewWrite { part, name, action, body } = write;
            state.apply(&Write {
                seq,
                part: part.to_owned(),
                name,
                action: action.to_owned(),
                body,
                written_by: by.to_owned(),
                written_at: now.clone(),
            });
        }
        self.metrics.writes.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(answer)
    }

    /// Why a sandbox is not written to.
    async fn closed(&self, task_run_id: &str) -> ApiError {
        let phase = match self.store.task_run(task_run_id).await {
            Ok(Some(task_run)) => task_run.phase,
            Ok(None) => return ApiError::not_found("sandbox"),
            Err(error) => return error.into(),
        };
        let error = match phase.as_str() {
            "created" => ApiError::conflict("not_started", "The task run is not started; call its start_url first."),
            "started" => ApiError::conflict("deadline_passed", "The task run's time is over; its sandbox is frozen."),
            _ => ApiError::conflict("completed", "The task run is completed; its sandbox is frozen."),
        };
        error.with(json!({"phase": phase}))
    }
}

/// The path of an absolute URL, without a slash at the end.
fn path_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').and_then(|at| rest.get(at..)).unwrap_or_default().trim_end_matches('/').to_owned()
}

/// Reads a task; its own members `sandbox`, `agent_writes` and `timeout` are the service's.
pub(crate) fn read_task(value: Value) -> Result<Task, Vec<FileError>> {
    Task::from_document(Document::from_value(value).map_err(|error| vec![error])?)
}

/// The tables that the agent of a task may read and write.
pub(crate) fn agent_tables(task: &str) -> BTreeSet<String> {
    let task = candor_json::from_str::<Value>(task).unwrap_or_default();
    let names = task.get("agent_writes").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

pub(crate) fn time_limit(task: &Value) -> Option<Duration> {
    candor::check::sandbox::duration(task.get("timeout")?.as_str()?).ok()
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        tracing::error!(error = %error, "the database failed");
        if error.is_outage() {
            let message = "The database cannot be reached; try again.";
            let error = Self::new(StatusCode::SERVICE_UNAVAILABLE, "database_unavailable", message);
            return Self { retry_after: Some(1), ..error };
        }
        Self::internal()
    }
}
