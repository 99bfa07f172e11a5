//! A request after its token, its place and its body were looked at, and the table's idea of a route.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::http::{HeaderMap, Method, header};
use axum::response::Response;
use bytes::Bytes;
use candor_json::Value;

use crate::app::App;
use crate::body;
use crate::error::ApiError;
use crate::forms::pairs;
use crate::store::{Run, TaskRun};
use crate::viewer::Viewer;

pub(crate) type Handler = fn(Arc<App>, Call) -> Pin<Box<dyn Future<Output = Result<Response, ApiError>> + Send>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opens {
    /// It needs no token.
    Anyone,
    Operator,
    Run,
    Agent,
    Share,
}

/// The subject that `{id}` in the path of a route identifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Nothing,
    Run,
    TaskRun,
    Sandbox,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    Json,
    Hl7,
    X12,
    Bytes,
    /// FHIR in JSON.
    Fhir,
    Form,
    JsonOrForm,
}

/// Routes for programs only, in addition to those below `/v1` and `/api`.
const PROGRAMS: [&str; 7] =
    ["/openapi.json", "/metrics", "/tasks", "/tasks/{id}", "/benchmarks", "/benchmarks/{id}", "/criterion-runs"];

#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub method: &'static str,
    pub path: &'static str,
    pub opens: Opens,
    pub subject: Subject,
    pub takes: Takes,
    /// The purpose of the route, in a sentence.
    pub does: &'static str,
    /// The status of a success.
    pub answers: &'static [u16],
    pub handler: Handler,
}

impl Route {
    pub(crate) fn is_fhir(&self) -> bool {
        self.path.starts_with("/v1/sandboxes/{id}/fhir")
    }

    pub(crate) fn is_nemo(&self) -> bool {
        self.path.starts_with("/nemo/")
    }

    /// The formats that `format` of the address may name.
    pub(crate) fn formats(&self) -> &'static [&'static str] {
        if self.path == "/benchmark-runs/{id}" { &["json", "html", "ndjson"] } else { &["json", "html"] }
    }

    pub(crate) fn has_page(&self) -> bool {
        let is_program = ["/v1/", "/api/", "/nemo/"].iter().any(|folder| self.path.starts_with(folder));
        !is_program && !PROGRAMS.contains(&self.path)
    }
}

pub(crate) struct Call {
    pub viewer: Viewer,
    /// The token that came with it.
    pub bearer: Option<String>,
    pub method: Method,
    pub path: String,
    pub params: Vec<(String, String)>,
    pub query: Vec<(String, String)>,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// True if a browser asks for a page.
    pub wants_page: bool,
    /// The benchmark run that it is about.
    pub run: Option<Run>,
    /// The task run that it is about.
    pub task_run: Option<TaskRun>,
    pub routes: &'static [Route],
}

impl Call {
    pub(crate) fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn header(&self, name: impl header::AsHeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The body as the text of a JSON value.
    ///
    /// # Errors
    /// 400 with the place where it is not JSON.
    pub(crate) fn text(&self) -> Result<&str, ApiError> {
        body::text(&self.body)
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// 400 with the place where it is not JSON, or has a member twice.
    pub(crate) fn json(&self) -> Result<Value, ApiError> {
        body::strict(self.text()?)
    }

    /// The body as a request to grade.
    ///
    /// # Errors
    /// As [`Self::json`], for everything but the records of its sandboxes.
    pub(crate) fn json_to_grade(&self) -> Result<Value, ApiError> {
        let text = self.text()?;
        body::to_grade(text, text)
    }

    /// True if `--nemo-open` lets the caller in.
    pub(crate) fn has_no_key(&self) -> bool {
        self.bearer.is_none()
    }

    pub(crate) fn is_form(&self) -> bool {
        self.media_type().as_deref() == Some("application/x-www-form-urlencoded")
    }

    pub(crate) fn field(&self, name: &str) -> Option<String> {
        let fields = if self.is_form() { pairs(&self.body) } else { Vec::new() };
        fields.into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub(crate) fn run(&self) -> Result<&Run, ApiError> {
        self.run.as_ref().ok_or_else(|| ApiError::not_found("benchmark run"))
    }

    pub(crate) fn task_run(&self) -> Result<&TaskRun, ApiError> {
        self.task_run.as_ref().ok_or_else(|| ApiError::not_found("task run"))
    }

    /// The media type of the body, in lower case, without its parameters.
    pub(crate) fn media_type(&self) -> Option<String> {
        let media_type = self.header(header::CONTENT_TYPE)?.split(';').next()?;
        Some(media_type.trim().to_ascii_lowercase())
    }
}
