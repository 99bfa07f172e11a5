//! Full records, for operators; share links.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use candor_json::{Value, json};

use super::list::Page;
use super::runs::{seen, whole};
use crate::app::App;
use crate::call::Call;
use crate::error::{ApiError, respond};
use crate::html;
use crate::ids::{after, new_id};
use crate::pages;
use crate::store::Share;
use crate::token::{self, Kind};

pub(crate) async fn runs(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let page = Page::of(&call)?;
    let limit = i64::try_from(page.limit + 1).unwrap_or(i64::MAX);
    let mut found = app.store.runs(&page.at, page.forward, limit).await?;
    if call.wants_page {
        let cursors = page.cursors(found.iter().map(|run| run.id.clone()).collect());
        found.truncate(page.limit);
        if !page.forward {
            found.reverse();
        }
        return Ok(pages::run_list(&app, &call, &found, cursors.prev.as_deref(), cursors.next.as_deref()));
    }
    let mut items = Vec::new();
    for run in found {
        let result: Value = run.result.as_deref().and_then(|text| candor_json::from_str(text).ok()).unwrap_or_default();
        let item = json!({
            "benchmark_run_id": run.id,
            "benchmark": {"id": run.benchmark_id, "name": run.benchmark_name},
            "scored": run.scored,
            "agent_id": run.agent_id,
            "phase": run.phase,
            "created_at": run.created_at,
            "completed_at": run.completed_at,
            "verdict": result.get("verdict"),
            "score": result.get("score"),
            "conclusive": result.get("conclusive"),
        });
        items.push((run.id, item));
    }
    Ok(respond(StatusCode::OK, &page.answer(items)))
}

pub(crate) async fn run(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let run = call.run()?;
    if call.wants_page {
        return pages::benchmark_run(&app, &call, run).await;
    }
    match call.query("format") {
        None | Some("json") => Ok(respond(StatusCode::OK, &whole(&app, &call, run, true).await?)),
        Some("ndjson") => {
            let mut lines = String::new();
            for task_run in app.store.task_runs(&run.id).await? {
                for record in app.store.criterion_runs(&task_run.id).await? {
                    let mut record: Value = candor_json::from_str(&record).map_err(|_| ApiError::internal())?;
                    if let Some(members) = record.as_object_mut() {
                        members.insert("task_id".to_owned(), json!(task_run.task_id));
                        if task_run.expired {
                            // It earned nothing: what `candor score` reads says so, too.
                            for (name, value) in [
                                ("status", json!("failed")),
                                ("passed", json!(false)),
                                ("score", json!(0.0)),
                                ("share", json!(0.0)),
                            ] {
                                members.insert(name.to_owned(), value);
                            }
                        }
                    }
                    lines.push_str(&record.to_string());
                    lines.push('\n');
                }
            }
            let ndjson = HeaderValue::from_static("application/x-ndjson");
            Ok((StatusCode::OK, [(header::CONTENT_TYPE, ndjson)], lines).into_response())
        }
        Some(_) => Err(ApiError::bad_request("invalid_format", "`format`: expected json or ndjson.")),
    }
}

pub(crate) async fn delete(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let run = call.run()?;
    for task_run in app.store.task_runs(&run.id).await? {
        app.forget(&task_run.id);
    }
    match app.store.delete_run(&run.id).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(ApiError::not_found("benchmark run")),
    }
}

pub(crate) async fn delete_by_form(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    if call.field("confirm").as_deref() != Some("yes") {
        let message = "confirm: expected yes; nothing was deleted.";
        return Err(ApiError::unprocessable("not_confirmed", message));
    }
    let (address, wants_page) = (format!("{}/benchmark-runs", app.base), call.wants_page);
    let response = delete(app, call).await?;
    Ok(if wants_page { html::see(&address) } else { response })
}

pub(crate) async fn comparison(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let before = call.query("before").ok_or_else(|| {
        ApiError::bad_request("missing_before", "`before`: name the benchmark run that this one is compared with.")
    })?;
    let before = app.store.run(before).await?.ok_or_else(|| ApiError::not_found("benchmark run"))?;
    pages::comparison(&app, &call, &before, call.run()?, call.wants_page).await
}

