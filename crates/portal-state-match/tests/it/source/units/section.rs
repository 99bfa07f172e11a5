//! The table [portal] of a sandbox.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::collections::BTreeSet;
use std::path::Path;

use candor_check::sandbox::Section;
use candor_http_source::settings as http;

use crate::source::paged;
use crate::source::section::{KEYS, OF_FILES, PortalSettings, SCHEMES, TABLES};

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
