//! A delegate behind an HTTP endpoint.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use candor_check::sandbox::Secret;
use candor_http::retry::Backoff;
use candor_http::ureq::http;
use candor_http::ureq::unversioned::resolver::DefaultResolver;
use candor_http::ureq::unversioned::transport::{ConnectionDetails, Connector, DefaultConnector, Transport};
use candor_http::{Failure, Policy, ureq};
use jiff::Timestamp;

use super::{MOST, claim, out_of_time};
use crate::claim::Claim;
use crate::delegate::{Delegate, DelegateError, Request};
use crate::identity::DelegateId;

/// How long making a connection may take, where an attempt may take longer.
const CONNECT: Duration = Duration::from_secs(30);

/// The waits before a busy endpoint is asked again that does not say how long to wait.
const BACKOFF: Backoff = Backoff { first: Duration::from_secs(1), longest: Duration::from_secs(30) };

/// An endpoint that is asked by `POST` of `{"prompt", "attempt", "session"}` and answers with
/// `{"response", "tool_calls", "tool_results"}`. The session is the same on every attempt. Redirects are not followed,
/// and one on this machine is asked without the proxy that the environment names.
///
/// A request that was not taken (no connection, a redirect, any 4xx, 503) reached no delegate: the delegate is
/// unreachable. 429 and 503 are asked again within the time of the attempt, when `Retry-After` says so. After 502 and
/// 504, by which a gateway says that it has no answer, the delegate may or may not have taken the request: the answer
/// is lost. Once it took the request, whatever goes wrong is the delegate's doing: it broke off.
pub struct HttpEndpoint {
    id: DelegateId,
    url: String,
    bearer: Option<Secret>,
    time: Duration,
}

impl HttpEndpoint {
    /// An endpoint that may take so long for an attempt.
    #[must_use]
    pub fn new(id: DelegateId, url: impl Into<String>, bearer: Option<Secret>, time: Duration) -> Self {
        Self { id, url: url.into(), bearer, time }
    }

    /// Refuses a text that is not the URL of an endpoint.
    ///
    /// # Errors
    /// The end of a sentence, without the URL, which may hold a secret.
    pub fn check(url: &str) -> Result<(), &'static str> {
        let uri = url.parse::<http::Uri>().ok();
        let is_web = |uri: &http::Uri| matches!(uri.scheme_str(), Some("http" | "https"));
        let has_host = |uri: http::Uri| uri.host().is_some_and(|host| !host.is_empty());
        match uri.filter(is_web).is_some_and(has_host) {
            true => Ok(()),
            false => Err("is not an http:// or https:// URL"),
        }
    }

    /// Every attempt has a connection of its own, so that `connected` is about this attempt.
    fn agent(&self, time: Duration, connected: &Arc<AtomicBool>) -> ureq::Agent {
        let uri = self.url.parse::<http::Uri>().ok();
        let host = uri.as_ref().and_then(http::Uri::host).unwrap_or_default();
        let policy = Policy { connect_timeout: Some(time.min(CONNECT)), ..Policy::default() };
        let authority = uri.as_ref().and_then(http::Uri::authority).map(ToString::to_string);
        let noted = Noted { authority, connected: Arc::clone(connected) };
        let config = candor_http::config(&policy, host);
        ureq::Agent::with_parts(config, DefaultConnector::new().chain(noted), DefaultResolver::default())
    }
}

/// The last of the connectors, who is asked when a connection to the endpoint is made, TLS and all.
#[derive(Debug)]
struct Noted {
    authority: Option<String>,
    connected: Arc<AtomicBool>,
}

impl<In: Transport> Connector<In> for Noted {
    type Out = In;

    fn connect(&self, details: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<In>, ureq::Error> {
        // The connection to a proxy on the way is made by the same connectors.
        let to = details.uri.authority().map(ToString::to_string);
        if chained.is_some() && to == self.authority {
            self.connected.store(true, Ordering::SeqCst);
        }
        Ok(chained)
    }
}

impl Delegate for HttpEndpoint {
    fn id(&self) -> &DelegateId {
        &self.id
    }

