//! Certificate authorities from PEM.

use std::fmt;

use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use ureq::tls::{Certificate, RootCerts};

/// A text that has no usable list of certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthoritiesError {
    /// A part of it is not PEM.
    NotPem,
    /// It has no certificate.
    Empty,
}

impl fmt::Display for AuthoritiesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotPem => "is not PEM throughout",
            Self::Empty => "holds no certificate",
        })
    }
}

impl std::error::Error for AuthoritiesError {}

/// The certificates of a PEM text, as the only authorities to trust.
///
/// # Errors
/// When the text is not PEM, or has no certificate: a list without any authority is always a mistake.
pub fn authorities(pem: &[u8]) -> Result<RootCerts, AuthoritiesError> {
    let all = CertificateDer::pem_slice_iter(pem);
    let all = all.map(|one| one.map(|der| Certificate::from_der(&der).to_owned()));
    let all = all.collect::<Result<Vec<_>, _>>().map_err(|_| AuthoritiesError::NotPem)?;
    if all.is_empty() { Err(AuthoritiesError::Empty) } else { Ok(RootCerts::new_with_certs(&all)) }
}
