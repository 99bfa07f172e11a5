//! Which host keys are known: the file `known_hosts` of OpenSSH, as its manual `sshd(8)` describes it under
//! "SSH_KNOWN_HOSTS FILE FORMAT".

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use ring::hmac;
use sha2::{Digest, Sha256};

use super::address::PORT;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Known,
    Revoked,
    /// The host has another key of this kind: its fingerprint.
    Changed(String),
    OfOtherKinds(Vec<String>),
    /// The host is not in the file.
    Unknown,
}

struct Line {
    is_revoked: bool,
    kind: String,
    key: Vec<u8>,
}

pub(super) fn verdict(file: &str, host: &str, port: u16, key: &[u8]) -> Verdict {
    let lines = about(file, host, port);
    if lines.iter().any(|line| line.is_revoked && line.key == key) {
        return Verdict::Revoked;
    }
    let mut known = lines.iter().filter(|line| !line.is_revoked);
    if known.clone().any(|line| line.key == key) {
        return Verdict::Known;
    }
    match known.clone().find(|line| line.kind == kind(key)) {
        Some(other) => Verdict::Changed(fingerprint(&other.key)),
        None if known.clone().next().is_none() => Verdict::Unknown,
        None => Verdict::OfOtherKinds(known.by_ref().map(|line| line.kind.clone()).collect()),
    }
}

/// The kinds of keys that the host is known by, in the file's order.
pub(super) fn kinds(file: &str, host: &str, port: u16) -> Vec<String> {
    about(file, host, port).into_iter().filter(|line| !line.is_revoked).map(|line| line.kind).collect()
}

/// The lines about a host. One at another port than SSH's own follows `[host]:port`, and where there is no such line by its
/// name alone, as for `ssh`.
fn about(file: &str, host: &str, port: u16) -> Vec<Line> {
    let host = host.to_lowercase();
    let named = |name: &str| file.lines().filter_map(|line| read(line, name)).collect::<Vec<_>>();
    if port == PORT {
        return named(&host);
    }
    let at_the_port = named(&format!("[{host}]:{port}"));
    if at_the_port.iter().any(|line| !line.is_revoked) {
        return at_the_port;
    }
    at_the_port.into_iter().chain(named(&host)).collect()
}

/// A line, if it is about the host of that name. A line that is not of the format is about no host.
fn read(line: &str, name: &str) -> Option<Line> {
    let mut words = line.split_whitespace();
    let first = words.next().filter(|word| !word.starts_with('#'))?;
    let (is_revoked, hosts) = match first {
        "@revoked" => (true, words.next()?),
        // Certificates are not understood, so that whom an authority would vouch for stays unknown.
        marker if marker.starts_with('@') => return None,
        hosts => (false, hosts),
    };
    if !is_meant(hosts, name) {
        return None;
    }
    let written_kind = words.next()?;
    let key = STANDARD.decode(words.next()?).ok()?;
    (kind(&key) == written_kind).then(|| Line { is_revoked, kind: written_kind.to_owned(), key })
}

pub(super) fn is_meant(hosts: &str, name: &str) -> bool {
    if let Some(hashed) = hosts.strip_prefix("|1|") {
        let mut parts = hashed.split('|').map(|part| STANDARD.decode(part).ok());
        let (Some(Some(salt)), Some(Some(hash))) = (parts.next(), parts.next()) else { return false };
        let salt = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &salt);
        return hmac::verify(&salt, name.as_bytes(), &hash).is_ok();
    }
    let mut found = false;
    for pattern in hosts.split(',') {
        match pattern.strip_prefix('!') {
            Some(pattern) if matches(&pattern.to_lowercase(), name) => return false,
            Some(_) => {}
            None => found |= matches(&pattern.to_lowercase(), name),
        }
    }
    found
}

/// True if a pattern of `*` and `?` matches a name: a walk that goes back to the last `*` only, so that its time is bounded
/// by both lengths.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut p, mut n) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while let Some(&byte) = name.get(n) {
        match pattern.get(p) {
            Some(b'*') => {
                back = Some((p + 1, n));
                p += 1;
            }
            Some(&wanted) if wanted == b'?' || wanted == byte => {
                p += 1;
                n += 1;
            }
            _ => match back {
                Some((behind, taken)) => {
                    back = Some((behind, taken + 1));
                    p = behind;
                    n = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern.get(p..).unwrap_or_default().iter().all(|&byte| byte == b'*')
}

/// The kind of a key, which is the first of its fields: `ssh-ed25519`.
pub(super) fn kind(key: &[u8]) -> String {
    let field = || {
        let (length, rest) = key.split_first_chunk::<4>()?;
        rest.get(..usize::try_from(u32::from_be_bytes(*length)).ok()?)
    };
    field().map(|field| String::from_utf8_lossy(field).into_owned()).unwrap_or_default()
}

/// A key's fingerprint, as `ssh` prints it.
pub(super) fn fingerprint(key: &[u8]) -> String {
    format!("SHA256:{}", STANDARD_NO_PAD.encode(Sha256::digest(key)))
}
