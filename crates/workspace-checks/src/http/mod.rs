//! `endpoint-responds`, `response-time`: what an endpoint answers, and how fast.
//!
//! A look changes nothing: GET, HEAD and OPTIONS only. Redirects are told, not followed. An endpoint that refuses, breaks
//! off or stays silent does not do what is asserted; one that cannot be reached by name or route is not known to.

#[cfg(not(feature = "http"))]
mod absent;
mod answer;
#[cfg(feature = "http")]
mod ask;
mod endpoint;
mod settings;
mod time;

pub(crate) use endpoint::EndpointResponds;
pub(crate) use time::ResponseTime;

#[cfg(not(feature = "http"))]
use absent::ask;
#[cfg(feature = "http")]
use ask::ask;
