//! A part of the sandbox that lies on a file server, in a bucket or in a database: where, with which settings. Read from
//! `sandbox.toml`, never from a task; nothing here opens a connection.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::description::secret;
use super::limits::duration;
use super::{Secret, bucket, on};
use crate::settings::nearest;

/// What a setting holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Text that anyone may see.
    Text,
    /// `${env:NAME}`.
    Secret,
    /// The name of a file that is there, on the sandbox's folder.
    File,
    /// `true` or `false`.
    Flag,
    /// As in `10s`.
    Duration,
    /// One of these.
    Choice(&'static [&'static str]),
}

/// What a URL's scheme stands for.
struct Scheme {
    part: &'static str,
    /// As it is written before `:`; the first name is the one the checks go by.
    names: &'static [&'static str],
    settings: &'static [(&'static str, Kind)],
    /// Settings that must be there, with why.
    required: &'static [(&'static str, &'static str)],
    example: &'static str,
}

const SCHEMES: &[Scheme] = &[
    Scheme {
        part: "files",
        names: &["sftp"],
        settings: &[
            ("password", Kind::Secret),
            ("identity_file", Kind::File),
            ("passphrase", Kind::Secret),
            ("agent", Kind::Flag),
            ("known_hosts", Kind::File),
            ("connect_timeout", Kind::Duration),
        ],
        required: &[("known_hosts", "an SFTP server is read only when its host key is known")],
        example: "sftp://user@host:22/drop",
    },
    Scheme {
        part: "files",
        names: &["s3"],
        settings: &[
            ("endpoint", Kind::Text),
            ("region", Kind::Text),
            ("access_key_id", Kind::Secret),
            ("secret_access_key", Kind::Secret),
            ("session_token", Kind::Secret),
            ("anonymous", Kind::Flag),
            ("ca_file", Kind::File),
        ],
        required: &[],
        example: "s3://bucket/prefix",
    },
    Scheme {
        part: "files",
        names: &["gs"],
        settings: &[
            ("endpoint", Kind::Text),
            ("service_account_file", Kind::File),
            ("token", Kind::Secret),
            ("anonymous", Kind::Flag),
            ("ca_file", Kind::File),
        ],
        required: &[],
        example: "gs://bucket/prefix",
    },
    Scheme {
        part: "files",
        names: &["az"],
        settings: &[
            ("account", Kind::Text),
            ("endpoint", Kind::Text),
            ("account_key", Kind::Secret),
            ("sas_token", Kind::Secret),
            ("token", Kind::Secret),
            ("anonymous", Kind::Flag),
            ("ca_file", Kind::File),
        ],
        required: &[],
        example: "az://container/prefix",
    },
    Scheme { part: "portal", names: &["sqlite"], settings: &[], required: &[], example: "sqlite:portal.db" },
    Scheme {
        part: "portal",
        names: &["postgres", "postgresql"],
        settings: &[
            ("password", Kind::Secret),
            ("ca_file", Kind::File),
            ("tls", TLS),
            ("connect_timeout", Kind::Duration),
            ("schema", Kind::Text),
            ("row_security", Kind::Flag),
        ],
        required: &[],
        example: "postgres://reader@host:5432/portal",
    },
    Scheme {
        part: "portal",
        names: &["mysql", "mariadb"],
        settings: &[
            ("password", Kind::Secret),
            ("ca_file", Kind::File),
            ("tls", TLS),
            ("connect_timeout", Kind::Duration),
        ],
        required: &[],
        example: "mysql://reader@host:3306/portal",
    },
];

const TLS: Kind = Kind::Choice(&["require", "prefer", "disable"]);

/// A file server, a bucket or a database that ground truth is read from.
#[derive(Clone, Debug)]
pub struct Remote {
    /// What kind it is, by its URL's scheme: `sftp`, `s3`, `gs`, `az`, `sqlite`, `postgres`, `mysql`.
    pub scheme: &'static str,
    /// The URL as it may be shown: without a password.
    pub url: String,
    /// The folder that names of files are on.
    pub root: PathBuf,
    settings: BTreeMap<&'static str, Setting>,
}

