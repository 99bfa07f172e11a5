//! A part of the sandbox that is served over HTTP: where, with which credentials. Read from `sandbox.toml`, never from a
//! task; nothing here opens a connection.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::description::secret;
use super::{Secret, on};
use crate::settings::nearest;

/// A server that ground truth is read from.
#[derive(Clone, Debug)]
pub struct HttpServer {
    /// The base URL: `http` or `https`, no credentials, query or fragment in it, no slash at its end.
    pub url: String,
    /// How it is told who asks.
    pub credentials: Credentials,
    /// Further header fields of every request, in the order of their names. Values never print.
    pub headers: Vec<(String, Secret)>,
    /// PEM certificates of the only authorities that are trusted; without it those that browsers trust.
    pub ca_file: Option<PathBuf>,
}

/// How a server is told who asks.
#[derive(Clone, Debug)]
pub enum Credentials {
    /// Not at all.
    None,
    /// `Authorization: Bearer`.
    Bearer(Secret),
    /// `Authorization: Basic`.
    Basic {
        /// The user's name.
        username: String,
        /// The password.
        password: Secret,
    },
    /// SMART Backend Services: a token for a signed JWT. Source: SMART App Launch 2.2, Backend Services.
    Smart(SmartClient),
    /// A token for a JWT that a Google service account's key signs.
    GoogleServiceAccount {
        /// The key as Google hands it out, a JSON file.
        file: PathBuf,
    },
    /// The token that Google's metadata server gives to the machine this runs on.
    GoogleMetadata,
}

/// A client of SMART Backend Services.
#[derive(Clone, Debug)]
pub struct SmartClient {
    /// The id under which the client is registered.
    pub client_id: String,
    /// The private key, PEM: RSA (signs with RS384) or P-384 (ES384).
    pub private_key_file: PathBuf,
    /// The key's `kid`.
    pub key_id: Option<String>,
    /// Where tokens are given out; without it what the server's `.well-known/smart-configuration` says.
    pub token_url: Option<String>,
    /// What is asked for.
    pub scope: String,
}

/// The settings that go with an HTTP server, beside `url`.
const KNOWN: &[&str] = &[
    "url",
    "token",
    "username",
    "password",
    "client_id",
    "private_key_file",
    "key_id",
    "token_url",
    "scope",
    "service_account_file",
    "google",
    "headers",
    "ca_file",
];

/// The settings that each say by themselves how to log in, with those that must stand beside them.
const WAYS: &[(&str, &[&str])] = &[
    ("token", &[]),
    ("username", &["password"]),
    ("client_id", &["private_key_file"]),
    ("service_account_file", &[]),
    ("google", &[]),
];

/// The settings that mean something only beside another one.
const BESIDE: &[(&str, &str)] = &[
    ("password", "username"),
    ("private_key_file", "client_id"),
    ("key_id", "client_id"),
    ("token_url", "client_id"),
    ("scope", "client_id"),
];

/// Header fields that this program sets itself.
const OWN_HEADERS: &[&str] = &[
    "accept",
    "accept-encoding",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "host",
    "prefer",
    "transfer-encoding",
];

/// Whether a table describes an HTTP server.
pub(super) fn is_server(settings: &Table) -> bool {
    let url = settings.get("url").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    url.starts_with("http://") || url.starts_with("https://")
}

/// The setting of an HTTP server that a name is, or was probably meant to be.
pub(super) fn nearest_setting(name: &str) -> Option<&'static str> {
    KNOWN.iter().copied().find(|known| *known == name).or_else(|| nearest(name, KNOWN))
}

