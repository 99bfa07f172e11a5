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

fn is_meant(hosts: &str, name: &str) -> bool {
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
fn matches(pattern: &str, name: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn key(kind: &str, byte: u8) -> Vec<u8> {
        let mut key = u32::try_from(kind.len()).unwrap().to_be_bytes().to_vec();
        key.extend_from_slice(kind.as_bytes());
        key.extend_from_slice(&[0, 0, 0, 1, byte]);
        key
    }

    fn line(hosts: &str, kind: &str, byte: u8) -> String {
        format!("{hosts} {kind} {} a comment\n", STANDARD.encode(key(kind, byte)))
    }

    fn hashed(name: &str) -> String {
        let salt = [7; 20];
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &salt), name.as_bytes());
        format!("|1|{}|{}", STANDARD.encode(salt), STANDARD.encode(tag.as_ref()))
    }

    const ED: &str = "ssh-ed25519";

    fn is_known(hosts: &str, host: &str, port: u16) -> bool {
        verdict(&line(hosts, ED, 1), host, port, &key(ED, 1)) == Verdict::Known
    }

    #[test]
    fn hosts_are_named_in_every_form() {
        for (hosts, host, port, known) in [
            ("h.example", "h.example", 22, true),
            ("h.example", "H.Example", 22, true),
            ("H.EXAMPLE", "h.example", 22, true),
            ("a,h.example,b", "h.example", 22, true),
            ("h.example", "h.example", 2222, true),
            ("[h.example]:2222", "h.example", 2222, true),
            ("[h.example]:2222", "h.example", 22, false),
            ("[h.example]:2222", "h.example", 2223, false),
            ("*.example", "h.example", 22, true),
            ("?.example", "h.example", 22, true),
            ("?.example", "hh.example", 22, false),
            ("*.example,!h.example", "h.example", 22, false),
            ("!h.example", "other", 22, false),
            ("h.example.org", "h.example", 22, false),
            ("[127.0.0.1]:*", "127.0.0.1", 22000, true),
            ("::1", "::1", 22, true),
        ] {
            assert_eq!(is_known(hosts, host, port), known, "{hosts} {host}:{port}");
        }
        assert!(is_known(&hashed("h.example"), "h.example", 22));
        assert!(is_known(&hashed("[h.example]:2222"), "h.example", 2222));
        assert!(!is_known(&hashed("h.example"), "g.example", 22));
        assert!(!is_known("|1|AAAA|", "h.example", 22) && !is_known("|1|", "h.example", 22));
        // Written by `ssh-keygen -H` of OpenSSH 9.2.
        assert!(is_meant("|1|lcuRQMPe2B4g4DBOhkaKNhmIlcQ=|sHcOHKLQo0ogWdg2ta3zoJ79Nvc=", "192.168.1.61"));
    }

    #[test]
    fn what_is_said_of_a_key() {
        let file = line("h", ED, 1) + &line("h", "ssh-rsa", 3) + &line("@revoked h", ED, 9);
        assert_eq!(verdict(&file, "h", 22, &key(ED, 1)), Verdict::Known);
        assert_eq!(verdict(&file, "h", 22, &key(ED, 2)), Verdict::Changed(fingerprint(&key(ED, 1))));
        assert_eq!(verdict(&file, "h", 22, &key(ED, 9)), Verdict::Revoked);
        let others = Verdict::OfOtherKinds(vec![ED.to_owned(), "ssh-rsa".to_owned()]);
        assert_eq!(verdict(&file, "h", 22, &key("ecdsa-sha2-nistp256", 1)), others);
        assert_eq!(verdict(&file, "g", 22, &key(ED, 1)), Verdict::Unknown);
        assert_eq!(kinds(&file, "h", 22), [ED, "ssh-rsa"]);
        // Revoked beats known, wherever it is, at a port of its own too.
        let both = line("h", ED, 1) + &line("@revoked *", ED, 1);
        assert_eq!(verdict(&both, "h", 2222, &key(ED, 1)), Verdict::Revoked);
        assert_eq!(verdict(&line("@cert-authority h", ED, 1), "h", 22, &key(ED, 1)), Verdict::Unknown);
        // A key under another kind's name is not a key.
        let disguised = line("h", ED, 1).replace(ED, "ssh-rsa");
        assert_eq!(verdict(&disguised, "h", 22, &key(ED, 1)), Verdict::Unknown);
    }

    #[test]
    fn a_fingerprint_is_as_ssh_prints_it() {
        // `ssh-keygen -lf` of OpenSSH on this key.
        let blob = STANDARD.decode("AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl").unwrap();
        assert_eq!(fingerprint(&blob), "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU");
        assert_eq!(kind(&blob), ED);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(candor_test_size::cases(128)))]
        #[test]
        fn patterns_are_matched_as_a_regular_expression_would(pattern in "[a*?]{0,8}", name in "[ab]{0,8}") {
            fn slow(pattern: &[u8], name: &[u8]) -> bool {
                match (pattern.split_first(), name.split_first()) {
                    (None, None) => true,
                    (Some((b'*', rest)), _) => slow(rest, name) || (!name.is_empty() && slow(pattern, &name[1..])),
                    (Some((b'?', rest)), Some((_, behind))) => slow(rest, behind),
                    (Some((p, rest)), Some((n, behind))) => p == n && slow(rest, behind),
                    _ => false,
                }
            }
            proptest::prop_assert_eq!(matches(&pattern, &name), slow(pattern.as_bytes(), name.as_bytes()));
        }

        #[test]
        fn any_file_is_read(file in "\\PC{0,200}", key in proptest::collection::vec(0u8.., 0..20)) {
            proptest::prop_assert_ne!(verdict(&file, "host.example", 22, &key), Verdict::Known);
        }
    }
}
