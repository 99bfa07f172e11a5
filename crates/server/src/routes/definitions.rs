//! Tasks and benchmarks: the same JSON as the files.

use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::Response;
use candor_engine::FileError;
use candor_json::{Map, Value, json};

use crate::app::{App, read_task};
use crate::call::Call;
use crate::error::{ApiError, respond};
use crate::ids::now;
use crate::store::{DefinitionKind, Store};
use crate::world::parts::Parts;

#[derive(Clone, Debug)]
pub(crate) enum World {
    /// The service keeps it: the parts, as they are stored.
    Kept(String),
    /// Somebody else keeps it: its description.
    Outside(String),
}

/// Reads `sandbox` of a task, an entry or a request.
///
/// # Errors
/// 422 with the member that is wrong.
pub(crate) fn world(app: &App, value: &Value) -> Result<World, ApiError> {
    if let Some(description) = crate::outside::described(value) {
        crate::outside::open(&description, &app.options.allow_hosts, &app.parts)
            .map_err(|message| ApiError::unprocessable("invalid_sandbox", format!("sandbox: {message}.")))?;
        return Ok(World::Outside(description.to_string()));
    }
    // An agent cannot act on records that can be read in two ways.
    if let Some(place) = parts(value)?.ambiguous.first() {
        return Err(invalid_parts(place, "an object has a member twice"));
    }
    Ok(World::Kept(value.to_string()))
}

/// Reads the parts of a sandbox in a request.
///
/// # Errors
/// 422 with the member that is wrong.
pub(crate) fn parts(value: &Value) -> Result<Parts, ApiError> {
    Parts::read(value).map_err(|error| invalid_parts(&error.place, &error.message))
}

fn invalid_parts(place: &str, message: &str) -> ApiError {
    let place = if place.is_empty() { "sandbox".to_owned() } else { format!("sandbox.{place}") };
    let details = json!([{"place": place, "message": message}]);
    ApiError::unprocessable("invalid_sandbox", format!("{place}: {message}.")).with(details)
}

pub(crate) fn invalid_task(errors: &[FileError]) -> ApiError {
    let problems: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let message = problems.first().cloned().unwrap_or_default();
    ApiError::unprocessable("invalid_task", message).with(json!(problems))
}

pub(crate) async fn create_task(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let document = call.json()?;
    let task = read_task(document.clone()).map_err(|errors| invalid_task(&errors))?;
    if let Some(sandbox) = document.get("sandbox") {
        world(&app, sandbox)?;
    }
    let known = json!({"id": task.id, "name": task.name});
    stored(&app, DefinitionKind::Task, &task.id, &document, known).await
}

pub(crate) async fn create_benchmark(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let document = call.json()?;
    let benchmark = Benchmark::read(&document).map_err(|(place, message)| {
        let details = json!([{"place": place, "message": message}]);
        ApiError::unprocessable("invalid_benchmark", format!("{place}: {message}.")).with(details)
    })?;
    for (at, entry) in benchmark.entries.iter().enumerate() {
        if app.store.definition(DefinitionKind::Task, &entry.task).await?.is_none() {
            let message = format!("tasks[{at}].task: there is no task with this id; store it with POST /tasks first.");
            return Err(ApiError::unprocessable("unknown_task", message));
        }
        if let Some(sandbox) = &entry.sandbox {
            world(&app, sandbox)?;
        }
    }
    let known = json!({"id": benchmark.id, "name": benchmark.name, "tasks": benchmark.entries.len()});
    stored(&app, DefinitionKind::Benchmark, &benchmark.id, &document, known).await
}

async fn stored(
    app: &App,
    kind: DefinitionKind,
    id: &str,
    document: &Value,
    known: Value,
) -> Result<Response, ApiError> {
    if !is_name(id) {
        let message = "id: expected a text of 1 to 200 bytes without control characters.";
        return Err(ApiError::unprocessable("invalid_id", message));
    }
    let is_new = app.store.define(kind, id, &document.to_string(), &now()).await?;
    Ok(respond(if is_new { StatusCode::CREATED } else { StatusCode::OK }, &known))
}

pub(crate) async fn task(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    found(&app.store, DefinitionKind::Task, call.param("id")).await
}

pub(crate) async fn benchmark(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    found(&app.store, DefinitionKind::Benchmark, call.param("id")).await
}

async fn found(store: &Store, kind: DefinitionKind, id: &str) -> Result<Response, ApiError> {
    let document = store.definition(kind, id).await?.ok_or_else(|| ApiError::not_found(kind.name()))?;
    let document = candor_json::from_str(&document).map_err(|_| ApiError::internal())?;
    Ok(respond(StatusCode::OK, &document))
}

#[derive(Clone, Debug)]
pub(crate) struct Benchmark {
    pub id: String,
    pub name: Option<String>,
    pub entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub task: String,
    pub id: Option<String>,
    pub sandbox: Option<Value>,
}

type Wrong = (String, String);

impl Benchmark {
    pub(crate) fn read(document: &Value) -> Result<Self, Wrong> {
        let members = object(document, "the benchmark", &["id", "name", "tasks"])?;
        let id = text(members, "", "id")?.ok_or_else(|| ("id".to_owned(), "the benchmark has no `id`".to_owned()))?;
        let entries = match members.get("tasks") {
            None | Some(Value::Null) => &Vec::new(),
            Some(Value::Array(entries)) if entries.len() <= 10_000 => entries,
            Some(Value::Array(_)) => return Err(("tasks".to_owned(), "more than 10000 entries".to_owned())),
            Some(_) => return Err(("tasks".to_owned(), "expected a list".to_owned())),
        };
        let entry = |(at, value): (usize, &Value)| {
            let place = format!("tasks[{at}]");
            let members = object(value, &place, &["task", "id", "sandbox"])?;
            let task =
                text(members, &place, "task")?.ok_or_else(|| (place.clone(), "the entry has no `task`".to_owned()))?;
            Ok(Entry { task, id: text(members, &place, "id")?, sandbox: members.get("sandbox").cloned() })
        };
        let entries = entries.iter().enumerate().map(entry).collect::<Result<_, Wrong>>()?;
        Ok(Self { id, name: text(members, "", "name")?, entries })
    }
}

/// An object whose members are all known.
pub(crate) fn object<'v>(value: &'v Value, place: &str, known: &[&str]) -> Result<&'v Map<String, Value>, Wrong> {
    let members = value.as_object().ok_or_else(|| (place.to_owned(), "expected an object".to_owned()))?;
    match members.keys().find(|name| !known.contains(&name.as_str())) {
        Some(unknown) => Err((place.to_owned(), format!("unknown key `{unknown}`; expected {}", known.join(", ")))),
        None => Ok(members),
    }
}

fn is_name(text: &str) -> bool {
    (1..=200).contains(&text.len()) && !text.chars().any(char::is_control)
}

/// A member that is a text, if it is there.
pub(crate) fn text(members: &Map<String, Value>, place: &str, name: &str) -> Result<Option<String>, Wrong> {
    let place = if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if is_name(text) => Ok(Some(text.clone())),
        Some(_) => Err((place, "expected a text of 1 to 200 bytes without control characters".to_owned())),
    }
}
