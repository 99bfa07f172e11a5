//! `endpoint-responds`, `response-time`: the status of an endpoint's answer, and its speed.
//!
//! A look changes nothing: GET, HEAD and OPTIONS only. Redirects are reported, not followed. An endpoint that refuses,
//! breaks off or stays silent does not do what is asserted; for one that cannot be reached by name or route this is
//! unknown.
//!
//! Every endpoint is asked twice, seconds apart, and both answers must hold: one that answers only the first request, or
//! comes up for a moment, does not respond.

#[cfg(not(feature = "http"))]
mod absent;
mod answer;
#[cfg(feature = "http")]
mod ask;
mod endpoint;
mod rank;
mod settings;
mod status;
mod time;

pub(crate) use endpoint::EndpointResponds;
pub(crate) use time::ResponseTime;

use std::time::Duration;

/// How long after the first answer an endpoint is asked again.
const AGAIN: Duration = Duration::from_secs(2);

#[cfg(not(feature = "http"))]
use absent::ask;
#[cfg(feature = "http")]
use ask::ask;
