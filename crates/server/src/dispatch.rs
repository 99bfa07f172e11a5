//! From an HTTP request to a route's answer: limits, tokens, ownership, body, idempotency, in this order.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodFilter, on};
use axum::{RequestPartsExt as _, Router};
use bytes::Bytes;
use candor_json::{Value, json};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use crate::app::App;
use crate::call::{Call, Opens, Route, Subject, Takes};
use crate::error::ApiError;
use crate::fhir::outcome;
use crate::forms::pairs as form;
use crate::html;
use crate::ids::{before, now, task_run_of};
use crate::store::{Claimed, StoredAnswer};
use crate::token::{self, Kind};
use crate::viewer::{Viewer, bearer, identify};

const BODY_WITHIN: Duration = Duration::from_secs(60);
/// The values of `verdict` in an address: the filter of a run's page.
const VERDICTS: [&str; 5] = ["", "pass", "partial", "fail", "inconclusive"];
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

pub(crate) fn router(app: Arc<App>, routes: &'static [Route]) -> Router {
    let mut router = Router::new();
    for route in routes {
        let filter = match route.method {
            "GET" => MethodFilter::GET,
            "PUT" => MethodFilter::PUT,
            "DELETE" => MethodFilter::DELETE,
            _ => MethodFilter::POST,
        };
        let answer = move |State(app): State<Arc<App>>, request: Request| async move {
            answered(app, routes, route, request).await
        };
        router = router.route(route.path, on(filter, answer));
    }
    router
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
        .layer(axum::middleware::map_response(html::guarded))
        .with_state(app)
}

fn is_fhir_path(path: &str) -> bool {
    path.starts_with("/v1/sandboxes/") && path.split('/').nth(4) == Some("fhir")
}

fn rendered(error: ApiError, fhir: bool) -> Response {
    if fhir { outcome::response(&error) } else { error.into_response() }
}

async fn no_route(State(app): State<Arc<App>>, request: Request) -> Response {
    let path = request.uri().path();
    if html::wants_page(request.headers()) && !path.starts_with("/v1/") && !path.starts_with("/api/") {
        return html::error(&app.base, &ApiError::not_found("page"));
    }
    rendered(ApiError::not_found("route"), is_fhir_path(request.uri().path()))
}

async fn no_method(request: Request) -> Response {
    let message = format!("The route does not take {}; the header Allow names what it takes.", request.method());
    let error = ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message);
    rendered(error, is_fhir_path(request.uri().path()))
}

/// Answers a request, and logs it: the route, never the path, which may hold a patient's number.
async fn answered(app: Arc<App>, routes: &'static [Route], route: &'static Route, request: Request) -> Response {
    let began = Instant::now();
    let id = request.headers().get(REQUEST_ID).and_then(|id| id.to_str().ok()).unwrap_or_default().to_owned();
    let method = request.method().clone();
    let wants_page = route.has_page() && html::wants_page(request.headers());
    let next = request.uri().path_and_query().map(|path| path.as_str().to_owned()).unwrap_or_default();
    let (answer, by) = match Arc::clone(&app.requests).try_acquire_owned() {
        Ok(permit) => {
            let mut by = String::new();
            let answer = handled(&app, routes, route, request, &mut by).await;
            drop(permit);
            (answer, by)
        }
        Err(_) => (Err(ApiError::too_many("The service is busy; try again in a second.")), String::new()),
    };
    let response = answer.unwrap_or_else(|error| match wants_page {
        true => refused(&app, route, &method, &next, &error),
        false => rendered(error, route.is_fhir()),
    });
    let status = response.status().as_u16();
    app.metrics.answered(status);
    let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    tracing::info!(request_id = %id, %method, route = route.path, status, milliseconds, by = %by, "request");
    response
}

