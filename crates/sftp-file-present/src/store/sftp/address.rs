//! Where an SFTP server is, by its URL: `sftp://[user@]host[:port][/path]`.

use candor_check::sandbox::Remote;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) user: String,
    pub(super) host: String,
    pub(super) port: u16,
    /// The folder, as the server is asked for it: from the root, or from where a login begins.
    pub(super) path: Vec<u8>,
    pub(super) name: String,
}

pub(super) const PORT: u16 = 22;

impl Address {
    /// Reads the URL of `sandbox.toml`. Without a user it is that of the environment, as for `ssh`.
    ///
    /// # Errors
    /// The fault, as the end of a sentence.
    pub(super) fn of(remote: &Remote) -> Result<Self, String> {
        let environment = || ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
        Self::parse(&remote.url, environment)
    }

    pub(super) fn parse(url: &str, environment: impl Fn() -> Option<String>) -> Result<Self, String> {
        let (_, rest) = url.split_once("://").ok_or("is no sftp:// URL")?;
        if rest.contains(['?', '#']) {
            return Err(
                "has a query or a fragment, which SFTP knows nothing of; write %3F for ? and %23 for #".to_owned()
            );
        }
        let (authority, path) = rest.find('/').map_or((rest, "/"), |slash| rest.split_at(slash));
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(text(user, "user")?), place),
            None => (None, authority),
        };
        let user = user.filter(|user| !user.is_empty()).or_else(environment);
        let user = user.filter(|user| !user.is_empty() && !user.contains('\0'));
        let (host, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, "")) => (host, None),
            Some((host, port)) => (host, Some(port.strip_prefix(':').ok_or("has no port behind its address")?)),
            None => place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port))),
        };
        let port = match port {
            None | Some("") => PORT,
            Some(port) => port.parse().ok().filter(|port| *port != 0).ok_or(format!("has the port {port:?}"))?,
        };
        let host = text(host, "host")?;
        if host.is_empty() || host.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err("names no host".to_owned());
        }
        let path = match decoded(path)? {
            path if path.contains(&0) => return Err("has a NUL in its path".to_owned()),
            // As curl writes it: below where a login begins.
            path if path == b"/~" || path.starts_with(b"/~/") => {
                let rest: Vec<u8> = path.into_iter().skip(3).collect();
                if rest.is_empty() { b".".to_vec() } else { rest }
            }
            path => path,
        };
        let user = user.ok_or("names no user, and neither does the environment")?;
        Ok(Self { user, host, port, path, name: format!("{}/", url.trim_end_matches('/')) })
    }
}

fn text(part: &str, what: &str) -> Result<String, String> {
    String::from_utf8(decoded(part)?).map_err(|_| format!("has a {what} that is not text"))
}

/// Text without its `%XX`.
fn decoded(text: &str) -> Result<Vec<u8>, String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.ok_or("has a % that two hexadecimal digits do not follow; write %25 for it")?);
        bytes.extend_from_slice(part.as_bytes().get(2..).unwrap_or_default());
    }
    Ok(bytes)
}
