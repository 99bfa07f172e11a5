//! Answers for a browser: whether a page is asked for, and how one is sent.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use candor_report::page::site::{self, CONTENT_SECURITY_POLICY, Site};

use crate::error::ApiError;

/// True if a request asks for a page: it accepts HTML, and does not accept JSON as much.
pub(crate) fn wants_page(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let (mut page, mut json) = (0.0, 0.0);
    for range in lines.flat_map(|line| line.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
        let quality = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f64>().ok()).unwrap_or(1.0);
        match kind.as_str() {
            "text/html" | "application/xhtml+xml" => page = quality.max(page),
            "application/json" | "application/x-ndjson" => json = quality.max(json),
            _ => {}
        }
    }
    page > 0.0 && page > json
}

/// A page, with the policy that keeps everything in it from being run or loaded.
pub(crate) fn page(status: StatusCode, page: String) -> Response {
    let mut response = (status, page).into_response();
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::CACHE_CONTROL, "no-store"),
        (header::VARY, "Accept"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

pub(crate) fn see(address: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    match HeaderValue::from_str(address) {
        Ok(address) => {
            response.headers_mut().insert(header::LOCATION, address);
            response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            response
        }
        Err(_) => ApiError::internal().into_response(),
    }
}

pub(crate) fn error(base: &str, error: &ApiError) -> Response {
    let site = Site { base: base.to_owned(), ..Site::default() };
    let title = error.status.canonical_reason().unwrap_or("Error");
    let mut response = page(error.status, site::message(&site, title, &error.message));
    if let Some(seconds) = error.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Adds the headers that every answer has: browsers must not guess a media type, and must not pass on the address of a
/// page.
pub(crate) async fn guarded(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
        let nothing = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
        headers.insert(header::CONTENT_SECURITY_POLICY, nothing);
    }
    response
}
