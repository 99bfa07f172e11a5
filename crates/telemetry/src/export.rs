//! A single request to a collector, within a time limit.

use std::fmt;
use std::io::Read;
use std::time::{Duration, Instant};

use candor_http::retry::asked_for;
use candor_http::{Failure, Policy};
use jiff::Timestamp;

use crate::message::{Field, binary, json};
use crate::settings::{Endpoint, Protocol};

/// Why telemetry did not arrive. It says nothing of what was to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportError {
    /// No collector answered.
    Unreachable(String),
    /// It took longer than it may.
    Timeout,
    /// The collector did not take it.
    Refused(u16),
    /// The collector took only a part.
    Partly,
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(why) => write!(f, "the collector cannot be reached: {why}"),
            Self::Timeout => f.write_str("the collector did not answer in time"),
            Self::Refused(status) => write!(f, "the collector answered {status}"),
            Self::Partly => f.write_str("the collector took only a part of it"),
        }
    }
}

impl std::error::Error for ExportError {}

const LONGEST_ANSWER: u64 = 64 << 10;

/// How long to wait before it is tried again, the first time; then twice as long, and so on.
const WAIT: Duration = Duration::from_millis(100);

/// Sends a request until it is taken, or the time is over. Tried again is what the specification calls retryable.
pub(crate) fn send(endpoint: &Endpoint, request: &[Field], until: Instant) -> Result<(), ExportError> {
    let (body, kind) = match endpoint.protocol {
        Protocol::Binary => (binary(request), "application/x-protobuf"),
        Protocol::Json => (json(request).to_string().into_bytes(), "application/json"),
    };
    let mut wait = WAIT;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ExportError::Timeout);
        }
        let (error, asked) = match post(endpoint, &body, kind, left) {
            Ok(()) => return Ok(()),
            Err((error, asked)) => (error, asked),
        };
        if !matches!(error, ExportError::Refused(429 | 502 | 503 | 504)) {
            return Err(error);
        }
        let pause = asked.unwrap_or(wait);
        if pause >= until.saturating_duration_since(Instant::now()) {
            return Err(error);
        }
        std::thread::sleep(pause);
        wait = wait.saturating_mul(2);
    }
}

type Unsent = (ExportError, Option<Duration>);

fn post(endpoint: &Endpoint, body: &[u8], kind: &str, time: Duration) -> Result<(), Unsent> {
    let agent = candor_http::agent(&Policy::default(), endpoint.url.host().unwrap_or_default());
    let post = agent.post(&endpoint.url).config().timeout_global(Some(time)).build().content_type(kind);
    let post = endpoint.headers.iter().fold(post, |post, (name, value)| post.header(name, value));
    let response = post.send(body).map_err(|error| match Failure::from(&error) {
        Failure::Timeout { .. } => (ExportError::Timeout, None),
        failure => (ExportError::Unreachable(failure.to_string()), None),
    })?;
    let status = response.status();
    if !status.is_success() {
        let asked = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
        let asked = asked.and_then(|text| asked_for(text, Timestamp::now()));
        return Err((ExportError::Refused(status.as_u16()), asked));
    }
    let mut answer = Vec::new();
    // It has taken the request, whatever becomes of the rest of its answer.
    let _ = response.into_body().into_reader().take(LONGEST_ANSWER).read_to_end(&mut answer);
    if rejects(&answer, endpoint.protocol) { Err((ExportError::Partly, None)) } else { Ok(()) }
}

/// True if `partial_success` (field 1) counts something that was rejected (its field 1).
pub(crate) fn rejects(answer: &[u8], protocol: Protocol) -> bool {
    match protocol {
        Protocol::Binary => matches!(answer, [0x0a, _, 0x08, count, ..] if *count != 0),
        Protocol::Json => {
            let answer: candor_json::Value = candor_json::from_slice(answer).unwrap_or_default();
            let count = |name| {
                let count = answer.get("partialSuccess").and_then(|partial| partial.get(name));
                count.is_some_and(|count| count.as_u64() != Some(0) && count.as_str() != Some("0"))
            };
            count("rejectedSpans") || count("rejectedDataPoints")
        }
    }
}
