//! Which hosts are this machine, and which are asked through a proxy.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once requests may use the proxies that the environment names. It holds for the whole process, as the environment does.
static PROXIES_OF_ENVIRONMENT: AtomicBool = AtomicBool::new(false);

/// Lets every request of this process go through the proxies that the environment names (`HTTP_PROXY`, `HTTPS_PROXY`,
/// `ALL_PROXY`, `NO_PROXY`). Until somebody calls it, no proxy is used.
pub fn use_proxies_of_environment() {
    PROXIES_OF_ENVIRONMENT.store(true, Ordering::Relaxed);
}

/// True if requests to a host use no proxy: it is this machine, or this process does not use the proxies of the
/// environment.
#[must_use]
pub fn is_asked_directly(host: &str) -> bool {
    !PROXIES_OF_ENVIRONMENT.load(Ordering::Relaxed) || is_this_machine(host)
}

/// True for the service from which machines in a cloud get their credentials. Only the machine itself can ask it, so it
/// is never behind a proxy. Sources: the documentation of Amazon EC2, Google Compute Engine and Azure.
#[must_use]
pub fn is_metadata_service(host: &str) -> bool {
    host == "metadata.google.internal"
        || host.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_link_local())
}

/// True if a host, written as in a URL without its port, is this machine: `localhost`, or an address of the loopback.
/// Requests to it need no proxy and cross no network. A name that only begins as one of these is another host.
///
/// ```
/// use candor_http::host::is_this_machine;
/// assert!(is_this_machine("localhost") && is_this_machine("127.0.0.1") && is_this_machine("[::1]"));
/// assert!(!is_this_machine("localhost.evil.example") && !is_this_machine("127.0.0.1.evil.example"));
/// ```
#[must_use]
pub fn is_this_machine(host: &str) -> bool {
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let name = host.strip_suffix('.').unwrap_or(host);
    name.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}
