//! Certificate authorities from PEM.

use candor_http::{AuthoritiesError, authorities};

#[test]
fn a_text_without_certificates_is_an_error() {
    assert_eq!(authorities(b"").unwrap_err(), AuthoritiesError::Empty);
    assert_eq!(authorities(b"# nothing yet\n").unwrap_err(), AuthoritiesError::Empty);
    assert_eq!(authorities(b"-----BEGIN CERTIFICATE-----\n!").unwrap_err(), AuthoritiesError::NotPem);
}
