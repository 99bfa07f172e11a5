//! The HTTP that `object_store` speaks through: a connector over `ureq`, which the checks have already. Redirects are not
//! followed, every request ends with its operation, listings are sifted on their way, and bytes are what was stored.

use std::fmt;
use std::io::Read as _;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use candor_check::sandbox::{Limits, duration};
use candor_check::{Obstacle, Unverifiable};
use candor_http::host::{is_asked_directly, is_metadata_service};
use candor_http::ureq::http::{Method, Request, Response, Uri, header};
use candor_http::ureq::tls::RootCerts;
use candor_http::{Failure, Policy, ureq};
use http_body::Frame;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions};
use tokio::sync::{mpsc, oneshot};

use super::listing::{ListingPage, sift_listing};
use super::trouble::{Operation, Trouble};

/// The most that an answer may have which is held whole: a page of a listing (5,000 entries at most), a token.
const MOST: u64 = 64 << 20;
/// The most that is read of an answer that is not a success.
const MOST_OF_AN_ERROR: u64 = 64 << 10;
/// How much is read at a time, and how many such pieces may wait.
const PIECE: usize = 128 << 10;
const PIECES: usize = 2;

#[derive(Clone)]
pub(super) struct Sifted(pub(super) Arc<ListingPage>);

/// Makes the clients of one store: for the bucket, and for what gives out credentials.
pub(super) struct Connector {
    roots: RootCerts,
    /// The requests for credentials, which every operation shares.
    pub(super) login: Operation,
    timeout: Duration,
    /// Asks Google for what is stored, not for what it may unpack on the way.
    as_stored: bool,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connector")
    }
}

impl Connector {
    pub(super) fn new(ca_file: Option<&Path>, limits: &Limits, as_stored: bool) -> Result<Self, Unverifiable> {
        let roots = match ca_file {
            Some(path) => authorities(path)?,
            None => RootCerts::WebPki,
        };
        Ok(Self { roots, login: Operation::new(limits), timeout: limits.timeout, as_stored })
    }
}

fn authorities(path: &Path) -> Result<RootCerts, Unverifiable> {
    let wrong = |what: &str| {
        Unverifiable::new(Obstacle::SourceUnavailable, format!("the `ca_file` of [files], {}, {what}", path.display()))
    };
    let pem = std::fs::read(path).map_err(|_| wrong("cannot be read"))?;
    candor_http::authorities(&pem).map_err(|error| wrong(&error.to_string()))
}

#[derive(Clone, Debug)]
pub(super) struct Shared(pub(super) Arc<Connector>);

impl HttpConnector for Shared {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let setting = |key| options.get_config_value(&key);
        let connect = setting(ClientConfigKey::ConnectTimeout).and_then(|text| duration(&text).ok());
        let policy = Policy { roots: self.0.roots.clone(), connect_timeout: connect, ..Policy::default() };
        Ok(HttpClient::new(Service {
            agent: candor_http::agent(&policy, ""),
            connector: Arc::clone(&self.0),
            may_be_plain: setting(ClientConfigKey::AllowHttp).as_deref() == Some("true"),
        }))
    }
}

struct Service {
    agent: ureq::Agent,
    connector: Arc<Connector>,
    may_be_plain: bool,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Service")
    }
}

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let own = request.extensions().get::<Operation>();
        let operation = own.unwrap_or(&self.connector.login).clone();
        let left = match own {
            Some(operation) => operation.deadline.saturating_duration_since(Instant::now()),
            None => self.connector.timeout,
        };
        let fail = |trouble: Trouble, kind| {
            operation.note(Some(trouble.clone()));
            HttpError::new(kind, trouble)
        };
        if request.uri().scheme_str() != Some("https") && !self.may_be_plain {
            return Err(fail(Trouble::insecure(), HttpErrorKind::Unknown));
        }
        if left < Duration::from_millis(1) {
            return Err(fail(Trouble::timeout(), HttpErrorKind::Timeout));
        }
        let exchange = Exchange {
            // Google unpacks an object that is stored in gzip for who does not say that gzip is fine.
            as_stored: self.connector.as_stored,
            is_listing: is_listing(request.method(), request.uri()),
            operation: operation.clone(),
            left,
        };
        let (agent, (tell, told)) = (self.agent.clone(), oneshot::channel());
        // `ureq` blocks: each exchange has a thread until its body is read or no one waits for it any more.
        drop(tokio::task::spawn_blocking(move || exchange.run(&agent, request, tell)));
        match told.await {
            Ok(answer) => answer.map_err(|(trouble, kind)| fail(trouble, kind)),
            Err(_) => Err(fail(Trouble::timeout(), HttpErrorKind::Unknown)),
        }
    }
}

