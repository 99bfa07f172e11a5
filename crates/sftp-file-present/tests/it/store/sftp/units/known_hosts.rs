//! Known hosts.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

use crate::store::sftp::known_hosts::{Verdict, fingerprint, is_meant, kind, kinds, matches, verdict};

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
