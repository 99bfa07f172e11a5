//! The table `[portal]` of `sandbox.toml`: a folder, a database, a server that gives rows out over HTTP.

use std::collections::BTreeMap;
use std::path::PathBuf;

use candor_check::sandbox::{Remote, Scheme, Section, SectionError, SettingFile, SettingKind};
use candor_http_source::HttpServer;

use super::paged::PagedServer;
use crate::rows::{CsvForm, separates};

const TLS: SettingKind = SettingKind::Choice(&["require", "prefer", "disable"]);

const SCHEMES: &[Scheme] = &[
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
const TABLES: &str = "tables";

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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use candor_http_source::settings as http;

    use super::*;
    use crate::source::paged;

    fn settings(text: &str) -> Result<PortalSettings, String> {
        let section = Section::from_toml("portal", text, Path::new("")).unwrap();
        PortalSettings::read(&section).map_err(|error| format!("{}: {}", error.key, error.message))
    }

    #[test]
    fn every_database_is_read_by_its_scheme() {
        for scheme in SCHEMES {
            for name in scheme.names {
                let url = scheme.example.replacen(scheme.names[0], name, 1);
                let read = settings(&format!("url = \"{url}\""));
                let Ok(PortalSettings::Database(at)) = read else { panic!("{url} is no database") };
                assert_eq!(at.remote.scheme, scheme.names[0]);
            }
        }
        let Ok(PortalSettings::Database(at)) = settings("url = \"PostgreSQL://r@h/d\"") else { panic!("no database") };
        assert_eq!(at.remote.scheme, "postgres");
        let Ok(PortalSettings::Database(at)) = settings("url = \"sqlite:///data/a.db\"") else { panic!("no database") };
        assert_eq!(at.file.path(), Path::new("/data/a.db"));
    }

    #[test]
    fn every_slip_is_named() {
        for (text, expected) in [
            ("url = \"postgres://h/d\"\ntls = \"yes\"", "`tls` is \"yes\"; expected one of require, prefer"),
            ("url = \"mysql://h/d\"\nschema = \"x\"", "unknown setting `schema`"),
            ("url = \"postgres://h/d\"\nconnect_timeout = \"soon\"", "`soon` is not a duration"),
            ("url = \"sqlite:portal.db\"\npassword = \"${env:CARGO_PKG_NAME}\"", "unknown setting `password`"),
            ("url = \"https://a.example/api\"", "`url` has no {resource}"),
            ("url = \"ftp://a.example\"", "https://…/{resource}"),
            ("url = \"sqlite:a.db\"\ntables = []", "`tables` is []; expected names"),
            ("url = \"sqlite:a.db\"\ntables = \"orders\"", "`tables` is \"orders\"; expected names"),
            ("keys = \"id\"", "`keys` is not a table; write keys = {orders = \"order_no\""),
            ("keys = {orders = 1}", "`keys.orders` is 1; expected columns, as in keys = {orders"),
            ("delimiter = \"::\"", "`delimiter` is \"::\"; expected one character"),
            ("delimiter = \"a\"", "`delimiter` is \"a\"; expected one character"),
            ("delimiter = 1", "`delimiter` is 1; expected one character"),
            ("null_text = [1]", "`null_text` is [1]; expected texts, as in null_text = [\"NULL\""),
            ("url = \"sqlite:a.db\"\nnull_text = \"NULL\"", "unknown setting `null_text`"),
            ("keys = {orders = []}", "`keys.orders` is []; expected columns"),
            ("url = \"sftp://h/d\"", "`url` has an unknown form; expected sqlite:portal.db"),
        ] {
            let error = settings(text).err().unwrap();
            assert!(error.contains(expected), "{text}\n{error}\n{expected}");
        }
    }

    #[test]
    fn every_key_is_one_that_a_source_knows() {
        let of_schemes = SCHEMES.iter().flat_map(|scheme| scheme.settings).map(|(name, _)| *name);
        let known: BTreeSet<&str> = of_schemes
            .chain(http::KEYS.iter().copied())
            .chain(paged::KEYS.iter().copied())
            .chain(["path", TABLES])
            .chain(OF_FILES.iter().copied())
            .collect();
        assert_eq!(known, KEYS.iter().copied().collect());
    }
}