#[derive(Clone, Debug)]
enum Setting {
    Text(String),
    Secret(Secret),
    File(PathBuf),
    Flag(bool),
    Duration(std::time::Duration),
}

impl Remote {
    /// A setting that is text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.settings.get(name)? {
            Setting::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A setting that is a secret.
    #[must_use]
    pub fn secret(&self, name: &str) -> Option<&Secret> {
        match self.settings.get(name)? {
            Setting::Secret(secret) => Some(secret),
            _ => None,
        }
    }

    /// A setting that names a file, which was there when the sandbox was opened.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<&Path> {
        match self.settings.get(name)? {
            Setting::File(path) => Some(path),
            _ => None,
        }
    }

    /// Whether a flag is set.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.settings.get(name), Some(Setting::Flag(true)))
    }

    /// A setting that is a duration.
    #[must_use]
    pub fn duration(&self, name: &str) -> Option<std::time::Duration> {
        match self.settings.get(name)? {
            Setting::Duration(duration) => Some(*duration),
            _ => None,
        }
    }
}

fn scheme_of(part: &str, url: &str) -> Option<&'static Scheme> {
    let (name, _) = url.split_once(':')?;
    let known = |scheme: &&Scheme| scheme.names.iter().any(|known| known.eq_ignore_ascii_case(name));
    SCHEMES.iter().filter(|scheme| scheme.part == part).find(known)
}

/// The URL that a table gives, that of `${env:NAME}` included; `None` where it has none.
fn written_url(settings: &Table) -> Option<Result<String, String>> {
    let text = settings.get("url")?.as_str()?;
    Some(match text.starts_with("${") {
        true => secret(text).map(|secret| secret.reveal().to_owned()).map_err(|what| format!("`url` {what}")),
        false => Ok(text.to_owned()),
    })
}

/// Reads the table of a part whose URL has a scheme of its own; `None` where it is none of those, and the part a folder
/// or an HTTP server.
///
/// # Errors
/// The setting that is wrong, and a sentence.
pub(super) fn read(root: &Path, part: &str, settings: &Table) -> Option<Result<Remote, (String, String)>> {
    let url = match written_url(settings)? {
        Ok(url) => url,
        Err(message) => return Some(Err(("url".to_owned(), message))),
    };
    let scheme = scheme_of(part, &url)?;
    Some(described(root, scheme, &url, settings))
}

/// The schemes that a part's `url` may have beside `file`, as examples.
pub(super) fn examples(part: &str) -> Vec<&'static str> {
    SCHEMES.iter().filter(|scheme| scheme.part == part).map(|scheme| scheme.example).collect()
}

