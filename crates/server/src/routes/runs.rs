//! Benchmark runs and task runs, as the harness drives them.

use std::collections::HashMap;
use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use candor_json::{Map, Value, json};

use super::definitions::{Benchmark, World, object, text, world};
use crate::app::{App, read_task, time_limit};
use crate::call::Call;
use crate::elision::shown;
use crate::error::{ApiError, respond};
use crate::grading;
use crate::ids::{after, new_id, now, sandbox_of};
use crate::store::{DefinitionKind, NewTaskRun, Run, TaskRun};
use crate::token::{self, Kind};

pub(crate) async fn create(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let body = call.json()?;
    let wrong =
        |(place, message): (String, String)| ApiError::unprocessable("invalid_request", format!("{place}: {message}."));
    let members = object(&body, "the request", &["benchmark", "scored", "agent_id"]).map_err(wrong)?;
    let benchmark_id = text(members, "", "benchmark").map_err(wrong)?;
    let benchmark_id = benchmark_id
        .ok_or_else(|| ApiError::unprocessable("invalid_request", "benchmark: expected the id of a benchmark."))?;
    let scored = match members.get("scored") {
        None => false,
        Some(Value::Bool(scored)) => *scored,
        Some(_) => return Err(ApiError::unprocessable("invalid_request", "scored: expected true or false.")),
    };
    let agent_id = text(members, "", "agent_id").map_err(wrong)?;
    if agent_id.as_ref().is_some_and(|agent| candor::check::identity::same(agent, &app.options.verifier_id)) {
        let message = "agent_id: the agent has the verifier's id, but may not verify its own work; give another id.";
        return Err(ApiError::unprocessable("self_attestation", message));
    }
    let document = app.store.definition(DefinitionKind::Benchmark, &benchmark_id).await?;
    let document = document.ok_or_else(|| ApiError::not_found("benchmark"))?;
    let document: Value = candor_json::from_str(&document).map_err(|_| ApiError::internal())?;
    let benchmark = Benchmark::read(&document).map_err(|_| ApiError::internal())?;
    let (task_runs, worlds) = snapshots(&app, &benchmark).await?;
    let id = new_id("br");
    let (bearer, token_digest) =
        token::mint(Kind::Run, id.trim_start_matches("br_")).map_err(|_| ApiError::internal())?;
    let created_at = now();
    let is_over = task_runs.is_empty();
    let run = Run {
        id,
        benchmark_id: benchmark.id,
        benchmark_name: benchmark.name,
        scored,
        agent_id,
        phase: if is_over { "completed" } else { "created" }.to_owned(),
        token_digest,
        token_expires_at: after(app.options.run_token_ttl),
        completed_at: is_over.then(|| created_at.clone()),
        created_at,
        result: is_over.then(|| grading::sum_up(Vec::new())),
    };
    app.store.add_run(&run, &task_runs, &worlds).await?;
    let all = app.store.task_runs(&run.id).await?;
    let all: Vec<Value> = all.iter().map(|task_run| listed(&app, task_run)).collect();
    let url = &app.url;
    let answer = json!({
        "benchmark_run_id": run.id,
        "benchmark": {"id": run.benchmark_id, "name": run.benchmark_name},
        "scored": run.scored,
        "phase": run.phase,
        "bearer_token": bearer,
        "bearer_token_expires_at": run.token_expires_at,
        "endpoints": {
            "self": format!("{url}/v1/benchmark-runs/{}", run.id),
            "events": format!("{url}/v1/sandboxes/{{sandbox_id}}/events"),
        },
        "task_runs": all,
    });
    Ok(respond(StatusCode::CREATED, &answer))
}

/// The tasks of a benchmark as they are now, and the worlds that they begin with.
async fn snapshots(app: &App, benchmark: &Benchmark) -> Result<(Vec<NewTaskRun>, Vec<(String, Vec<u8>)>), ApiError> {
    let mut tasks: HashMap<&str, Value> = HashMap::new();
    let mut worlds = HashMap::new();
    let mut task_runs = Vec::new();
    for (at, entry) in benchmark.entries.iter().enumerate() {
        if !tasks.contains_key(entry.task.as_str()) {
            let document = app.store.definition(DefinitionKind::Task, &entry.task).await?;
            let document = document.and_then(|document| candor_json::from_str(&document).ok());
            let document = document.ok_or_else(|| {
                ApiError::conflict("unknown_task", format!("tasks[{at}].task: there is no task with this id any more."))
            })?;
            tasks.insert(&entry.task, document);
        }
        let mut task = tasks.get(entry.task.as_str()).cloned().unwrap_or_default();
        let found = task.as_object_mut().and_then(|members| members.shift_remove("sandbox"));
        let (world, outside, content) = kept(app, entry.sandbox.as_ref().or(found.as_ref()).unwrap_or(&json!({})))?;
        worlds.extend(content);
        task_runs.push(NewTaskRun {
            id: new_id("tr"),
            task_id: entry.id.clone().unwrap_or_else(|| entry.task.clone()),
            task: task.to_string(),
            world,
            outside,
        });
    }
    Ok((task_runs, worlds.into_iter().collect()))
}

