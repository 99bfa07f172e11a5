//! The settings of a part that is read from an HTTP server: where, with which credentials. Read from `sandbox.toml`, never
//! from a task; nothing here opens a connection.

use candor_check::Sandbox;
use candor_check::sandbox::{Secret, Section, SectionError, SettingFile};

/// A server that ground truth is read from.
#[derive(Clone, Debug)]
pub struct HttpServer {
    /// The base URL: `http` or `https`, no credentials, query or fragment in it, no slash at its end.
    pub url: String,
    /// How Candor logs in to it.
    pub credentials: Credentials,
    /// Further header fields of every request, in the order of their names. Values never print.
    pub headers: Vec<(String, Secret)>,
    /// PEM certificates of the only authorities that are trusted; without it those that browsers trust.
    pub ca_file: Option<SettingFile>,
}

/// How Candor logs in to a server.
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
        file: SettingFile,
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
    pub private_key_file: SettingFile,
    /// The key's `kid`.
    pub key_id: Option<String>,
    /// Where tokens are given out; without it what the server's `.well-known/smart-configuration` says.
    pub token_url: Option<String>,
    /// The scope to request.
    pub scope: String,
}

/// The settings that a table of an HTTP server may hold.
pub const KEYS: &[&str] = &[
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

/// The settings that are each a way to log in, with those that each one needs.
const WAYS: &[(&str, &[&str])] = &[
    ("token", &[]),
    ("username", &["password"]),
    ("client_id", &["private_key_file"]),
    ("service_account_file", &[]),
    ("google", &[]),
];

/// The settings that mean something only together with another one.
const BESIDE: &[(&str, &str)] = &[
    ("password", "username"),
    ("private_key_file", "client_id"),
    ("key_id", "client_id"),
    ("token_url", "client_id"),
    ("scope", "client_id"),
];

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

impl HttpServer {
    /// True if a section describes an HTTP server.
    #[must_use]
    pub fn is_described(section: &Section) -> bool {
        let url = section.text("url").ok().flatten().unwrap_or_default().to_ascii_lowercase();
        url.starts_with("http://") || url.starts_with("https://")
    }

    /// The server of a part whose table was found right when the sandbox was opened; `None` where it names none.
    #[must_use]
    pub fn of(sandbox: &Sandbox, part: &str) -> Option<Self> {
        let section = sandbox.section(part);
        Self::is_described(&section).then(|| Self::read(&section).ok())?
    }

    /// Reads the table of a server.
    ///
    /// # Errors
    /// The setting that is wrong.
    pub fn read(section: &Section) -> Result<Self, SectionError> {
        section.only_or(KEYS, || format!("; a server has {}", KEYS.join(", ")))?;
        let url = section.base_url("url")?.unwrap_or_default();
        for (key, beside) in BESIDE {
            if section.has(key) && !section.has(beside) {
                return Err(SectionError::new(*key, format!("`{key}` goes with `{beside}`, which is not there")));
            }
        }
        let mut ways = WAYS.iter().filter(|(way, _)| section.has(way));
        let way = ways.next();
        if let (Some((first, _)), Some((second, _))) = (way, ways.next()) {
            let message = format!("`{first}` and `{second}` are two ways to log in; keep one");
            return Err(SectionError::new(*second, message));
        }
        if let Some((way, needed)) = way
            && let Some(missing) = needed.iter().find(|name| !section.has(name))
        {
            return Err(SectionError::new(*way, format!("`{way}` needs `{missing}` as well")));
        }
        let credentials = match way.map(|(way, _)| *way) {
            Some("token") => Credentials::Bearer(secret(section, "token")?),
            Some("username") => Credentials::Basic {
                username: section.name("username")?.unwrap_or_default(),
                password: secret(section, "password")?,
            },
            Some("client_id") => Credentials::Smart(smart(section)?),
            Some("service_account_file") => {
                Credentials::GoogleServiceAccount { file: needed_file(section, "service_account_file")? }
            }
            Some(_) => match section.name("google")?.unwrap_or_default().as_str() {
                "metadata" => Credentials::GoogleMetadata,
                other => {
                    let message =
                        format!("`google` is {other:?}; expected \"metadata\" (a key is a service_account_file)");
                    return Err(SectionError::new("google", message));
                }
            },
            None => Credentials::None,
        };
        let logs_in = way.is_some();
        Ok(Self { url, credentials, headers: headers(section, logs_in)?, ca_file: section.file("ca_file")? })
    }
}

fn secret(section: &Section, key: &str) -> Result<Secret, SectionError> {
    let empty = || SectionError::new(key, format!("`{key}` is empty"));
    let secret = section.secret(key)?.ok_or_else(empty)?;
    // A password is sent in base64, a token as it is.
    let fits = if key == "password" { Ok(()) } else { header_value(secret.reveal()) };
    fits.map_err(|what| SectionError::new(key, format!("`{key}` {what}")))?;
    Ok(secret)
}

fn needed_file(section: &Section, key: &str) -> Result<SettingFile, SectionError> {
    section.file(key)?.ok_or_else(|| SectionError::new(key, format!("`{key}` is empty")))
}

fn smart(section: &Section) -> Result<SmartClient, SectionError> {
    Ok(SmartClient {
        client_id: section.name("client_id")?.unwrap_or_default(),
        private_key_file: needed_file(section, "private_key_file")?,
        key_id: section.text("key_id")?,
        token_url: section.base_url("token_url")?,
        scope: section.text("scope")?.unwrap_or_else(|| "system/*.rs".to_owned()),
    })
}

fn headers(section: &Section, logs_in: bool) -> Result<Vec<(String, Secret)>, SectionError> {
    let wrong = |message: String| SectionError::new("headers", message);
    let Some(fields) = section.table("headers", "headers = { X-Name = \"…\" }")? else { return Ok(Vec::new()) };
    let mut headers = Vec::new();
    for name in fields.keys() {
        let lower = name.to_ascii_lowercase();
        let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(token) {
            return Err(wrong(format!("`{}` is not a name of a header field", name.escape_debug())));
        }
        if OWN_HEADERS.contains(&lower.as_str()) || (lower == "authorization" && logs_in) {
            return Err(wrong(format!("`headers`: {name} is set by this program; leave it out")));
        }
        let Some(text) = fields.text(name).ok().flatten() else {
            return Err(wrong(format!("`headers`: {name} is not a string")));
        };
        let value = match Secret::from_environment(&text) {
            Ok(secret) => secret,
            Err(message) if text.starts_with("${") || is_secret(&lower) => {
                return Err(wrong(format!("`headers`: {name} {message}")));
            }
            Err(_) => Secret::new(text),
        };
        header_value(value.reveal()).map_err(|what| wrong(format!("`headers`: {name} {what}")))?;
        headers.push((name.to_owned(), value));
    }
    Ok(headers)
}

/// True if a header field carries a secret, going by its name.
fn is_secret(lower: &str) -> bool {
    ["auth", "token", "key", "secret", "password", "cookie", "session"].iter().any(|word| lower.contains(word))
}

/// Fails for a value that a header field cannot hold: characters that could end the field would let a secret write
/// fields of its own.
fn header_value(value: &str) -> Result<(), &'static str> {
    match value {
        "" => Err("is empty"),
        _ if value.bytes().any(|byte| !(0x20..0x7f).contains(&byte)) => {
            Err("holds characters that a header field cannot contain")
        }
        _ => Ok(()),
    }
}
