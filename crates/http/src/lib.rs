//! The one HTTP client of this project: agents by one policy, the proxy rules, certificate authorities, the rule for
//! asking again, and one error for requests that got no answer.
//!
//! Nothing here knows what is asked or what an answer means.

#[cfg(feature = "client")]
mod agent;
#[cfg(feature = "client")]
mod authorities;
#[cfg(feature = "client")]
mod failure;
pub mod host;
pub mod retry;

#[cfg(feature = "client")]
pub use agent::{Policy, agent, config};
#[cfg(feature = "client")]
pub use authorities::{AuthoritiesError, authorities};
#[cfg(feature = "client")]
pub use failure::Failure;
/// The library that connections are made with: whoever builds requests uses its types.
#[cfg(feature = "client")]
pub use ureq;

/// Compiles and runs the examples of the README.
#[cfg(all(doctest, feature = "client"))]
#[doc = include_str!("../README.md")]
struct Readme;
