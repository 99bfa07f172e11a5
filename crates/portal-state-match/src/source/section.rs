//! The table `[portal]` of `sandbox.toml`: a folder, a database, a server that gives rows out over HTTP.

use std::collections::BTreeMap;
use std::path::PathBuf;

use candor_check::sandbox::{Remote, Scheme, Section, SectionError, SettingFile, SettingKind};
use candor_http_source::HttpServer;

use super::paged::PagedServer;
use crate::rows::{CsvForm, separates};

const TLS: SettingKind = SettingKind::Choice(&["require", "prefer", "disable"]);

pub(super) const SCHEMES: &[Scheme] = &[
    Scheme { names: &["sqlite"], settings: &[], required: &[], example: "sqlite:portal.db" },
    Scheme {
        names: &["postgres", "postgresql"],
        settings: &[
            ("password", SettingKind::Secret),
            ("ca_file", SettingKind::File),
            ("tls", TLS),
            ("connect_timeout", SettingKind::Duration),
            ("schema", SettingKind::Text),
            ("row_security", SettingKind::Flag),
        ],
        required: &[],
        example: "postgres://reader@host:5432/portal",
    },
    Scheme {
        names: &["mysql", "mariadb"],
        settings: &[
            ("password", SettingKind::Secret),
            ("ca_file", SettingKind::File),
            ("tls", TLS),
            ("connect_timeout", SettingKind::Duration),
        ],
        required: &[],
        example: "mysql://reader@host:3306/portal",
    },
];

const URLS: &[&str] = &[
    "sqlite:portal.db",
    "postgres://reader@host:5432/portal",
    "mysql://reader@host:3306/portal",
    "https://…/{resource}",
];

/// The tables, or resources, that a capture holds.
pub(super) const TABLES: &str = "tables";

/// The columns that tell the rows of a table apart, by tables.
const ROW_KEYS: &str = "keys";

const DELIMITER: &str = "delimiter";

const NULL_TEXT: &str = "null_text";

pub(crate) const OF_FILES: &[&str] = &[ROW_KEYS, DELIMITER, NULL_TEXT];

pub(crate) type Keys = BTreeMap<String, Vec<String>>;

#[derive(Clone, Debug, Default)]
pub(crate) struct FolderSettings {
    pub(crate) keys: Keys,
    pub(crate) csv: CsvForm,
}

pub(crate) enum PortalSettings {
    Folder(FolderSettings),
    Database(DatabaseAt),
    Paged(Box<PagedServer>),
}

#[derive(Clone, Debug)]
pub(crate) struct DatabaseAt {
    pub(crate) remote: Remote,
    /// The file of a SQLite database; of the others the path is empty.
    pub(crate) file: SettingFile,
    /// The tables that a capture holds; all where nothing is given.
    pub(crate) tables: Option<Vec<String>>,
}

impl DatabaseAt {
    fn of(section: &Section, remote: Remote, tables: Option<Vec<String>>) -> Self {
        // On the sandbox's folder, with or without slashes before the name.
        let name = remote.url.strip_prefix("sqlite:").map(|name| name.strip_prefix("//").unwrap_or(name));
        let file = name.map_or_else(|| PathBuf::new().into(), |name| section.file_at(name));
        Self { remote, file, tables }
    }
}

pub(crate) const KEYS: &[&str] = &[
    "path",
    "url",
    "ca_file",
    "client_id",
    "connect_timeout",
    "cursor_param",
    "delimiter",
    "google",
    "headers",
    "items",
    "key_id",
    "keys",
    "limit_param",
    "next",
    "null_text",
    "offset_param",
    "page_size",
    "paging",
    "password",
    "private_key_file",
    "row_security",
    "schema",
    "scope",
    "service_account_file",
    "tables",
    "tls",
    "token",
    "token_url",
    "total",
    "username",
];

impl PortalSettings {
    pub(crate) fn read(section: &Section) -> Result<Self, SectionError> {
        let (tables, keys) = (tables(section)?, keys(section)?);
        let place = section.without(&[TABLES, ROW_KEYS]);
        if HttpServer::is_described(&place) {
            let server = PagedServer::read(&place)?;
            return Ok(Self::Paged(Box::new(PagedServer { tables, ..server })));
        }
        if let Some(remote) = Remote::read(&place, SCHEMES)? {
            return Ok(Self::Database(DatabaseAt::of(&place, remote, tables)));
        }
        let place = section.without(OF_FILES);
        let csv = csv(section)?;
        if !place.is_empty() || !OF_FILES.iter().any(|key| section.has(key)) {
            place.folder_only(URLS)?;
        }
        Ok(Self::Folder(FolderSettings { keys, csv }))
    }

    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        match self {
            Self::Database(at) if at.remote.scheme == "sqlite" && at.file.in_memory().is_none() => {
                vec![at.file.path().to_owned()]
            }
            _ => Vec::new(),
        }
    }
}

fn tables(section: &Section) -> Result<Option<Vec<String>>, SectionError> {
    if !section.has(TABLES) {
        return Ok(None);
    }
    match section.texts(TABLES) {
        Ok(tables) if !tables.is_empty() => Ok(Some(tables)),
        _ => {
            let found = section.shown(TABLES);
            let message = format!("`{TABLES}` is {found}; expected names, as in {TABLES} = [\"orders\", \"members\"]");
            Err(SectionError::new(TABLES, message))
        }
    }
}

fn keys(section: &Section) -> Result<Keys, SectionError> {
    const EXAMPLE: &str = "keys = {orders = \"order_no\", lines = [\"order_no\", \"line\"]}";
    let mut keys = Keys::new();
    let Some(given) = section.table(ROW_KEYS, EXAMPLE)? else { return Ok(keys) };
    for table in given.keys() {
        let columns = match given.text(table) {
            Ok(column) => column.into_iter().collect(),
            Err(_) => given.texts(table).unwrap_or_default(),
        };
        if columns.is_empty() || columns.iter().any(String::is_empty) {
            let message = format!("`{ROW_KEYS}.{table}` is {}; expected columns, as in {EXAMPLE}", given.shown(table));
            return Err(SectionError::new(ROW_KEYS, message));
        }
        keys.insert(table.to_owned(), columns);
    }
    Ok(keys)
}

fn csv(section: &Section) -> Result<CsvForm, SectionError> {
    let mut form = CsvForm::default();
    if section.has(DELIMITER) {
        let text = section.text(DELIMITER).ok().flatten().unwrap_or_default();
        form.delimiter = text.bytes().next().filter(|byte| text.len() == 1 && separates(*byte));
        if form.delimiter.is_none() {
            let found = section.shown(DELIMITER);
            let message =
                format!("`{DELIMITER}` is {found}; expected one character, as in {DELIMITER} = \";\" or \"\\t\"");
            return Err(SectionError::new(DELIMITER, message));
        }
    }
    if section.has(NULL_TEXT) {
        let one = section.text(NULL_TEXT).ok().flatten().map(|text| vec![text]);
        form.nulls = one.or_else(|| section.texts(NULL_TEXT).ok()).ok_or_else(|| {
            let found = section.shown(NULL_TEXT);
            let message = format!("`{NULL_TEXT}` is {found}; expected texts, as in {NULL_TEXT} = [\"NULL\", \"\"]");
            SectionError::new(NULL_TEXT, message)
        })?;
    }
    Ok(form)
}
