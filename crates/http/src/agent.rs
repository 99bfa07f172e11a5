//! Agents: what every request of this project has in common.

use std::time::Duration;

use ureq::config::Config;
use ureq::tls::{RootCerts, TlsConfig};

use crate::host::is_asked_directly;

/// The settings that may differ from client to client.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The header field `User-Agent`.
    pub user_agent: &'static str,
    /// The authorities that sign the server's certificate.
    pub roots: RootCerts,
    /// The longest time for making a connection, if it is shorter than that of the whole request.
    pub connect_timeout: Option<Duration>,
    /// True if a proxy of the environment may be used at all.
    pub may_use_proxy: bool,
}

impl Default for Policy {
    /// The name of this project, the authorities that browsers trust, and the proxies of the environment where
    /// [`use_proxies_of_environment`](crate::host::use_proxies_of_environment) was called.
    fn default() -> Self {
        Self {
            user_agent: concat!("candor/", env!("CARGO_PKG_VERSION")),
            roots: RootCerts::WebPki,
            connect_timeout: None,
            may_use_proxy: true,
        }
    }
}

/// An agent for requests to `host`, the host of a URL without its port. No status is an error and no redirect is
/// followed: a redirect could lead anywhere.
#[must_use]
pub fn agent(policy: &Policy, host: &str) -> ureq::Agent {
    ureq::Agent::new_with_config(config(policy, host))
}

/// The settings of [`agent`], for whoever brings connectors of their own.
#[must_use]
pub fn config(policy: &Policy, host: &str) -> Config {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_connect(policy.connect_timeout)
        .user_agent(policy.user_agent)
        .tls_config(TlsConfig::builder().root_certs(policy.roots.clone()).build());
    if policy.may_use_proxy && !is_asked_directly(host) { config.build() } else { config.proxy(None).build() }
}
