//! Private keys.

use crate::store::sftp::private_key::is_encrypted;

#[test]
fn keys_are_told_apart() {
    for (text, encrypted) in [
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ", Some(false)),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHI", Some(true)),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE", Some(false)),
        ("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info", Some(true)),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIE", Some(true)),
        ("-----BEGIN PRIVATE KEY-----\nMIIE", Some(false)),
        ("ssh-ed25519 AAAA", None),
        ("", None),
    ] {
        assert_eq!(is_encrypted(text), encrypted, "{text}");
    }
}
