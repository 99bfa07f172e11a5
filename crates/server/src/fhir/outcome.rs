//! Errors as FHIR has them.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use candor_json::{Value, json};

use crate::error::ApiError;

pub(crate) fn response(error: &ApiError) -> Response {
    let mut response = resource(error.status, &outcome(error));
    if let Some(seconds) = error.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if error.status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

pub(crate) fn outcome(error: &ApiError) -> Value {
    let code = match error.status.as_u16() {
        401 => "login",
        403 => "forbidden",
        404 => "not-found",
        405 | 406 | 415 => "not-supported",
        409 | 412 => "conflict",
        410 => "deleted",
        413 => "too-long",
        422 => "processing",
        429 => "throttled",
        500 => "exception",
        503 => "transient",
        _ => "invalid",
    };
    json!({
        "resourceType": "OperationOutcome",
        "issue": [{"severity": "error", "code": code, "details": {"text": error.message}, "diagnostics": error.code}],
    })
}

pub(crate) fn resource(status: StatusCode, resource: &Value) -> Response {
    let fhir = HeaderValue::from_static("application/fhir+json");
    (status, [(header::CONTENT_TYPE, fhir)], resource.to_string()).into_response()
}
