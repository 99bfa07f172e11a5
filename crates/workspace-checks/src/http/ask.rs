//! Makes a request, and reports its outcome.

use std::io::{self, Read as _};
use std::time::{Duration, Instant};

use candor_check::{Obstacle, Unverifiable};
use candor_http::ureq::http;
use candor_http::{Failure, Policy, ureq};

use super::answer::Answer;
use super::settings::{Headers, Method};

/// The `User-Agent` of every request, unless the assertion's `headers` set another. It does not name a product, so that
/// no endpoint can give the verifier another answer than other clients.
const USER_AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64)";

/// The largest body that is read; where there is more of it the answer has been seen to come.
const LARGEST: u64 = 64 << 20;

/// Asks once. Blocks for `time` at the most.
///
/// # Errors
/// Where it is not known whether the endpoint answers: no address, no route, no means of our own.
pub(super) fn ask(url: &str, method: Method, headers: &Headers, time: Duration) -> Result<Answer, Unverifiable> {
    let began = Instant::now();
    let mut request = http::Request::builder().method(method.name()).uri(url);
    let has = |name: &str| headers.0.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
    for (name, value) in [("Accept", "*/*"), ("Cache-Control", "no-cache")] {
        if !has(name) {
            request = request.header(name, value);
        }
    }
    for (name, value) in &headers.0 {
        request = request.header(name, value);
    }
    let request = request.body(()).map_err(|_| unknown("the URL cannot be asked for".to_owned()))?;
    let agent = agent(url);
    let timed = agent.configure_request(request).timeout_global(Some(time)).build();
    let silent = || Answer::Silent(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    let mut response = match agent.run(timed) {
        Ok(response) => response,
        // Behind a proxy it is the proxy that refused or broke off: of the endpoint nothing is known.
        Err(_) if agent.config().proxy().is_some() => {
            return Err(unknown("no answer came through the proxy that the environment names".to_owned()));
        }
        Err(error) => return trouble(&Failure::from(&error), silent),
    };
    let code = response.status().as_u16();
    let (mut bytes, mut buffer) = (0u64, vec![0; 64 << 10]);
    let mut body = response.body_mut().as_reader();
    while bytes < LARGEST {
        // A server that sends a byte now and then is out of time as one that sends none.
        if began.elapsed() > time {
            return Ok(silent());
        }
        match body.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => bytes += read as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return trouble(&Failure::from(&error), silent),
        }
    }
    Ok(Answer::Status { code, took_us: u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX), bytes })
}

/// Every request has a connection of its own: what is measured is an answer, not what was left open.
fn agent(url: &str) -> ureq::Agent {
    let uri = url.parse::<http::Uri>().ok();
    let policy = Policy { user_agent: USER_AGENT, ..Policy::default() };
    candor_http::agent(&policy, uri.as_ref().and_then(http::Uri::host).unwrap_or_default())
}

fn unknown(details: String) -> Unverifiable {
    Unverifiable::new(Obstacle::SourceUnavailable, details)
}

/// The outcome of a failed request: the endpoint does not answer, or it is unknown whether it does.
fn trouble(failure: &Failure, silent: impl Fn() -> Answer) -> Result<Answer, Unverifiable> {
    match failure {
        Failure::Timeout { .. } => Ok(silent()),
        Failure::Tls(_) => Ok(Answer::Broken("the TLS connection failed".to_owned())),
        Failure::Refused | Failure::BrokeOff | Failure::NotHttp(_) => Ok(Answer::Broken(failure.to_string())),
        // A proxy, a name without an address, a missing route: nothing is known of the endpoint.
        failure => Err(unknown(failure.to_string())),
    }
}
