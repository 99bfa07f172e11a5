//! The table `[files]`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::collections::BTreeSet;

use candor_check::sandbox::{Secret, Section};

use crate::store::section::{FilesSettings, KEYS, OF_DECRYPTION, SCHEMES, URLS};

fn settings(text: &str) -> Result<FilesSettings, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("known_hosts"), "").unwrap();
    std::fs::write(folder.path().join("checker.key"), "").unwrap();
    let section = Section::from_toml("files", text, folder.path()).unwrap();
    FilesSettings::read(&section).map_err(|error| format!("{}: {}", error.key, error.message))
}

#[test]
fn every_scheme_is_read() {
    let text = "url = \"sftp://u@127.0.0.1:2222/drop\"\nknown_hosts = \"known_hosts\"\nagent = true\n\
                password = \"${env:CARGO_PKG_NAME}\"\nconnect_timeout = \"2s\"";
    let sftp = settings(text).unwrap().remote.unwrap();
    assert_eq!((sftp.scheme, sftp.flag("agent")), ("sftp", true));
    assert_eq!(sftp.secret("password").map(Secret::reveal), Some("candor-sftp-file-present"));
    assert!(sftp.file("known_hosts").unwrap().ends_with("known_hosts"));
    assert_eq!(sftp.duration("connect_timeout").unwrap().as_secs(), 2);
    assert!(!format!("{sftp:?}").contains("candor-sftp-file-present"));
    for scheme in SCHEMES {
        let known = scheme.required.iter().map(|(name, _)| format!("\n{name} = \"{name}\"")).collect::<String>();
        let read = settings(&format!("url = \"{}\"{known}", scheme.example)).unwrap().remote.unwrap();
        assert_eq!(Some(&read.scheme), scheme.names.first());
        assert!(URLS.contains(&scheme.example));
    }
}

#[test]
fn a_key_leaves_the_files_where_they_are() {
    let read = settings("pgp_key_file = \"checker.key\"").unwrap();
    assert!(read.remote.is_none() && read.decryption.is_some());
    let read = settings("url = \"s3://b\"\npgp_key_file = \"checker.key\"").unwrap();
    assert!(read.remote.is_some() && read.decryption.is_some());
}

#[test]
fn every_slip_is_named_and_no_secret_told() {
    for (text, expected) in [
        ("url = \"sftp://u@h/d\"", "has no `known_hosts`: an SFTP server is read only when"),
        ("url = \"sftp://u:hunter2@h/d\"\nknown_hosts = \"known_hosts\"", "`url` holds a password; give it as"),
        ("url = \"sftp://u@h/d\"\nknown_hosts = \"none\"", "`known_hosts`: there is no file"),
        ("url = \"sftp://u@h\"\nidentityfile = \"x\"", "did you mean `identity_file`?"),
        ("url = \"s3://b\"\npath = \"files/\"", "a part has a `path` or a `url`, not both"),
        ("url = \"s3://b\"\nsecret_access_key = \"hunter2\"", "is written out; a secret is given only"),
        ("url = \"s3://b\"\nsecret_access_key = [\"hunter2\"]", "is not a string; expected a string"),
        ("url = \"s3://b\"\naccess_key_id = \"${env:CARGO_PKG_NAME}\"", "needs `secret_access_key` as well"),
        ("url = \"gs://b\"\nanonymous = \"yes\"", "`anonymous` is \"yes\"; expected true or false"),
        ("url = \"ftp://a.example\"", "expected sftp://user@host:22/drop, s3://"),
        ("url = \"postgres://h/d\"", "`url` has an unknown form"),
        ("pgp_key_file = \"none\"", "`pgp_key_file`: there is no file"),
        ("pgp_passphrase = \"x\"", "`pgp_passphrase` is written out; a secret is given only"),
        ("pgp_passphrase = \"${env:CARGO_PKG_NAME}\"", "opens a key; give `pgp_key_file`"),
        ("pgp_passphrase = [\"hunter2\"]", "`pgp_passphrase` is not a string"),
    ] {
        let error = settings(text).err().unwrap();
        assert!(error.contains(expected), "{text}\n{error}\n{expected}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn every_key_is_one_that_a_store_knows() {
    let of_schemes = SCHEMES.iter().flat_map(|scheme| scheme.settings).map(|(name, _)| *name);
    let known: BTreeSet<&str> = of_schemes.chain(OF_DECRYPTION.iter().copied()).chain(["path", "url"]).collect();
    assert_eq!(known, KEYS.iter().copied().collect());
}
