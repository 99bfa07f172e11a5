//! Asks the HTTP servers that ground truth is read from: connections, logins, retries, limits, and a sentence for each
//! way in which a request can fail.
//!
//! Nothing here knows what an answer says; a check reads it. Whatever goes wrong ends unverifiable, never as a failure of
//! what is checked. What a server says goes into a sentence only through [`Secrets`].

mod budget;
mod client;
mod jwt;
mod login;
mod retry;
mod secrets;
pub mod settings;
mod status;
pub mod url;

pub use budget::Budget;
pub use client::{Answer, Ask, Client, Manners, place};
pub use secrets::Secrets;
pub use settings::{Credentials, HttpServer, SmartClient};
pub use status::refusal;

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
