//! The stylesheet and the script of the pages.

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use candor_report::page::site::assets;

use crate::app::App;
use crate::call::Call;
use crate::error::ApiError;

pub(crate) async fn asset(_app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let asset = assets().into_iter().find(|asset| asset.name == call.param("name"));
    let asset = asset.ok_or_else(|| ApiError::not_found("file"))?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(asset.media_type)),
        // Its name changes with its content.
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable")),
    ];
    Ok((StatusCode::OK, headers, asset.content).into_response())
}
