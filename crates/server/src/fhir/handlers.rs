//! The routes below `/v1/sandboxes/{id}/fhir`.

use std::sync::Arc;

use axum::http::{HeaderName, StatusCode, header};
use axum::response::Response;
use candor_json::{Value, json};

use super::{bundle, capability, change, outcome, search};
use crate::app::App;
use crate::call::Call;
use crate::error::ApiError;
use crate::forms::pairs;
use crate::ids::sandbox_of;
use crate::store::{NewWrite, TaskRun};
use crate::world::State;
use crate::world::resources::{FhirStore, version_of};

const IF_NONE_EXIST: HeaderName = HeaderName::from_static("if-none-exist");

fn base(app: &App, task_run: &TaskRun) -> String {
    format!("{}/v1/sandboxes/{}/fhir", app.url, sandbox_of(&task_run.id))
}

async fn reading<T>(
    app: &App,
    call: &Call,
    read: impl FnOnce(&FhirStore, &str) -> Result<T, ApiError>,
) -> Result<T, ApiError> {
    let task_run = call.task_run()?;
    if task_run.outside.is_some() {
        return Err(outside());
    }
    let guard = app.state(task_run).await?;
    let state = guard.as_ref().ok_or_else(ApiError::internal)?;
    read(&state.fhir, &base(app, task_run))
}

async fn writing<T>(
    app: &App,
    call: &Call,
    change: impl FnOnce(&State, &str, &str) -> Result<(Vec<NewWrite>, T), ApiError>,
) -> Result<T, ApiError> {
    change::unconditional(&call.query)?;
    let task_run = call.task_run()?;
    if task_run.outside.is_some() {
        return Err(outside());
    }
    let base = base(app, task_run);
    app.write(task_run, &call.viewer.name(), |state, now| change(state, &base, now)).await
}

fn outside() -> ApiError {
    ApiError::conflict("sandbox_outside", "The sandbox is kept elsewhere; act on it there.")
}

pub(crate) async fn metadata(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let base = base(&app, call.task_run()?);
    Ok(outcome::resource(StatusCode::OK, &capability::statement(&base)))
}

pub(crate) async fn read(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let kind = change::kind(call.param("type"))?;
    reading(&app, &call, |store, base| Ok(change::read(store, kind, call.param("rid"))?.response(base))).await
}

pub(crate) async fn search_get(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    searched(&app, &call, &call.query).await
}

pub(crate) async fn search_post(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let all: Vec<(String, String)> = call.query.iter().cloned().chain(pairs(&call.body)).collect();
    searched(&app, &call, &all).await
}

async fn searched(app: &App, call: &Call, pairs: &[(String, String)]) -> Result<Response, ApiError> {
    let kind = change::kind(call.param("type"))?;
    let bundle = reading(app, call, |store, base| search::answer(store, kind, pairs, base)).await?;
    Ok(outcome::resource(StatusCode::OK, &bundle))
}

pub(crate) async fn create(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let kind = change::kind(call.param("type"))?;
    let resource = change::resource_of(kind, call.json()?)?;
    let condition = call.header(IF_NONE_EXIST);
    writing(&app, &call, |state, base, now| {
        let (write, done) = change::create(&state.fhir, kind, resource, condition, now)?;
        Ok((write.into_iter().collect(), done.response(base)))
    })
    .await
}

pub(crate) async fn update(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let kind = change::kind(call.param("type"))?;
    let resource = change::resource_of(kind, call.json()?)?;
    let if_match = call.header(header::IF_MATCH);
    writing(&app, &call, |state, base, now| {
        let (write, done) = change::update(&state.fhir, kind, call.param("rid"), resource, if_match, now)?;
        Ok((write.into_iter().collect(), done.response(base)))
    })
    .await
}

pub(crate) async fn delete(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let kind = change::kind(call.param("type"))?;
    let if_match = call.header(header::IF_MATCH);
    writing(&app, &call, |state, base, now| {
        let (write, done) = change::delete(&state.fhir, kind, call.param("rid"), if_match, now)?;
        Ok((write.into_iter().collect(), done.response(base)))
    })
    .await
}