/// Reads the table of a server; file names are on `root`.
///
/// # Errors
/// The setting that is wrong, and a sentence.
pub(super) fn read(root: &Path, settings: &Table) -> Result<HttpServer, (String, String)> {
    for key in settings.keys() {
        if !KNOWN.contains(&key.as_str()) {
            let meant = match (key.as_str(), nearest(key, KNOWN)) {
                ("path", _) => "; a part has a `path` or a `url`, not both".to_owned(),
                (_, Some(near)) => format!("; did you mean `{near}`?"),
                (_, None) => format!("; a server has {}", KNOWN.join(", ")),
            };
            return Err((key.clone(), format!("unknown setting `{key}`{meant}")));
        }
    }
    let section = Section { root, settings };
    let url = base_url("url", &section.text("url")?.unwrap_or_default())?;
    for (key, beside) in BESIDE {
        if settings.contains_key(*key) && !settings.contains_key(*beside) {
            return Err(((*key).to_owned(), format!("`{key}` goes with `{beside}`, which is not there")));
        }
    }
    let mut ways = WAYS.iter().filter(|(way, _)| settings.contains_key(*way));
    let way = ways.next();
    if let (Some((first, _)), Some((second, _))) = (way, ways.next()) {
        let message = format!("`{first}` and `{second}` are two ways to log in; keep one");
        return Err(((*second).to_owned(), message));
    }
    if let Some((way, needed)) = way
        && let Some(missing) = needed.iter().find(|name| !settings.contains_key(**name))
    {
        return Err(((*way).to_owned(), format!("`{way}` needs `{missing}` beside it")));
    }
    let credentials = match way.map(|(way, _)| *way) {
        Some("token") => Credentials::Bearer(section.secret("token")?),
        Some("username") => {
            Credentials::Basic { username: section.name("username")?, password: section.secret("password")? }
        }
        Some("client_id") => Credentials::Smart(section.smart()?),
        Some("service_account_file") => {
            Credentials::GoogleServiceAccount { file: section.file("service_account_file")?.unwrap_or_default() }
        }
        Some(_) => match section.name("google")?.as_str() {
            "metadata" => Credentials::GoogleMetadata,
            other => {
                let message = format!("`google` is {other:?}; expected \"metadata\" (a key is a service_account_file)");
                return Err(("google".to_owned(), message));
            }
        },
        None => Credentials::None,
    };
    Ok(HttpServer { url, credentials, headers: section.headers()?, ca_file: section.file("ca_file")? })
}

struct Section<'a> {
    root: &'a Path,
    settings: &'a Table,
}

