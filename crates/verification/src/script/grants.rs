//! The grants of a program: what it may read in addition to its workspace.

use std::path::PathBuf;

use http::Uri;
use serde::{Deserialize, Serialize};

/// The files, servers and variables that a program may read. Without a grant it reads only its workspace; it may never
/// write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// Servers that `http.get` may ask.
    pub http: Vec<Origin>,
    /// Files, and folders with what is in them, that `fs.stat` and `fs.read` may read.
    pub read: Vec<PathBuf>,
    /// Environment variables that `env` may read.
    pub env: Vec<String>,
}

/// A server: scheme, host and port.
///
/// ```
/// use candor_verification::script::Origin;
/// let origin: Origin = "HTTP://Portal.example".parse().unwrap();
/// assert_eq!(origin.to_string(), "http://portal.example:80");
/// assert!("portal.example".parse::<Origin>().is_err());
/// assert!("https://portal.example/api".parse::<Origin>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

impl Origin {
    /// The server of an address.
    ///
    /// # Errors
    /// When it is not the address of a server that is reached over HTTP, or holds a user's name.
    pub fn of(uri: &Uri) -> Result<Self, String> {
        let scheme = uri.scheme_str().unwrap_or_default().to_ascii_lowercase();
        let known = match scheme.as_str() {
            "http" => 80,
            "https" => 443,
            _ => return Err("it does not begin with http:// or https://".to_owned()),
        };
        let authority = uri.authority().ok_or("it names no host")?;
        if authority.as_str().contains('@') {
            return Err("it holds a user's name".to_owned());
        }
        let host = authority.host().to_ascii_lowercase();
        if host.is_empty() {
            return Err("it names no host".to_owned());
        }
        let after = authority.as_str().get(host.len()..).unwrap_or_default();
        let port = match after.strip_prefix(':') {
            None | Some("") => known,
            Some(port) => port.parse().map_err(|_| "its port is not a number up to 65535".to_owned())?,
        };
        Ok(Self { scheme, host, port })
    }
}

impl std::str::FromStr for Origin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |why: String| format!("`{text}` is not an origin like http://host:port: {why}");
        let uri: Uri = text.parse().map_err(|error: http::uri::InvalidUri| wrong(error.to_string()))?;
        let origin = Self::of(&uri).map_err(wrong)?;
        match uri.path_and_query().map(|path| path.as_str()) {
            None | Some("" | "/") => Ok(origin),
            Some(_) => Err(wrong("a grant is for a whole server; leave out what follows the host".to_owned())),
        }
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}:{}", self.scheme, self.host, self.port)
    }
}