/// The digest of a world with its content, or the description of one that somebody else keeps.
type Kept = (Option<String>, Option<String>, Option<(String, Vec<u8>)>);

/// The world that a task run begins with.
pub(crate) fn kept(app: &App, value: &Value) -> Result<Kept, ApiError> {
    Ok(match world(app, value)? {
        World::Outside(description) => (None, Some(description), None),
        World::Kept(content) => {
            let digest = token::digest(&content);
            (Some(digest.clone()), None, Some((digest, content.into_bytes())))
        }
    })
}

/// A task run in a list: what a harness needs to go on.
fn listed(app: &App, task_run: &TaskRun) -> Value {
    let (url, id) = (&app.url, &task_run.id);
    let task: Value = candor_json::from_str(&task_run.task).unwrap_or_default();
    json!({
        "id": id,
        "task_id": task_run.task_id,
        "name": task.get("name"),
        "phase": task_run.phase,
        "start_url": format!("{url}/v1/task-runs/{id}/start"),
        "complete_url": format!("{url}/v1/task-runs/{id}/complete"),
        "sandbox": {"id": sandbox_of(id), "endpoints": endpoints(app, task_run)},
    })
}

fn endpoints(app: &App, task_run: &TaskRun) -> Value {
    if task_run.outside.is_some() {
        return json!({});
    }
    let base = format!("{}/v1/sandboxes/{}", app.url, sandbox_of(&task_run.id));
    let mut endpoints = json!({
        "fhir": format!("{base}/fhir"),
        "hl7": format!("{base}/hl7"),
        "files": format!("{base}/files"),
        "voice": format!("{base}/voice/turns"),
        "x12": format!("{base}/x12"),
        "portal": format!("{base}/portal"),
        "events": format!("{base}/events"),
    });
    if let (Some(port), Some(members)) = (crate::mllp::port(app, &task_run.id), endpoints.as_object_mut()) {
        members.insert("mllp".to_owned(), json!(format!("127.0.0.1:{port}")));
    }
    endpoints
}

pub(crate) async fn get(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let run = call.run()?;
    Ok(respond(StatusCode::OK, &whole(&app, &call, run, false).await?))
}

/// A benchmark run with its task runs, as the caller sees it; `full` with the criterion runs.
pub(crate) async fn whole(app: &App, call: &Call, run: &Run, full: bool) -> Result<Value, ApiError> {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| drop(members.insert(name.to_owned(), value));
    put("benchmark_run_id", json!(run.id));
    put("benchmark_id", json!(run.benchmark_id));
    put("benchmark", json!({"id": run.benchmark_id, "name": run.benchmark_name}));
    put("scored", json!(run.scored));
    put("agent_id", json!(run.agent_id));
    put("phase", json!(run.phase));
    put("created_at", json!(run.created_at));
    put("completed_at", json!(run.completed_at));
    let result: Value = run.result.as_deref().and_then(|text| candor_json::from_str(text).ok()).unwrap_or_default();
    for (name, value) in result.as_object().into_iter().flatten() {
        // The number of task runs gives way to the task runs themselves.
        if name != "task_runs" {
            put(name, value.clone());
        }
    }
    let mut shown_run = shown(&call.viewer, run, Value::Object(members));
    let mut task_runs = Vec::new();
    for task_run in app.store.task_runs(&run.id).await? {
        task_runs.push(seen(app, call, run, &task_run, full).await?);
    }
    if let Some(members) = shown_run.as_object_mut() {
        members.insert("benchmark".to_owned(), json!({"id": run.benchmark_id, "name": run.benchmark_name}));
        members.insert("task_runs".to_owned(), Value::Array(task_runs));
    }
    Ok(shown_run)
}