impl Section<'_> {
    fn text(&self, key: &str) -> Result<Option<String>, (String, String)> {
        match self.settings.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err((key.to_owned(), format!("`{key}` is {other}; expected a string"))),
        }
    }

    fn name(&self, key: &str) -> Result<String, (String, String)> {
        let text = self.text(key)?.unwrap_or_default();
        if text.is_empty() { Err((key.to_owned(), format!("`{key}` is empty"))) } else { Ok(text) }
    }

    fn secret(&self, key: &str) -> Result<Secret, (String, String)> {
        let text = self.text(key)?.unwrap_or_default();
        let secret = secret(&text).map_err(|message| (key.to_owned(), format!("`{key}` {message}")))?;
        // A password is sent in base64, a token as it is.
        let fits = if key == "password" { Ok(()) } else { header_value(secret.reveal()) };
        fits.map_err(|what| (key.to_owned(), format!("`{key}` {what}")))?;
        Ok(secret)
    }

    fn file(&self, key: &str) -> Result<Option<PathBuf>, (String, String)> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        let path = on(self.root, &text);
        match path.is_file() {
            true => Ok(Some(path)),
            false => Err((key.to_owned(), format!("`{key}`: there is no file {}", path.display()))),
        }
    }

    fn smart(&self) -> Result<SmartClient, (String, String)> {
        let token_url = match self.text("token_url")? {
            Some(url) => Some(base_url("token_url", &url)?),
            None => None,
        };
        Ok(SmartClient {
            client_id: self.name("client_id")?,
            private_key_file: self.file("private_key_file")?.unwrap_or_default(),
            key_id: self.text("key_id")?,
            token_url,
            scope: self.text("scope")?.unwrap_or_else(|| "system/*.rs".to_owned()),
        })
    }

    fn headers(&self) -> Result<Vec<(String, Secret)>, (String, String)> {
        let wrong = |message: String| ("headers".to_owned(), message);
        let fields = match self.settings.get("headers") {
            None => return Ok(Vec::new()),
            Some(Value::Table(fields)) => fields,
            Some(other) => return Err(wrong(format!("`headers` is {other}; write headers = {{ X-Name = \"…\" }}"))),
        };
        let logs_in = WAYS.iter().any(|(way, _)| self.settings.contains_key(*way));
        let mut headers = Vec::new();
        for (name, value) in fields {
            let lower = name.to_ascii_lowercase();
            let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            if name.is_empty() || !name.bytes().all(token) {
                return Err(wrong(format!("`{}` is no name of a header field", name.escape_debug())));
            }
            if OWN_HEADERS.contains(&lower.as_str()) || (lower == "authorization" && logs_in) {
                return Err(wrong(format!("`headers`: {name} is set by this program; leave it out")));
            }
            let Some(text) = value.as_str() else {
                return Err(wrong(format!("`headers`: {name} is no string")));
            };
            let value = match secret(text) {
                Ok(secret) => secret,
                Err(message) if text.starts_with("${") || is_secret(&lower) => {
                    return Err(wrong(format!("`headers`: {name} {message}")));
                }
                Err(_) => Secret::new(text.to_owned()),
            };
            header_value(value.reveal()).map_err(|what| wrong(format!("`headers`: {name} {what}")))?;
            headers.push((name.clone(), value));
        }
        Ok(headers)
    }
}

/// Whether a header field by its name carries what nobody else may know.
fn is_secret(lower: &str) -> bool {
    ["auth", "token", "key", "secret", "password", "cookie", "session"].iter().any(|word| lower.contains(word))
}

/// A value that can stand in a header field: what could end the field would let a secret write fields of its own.
fn header_value(value: &str) -> Result<(), &'static str> {
    match value {
        "" => Err("is empty"),
        _ if value.bytes().any(|byte| !(0x20..0x7f).contains(&byte)) => {
            Err("holds characters that cannot stand in a header field")
        }
        _ => Ok(()),
    }
}

