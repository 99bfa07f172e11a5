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

    fn parse(url: &str, environment: impl Fn() -> Option<String>) -> Result<Self, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> Result<Address, String> {
        Address::parse(url, || Some("me".to_owned()))
    }

    #[test]
    fn urls() {
        for (url, user, host, port, path) in [
            ("sftp://u@h/drop", "u", "h", 22, "/drop"),
            ("sftp://u@h:2222/drop/in/", "u", "h", 2222, "/drop/in/"),
            ("SFTP://h", "me", "h", 22, "/"),
            ("sftp://@h:/", "me", "h", 22, "/"),
            ("sftp://u@[::1]:22/x", "u", "::1", 22, "/x"),
            ("sftp://u@[fe80::1]/x", "u", "fe80::1", 22, "/x"),
            ("sftp://a%40b@h/d%20e%25/f", "a@b", "h", 22, "/d e%/f"),
            ("sftp://a@b@h/x", "a@b", "h", 22, "/x"),
            ("sftp://u@h/~/drop", "u", "h", 22, "drop"),
            ("sftp://u@h/~", "u", "h", 22, "."),
            ("sftp://u@h/~drop", "u", "h", 22, "/~drop"),
        ] {
            let address = parse(url).unwrap();
            let found = (&*address.user, &*address.host, address.port, String::from_utf8(address.path).unwrap());
            assert_eq!(found, (user, host, port, path.to_owned()), "{url}");
            assert!(address.name.ends_with('/') && !address.name.ends_with("//"), "{}", address.name);
        }
    }

    #[test]
    fn what_is_no_address() {
        for (url, what) in [
            ("sftp://u@/x", "names no host"),
            ("sftp://", "names no host"),
            ("sftp://u@h h/x", "names no host"),
            ("sftp://u@h:70000/x", "the port \"70000\""),
            ("sftp://u@h:0/x", "the port \"0\""),
            ("sftp://u@[::1]22/x", "no port behind"),
            ("sftp://u@h/x?y", "a query"),
            ("sftp://u@h/100%", "a % that"),
            ("sftp://u@h/%+1", "a % that"),
            ("sftp://u@h/%00", "NUL"),
            ("sftp://%ff@h/", "user that is not text"),
        ] {
            let error = parse(url).unwrap_err();
            assert!(error.contains(what), "{url}: {error}");
        }
        assert!(Address::parse("sftp://h/", || None).unwrap_err().contains("names no user"));
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(candor_test_size::cases(64)))]
        #[test]
        fn any_text_is_an_address_or_is_not(text in "\\PC*") {
            let _ = parse(&format!("sftp://{text}"));
        }
    }
}