/// An error for a browser. Who is not logged in is led to the login, and from there to where they wanted to go.
fn refused(app: &App, route: &Route, method: &Method, next: &str, error: &ApiError) -> Response {
    let is_login = error.status == StatusCode::UNAUTHORIZED && route.opens == Opens::Operator;
    if !is_login {
        return html::error(&app.base, error);
    }
    let next = if *method == Method::GET { next } else { "/" };
    let query = form_urlencoded::Serializer::new(String::new()).append_pair("next", next).finish();
    html::see(&format!("{}/login?{query}", app.base))
}

async fn handled(
    app: &Arc<App>,
    routes: &'static [Route],
    route: &'static Route,
    request: Request,
    by: &mut String,
) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    let params = parts
        .extract::<RawPathParams>()
        .await
        .map_err(|_| ApiError::bad_request("malformed_path", "The path is not UTF-8 where it is percent-encoded."))?;
    let params: Vec<(String, String)> =
        params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let query = form(parts.uri.query().unwrap_or_default().as_bytes());
    if params.iter().chain(&query).any(|(_, value)| value.contains('\0')) {
        return Err(ApiError::bad_request("malformed_path", "The address has a NUL in it."));
    }
    let bearer = bearer(&parts.headers);
    let viewer = match route.opens {
        Opens::Anyone => Viewer::Anyone,
        _ if route.is_nemo() && app.options.nemo_open && bearer.is_none() => {
            local(&parts.headers)?;
            Viewer::Operator("nemo-open".to_owned())
        }
        // A share link is opened in a browser: its token may be in the address.
        Opens::Share => {
            let given = query.iter().find(|(name, _)| name == "token").map(|(_, value)| value.clone());
            identify(&app.store, given.or_else(|| bearer.clone()).as_deref()).await?
        }
        _ => identify(&app.store, bearer.as_deref()).await?,
    };
    *by = viewer.name();
    permitted(route, &viewer)?;
    let mut call = Call {
        viewer,
        bearer,
        method: parts.method,
        path: parts.uri.path().to_owned(),
        params,
        query,
        headers: parts.headers,
        body: Bytes::new(),
        wants_page: false,
        run: None,
        task_run: None,
        routes,
    };
    call.wants_page = wants_page(route, &call)?;
    owned(app, route, &mut call).await?;
    call.body = received(app, &call.headers, body).await?;
    media_type(route, &call)?;
    asks_for_json(route, &call)?;
    forged(route, &call)?;
    let key = call
        .headers
        .get("idempotency-key")
        .cloned()
        // An answer of a session depends on its cookie, and has tokens in it.
        .filter(|_| call.method == Method::POST && call.viewer != Viewer::Anyone && !route.is_nemo());
    match key {
        Some(key) => once(app, route, call, &key).await,
        None => (route.handler)(Arc::clone(app), call).await,
    }
}

/// A page of another site, whose name a browser was made to look up as this machine's, names itself as the host. A proxy hands on
/// what others ask.
///
/// # Errors
/// 403 for a host that is not this machine's own name, and for a proxy that names itself.
fn local(headers: &HeaderMap) -> Result<(), ApiError> {
    let mut names = headers.keys().map(HeaderName::as_str);
    if names.any(|name| name == "forwarded" || name.starts_with("x-forwarded-")) {
        return Err(ApiError::forbidden("Without a key, /nemo is not asked through a proxy."));
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').filter(|(_, port)| !port.ends_with(']')).map_or(host, |(name, _)| name);
    let address = name.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    match name == "localhost" || address.is_ok_and(|address| address.is_loopback()) {
        true => Ok(()),
        false => Err(ApiError::forbidden("Without a key, /nemo is asked by localhost or a loopback address.")),
    }
}