fn described(root: &Path, scheme: &Scheme, url: &str, table: &Table) -> Result<Remote, (String, String)> {
    let mut settings = BTreeMap::new();
    for (key, value) in table.iter().filter(|(key, _)| *key != "url") {
        let wrong = |message: String| (key.clone(), message);
        let Some(&(name, kind)) = scheme.settings.iter().find(|(name, _)| name == key) else {
            return Err(wrong(unknown(scheme, key)));
        };
        settings.insert(name, setting(root, name, kind, value).map_err(wrong)?);
    }
    for (name, why) in scheme.required {
        if !settings.contains_key(name) {
            return Err(("url".to_owned(), format!("has no `{name}`: {why}")));
        }
    }
    let from_environment = table.get("url").and_then(Value::as_str).is_some_and(|text| text.starts_with("${"));
    let (url, password) = without_password(url);
    if let Some(password) = password {
        let may = scheme.settings.iter().any(|(name, _)| *name == "password");
        if !from_environment {
            let message = "`url` holds a password; give it as password = \"${env:NAME}\"";
            return Err(("url".to_owned(), message.to_owned()));
        }
        if !may || settings.contains_key("password") {
            return Err(("url".to_owned(), "`url` holds a password that is given otherwise, or not at all".to_owned()));
        }
        settings.insert("password", Setting::Secret(Secret::new(password)));
    }
    let name = scheme.names.first().copied().unwrap_or_default();
    let is_set = |key: &str| settings.get(key).is_some_and(|value| !matches!(value, Setting::Flag(false)));
    let endpoint = match settings.get("endpoint") {
        Some(Setting::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    bucket::check(name, &url, endpoint, is_set)?;
    Ok(Remote { scheme: name, url, root: root.to_owned(), settings })
}

fn unknown(scheme: &Scheme, key: &str) -> String {
    let known: Vec<&str> = scheme.settings.iter().map(|(name, _)| *name).chain(["url"]).collect();
    match (key, nearest(key, &known)) {
        ("path", _) => "`path` stands beside `url`; a part has a `path` or a `url`, not both".to_owned(),
        (_, Some(near)) => format!("unknown setting `{key}`; did you mean `{near}`?"),
        (_, None) => format!("unknown setting `{key}`; beside {} there may stand {}", scheme.example, known.join(", ")),
    }
}

fn setting(root: &Path, name: &str, kind: Kind, value: &Value) -> Result<Setting, String> {
    if let (Kind::Flag, Value::Boolean(flag)) = (kind, value) {
        return Ok(Setting::Flag(*flag));
    }
    let expected = if kind == Kind::Flag { "true or false" } else { "a string" };
    let text = match (kind, value.as_str()) {
        (Kind::Flag, _) | (_, None) => {
            // What stands in a secret's place may be the secret.
            let found = if kind == Kind::Secret { "no string".to_owned() } else { value.to_string() };
            return Err(format!("`{name}` is {found}; expected {expected}"));
        }
        (_, Some(text)) => text,
    };
    match kind {
        Kind::Secret => secret(text).map(Setting::Secret).map_err(|what| format!("`{name}` {what}")),
        _ if text.is_empty() => Err(format!("`{name}` is empty")),
        Kind::File => match on(root, text) {
            path if path.is_file() => Ok(Setting::File(path)),
            path => Err(format!("`{name}`: there is no file {}", path.display())),
        },
        Kind::Duration => duration(text).map(Setting::Duration).map_err(|what| format!("`{name}`: {what}")),
        Kind::Choice(known) if !known.contains(&text) => {
            Err(format!("`{name}` is {text:?}; expected one of {}", known.join(", ")))
        }
        Kind::Text | Kind::Flag | Kind::Choice(_) => Ok(Setting::Text(text.to_owned())),
    }
}

/// A URL without the password it holds, and that, decoded from its `%XX`.
fn without_password(url: &str) -> (String, Option<String>) {
    let parts = || {
        let (scheme, rest) = url.split_once("://")?;
        let authority = rest.split(['/', '?', '#']).next()?;
        let (user_info, _) = authority.rsplit_once('@')?;
        let (user, password) = user_info.split_once(':')?;
        let behind = rest.get(user_info.len()..)?;
        Some((format!("{scheme}://{user}{behind}"), decoded(password)))
    };
    match parts() {
        Some((url, password)) => (url, Some(password)),
        None => (url.to_owned(), None),
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let code = std::str::from_utf8(behind.get(..2).unwrap_or_default()).ok();
        match code.filter(|_| first == b'%').and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(part: &str, text: &str) -> Result<Remote, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("known_hosts"), "").unwrap();
        let table = text.parse::<Table>().unwrap();
        read(folder.path(), part, &table)
            .expect("a scheme of its own")
            .map_err(|(key, message)| format!("{key}: {message}"))
    }

    #[test]
    fn every_scheme_is_read() {
        let sftp = remote(
            "files",
            "url = \"sftp://u@127.0.0.1:2222/drop\"\nknown_hosts = \"known_hosts\"\nagent = true\n\
             password = \"${env:CARGO_PKG_NAME}\"\nconnect_timeout = \"2s\"",
        )
        .unwrap();
        assert_eq!((sftp.scheme, sftp.flag("agent")), ("sftp", true));
        assert_eq!(sftp.secret("password").map(Secret::reveal), Some("candor-check"));
        assert!(sftp.file("known_hosts").unwrap().ends_with("known_hosts"));
        assert_eq!(sftp.duration("connect_timeout").unwrap().as_secs(), 2);
        assert!(!format!("{sftp:?}").contains("candor-check"));
        for scheme in SCHEMES {
            let known = scheme.required.iter().map(|(name, _)| format!("\n{name} = \"{name}\"")).collect::<String>();
            let read = remote(scheme.part, &format!("url = \"{}\"{known}", scheme.example)).unwrap();
            assert_eq!(Some(&read.scheme), scheme.names.first());
        }
        assert_eq!(remote("portal", "url = \"PostgreSQL://r@h/d\"").unwrap().scheme, "postgres");
    }

    #[test]
    fn what_is_no_scheme_of_the_part_is_left_to_others() {
        for (part, url) in
            [("files", "postgres://h/d"), ("portal", "sftp://h/d"), ("files", "file:///x"), ("x12", "s3://b")]
        {
            assert!(read(Path::new(""), part, &format!("url = \"{url}\"").parse().unwrap()).is_none(), "{part} {url}");
        }
    }

    #[test]
    fn every_slip_is_named_and_no_secret_told() {
        for (part, text, expected) in [
            ("files", "url = \"sftp://u@h/d\"", "has no `known_hosts`: an SFTP server is read only when"),
            (
                "files",
                "url = \"sftp://u:hunter2@h/d\"\nknown_hosts = \"known_hosts\"",
                "`url` holds a password; give it as",
            ),
            ("files", "url = \"sftp://u@h/d\"\nknown_hosts = \"none\"", "`known_hosts`: there is no file"),
            ("files", "url = \"sftp://u@h\"\nidentityfile = \"x\"", "did you mean `identity_file`?"),
            ("files", "url = \"s3://b\"\npath = \"files/\"", "a part has a `path` or a `url`, not both"),
            ("files", "url = \"s3://b\"\nsecret_access_key = \"hunter2\"", "is written out; a secret is given only"),
            ("files", "url = \"s3://b\"\nsecret_access_key = [\"hunter2\"]", "is no string; expected a string"),
            ("files", "url = \"gs://b\"\nanonymous = \"yes\"", "`anonymous` is \"yes\"; expected true or false"),
            ("portal", "url = \"postgres://h/d\"\ntls = \"yes\"", "`tls` is \"yes\"; expected one of require, prefer"),
            ("portal", "url = \"mysql://h/d\"\nschema = \"x\"", "unknown setting `schema`"),
            ("portal", "url = \"postgres://h/d\"\nconnect_timeout = \"soon\"", "`soon` is no duration"),
            (
                "portal",
                "url = \"sqlite:portal.db\"\npassword = \"${env:CARGO_PKG_NAME}\"",
                "unknown setting `password`",
            ),
        ] {
            let error = remote(part, text).unwrap_err();
            assert!(error.contains(expected), "{text}\n{error}\n{expected}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn a_password_in_a_url_is_taken_out_of_it() {
        for (url, shown, password) in [
            ("postgres://u:p%40ss@h:1/d?x=1", "postgres://u@h:1/d?x=1", Some("p@ss")),
            ("postgres://u@h/d", "postgres://u@h/d", None),
            ("postgres://h/d:x@y", "postgres://h/d:x@y", None),
            ("sqlite:a:b@c.db", "sqlite:a:b@c.db", None),
            ("mysql://u:%zz%c3%bc@h", "mysql://u@h", Some("%zzü")),
        ] {
            assert_eq!(without_password(url), (shown.to_owned(), password.map(str::to_owned)), "{url}");
        }
    }
}
