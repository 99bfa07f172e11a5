//! A delegate behind an HTTP endpoint.

use std::io::Read;
use std::time::Duration;

use candor_check::Secret;

use super::{MOST, claim};
use crate::claim::Claim;
use crate::delegate::{Delegate, DelegateError, Request};
use crate::identity::DelegateId;

/// An endpoint that is asked by `POST` of `{"prompt", "attempt", "session"}` and answers with
/// `{"response", "tool_calls", "tool_results"}`. The session is the same on every attempt. Redirects are not followed.
pub struct HttpEndpoint {
    id: DelegateId,
    url: String,
    bearer: Option<Secret>,
    agent: ureq::Agent,
}

impl HttpEndpoint {
    /// An endpoint that may take so long for an attempt.
    #[must_use]
    pub fn new(id: DelegateId, url: impl Into<String>, bearer: Option<Secret>, time: Duration) -> Self {
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(time))
            .max_redirects(0)
            .http_status_as_error(false)
            .build()
            .into();
        Self { id, url: url.into(), bearer, agent }
    }
}

impl Delegate for HttpEndpoint {
    fn id(&self) -> &DelegateId {
        &self.id
    }

    async fn attempt(&mut self, request: &Request) -> Result<Claim, DelegateError> {
        let body = serde_json::to_vec(request).map_err(|error| DelegateError::Broke(error.to_string()))?;
        let mut post = self.agent.post(&self.url).content_type("application/json");
        if let Some(bearer) = &self.bearer {
            post = post.header("Authorization", format!("Bearer {}", bearer.reveal()));
        }
        let asked = tokio::task::spawn_blocking(move || answered(post.send(&body[..]))).await;
        asked.unwrap_or_else(|error| Err(DelegateError::Broke(error.to_string())))
    }
}

fn answered(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Claim, DelegateError> {
    use ureq::Error::{BadUri, ConnectionFailed, HostNotFound, Io};
    let response = response.map_err(|error| match error {
        BadUri(_) | ConnectionFailed | HostNotFound => DelegateError::Unreachable(error.to_string()),
        Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
            DelegateError::Unreachable(error.to_string())
        }
        other => DelegateError::Broke(other.to_string()),
    })?;
    let status = response.status();
    if status == 404 || status == 401 || status == 403 {
        return Err(DelegateError::Unreachable(format!("it answered {status}")));
    }
    if !status.is_success() {
        return Err(DelegateError::Broke(format!("it answered {status}")));
    }
    let mut body = Vec::new();
    let mut reader = response.into_body().into_reader().take(MOST as u64 + 1);
    reader.read_to_end(&mut body).map_err(|error| DelegateError::Broke(format!("its answer broke off: {error}")))?;
    if body.len() > MOST {
        return Err(DelegateError::Broke(format!("its answer is longer than {MOST} bytes")));
    }
    claim(&body).map_err(DelegateError::Broke)
}