pub(crate) async fn task_run(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let task_run = call.task_run()?;
    if call.wants_page {
        return pages::task_run(&app, &call, call.run()?, task_run).await;
    }
    Ok(respond(StatusCode::OK, &seen(&app, &call, call.run()?, task_run, true).await?))
}

pub(crate) async fn criterion_runs(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let page = Page::of(&call)?;
    let id = call.query("task_run_id").ok_or_else(|| {
        ApiError::bad_request(
            "missing_task_run_id",
            "`task_run_id`: name the task run whose criterion runs are asked for.",
        )
    })?;
    let task_run = app.store.task_run(id).await?.ok_or_else(|| ApiError::not_found("task run"))?;
    let at = match page.at.as_str() {
        "" => None,
        at => Some(at.parse::<i64>().ok().filter(|at| *at >= 0).ok_or_else(|| {
            ApiError::bad_request("invalid_cursor", "`cursor`: expected one out of `_meta` of this list.")
        })?),
    };
    let limit = i64::try_from(page.limit + 1).unwrap_or(i64::MAX);
    let (from, most) = match (page.forward, at) {
        (true, at) => (at.map_or(0, |at| at.saturating_add(1)), limit),
        (false, at) => {
            let end = at.unwrap_or(0);
            let begin = (end - limit).max(0);
            (begin, end - begin)
        }
    };
    let records = app.store.criterion_runs_from(&task_run.id, from, most).await?;
    let mut items: Vec<(String, Value)> = records
        .into_iter()
        .filter_map(|(position, record)| Some((position.to_string(), candor_json::from_str(&record).ok()?)))
        .collect();
    if !page.forward {
        items.reverse();
    }
    Ok(respond(StatusCode::OK, &page.answer(items)))
}

pub(crate) async fn criterion_run(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let record =
        app.store.criterion_run(call.param("id")).await?.ok_or_else(|| ApiError::not_found("criterion run"))?;
    let value: Value = candor_json::from_str(&record).map_err(|_| ApiError::internal())?;
    if call.wants_page {
        let id = value.get("task_run_id").and_then(Value::as_str).unwrap_or_default();
        let task_run = app.store.task_run(id).await?.ok_or_else(|| ApiError::not_found("criterion run"))?;
        let run = app.store.run(&task_run.run_id).await?.ok_or_else(|| ApiError::not_found("criterion run"))?;
        return pages::criterion_run(&app, &call, &run, &task_run, &record).await;
    }
    Ok(respond(StatusCode::OK, &value))
}

/// Makes a link that shows one benchmark run, read-only, for a time.
pub(crate) async fn share(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    const LONGEST: Duration = Duration::from_secs(90 * 86400);
    let run = call.run()?;
    let body = match call.is_form() {
        true => call.field("expires_in").map_or_else(|| json!({}), |expires_in| json!({"expires_in": expires_in})),
        false => call.json()?,
    };
    let wrong = |message: String| ApiError::unprocessable("invalid_request", message);
    let members = super::definitions::object(&body, "the request", &["expires_in"]);
    let members = members.map_err(|(place, message)| wrong(format!("{place}: {message}.")))?;
    let expires_in = match members.get("expires_in") {
        None => Duration::from_secs(7 * 86400),
        Some(Value::String(text)) => {
            crate::duration(text).map_err(|message| wrong(format!("expires_in: {message}.")))?
        }
        Some(_) => return Err(wrong("expires_in: expected a duration such as 7d.".to_owned())),
    };
    if expires_in > LONGEST {
        return Err(wrong("expires_in: at most 90d.".to_owned()));
    }
    let id = new_id("sh").trim_start_matches("sh_").to_owned();
    let (token, digest) = token::mint(Kind::Share, &id).map_err(|_| ApiError::internal())?;
    let expires_at = after(expires_in);
    app.store.add_share(&id, &Share { run_id: run.id.clone(), digest, expires_at: expires_at.clone() }).await?;
    let url = format!("{}/benchmark-runs/{}/shared?token={token}", app.url, run.id);
    if call.wants_page {
        return Ok(pages::share_link(&app, &call, run, &url, &expires_at));
    }
    Ok(respond(StatusCode::CREATED, &json!({"url": url, "expires_at": expires_at})))
}

pub(crate) async fn shared(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    if call.wants_page {
        return pages::shared(&app, &call, call.run()?).await;
    }
    Ok(respond(StatusCode::OK, &whole(&app, &call, call.run()?, true).await?))
}
