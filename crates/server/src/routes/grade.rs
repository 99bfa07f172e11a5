//! Grading without a run: a task and a sandbox in, a task run out.

use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::Response;
use candor::check::{PartType, Sandbox};
use candor_json::{Map, Value, json};
use futures_util::future::join_all;

use super::definitions::{invalid_task, object, parts};
use crate::app::{App, read_task};
use crate::body;
use crate::call::Call;
use crate::error::{ApiError, respond};
use crate::grading;
use crate::outside;
use crate::world::parts::Parts;

/// The most entries of a batch.
const MOST_ENTRIES: usize = 1000;

pub(crate) async fn grade(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    Ok(respond(StatusCode::OK, &graded(&app, &call.json_to_grade()?).await?))
}

/// Grades each entry under the caller's key. A wrong entry has an error in place of a task run.
pub(crate) async fn batch(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let text = call.text()?;
    let (body, entries) = body::batch(text)?;
    let wrong = |message: String| ApiError::unprocessable("invalid_request", message);
    let members = object(&body, "the request", &["entries"]);
    let members = members.map_err(|(place, message)| wrong(format!("{place}: {message}.")))?;
    if !members.get("entries").is_some_and(Value::is_object) {
        return Err(wrong("entries: expected an object with an entry for each key.".to_owned()));
    }
    if entries.len() > MOST_ENTRIES {
        return Err(wrong(format!("entries: found {} entries, expected at most {MOST_ENTRIES}.", entries.len())));
    }
    let app = &app;
    let results = entries.iter().map(|(key, entry)| async move {
        let run = match body::to_grade(text, entry) {
            Ok(request) => graded(app, &request).await,
            Err(error) => Err(error),
        };
        (key.clone().into_owned(), run.unwrap_or_else(|error| error.to_value()))
    });
    let results: Map<String, Value> = join_all(results).await.into_iter().collect();
    Ok(respond(StatusCode::OK, &json!({"results": results})))
}

/// The task run of a request `{task, sandbox, baseline?}`.
pub(crate) async fn graded(app: &App, body: &Value) -> Result<Value, ApiError> {
    let wrong = |message: String| ApiError::unprocessable("invalid_request", message);
    let members = object(body, "the request", &["task", "sandbox", "baseline"]);
    let members = members.map_err(|(place, message)| wrong(format!("{place}: {message}.")))?;
    let task = members.get("task").ok_or_else(|| wrong("task: expected a task.".to_owned()))?;
    let task = read_task(task.clone()).map_err(|errors| invalid_task(&errors))?;
    let given = members.get("sandbox").ok_or_else(|| wrong("sandbox: expected the parts of a sandbox.".to_owned()))?;
    let _permit = app.gradings.acquire().await.map_err(|_| ApiError::internal())?;
    let mut sandbox = opened(app, given)?;
    if let Some(before) = members.get("baseline") {
        sandbox = sandbox.with_baseline(opened(app, before)?);
    }
    let run = grading::run(app, Arc::new(task), &sandbox).await;
    candor_json::to_value(&run).map_err(|_| ApiError::internal())
}

fn opened(app: &App, value: &Value) -> Result<Sandbox, ApiError> {
    let opened = match outside::described(value) {
        Some(description) => outside::open(&description, &app.options.allow_hosts, &app.parts),
        None => handed_in(&parts(value)?, &app.parts),
    };
    opened.map_err(|message| ApiError::unprocessable("invalid_sandbox", format!("sandbox: {message}.")))
}

/// The sandbox with these parts and no others: a part that was not given is missing.
fn handed_in(parts: &Parts, of: &[PartType]) -> Result<Sandbox, String> {
    let mut builder = parts.given.iter().fold(Sandbox::builder(), |builder, part| builder.folder(part));
    let lines = |values: &[Value]| values.iter().map(|value| format!("{value}\n")).collect::<String>().into_bytes();
    if !parts.fhir_given.is_empty() {
        builder = builder.file("fhir/handed-in.ndjson", lines(&parts.fhir_given));
    }
    for (path, bytes) in &parts.files {
        builder = builder.file(path, bytes.as_slice());
    }
    for (table, rows) in &parts.portal {
        builder = builder.file(format!("portal/{table}.ndjson"), lines(rows));
    }
    builder.build(of).map_err(|error| error.message)
}
