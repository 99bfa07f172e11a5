//! A build without the feature `http`: an endpoint cannot be asked, so no delegate is behind it.

use std::time::Duration;

use candor_check::feature::missing_feature;
use candor_check::sandbox::Secret;

use crate::claim::Claim;
use crate::delegate::{Delegate, DelegateError, Request};
use crate::identity::DelegateId;

/// A delegate behind an HTTP endpoint, which this build cannot reach.
pub struct HttpEndpoint {
    id: DelegateId,
}

impl HttpEndpoint {
    /// An endpoint. Every attempt ends with the sentence that names the feature.
    #[must_use]
    pub fn new(id: DelegateId, _: impl Into<String>, _: Option<Secret>, _: Duration) -> Self {
        Self { id }
    }

    /// Takes any URL: each attempt names the feature.
    ///
    /// # Errors
    /// None.
    pub fn check(_: &str) -> Result<(), &'static str> {
        Ok(())
    }
}

impl Delegate for HttpEndpoint {
    fn id(&self) -> &DelegateId {
        &self.id
    }

    async fn attempt(&mut self, _: &Request) -> Result<Claim, DelegateError> {
        Err(DelegateError::Unreachable(missing_feature("ask a delegate behind an HTTP endpoint", "http")))
    }
}
