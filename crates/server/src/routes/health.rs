//! Routes for the health of the service and of its dependencies, and for what it offers.

use std::sync::Arc;
use std::time::Instant;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use candor_json::{Value, json};

use crate::app::App;
use crate::call::{Call, Opens};
use crate::error::{ApiError, respond};
use crate::html;
use crate::store::Backend;
use crate::viewer::identify;

pub(crate) async fn health(_app: Arc<App>, _call: Call) -> Result<Response, ApiError> {
    Ok(respond(StatusCode::OK, &json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")})))
}

pub(crate) async fn deep(app: Arc<App>, _call: Call) -> Result<Response, ApiError> {
    let latency = |began: Instant| began.elapsed().as_secs_f64() * 1000.0;
    let began = Instant::now();
    let database = app.store.ping().await;
    let database_latency = latency(began);
    let began = Instant::now();
    let engine = app.engine.work().judge(|| ()).await;
    let engine_latency = latency(began);
    let status = |fine: bool| if fine { "ok" } else { "failed" };
    let fine = database.is_ok() && engine.is_ok();
    let name = if app.store.backend() == Backend::Postgres { "postgres" } else { "sqlite" };
    let body = json!({
        "status": status(fine),
        "version": env!("CARGO_PKG_VERSION"),
        "dependencies": [
            {"name": "database", "kind": name, "status": status(database.is_ok()), "latency_ms": database_latency},
            {"name": "engine", "kind": "threads", "status": status(engine.is_ok()), "latency_ms": engine_latency},
        ],
    });
    Ok(respond(if fine { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, &body))
}

pub(crate) async fn routes(_app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let route = |route: &crate::call::Route| {
        let opens: &[&str] = match route.opens {
            Opens::Anyone => &[],
            Opens::Operator => &["operator"],
            Opens::Run => &["operator", "run"],
            Opens::Agent => &["operator", "run", "agent"],
            Opens::Share => &["operator", "share"],
        };
        json!({"method": route.method, "path": route.path, "opens": opens, "does": route.does})
    };
    let data: Vec<Value> = call.routes.iter().map(route).collect();
    let limit = data.len();
    Ok(respond(StatusCode::OK, &json!({"data": data, "_meta": {"next": null, "prev": null, "limit": limit}})))
}

pub(crate) async fn openapi(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    Ok(respond(StatusCode::OK, &crate::openapi::document(&app.url, call.routes)))
}

pub(crate) async fn metrics(app: Arc<App>, _call: Call) -> Result<Response, ApiError> {
    let text = app.metrics.text(&app.store.count_by_phase().await?);
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    Ok((StatusCode::OK, [(header::CONTENT_TYPE, kind)], text).into_response())
}

pub(crate) async fn index(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    if call.wants_page {
        let is_operator = match identify(&app.store, call.bearer.as_deref()).await {
            Ok(viewer) => viewer.is_operator(),
            Err(error) if error.status == StatusCode::UNAUTHORIZED => false,
            Err(error) => return Err(error),
        };
        let page = if is_operator { "/benchmark-runs" } else { "/login" };
        return Ok(html::see(&format!("{}{page}", app.base)));
    }
    let url = &app.url;
    let body = json!({
        "name": "candor",
        "version": env!("CARGO_PKG_VERSION"),
        "openapi": format!("{url}/openapi.json"),
        "benchmark_runs": format!("{url}/benchmark-runs"),
        "login": format!("{url}/login"),
    });
    Ok(respond(StatusCode::OK, &body))
}
