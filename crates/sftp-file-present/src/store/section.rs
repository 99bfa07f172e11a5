//! The table `[files]` of `sandbox.toml`: a folder, an SFTP server, a bucket; and the key of encrypted files.

use candor_check::sandbox::{Remote, Scheme, Secret, Section, SectionError, SettingFile, SettingKind};

use super::bucket;

pub(super) const SCHEMES: &[Scheme] = &[
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
pub(super) const URLS: &[&str] =
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
