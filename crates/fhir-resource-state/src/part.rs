//! The part `fhir`: a folder, or the server that `sandbox.toml` names in its place.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use candor_check::draft::{Came, Selection};
use candor_check::sandbox::{Gaps, Limits, PartRecord, Recorded, Section, SectionError, not_supported};
use candor_check::{Part, Sandbox, Source, Unverifiable};
use candor_http_source::HttpServer;
use candor_json::Value;

use crate::alike;
use crate::live::{self, LiveSource};
use crate::records::Folders;
use crate::search::types::{is_resource, resources};
use crate::source::{PART, TYPES};

pub(crate) enum FhirPart {
    Folder(Folders),
    Server { source: Arc<LiveSource>, types: Option<Vec<String>>, limits: Limits },
}

impl Source for FhirPart {
    const READS: &'static [&'static str] = &[PART];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        let settings = sandbox.settings::<Self>()?;
        if settings.server.is_none() {
            return sandbox.folder(PART).map(|f| Self::Folder(Folders::new(f))).ok_or_else(|| sandbox.no_source(PART));
        }
        let source = sandbox.source::<LiveSource>().await?;
        Ok(Self::Server { source, types: settings.types.clone(), limits: sandbox.limits().clone() })
    }
}

/// The table `[fhir]` of `sandbox.toml`.
pub(crate) struct FhirSettings {
    pub(crate) server: Option<HttpServer>,
    /// The types that a capture holds; all where nothing is given.
    pub(crate) types: Option<Vec<String>>,
}

impl Part for FhirPart {
    const NAME: &'static str = PART;
    const MADE_UP: &'static str = include_str!("made-up.txt");
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
        TYPES,
        "username",
    ];
    type Settings = FhirSettings;

    fn collection_names() -> Vec<&'static str> {
        resources().collect()
    }

    fn selections(came: &Came<'_>) -> Vec<Selection> {
        crate::draft::selections(came)
    }

    fn settings(section: &Section) -> Result<FhirSettings, SectionError> {
        let place = section.without(&[TYPES]);
        if HttpServer::is_described(&place) {
            let types = types(section)?;
            return HttpServer::read(&place).map(|server| FhirSettings { server: Some(server), types });
        }
        section.folder_only(&["https://…"])?;
        Ok(FhirSettings { server: None, types: None })
    }

    fn is_live(settings: &FhirSettings) -> bool {
        settings.server.is_some()
    }

    fn is_listed(&self) -> bool {
        matches!(self, Self::Folder(_))
    }

    fn records(&self, visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>) -> Result<Gaps, Unverifiable> {
        match self {
            Self::Folder(folder) => folder.records(visit),
            Self::Server { .. } => Err(not_supported::<Self>("list the records of")),
        }
    }

    fn fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        match self {
            Self::Folder(folder) => folder.fields(record),
            Self::Server { .. } => Err(not_supported::<Self>("read single records of")),
        }
    }

    fn align(&self, before: &mut Vec<(String, Value)>, after: &mut Vec<(String, Value)>) {
        alike::align(before, after);
    }

    fn record(&self, into: &Path) -> Result<Recorded, Unverifiable> {
        match self {
            Self::Folder(_) => Err(not_supported::<Self>("write the files of")),
            Self::Server { source, types, limits } => live::record(source, types.as_deref(), limits, into),
        }
    }
}

fn types(section: &Section) -> Result<Option<Vec<String>>, SectionError> {
    if !section.has(TYPES) {
        return Ok(None);
    }
    let found = section.texts(TYPES).unwrap_or_default();
    match found.iter().find(|name| !is_resource(name)) {
        None if !found.is_empty() => Ok(Some(found)),
        unknown => {
            let what = unknown.map_or_else(
                || format!("`{TYPES}` is {}", section.shown(TYPES)),
                |name| format!("`{TYPES}` names `{name}`, which is not a resource type"),
            );
            let message = format!("{what}; expected resource types, as in {TYPES} = [\"Patient\", \"Appointment\"]");
            Err(SectionError::new(TYPES, message))
        }
    }
}
