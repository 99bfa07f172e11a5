//! The `ca_file` of a server, for whoever asks one.

use candor_check::sandbox::SettingFile;
use candor_check::{Obstacle, Unverifiable};
use candor_http::ureq::tls::RootCerts;

/// The authorities that a `ca_file` lists. `whose` names its table for a sentence: `[fhir]`, `the judge`.
///
/// # Errors
/// When the file cannot be read, is not PEM, or lists no certificate.
pub fn read(file: &SettingFile, whose: &str) -> Result<RootCerts, Unverifiable> {
    let wrong = |what: &str| {
        let details = format!("the `ca_file` of {whose}, {}, {what}", file.path().display());
        Unverifiable::new(Obstacle::SourceUnavailable, details)
    };
    let pem = file.read().map_err(|_| wrong("cannot be read"))?;
    candor_http::authorities(&pem).map_err(|error| wrong(&error.to_string()))
}