/// True if the request asks for a page, after a check of the parameters of a page.
///
/// # Errors
/// 400 for a format, a verdict or a number of a page that the route does not know.
fn wants_page(route: &Route, call: &Call) -> Result<bool, ApiError> {
    if !route.has_page() {
        return Ok(false);
    }
    let format = call.query("format").filter(|_| call.method == Method::GET);
    if format.is_some_and(|format| !route.formats().contains(&format)) {
        let message = format!("`format`: expected one of {}.", route.formats().join(", "));
        return Err(ApiError::bad_request("invalid_format", message));
    }
    if call.query("verdict").is_some_and(|verdict| !VERDICTS.contains(&verdict)) {
        return Err(ApiError::bad_request(
            "invalid_verdict",
            "`verdict`: expected pass, partial, fail or inconclusive.",
        ));
    }
    if call.query("page").is_some_and(|page| page.parse::<u32>().is_err()) {
        return Err(ApiError::bad_request("invalid_page", "`page`: expected a whole number."));
    }
    Ok(format.map_or_else(|| html::wants_page(&call.headers), |format| format == "html"))
}

fn permitted(route: &Route, viewer: &Viewer) -> Result<(), ApiError> {
    let opens = match viewer {
        Viewer::Operator(_) => true,
        Viewer::Anyone => route.opens == Opens::Anyone,
        Viewer::Run(_) => matches!(route.opens, Opens::Run | Opens::Agent),
        Viewer::Agent(_) => route.opens == Opens::Agent,
        Viewer::Share(_) => route.opens == Opens::Share,
    };
    let holder = match viewer {
        Viewer::Run(_) => "A run's token",
        Viewer::Agent(_) => "An agent's token",
        _ => "This token",
    };
    if opens { Ok(()) } else { Err(ApiError::forbidden(format!("{holder} does not open this route."))) }
}

/// Finds what the request is about, and whether the token's holder may know of it.
async fn owned(app: &App, route: &Route, call: &mut Call) -> Result<(), ApiError> {
    let id = call.param("id").to_owned();
    let (run_id, task_run) = match route.subject {
        Subject::Nothing => return Ok(()),
        Subject::Run => (id, None),
        Subject::TaskRun | Subject::Sandbox => {
            let what = if route.subject == Subject::Sandbox { "sandbox" } else { "task run" };
            let id = if route.subject == Subject::Sandbox { task_run_of(&id) } else { Some(id) };
            let id = id.ok_or_else(|| ApiError::not_found(what))?;
            let task_run = app.store.task_run(&id).await?.ok_or_else(|| ApiError::not_found(what))?;
            (task_run.run_id.clone(), Some(task_run))
        }
    };
    let what = match route.subject {
        Subject::Sandbox => "sandbox",
        Subject::TaskRun => "task run",
        _ => "benchmark run",
    };
    let is_theirs = match &call.viewer {
        Viewer::Operator(_) => true,
        Viewer::Run(own) | Viewer::Share(own) => *own == run_id,
        Viewer::Agent(own) => task_run.as_ref().is_some_and(|task_run| task_run.id == *own),
        Viewer::Anyone => false,
    };
    if !is_theirs {
        return Err(ApiError::not_found(what));
    }
    call.run = Some(app.store.run(&run_id).await?.ok_or_else(|| ApiError::not_found(what))?);
    call.task_run = task_run;
    Ok(())
}

async fn received(app: &App, headers: &HeaderMap, body: Body) -> Result<Bytes, ApiError> {
    let limit = app.options.max_body;
    let too_large = || {
        let message = format!("The body is larger than {limit} bytes (--max-body).");
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message)
    };
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    match tokio::time::timeout(BODY_WITHIN, Limited::new(body, limit).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() || error.to_string().contains("length limit") => {
            Err(too_large())
        }
        Ok(Err(_)) => Err(ApiError::bad_request("body_incomplete", "The connection ended inside the body.")),
        Err(_) => Err(ApiError::bad_request("body_timeout", "The body took longer than 60 s to come in.")),
    }
}

