//! How a connection to a database is kept from others.

use std::path::Path;
use std::sync::Arc;

use candor_check::Obstacle;
use candor_check::sandbox::Remote;
use candor_http::host::is_this_machine;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use super::trouble::{Reach, Trouble};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tls {
    /// Encrypted, the server known by its certificate.
    Require,
    /// The same where the server offers it, else plain.
    Prefer,
    Disable,
}

/// The encryption that the settings ask for: without `tls`, a connection that leaves this machine is encrypted.
pub(super) fn asked(remote: &Remote, leaves: bool) -> Tls {
    match remote.text("tls") {
        Some("require") => Tls::Require,
        Some("prefer") => Tls::Prefer,
        Some(_) => Tls::Disable,
        None if leaves || remote.file("ca_file").is_some() => Tls::Require,
        None => Tls::Disable,
    }
}

pub(super) fn leaves(host: &str) -> bool {
    !(is_this_machine(host) || host.starts_with('/') || host.is_empty())
}

/// A client that trusts the authorities in `ca_file`, or those that browsers trust.
///
/// # Errors
/// When the file holds no certificates.
pub(super) fn client(ca_file: Option<&Path>) -> Result<ClientConfig, Trouble> {
    let mut roots = RootCertStore::empty();
    match ca_file {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(file) => {
            let unreadable = || {
                Trouble::new(
                    Obstacle::SourceUnavailable,
                    Reach::Connection,
                    "has a `ca_file` that is not a PEM file of certificates",
                )
            };
            let certificates = CertificateDer::pem_file_iter(file).map_err(|_| unreadable())?;
            for certificate in certificates {
                roots.add(certificate.map_err(|_| unreadable())?).map_err(|_| unreadable())?;
            }
            if roots.is_empty() {
                return Err(unreadable());
            }
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| {
        Trouble::new(Obstacle::SourceUnavailable, Reach::Connection, format!("cannot be reached over TLS: {error}"))
    })?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}
