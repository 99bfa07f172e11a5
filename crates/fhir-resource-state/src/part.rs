//! The part `fhir`: a folder, or the server that `sandbox.toml` names in its place.

use std::sync::Arc;

use candor_check::sandbox::{Section, SectionError};
use candor_check::{Part, Sandbox, Source, Unverifiable};
use candor_http_source::HttpServer;

use crate::live::LiveSource;
use crate::source::{FhirSource, PART};

/// The part, whatever it is read from.
pub(crate) enum FhirPart {
    /// The files of a folder.
    Folder(#[expect(dead_code, reason = "kept for the listing of records")] Arc<FhirSource>),
    /// A server.
    Server(#[expect(dead_code, reason = "kept for the listing of records")] Arc<LiveSource>),
}

impl Source for FhirPart {
    const READS: &'static [&'static str] = &[PART];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        match sandbox.settings::<Self>()?.server {
            Some(_) => sandbox.source::<LiveSource>().await.map(Self::Server),
            None => sandbox.source::<FhirSource>().await.map(Self::Folder),
        }
    }
}

/// The table `[fhir]` of `sandbox.toml`.
pub(crate) struct FhirSettings {
    /// The server in the place of the folder.
    pub(crate) server: Option<HttpServer>,
}

impl Part for FhirPart {
    const NAME: &'static str = PART;
    const KEYS: &'static [&'static str] = &[
        "path",
        "url",
        "ca_file",
        "client_id",
        "google",
        "headers",
        "key_id",
        "password",
        "private_key_file",
        "scope",
        "service_account_file",
        "token",
        "token_url",
        "username",
    ];
    type Settings = FhirSettings;

    fn settings(section: &Section) -> Result<FhirSettings, SectionError> {
        if HttpServer::is_described(section) {
            return HttpServer::read(section).map(|server| FhirSettings { server: Some(server) });
        }
        section.folder_only(&["https://…"])?;
        Ok(FhirSettings { server: None })
    }

    fn is_live(settings: &FhirSettings) -> bool {
        settings.server.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn a_server_or_a_folder() {
        let settings = |text: &str| {
            let section = Section::from_toml(PART, text, Path::new("")).unwrap();
            FhirPart::settings(&section).map_err(|error| format!("{}: {}", error.key, error.message))
        };
        let server = settings("url = \"https://fhir.example.org/r4/\"").unwrap().server.unwrap();
        assert_eq!(server.url, "https://fhir.example.org/r4");
        for (text, expected) in [
            ("url = \"ftp://fhir.example.org\"", "url: `url` is none that is read here; expected https://…, file://…"),
            ("url = \"https://a.example/?x\"", "url: `url` has a query"),
            ("token = \"abc\"", "token: `token` is written out; a secret is given only as ${env:NAME}"),
            ("token = \"${env:CANDOR_TEST_NOT_SET}\"", "which is not set"),
        ] {
            let error = settings(text).err().unwrap();
            assert!(error.contains(expected) && !error.contains("abc"), "{text}\n{error}\n{expected}");
        }
    }

    #[test]
    fn every_key_is_one_that_a_source_knows() {
        let known: BTreeSet<&str> = candor_http_source::settings::KEYS.iter().copied().chain(["path"]).collect();
        assert_eq!(known, FhirPart::KEYS.iter().copied().collect());
    }
}