pub(crate) async fn batch(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let body = call.json()?;
    let answer = writing(&app, &call, |state, base, now| bundle::run(state, &body, base, now)).await?;
    Ok(outcome::resource(StatusCode::OK, &answer))
}

/// A version of a resource: its number, its time, how it came, and the resource unless it was deleted then.
struct Version {
    number: u64,
    at: String,
    method: &'static str,
    status: &'static str,
    resource: Option<Value>,
}

/// The versions of a resource, the newest first.
async fn versions(app: &App, call: &Call) -> Result<Vec<Version>, ApiError> {
    let (kind, id) = (change::kind(call.param("type"))?, call.param("rid"));
    let task_run = call.task_run()?;
    if task_run.outside.is_some() {
        return Err(outside());
    }
    let mut versions = Vec::new();
    let found = FhirStore::of(&app.world(task_run).await?.fhir);
    if let Some(resource) = found.get(kind, id).and_then(|one| one.value.as_deref()) {
        let number = version_of(resource).unwrap_or(1);
        let at = resource.get("meta").and_then(|meta| meta.get("lastUpdated")).and_then(Value::as_str);
        let at = at.or(task_run.started_at.as_deref()).unwrap_or_default().to_owned();
        // Who wrote the world chose the id.
        versions.push(Version { number, at, method: "PUT", status: "201", resource: Some(resource.clone()) });
    }
    for write in app.store.history(&task_run.id, "fhir", &format!("{kind}/{id}")).await? {
        let before = versions.last().map_or(0, |last| last.number);
        let resource = if write.action == "delete" { None } else { candor_json::from_slice(&write.body).ok() };
        let number = resource.as_ref().and_then(version_of).unwrap_or(before + 1);
        let is_there = versions.last().is_some_and(|last| last.resource.is_some());
        let (method, status) = match write.action.as_str() {
            "delete" => ("DELETE", "204"),
            "create" => ("POST", "201"),
            _ => ("PUT", if is_there { "200" } else { "201" }),
        };
        versions.push(Version { number, at: write.written_at, method, status, resource });
    }
    versions.reverse();
    if versions.is_empty() { Err(ApiError::not_found("resource")) } else { Ok(versions) }
}

pub(crate) async fn history(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let base = base(&app, call.task_run()?);
    let name = format!("{}/{}", call.param("type"), call.param("rid"));
    let versions = versions(&app, &call).await?;
    let total = versions.len();
    let entry = |version: Version| {
        let etag = format!("W/\"{}\"", version.number);
        let mut entry = json!({
            "fullUrl": format!("{base}/{name}"),
            "request": {"method": version.method, "url": if version.method == "POST" { call.param("type") } else { name.as_str() }},
            "response": {"status": version.status, "etag": etag, "lastModified": version.at},
        });
        if let (Some(members), Some(resource)) = (entry.as_object_mut(), version.resource) {
            members.insert("resource".to_owned(), resource);
        }
        entry
    };
    let entries: Vec<Value> = versions.into_iter().map(entry).collect();
    let link = json!([{"relation": "self", "url": format!("{base}/{name}/_history")}]);
    let bundle = json!({"resourceType": "Bundle", "type": "history", "total": total, "link": link, "entry": entries});
    Ok(outcome::resource(StatusCode::OK, &bundle))
}

pub(crate) async fn vread(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let asked = call.param("vid").to_owned();
    let versions = versions(&app, &call).await?;
    let version = versions.into_iter().find(|version| version.number.to_string() == asked);
    let version = version.ok_or_else(|| ApiError::not_found("version of the resource"))?;
    let Some(resource) = version.resource else {
        return Err(ApiError::new(StatusCode::GONE, "deleted", "The resource was deleted with this version."));
    };
    let name = format!("{}/{}", call.param("type"), call.param("rid"));
    let done = change::Done {
        status: StatusCode::OK,
        name,
        version: version.number,
        resource: Some(resource),
        last_updated: version.at,
    };
    Ok(done.response(&base(&app, call.task_run()?)))
}
