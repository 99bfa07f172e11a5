//! Asks the HTTP servers that ground truth is read from: connections, logins, retries, limits, and a sentence for each
//! way in which a request can fail.
//!
//! Nothing here knows what an answer says; a check reads it. Whatever goes wrong ends unverifiable, never as a failure of
//! what is checked. What a server says goes into a sentence only through [`Secrets`].

#[cfg(not(feature = "client"))]
mod absent;
#[cfg(feature = "client")]
pub mod authorities;
mod budget;
#[cfg(feature = "client")]
mod client;
#[cfg(feature = "client")]
mod jwt;
#[cfg(feature = "client")]
mod login;
mod request;
mod secrets;
pub mod settings;
mod status;
pub mod url;

#[cfg(not(feature = "client"))]
pub use absent::Client;
pub use budget::Budget;
#[cfg(feature = "client")]
pub use client::Client;
pub use request::{Answer, Ask, Manners, place};
pub use secrets::Secrets;
pub use settings::{Credentials, HttpServer, SmartClient};
pub use status::refusal;

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