    async fn attempt(&mut self, request: &Request) -> Result<Claim, DelegateError> {
        let body = candor_json::to_vec(request).map_err(|error| DelegateError::Broke(error.to_string()))?;
        let (began, mut busy) = (Instant::now(), 0u32);
        loop {
            let left = self.time.saturating_sub(began.elapsed());
            let (status, wait) = match self.asked(body.clone(), left).await? {
                Answer::Claim(claim) => return Ok(claim),
                Answer::Busy { status, retry_after } => {
                    busy = busy.saturating_add(1);
                    (status, BACKOFF.wait(retry_after.as_deref(), busy, Timestamp::now()))
                }
            };
            let left = self.time.saturating_sub(began.elapsed());
            if wait >= left {
                let time = self.time.as_secs_f32();
                return Err(DelegateError::Unreachable(format!(
                    "it answered {status}, and asked for more time than is left of the attempt's {time} s"
                )));
            }
            tokio::time::sleep(wait).await;
        }
    }
}

enum Answer {
    Claim(Claim),
    /// The endpoint did not take it, and may take it later.
    Busy {
        status: http::StatusCode,
        retry_after: Option<String>,
    },
}

impl HttpEndpoint {
    async fn asked(&self, body: Vec<u8>, time: Duration) -> Result<Answer, DelegateError> {
        let connected = Arc::new(AtomicBool::new(false));
        let mut post = self.agent(time, &connected).post(&self.url);
        post = post.config().timeout_global(Some(time)).build().content_type("application/json");
        if let Some(bearer) = &self.bearer {
            post = post.header("Authorization", format!("Bearer {}", bearer.reveal()));
        }
        let whole = self.time;
        let asked = move || {
            let response =
                post.send(&body[..]).map_err(|error| match (connected.load(Ordering::SeqCst), Failure::from(&error)) {
                    (true, Failure::Timeout { .. }) => DelegateError::Broke(out_of_time(whole)),
                    (true, failure) => DelegateError::Broke(failure.to_string()),
                    (false, failure) => DelegateError::Unreachable(failure.to_string()),
                });
            answered(response?, whole)
        };
        let asked = tokio::task::spawn_blocking(asked).await;
        asked.unwrap_or_else(|error| Err(DelegateError::Broke(error.to_string())))
    }
}

/// True if an endpoint did not take the request, and may take it later: 429 Too Many Requests (RFC 6585, 4) and 503
/// Service Unavailable (RFC 9110, 15.6.4).
fn is_busy(status: u16) -> bool {
    matches!(status, 429 | 503)
}

/// True if no delegate took the request: a redirect, or a request that is refused. Source: RFC 9110, 15.4 and 15.5.
fn was_not_taken(status: u16) -> bool {
    matches!(status, 300..=499)
}

/// True if a gateway has no answer from the server that it forwards to. Source: RFC 9110, 15.6.3 and 15.6.5.
fn has_no_answer(status: u16) -> bool {
    matches!(status, 502 | 504)
}

fn answered(response: http::Response<ureq::Body>, time: Duration) -> Result<Answer, DelegateError> {
    let status = response.status();
    if is_busy(status.as_u16()) {
        let retry_after = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
        return Ok(Answer::Busy { status, retry_after: retry_after.map(str::to_owned) });
    }
    if has_no_answer(status.as_u16()) {
        return Err(DelegateError::Lost(format!("it answered {status}")));
    }
    if was_not_taken(status.as_u16()) {
        return Err(DelegateError::Unreachable(format!("it answered {status}")));
    }
    if !status.is_success() {
        return Err(DelegateError::Broke(format!("it answered {status}")));
    }
    let mut body = Vec::new();
    let mut reader = response.into_body().into_reader().take(MOST as u64 + 1);
    reader.read_to_end(&mut body).map_err(|error| {
        DelegateError::Broke(match error.kind() {
            std::io::ErrorKind::TimedOut => out_of_time(time),
            _ => format!("its answer broke off: {error}"),
        })
    })?;
    if body.len() > MOST {
        return Err(DelegateError::Broke(format!("its answer is longer than {MOST} bytes")));
    }
    claim(&body).map(Answer::Claim).map_err(DelegateError::Broke)
}