/// A task run as the caller sees it: the one place where a result leaves the service.
pub(crate) async fn seen(app: &App, call: &Call, run: &Run, task_run: &TaskRun, full: bool) -> Result<Value, ApiError> {
    let task: Value = candor_json::from_str(&task_run.task).unwrap_or_default();
    let prompt = read_task(task.clone()).ok().and_then(|task| task.prompt);
    let mut members = Map::new();
    if full && let Some(Value::Object(record)) = grading::record(app, task_run).await? {
        members = record;
    } else if let Some(record) = &task_run.result {
        members = candor_json::from_str(record).unwrap_or_default();
        members.shift_remove("criterion_runs");
    }
    if members.is_empty() {
        members.insert("task_run_id".to_owned(), json!(task_run.id));
        members.insert("task_id".to_owned(), json!(task_run.task_id));
        members.insert("phase".to_owned(), json!(task_run.phase));
    }
    for (name, value) in [
        ("name", json!(task.get("name"))),
        ("prompt", json!(prompt)),
        ("started_at", json!(task_run.started_at)),
        ("deadline", json!(task_run.deadline)),
        ("completed_at", json!(task_run.completed_at)),
        ("sandbox", json!({"id": sandbox_of(&task_run.id)})),
    ] {
        members.insert(name.to_owned(), value);
    }
    if call.viewer.is_operator() && full {
        members.insert("benchmark_run_id".to_owned(), json!(run.id));
        members.insert("task".to_owned(), task);
    }
    Ok(shown(&call.viewer, run, Value::Object(members)))
}

pub(crate) async fn task_run(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let task_run = call.task_run()?;
    Ok(respond(StatusCode::OK, &seen(&app, &call, call.run()?, task_run, true).await?))
}

/// Refuses a body that is neither empty nor an object.
fn takes_no_body(call: &Call) -> Result<(), ApiError> {
    match call.body.is_empty() || call.json()?.is_object() {
        true => Ok(()),
        false => Err(ApiError::unprocessable("not_an_object", "The body is not an object; send {}, or nothing.")),
    }
}

pub(crate) async fn start(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    takes_no_body(&call)?;
    let bearer = call.bearer.as_deref().unwrap_or_default();
    Ok(respond(StatusCode::OK, &begun(&app, call.task_run()?, bearer).await?))
}

/// Starts a task run for the holder of a token: what its agent needs.
pub(crate) async fn begun(app: &Arc<App>, task_run: &TaskRun, bearer: &str) -> Result<Value, ApiError> {
    let (agent_token, digest) = token::derived(Kind::Agent, task_run.id.trim_start_matches("tr_"), bearer);
    let value: Value = candor_json::from_str(&task_run.task).map_err(|_| ApiError::internal())?;
    let deadline = time_limit(&value).map(after);
    if !app.store.start(&task_run.id, &digest, &now(), deadline).await? {
        let message = "The task run was started before; its sandbox and its agent's token are in the first answer.";
        return Err(ApiError::conflict("already_started", message));
    }
    if task_run.outside.is_none() {
        crate::mllp::open(app, &task_run.id).await;
    }
    let started = app.store.task_run(&task_run.id).await?.ok_or_else(ApiError::internal)?;
    let inputs = value.get("inputs").cloned().unwrap_or_else(|| json!({}));
    let task = read_task(value).map_err(|_| ApiError::internal())?;
    Ok(json!({
        "task_run_id": started.id,
        "task_id": started.task_id,
        "name": task.name,
        "phase": started.phase,
        "prompt": task.prompt,
        "inputs": inputs,
        "sandbox": {"id": sandbox_of(&started.id), "endpoints": endpoints(app, &started)},
        "agent_token": agent_token,
        "started_at": started.started_at,
        "deadline": started.deadline,
    }))
}

pub(crate) async fn complete(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    takes_no_body(&call)?;
    let task_run = call.task_run()?;
    if task_run.phase == "created" {
        let message = "The task run is not started; call its start_url first.";
        return Err(ApiError::conflict("not_started", message));
    }
    grading::begin(&app, &task_run.id).await?;
    let url = format!("{}/v1/task-runs/{}", app.url, task_run.id);
    match grading::wait(&app, &task_run.id, app.options.answer_within).await? {
        Some(done) => {
            let record = grading::record(&app, &done).await?.ok_or_else(ApiError::internal)?;
            Ok(respond(StatusCode::OK, &shown(&call.viewer, call.run()?, record)))
        }
        None => {
            let body = json!({"task_run_id": task_run.id, "task_id": task_run.task_id, "phase": "grading", "url": url});
            let mut response = respond(StatusCode::ACCEPTED, &body);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            if let Ok(url) = HeaderValue::from_str(&url) {
                response.headers_mut().insert(header::LOCATION, url);
            }
            Ok(response)
        }
    }
}