/// The two ways of asking for a page of a listing: S3's and Google's, and Azure's.
fn is_listing(method: &Method, uri: &Uri) -> bool {
    let mut settings = uri.query().unwrap_or_default().split('&');
    method == Method::GET && settings.any(|setting| setting == "list-type=2" || setting == "comp=list")
}

type Answer = Result<HttpResponse, (Trouble, HttpErrorKind)>;

struct Exchange {
    as_stored: bool,
    is_listing: bool,
    operation: Operation,
    left: Duration,
}

impl Exchange {
    fn run(self, agent: &ureq::Agent, request: HttpRequest, tell: oneshot::Sender<Answer>) {
        let response = match self.ask(agent, request) {
            Ok(response) => response,
            Err(error) => return drop(tell.send(Err(Trouble::of_connection(&Failure::from(&error))))),
        };
        if !response.status().is_success() {
            return drop(tell.send(Ok(self.refused(response))));
        }
        self.operation.note(None);
        if self.is_listing {
            return drop(tell.send(sifted(response)));
        }
        let (mut parts, body) = response.into_parts();
        parts.extensions.clear();
        let (hand, pieces) = mpsc::channel(PIECES);
        let body_of = HttpResponseBody::new(Pieces(pieces));
        if tell.send(Ok(Response::from_parts(parts, body_of))).is_err() {
            return;
        }
        let mut reader = body.into_reader();
        loop {
            let mut piece = vec![0; PIECE];
            let handed = match reader.read(&mut piece) {
                Ok(0) => return,
                Ok(read) => {
                    piece.truncate(read);
                    hand.blocking_send(Ok(Bytes::from(piece)))
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    let (trouble, kind) = Trouble::of_connection(&Failure::from(&error));
                    self.operation.note(Some(trouble.clone()));
                    drop(hand.blocking_send(Err(HttpError::new(kind, trouble))));
                    return;
                }
            };
            if handed.is_err() {
                // No one reads on.
                return;
            }
        }
    }

    fn ask(&self, agent: &ureq::Agent, request: HttpRequest) -> Result<Response<ureq::Body>, ureq::Error> {
        let (mut parts, body) = request.into_parts();
        parts.extensions.clear();
        // Set again for what is sent.
        parts.headers.remove(header::CONTENT_LENGTH);
        if self.as_stored {
            parts.headers.insert(header::ACCEPT_ENCODING, header::HeaderValue::from_static("gzip"));
        }
        match parts.method {
            Method::GET | Method::HEAD => self.timed(agent, Request::from_parts(parts, ())),
            _ => {
                let body = body.as_bytes().map(|bytes| bytes.to_vec()).unwrap_or_default();
                self.timed(agent, Request::from_parts(parts, body))
            }
        }
    }

    fn timed(
        &self,
        agent: &ureq::Agent,
        request: Request<impl ureq::AsSendBody>,
    ) -> Result<Response<ureq::Body>, ureq::Error> {
        let is_near = is_near(request.uri());
        let mut request = agent.configure_request(request).timeout_global(Some(self.left));
        if is_near {
            request = request.proxy(None);
        }
        agent.run(request.build())
    }

    /// An answer that is not a success, with the beginning of what it says.
    fn refused(&self, response: Response<ureq::Body>) -> HttpResponse {
        let (mut parts, body) = response.into_parts();
        parts.extensions.clear();
        let mut text = Vec::new();
        // The status says enough where the rest does not come.
        let _ = body.into_reader().take(MOST_OF_AN_ERROR).read_to_end(&mut text);
        self.operation.note(Some(Trouble::of_answer(parts.status, &parts.headers, &text)));
        let text = String::from_utf8_lossy(&text).into_owned();
        Response::from_parts(parts, HttpResponseBody::from(text))
    }
}

/// Returns `true` if a host is asked without the proxy that the environment names.
fn is_near(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default();
    is_asked_directly(host) || is_metadata_service(host)
}

/// A page of a listing, without the keys that `object_store` would give it up for.
fn sifted(response: Response<ureq::Body>) -> Answer {
    let decode = |trouble| Err((trouble, HttpErrorKind::Decode));
    let (mut parts, body) = response.into_parts();
    let mut bytes = Vec::new();
    if let Err(error) = body.into_reader().take(MOST + 1).read_to_end(&mut bytes) {
        return Err(Trouble::of_connection(&Failure::from(&error)));
    }
    if bytes.len() as u64 > MOST {
        return decode(Trouble::of_listing("a page of it is larger than 64 MiB"));
    }
    match sift_listing(&bytes) {
        Ok(mut page) => {
            let rest = std::mem::take(&mut page.rest);
            parts.extensions.clear();
            parts.extensions.insert(Sifted(Arc::new(page)));
            Ok(Response::from_parts(parts, HttpResponseBody::from(rest)))
        }
        Err(what) => decode(Trouble::of_listing(&what)),
    }
}

struct Pieces(mpsc::Receiver<Result<Bytes, HttpError>>);

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
