//! A delegate behind an HTTP endpoint.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use candor_check::host::is_this_machine;
use candor_check::sandbox::Secret;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{ConnectionDetails, Connector, DefaultConnector, Transport};

use super::{MOST, claim};
use crate::claim::Claim;
use crate::delegate::{Delegate, DelegateError, Request};
use crate::identity::DelegateId;

/// How long making a connection may take, where an attempt may take longer.
const CONNECT: Duration = Duration::from_secs(30);

/// An endpoint that is asked by `POST` of `{"prompt", "attempt", "session"}` and answers with
/// `{"response", "tool_calls", "tool_results"}`. The session is the same on every attempt. Redirects are not followed,
/// and one on this machine is asked without the proxy that the environment names.
///
/// A request that was not taken (no connection, a gateway's 502, 503 or 504, a redirect, any 4xx) was given to nobody:
/// the delegate is unreachable. From when on it may have been taken, what goes wrong is the delegate's: it broke off.
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

    /// Every attempt has a connection of its own, so that whether one was made is said of this attempt.
    fn agent(&self, connected: &Arc<AtomicBool>) -> ureq::Agent {
        let mut config = ureq::Agent::config_builder()
            .timeout_global(Some(self.time))
            .timeout_connect(Some(self.time.min(CONNECT)))
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false);
        let uri = self.url.parse::<ureq::http::Uri>().ok();
        if uri.as_ref().and_then(ureq::http::Uri::host).is_some_and(is_this_machine) {
            config = config.proxy(None);
        }
        let authority = uri.as_ref().and_then(ureq::http::Uri::authority).map(ToString::to_string);
        let noted = Noted { authority, connected: Arc::clone(connected) };
        ureq::Agent::with_parts(config.build(), DefaultConnector::new().chain(noted), DefaultResolver::default())
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
        let body = serde_json::to_vec(request).map_err(|error| DelegateError::Broke(error.to_string()))?;
        let connected = Arc::new(AtomicBool::new(false));
        let mut post = self.agent(&connected).post(&self.url).content_type("application/json");
        if let Some(bearer) = &self.bearer {
            post = post.header("Authorization", format!("Bearer {}", bearer.reveal()));
        }
        let asked = move || {
            let response = post.send(&body[..]).map_err(|error| match connected.load(Ordering::SeqCst) {
                true => DelegateError::Broke(error.to_string()),
                false => DelegateError::Unreachable(error.to_string()),
            });
            answered(response?)
        };
        let asked = tokio::task::spawn_blocking(asked).await;
        asked.unwrap_or_else(|error| Err(DelegateError::Broke(error.to_string())))
    }
}

/// Whether a status says that nobody took the request: a redirect, a request that is refused, a gateway that got nowhere.
/// Source: RFC 9110, 15.4 to 15.6.
fn was_not_taken(status: u16) -> bool {
    matches!(status, 300..=499 | 502..=504)
}

fn answered(response: ureq::http::Response<ureq::Body>) -> Result<Claim, DelegateError> {
    let status = response.status();
    if was_not_taken(status.as_u16()) {
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
