//! Reasons why an answer does not come: refusals, absences, servers in trouble, connections that break. One operation
//! on a bucket (a listing, a look, a read) may take several requests; it keeps the last trouble of them, because the
//! error of `object_store` says less, and says it with URLs in it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use candor_check::sandbox::Limits;
use candor_check::{Obstacle, Unverifiable};
use candor_http::Failure;
use candor_http::ureq::http::{HeaderMap, StatusCode};
use object_store::client::HttpErrorKind;

/// An operation: every request of it has a copy, in which its result is noted.
#[derive(Clone)]
pub(super) struct Operation {
    pub(super) deadline: Instant,
    last: Arc<Mutex<Option<Trouble>>>,
}

impl Operation {
    pub(super) fn new(limits: &Limits) -> Self {
        // A little earlier than the sandbox's own limit, so that this side says what was waited for.
        let spare = (limits.timeout / 20).min(Duration::from_millis(100));
        Self { deadline: Instant::now() + limits.timeout.saturating_sub(spare), last: Arc::default() }
    }

    pub(super) fn note(&self, trouble: Option<Trouble>) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    /// The trouble of the last request, if it failed.
    pub(super) fn last(&self) -> Option<Trouble> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) status: Option<u16>,
    pub(super) obstacle: Obstacle,
    /// The text behind "… cannot be read: ".
    pub(super) what: String,
}

impl Trouble {
    fn new(obstacle: Obstacle, what: impl Into<String>) -> Self {
        Self { status: None, obstacle, what: what.into() }
    }

    /// An answer that is not a success. Of what it says only the code is kept: the rest may repeat what was sent.
    pub(super) fn of_answer(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Self {
        let code = code(headers, body);
        let said = code.as_deref().map(|code| format!(" ({code})")).unwrap_or_default();
        let answered = format!("the server answered {status}{said}");
        let code = code.unwrap_or_default();
        let region =
            headers.get("x-amz-bucket-region").and_then(|value| value.to_str().ok()).filter(|text| is_code(text));
        let (obstacle, more) = match (status.as_u16(), code.as_str()) {
            (_, "InvalidObjectState" | "BlobArchived") => {
                (Obstacle::SourceUnavailable, "; it is archived and has to be restored before it can be read")
            }
            (_, "RequestTimeTooSkewed") => (Obstacle::SourceUnavailable, "; the clock of this machine is wrong"),
            (401 | 403, _) | (_, "ExpiredToken" | "InvalidToken" | "PublicAccessNotPermitted") => {
                (Obstacle::SourceDenied, "")
            }
            (404, "NoSuchBucket" | "ContainerNotFound") => (Obstacle::SourceUnavailable, "; there is no such bucket"),
            (412, _) => (Obstacle::SourceUnavailable, "; it changed since it was listed"),
            (301 | 307 | 400, _) if region.is_some() => (Obstacle::SourceUnavailable, "; the bucket is in the region "),
            (300..400, _) => (Obstacle::SourceUnavailable, "; redirects are not followed"),
            _ => (Obstacle::SourceUnavailable, ""),
        };
        let region = if more.ends_with("region ") { region.unwrap_or_default() } else { "" };
        Self { status: Some(status.as_u16()), obstacle, what: format!("{answered}{more}{region}") }
    }

    pub(super) fn of_listing(what: &str) -> Self {
        Self::new(Obstacle::SourceMalformed, format!("the server's listing cannot be understood: {what}"))
    }

    pub(super) fn insecure() -> Self {
        Self::new(
            Obstacle::SourceUnavailable,
            "it would be asked for over plain http://, which the endpoint does not say",
        )
    }

    /// A connection without an answer, and whether another attempt may do better.
    pub(super) fn of_connection(failure: &Failure) -> (Self, HttpErrorKind) {
        use HttpErrorKind::{Connect, Interrupted, Timeout, Unknown};
        let kind = match failure {
            Failure::Timeout { connecting: false } => return (Self::timeout(), Timeout),
            Failure::Timeout { connecting: true } | Failure::Refused | Failure::NoConnection(None) => Connect,
            failure if failure.is_passing() => Interrupted,
            _ => Unknown,
        };
        (Self::new(Obstacle::SourceUnavailable, failure.to_string()), kind)
    }

    pub(super) fn timeout() -> Self {
        Self::new(Obstacle::Timeout, "the server did not answer in time")
    }

    pub(super) fn of(&self, place: &str) -> Unverifiable {
        Unverifiable::new(self.obstacle, format!("{place} cannot be read: {}", self.what))
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Trouble {}

/// The code of an error: `<Code>` of S3, Google and Azure; Azure's header field, which answers to HEAD have too; OAuth's
/// `"error"`.
fn code(headers: &HeaderMap, body: &[u8]) -> Option<String> {
    let header = headers.get("x-ms-error-code").and_then(|value| value.to_str().ok());
    let body = String::from_utf8_lossy(body);
    let xml = || Some(body.split_once("<Code>")?.1.split_once("</Code>")?.0);
    let oauth = || {
        let (colon, value) = body.split_once("\"error\"")?.1.split_once('"')?;
        (colon.trim() == ":").then(|| value.split_once('"'))?.map(|(code, _)| code)
    };
    header.or_else(xml).or_else(oauth).filter(|code| is_code(code)).map(str::to_owned)
}

fn is_code(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}
