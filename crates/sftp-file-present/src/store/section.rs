//! The table `[files]` of `sandbox.toml`: a folder, an SFTP server, a bucket; and the key of encrypted files.

use candor_check::sandbox::{Remote, Scheme, Secret, Section, SectionError, SettingFile, SettingKind};

use super::bucket;

const SCHEMES: &[Scheme] = &[
    Scheme {
        names: &["sftp"],
        settings: &[
            ("password", SettingKind::Secret),
            ("identity_file", SettingKind::File),
            ("passphrase", SettingKind::Secret),
            ("agent", SettingKind::Flag),
            ("known_hosts", SettingKind::File),
            ("connect_timeout", SettingKind::Duration),
        ],
        required: &[("known_hosts", "an SFTP server is read only when its host key is known")],
        example: "sftp://user@host:22/drop",
    },
    Scheme {
        names: &["s3"],
        settings: &[
            ("endpoint", SettingKind::Text),
            ("region", SettingKind::Text),
            ("access_key_id", SettingKind::Secret),
            ("secret_access_key", SettingKind::Secret),
            ("session_token", SettingKind::Secret),
            ("anonymous", SettingKind::Flag),
            ("ca_file", SettingKind::File),
        ],
        required: &[],
        example: "s3://bucket/prefix",
    },
    Scheme {
        names: &["gs"],
        settings: &[
            ("endpoint", SettingKind::Text),
            ("service_account_file", SettingKind::File),
            ("token", SettingKind::Secret),
            ("anonymous", SettingKind::Flag),
            ("ca_file", SettingKind::File),
        ],
        required: &[],
        example: "gs://bucket/prefix",
    },
    Scheme {
        names: &["az"],
        settings: &[
            ("account", SettingKind::Text),
            ("endpoint", SettingKind::Text),
            ("account_key", SettingKind::Secret),
            ("sas_token", SettingKind::Secret),
            ("token", SettingKind::Secret),
            ("anonymous", SettingKind::Flag),
            ("ca_file", SettingKind::File),
        ],
        required: &[],
        example: "az://container/prefix",
    },
];

/// Examples of the URLs that files are read from.
const URLS: &[&str] =
    &["sftp://user@host:22/drop", "s3://bucket/prefix", "gs://bucket/prefix", "az://container/prefix"];

/// The settings of the key that files are encrypted to, wherever the files lie.
pub(crate) const OF_DECRYPTION: &[&str] = &["pgp_key_file", "pgp_passphrase"];

pub(crate) struct FilesSettings {
    pub(crate) remote: Option<Remote>,
    pub(crate) decryption: Option<Decryption>,
}

/// The secret key that files are encrypted to.
///
/// In `sandbox.toml`, next to the place of the files:
/// ```toml
/// [files]
/// pgp_key_file = "checker.key"              # binary or armored; the path starts at the sandbox's folder
/// pgp_passphrase = "${env:CHECKER_PASSPHRASE}"  # where the key is protected
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "pgp"), expect(dead_code, reason = "a build without `pgp` opens nothing with it"))]
pub(crate) struct Decryption {
    /// The file of the key, which was there when the sandbox was opened.
    pub(crate) key_file: SettingFile,
    pub(crate) passphrase: Option<Secret>,
}

impl Decryption {
    fn read(section: &Section) -> Result<Option<Self>, SectionError> {
        let text = |key: &str| {
            // What is there may be the secret.
            section.text(key).map_err(|_| SectionError::new(key, format!("`{key}` is not a string")))
        };
        text("pgp_key_file")?;
        text("pgp_passphrase")?;
        let passphrase = section.secret("pgp_passphrase")?;
        match section.file("pgp_key_file")? {
            Some(key_file) => Ok(Some(Self { key_file, passphrase })),
            None if passphrase.is_some() => {
                let message = "`pgp_passphrase` opens a key; give `pgp_key_file`";
                Err(SectionError::new("pgp_passphrase", message))
            }
            None => Ok(None),
        }
    }
}

pub(crate) const KEYS: &[&str] = &[
    "path",
    "url",
    "access_key_id",
    "account",
    "account_key",
    "agent",
    "anonymous",
    "ca_file",
    "connect_timeout",
    "endpoint",
    "identity_file",
    "known_hosts",
    "passphrase",
    "password",
    "pgp_key_file",
    "pgp_passphrase",
    "region",
    "sas_token",
    "secret_access_key",
    "service_account_file",
    "session_token",
    "token",
];

impl FilesSettings {
    pub(crate) fn read(section: &Section) -> Result<Self, SectionError> {
        let decryption = Decryption::read(section)?;
        let place = section.without(OF_DECRYPTION);
        let remote = Remote::read(&place, SCHEMES)?;
        match &remote {
            Some(remote) => bucket::check(remote.scheme, &remote.url, remote.text("endpoint"), |key| remote.has(key))?,
            // A table that names a key alone leaves the files where they always are.
            None if decryption.is_some() && place.is_empty() => {}
            None => place.folder_only(URLS)?,
        }
        Ok(Self { remote, decryption })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

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
}