/// A URL that paths can be put behind.
pub(super) fn base_url(key: &str, text: &str) -> Result<String, (String, String)> {
    let wrong = |what: &str| Err((key.to_owned(), format!("`{key}` {what}")));
    let Some((scheme, rest)) = text.split_once("://") else { return wrong("is no http:// or https:// URL") };
    if !["http", "https"].contains(&scheme.to_ascii_lowercase().as_str()) {
        return wrong("is no http:// or https:// URL");
    }
    if rest.bytes().any(|byte| byte <= b' ' || byte >= 0x7f || b"\"<>\\^`{|}".contains(&byte)) {
        return wrong("holds characters that cannot stand in a URL");
    }
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains('@') {
        return wrong("holds credentials; give them as username and password, or as token, by ${env:NAME}");
    }
    if rest.contains(['?', '#']) {
        return wrong("has a query or a fragment; give the base alone, as in https://fhir.example.org/r4");
    }
    if host.is_empty() || host.starts_with(':') {
        return wrong("names no host");
    }
    Ok(format!("{}://{}", scheme.to_ascii_lowercase(), rest.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(text: &str) -> Result<HttpServer, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("key.pem"), "").unwrap();
        let table = format!("url = \"https://fhir.example.org/r4/\"\n{text}").parse::<Table>().unwrap();
        read(folder.path(), &table).map_err(|(key, message)| format!("{key}: {message}"))
    }

    #[test]
    fn every_way_to_log_in() {
        assert_eq!(server("").unwrap().url, "https://fhir.example.org/r4");
        // Cargo sets this variable for every test.
        let bearer = server("token = \"${env:CARGO_PKG_NAME}\"").unwrap();
        assert!(matches!(&bearer.credentials, Credentials::Bearer(token) if token.reveal() == "candor-check"));
        assert!(!format!("{bearer:?}").contains("candor-check"));
        let basic = server("username = \"u\"\npassword = \"${env:CARGO_PKG_NAME}\"").unwrap();
        assert!(matches!(basic.credentials, Credentials::Basic { username, .. } if username == "u"));
        let smart = server("client_id = \"c\"\nprivate_key_file = \"key.pem\"").unwrap();
        assert!(matches!(smart.credentials, Credentials::Smart(SmartClient { scope, .. }) if scope == "system/*.rs"));
        assert!(matches!(server("google = \"metadata\"").unwrap().credentials, Credentials::GoogleMetadata));
        let account = server("service_account_file = \"key.pem\"").unwrap().credentials;
        assert!(matches!(account, Credentials::GoogleServiceAccount { file } if file.ends_with("key.pem")));
        let headers = server("headers = { X-Tenant = \"north\", X-Api-Key = \"${env:CARGO_PKG_NAME}\" }").unwrap();
        assert_eq!(headers.headers.len(), 2);
    }

    #[test]
    fn every_slip_is_named() {
        for (text, expected) in [
            ("token = \"abc\"", "token: `token` is written out; a secret is given only as ${env:NAME}"),
            ("token = \"${env:CANDOR_TEST_NOT_SET}\"", "which is not set"),
            ("tokn = \"x\"", "tokn: unknown setting `tokn`; did you mean `token`?"),
            ("path = \"fhir/\"", "path: unknown setting `path`; a part has a `path` or a `url`, not both"),
            ("username = \"u\"", "`username` needs `password` beside it"),
            ("password = \"${env:CARGO_PKG_NAME}\"", "`password` goes with `username`"),
            ("scope = \"system/*.read\"", "`scope` goes with `client_id`"),
            ("google = \"metadata\"\ntoken = \"${env:CARGO_PKG_NAME}\"", "two ways to log in"),
            ("google = \"cloud\"", "`google` is \"cloud\"; expected \"metadata\""),
            ("client_id = \"c\"\nprivate_key_file = \"none.pem\"", "there is no file"),
            ("ca_file = \"none.pem\"", "there is no file"),
            ("ca_file = 1", "`ca_file` is 1; expected a string"),
            ("headers = { Authorization = \"Bearer abc\" }", "Authorization is written out"),
            ("headers = { X-Api-Key = \"abc\" }", "X-Api-Key is written out"),
            ("headers = { Host = \"x\" }", "Host is set by this program"),
            ("headers = { \"X A\" = \"x\" }", "is no name of a header field"),
            ("headers = { X-A = \"a\\r\\nX-B: b\" }", "cannot stand in a header field"),
            ("headers = \"X-A: b\"", "write headers = { X-Name"),
        ] {
            let error = server(text).err().unwrap_or_default();
            assert!(error.contains(expected), "{text}\n{error}\n{expected}");
            assert!(!error.contains("abc"), "{error}");
        }
    }

    #[test]
    fn a_base_url_is_no_more_than_that() {
        for (text, expected) in [
            ("https://u:hunter2@a.example/r4", "holds credentials"),
            ("https://a.example/r4?key=hunter2", "has a query"),
            ("https:///r4", "names no host"),
            ("ftp://a.example", "is no http:// or https:// URL"),
            ("https://a.example/r 4", "cannot stand in a URL"),
        ] {
            let (_, error) = base_url("url", text).unwrap_err();
            assert!(error.contains(expected) && !error.contains("hunter2"), "{text}: {error}");
        }
        assert_eq!(base_url("url", "HTTP://127.0.0.1:8080").unwrap(), "http://127.0.0.1:8080");
    }
}