/// Checks that a FHIR client takes JSON: by `_format`, or else by Accept.
///
/// # Errors
/// 406 for a client that takes another format alone.
fn asks_for_json(route: &Route, call: &Call) -> Result<(), ApiError> {
    if !route.is_fhir() {
        return Ok(());
    }
    let known = |kind: &str| {
        // A `+` in an address is read as a space.
        let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().replace(' ', "+");
        ["", "json", "text/json", "application/json", "application/fhir+json", "application/*", "*/*"]
            .contains(&kind.as_str())
    };
    let named = call.query("_format").map(str::to_owned).or_else(|| call.field("_format"));
    let takes = match &named {
        Some(format) => known(format),
        None => call.header(header::ACCEPT).is_none_or(|accepted| accepted.split(',').any(known)),
    };
    let message = "The server answers in application/fhir+json alone.";
    if takes { Ok(()) } else { Err(ApiError::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", message)) }
}

fn media_type(route: &Route, call: &Call) -> Result<(), ApiError> {
    let given = call.media_type();
    let is = |known: &[&str]| given.as_deref().is_some_and(|given| known.contains(&given));
    match route.takes {
        Takes::Json if call.body.is_empty() && given.is_none() && route.subject == Subject::TaskRun => Ok(()),
        Takes::JsonOrForm if !is(&["application/json", "application/x-www-form-urlencoded"]) => {
            Err(ApiError::media_type("application/json or application/x-www-form-urlencoded"))
        }
        Takes::Json if !is(&["application/json"]) => Err(ApiError::media_type("application/json")),
        Takes::Hl7 if !is(&["application/hl7-v2", "x-application/hl7-v2+er7", "text/plain"]) => {
            Err(ApiError::media_type("application/hl7-v2 or text/plain"))
        }
        Takes::X12 if !is(&["application/edi-x12", "text/plain"]) => {
            Err(ApiError::media_type("application/edi-x12 or text/plain"))
        }
        Takes::Fhir if !is(&["application/fhir+json", "application/json"]) => {
            Err(ApiError::media_type("application/fhir+json"))
        }
        Takes::Form if !call.body.is_empty() && !is(&["application/x-www-form-urlencoded"]) => {
            Err(ApiError::media_type("application/x-www-form-urlencoded"))
        }
        _ => Ok(()),
    }
}

/// A browser sends its cookie whoever made it ask: what changes something needs the session's CSRF token, too.
fn forged(route: &Route, call: &Call) -> Result<(), ApiError> {
    let by_cookie = call.bearer.as_deref().is_some_and(|bearer| bearer.starts_with("cs_"));
    if call.method == Method::GET || call.method == Method::HEAD || route.opens == Opens::Anyone || !by_cookie {
        return Ok(());
    }
    let expected = call.bearer.as_deref().map(token::csrf_token).unwrap_or_default();
    let given = call.header("x-csrf-token").map(str::to_owned).or_else(|| call.field("csrf_token"));
    match given.is_some_and(|given| token::same(&given, &expected)) {
        true => Ok(()),
        false => Err(ApiError::forbidden(
            "The session's CSRF token is missing; send it as X-CSRF-Token, or as csrf_token of a form.",
        )),
    }
}

/// Answers a request with an `Idempotency-Key` once.
async fn once(app: &Arc<App>, route: &'static Route, call: Call, key: &HeaderValue) -> Result<Response, ApiError> {
    let key =
        key.to_str().ok().filter(|key| !key.is_empty() && key.len() <= 255).map(str::to_owned).ok_or_else(|| {
            ApiError::bad_request("malformed_idempotency_key", "Idempotency-Key: expected 1 to 255 visible characters.")
        })?;
    // A key belongs to its holder and route. What is kept for a run is deleted with it.
    let scope = format!("{} {}", call.viewer.name(), token::digest(&call.path));
    let scope = call.run.as_ref().map_or(scope.clone(), |run| format!("{scope}@{}", run.id));
    let media_type = call.media_type().unwrap_or_default();
    let request = format!("{} {} {:?} {media_type} {}", call.method, call.path, call.query, token::digest(&call.body));
    let stale = before(app.options.answer_within + Duration::from_secs(60));
    let agent_token = call
        .task_run
        .as_ref()
        .zip(call.bearer.as_ref())
        .map(|(task_run, bearer)| token::derived(Kind::Agent, task_run.id.trim_start_matches("tr_"), bearer).0);
    match app.store.claim(&scope, &key, &token::digest(&request), &now(), &stale).await? {
        Claimed::Other => {
            let message = "The Idempotency-Key was used for another request; send a new key.";
            return Err(ApiError::conflict("idempotency_key_reused", message));
        }
        Claimed::Pending => {
            let error = ApiError::conflict("request_in_progress", "The same request is being answered; try again.");
            return Err(ApiError { retry_after: Some(1), ..error });
        }
        Claimed::Answered(answer) => return Ok(replayed(answer, agent_token)),
        Claimed::New => {}
    }
    let response =
        (route.handler)(Arc::clone(app), call).await.unwrap_or_else(|error| rendered(error, route.is_fhir()));
    let (parts, body) = response.into_parts();
    let body = body.collect().await.map_err(|_| ApiError::internal())?.to_bytes();
    // What is not final is not kept: the next request with the key asks anew.
    let is_final = parts.status != StatusCode::ACCEPTED
        && parts.status.as_u16() < 500
        && parts.status != StatusCode::TOO_MANY_REQUESTS;
    let kept = is_final.then(|| StoredAnswer {
        status: parts.status.as_u16(),
        headers: kept_headers(&parts.headers),
        body: without_tokens(&body),
    });
    app.store.answer(&scope, &key, kept.as_ref()).await?;
    Ok(Response::from_parts(parts, Body::from(body)))
}

fn kept_headers(headers: &HeaderMap) -> String {
    let kept = [header::CONTENT_TYPE, header::LOCATION, header::ETAG, header::LAST_MODIFIED];
    let pair = |name: &HeaderName| Some((name.to_string(), json!(headers.get(name)?.to_str().ok()?)));
    Value::Object(kept.iter().filter_map(pair).collect()).to_string()
}

/// An answer without the tokens in it, which are handed out once.
fn without_tokens(body: &Bytes) -> Vec<u8> {
    let Ok(Value::Object(mut members)) = candor_json::from_slice::<Value>(body) else { return body.to_vec() };
    // The URL of a share link has its token in it.
    let is_link = members.get("url").and_then(Value::as_str).is_some_and(|url| url.contains("?token="));
    if !is_link && !members.contains_key("bearer_token") && !members.contains_key("agent_token") {
        return body.to_vec();
    }
    members.shift_remove("bearer_token");
    if is_link {
        members.shift_remove("url");
    }
    if let Some(token) = members.get_mut("agent_token") {
        *token = Value::Null;
    }
    Value::Object(members).to_string().into_bytes()
}

fn replayed(answer: StoredAnswer, agent_token: Option<String>) -> Response {
    let mut body = answer.body;
    if let (Some(token), Ok(Value::Object(mut members))) = (agent_token, candor_json::from_slice::<Value>(&body))
        && members.get("agent_token").is_some_and(Value::is_null)
    {
        // It follows from the token that asks, so that it need not be kept.
        members.insert("agent_token".to_owned(), json!(token));
        body = Value::Object(members).to_string().into_bytes();
    }
    let mut response = (StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK), body).into_response();
    let headers = candor_json::from_str::<Value>(&answer.headers).unwrap_or_default();
    for (name, value) in headers.as_object().into_iter().flatten() {
        let pair = HeaderName::try_from(name.as_str())
            .ok()
            .zip(value.as_str().and_then(|value| HeaderValue::from_str(value).ok()));
        if let Some((name, value)) = pair {
            response.headers_mut().insert(name, value);
        }
    }
    response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    response
}
