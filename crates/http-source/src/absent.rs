//! A build without the feature `client`: every server is one that it cannot ask.

use std::convert::Infallible;

use candor_check::Unverifiable;
use candor_check::feature::left_out;

use crate::budget::Budget;
use crate::request::{Answer, Ask, Manners};
use crate::secrets::Secrets;
use crate::settings::HttpServer;

/// A server, ready to be asked. This build cannot make one.
#[derive(Debug)]
pub struct Client {
    /// The server.
    pub server: HttpServer,
    /// Values that must never be shown.
    pub secrets: Secrets,
    never: Infallible,
}

impl Client {
    /// Refuses: this build leaves HTTP out.
    ///
    /// # Errors
    /// Always, with the sentence that names the feature.
    pub fn new(_: HttpServer, _: Manners) -> Result<Self, Unverifiable> {
        Err(left_out("ask HTTP servers", "http"))
    }

    /// Asks. There is no client to ask with.
    ///
    /// # Errors
    /// Never: a client does not exist.
    pub fn ask(&self, _: Ask<'_>, _: &mut Budget) -> Result<Answer, Unverifiable> {
        match self.never {}
    }

    /// The scope of the token. There is no client that has one.
    #[must_use]
    pub fn scope(&self) -> Option<String> {
        match self.never {}
    }
}
