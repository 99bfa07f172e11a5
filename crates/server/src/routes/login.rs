//! A browser's session: an operator's key for a cookie.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use candor_json::{Value, json};
use candor_report::page::site::{Site, login as login_page};

use crate::app::App;
use crate::call::Call;
use crate::error::{ApiError, respond};
use crate::html;
use crate::ids::{after, new_id};
use crate::store::Session;
use crate::token::{self, Kind, Presented, csrf_token, login_token};
use crate::viewer::{SESSION_COOKIE, Viewer, cookie, identify};

const LASTS: Duration = Duration::from_secs(12 * 3600);
const FORM_COOKIE: &str = "candor_login";

pub(crate) async fn page(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    if call.wants_page {
        let next = local(call.query("next"));
        return form(&app, &next, None);
    }
    let body = json!({"login": format!("{}/login", app.url), "method": "POST", "fields": ["key"]});
    Ok(respond(StatusCode::OK, &body))
}

fn form(app: &App, next: &str, wrong: Option<&str>) -> Result<Response, ApiError> {
    let (nonce, _) = token::mint(Kind::Session, "login").map_err(|_| ApiError::internal())?;
    let site = Site { base: app.base.clone(), ..Site::default() };
    let status = if wrong.is_some() { StatusCode::UNAUTHORIZED } else { StatusCode::OK };
    let mut response = html::page(status, login_page(&site, next, &login_token(&nonce), wrong));
    set_cookie(app, &mut response, FORM_COOKIE, &nonce, 3600)?;
    Ok(response)
}

/// A page of this service to go to: never an address elsewhere.
fn local(next: Option<&str>) -> String {
    let is_local = |next: &&str| {
        next.starts_with('/')
            && !next.starts_with("//")
            && !next.contains('\\')
            && next.bytes().all(|byte| byte.is_ascii_graphic())
    };
    next.filter(is_local).unwrap_or("/").to_owned()
}

fn set_cookie(app: &App, response: &mut Response, name: &str, value: &str, seconds: u64) -> Result<(), ApiError> {
    let secure = if app.url.starts_with("https://") { "; Secure" } else { "" };
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    let value = HeaderValue::from_str(&text).map_err(|_| ApiError::internal())?;
    response.headers_mut().append(header::SET_COOKIE, value);
    Ok(())
}

/// True for a form whose token does not match its cookie: a page of another site may not log a browser in with a key
/// of that site.
fn forged(call: &Call) -> bool {
    if !call.is_form() || (call.header(header::ORIGIN).is_none() && !call.wants_page) {
        return false;
    }
    let expected = cookie(&call.headers, FORM_COOKIE).map(|nonce| login_token(&nonce));
    let given = call.field("csrf_token").unwrap_or_default();
    !expected.is_some_and(|expected| token::same(&given, &expected))
}

pub(crate) async fn login(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let next = local(call.field("next").as_deref());
    if forged(&call) {
        let message = "The form is out of date, or it is not from this service; try again.";
        return if call.wants_page { form(&app, &next, Some(message)) } else { Err(ApiError::forbidden(message)) };
    }
    let key = match call.is_form() {
        true => call.field("key"),
        false => call.json()?.get("key").and_then(Value::as_str).map(str::to_owned),
    };
    let key = key.ok_or_else(|| ApiError::bad_request("missing_key", "key: expected an operator's key."))?;
    let key = key.trim();
    let key_id = match (key.starts_with("ck_"), identify(&app.store, Some(key)).await) {
        (true, Ok(Viewer::Operator(id))) => id,
        (_, Err(error)) if error.status != StatusCode::UNAUTHORIZED => return Err(error),
        _ => {
            let message = "The key is not valid: it is unknown or revoked.";
            return if call.wants_page {
                form(&app, &next, Some(message))
            } else {
                Err(ApiError::unauthorized(message))
            };
        }
    };
    let id = new_id("s").trim_start_matches("s_").to_owned();
    let (session, digest) = token::mint(Kind::Session, &id).map_err(|_| ApiError::internal())?;
    let expires_at = after(LASTS);
    app.store.add_session(&id, &Session { key_id, digest, expires_at: expires_at.clone() }).await?;
    let mut response = match call.wants_page {
        true => html::see(&format!("{}{next}", app.base)),
        false => respond(StatusCode::OK, &json!({"expires_at": expires_at, "csrf_token": csrf_token(&session)})),
    };
    set_cookie(&app, &mut response, SESSION_COOKIE, &session, LASTS.as_secs())?;
    Ok(response)
}

pub(crate) async fn logout(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    if !call.is_form() && !call.body.is_empty() && !call.json()?.is_object() {
        return Err(ApiError::unprocessable("not_an_object", "The body is not an object; send {}, or nothing."));
    }
    let presented = call.bearer.as_deref().and_then(Presented::read).filter(|one| one.kind == Kind::Session);
    if let Some(session) = presented {
        app.store.end_session(&session.id).await?;
    }
    let mut response = match call.wants_page {
        true => html::see(&format!("{}/login", app.base)),
        false => StatusCode::NO_CONTENT.into_response(),
    };
    set_cookie(&app, &mut response, SESSION_COOKIE, "", 0)?;
    Ok(response)
}
