//! Keys, and what they sign.

use crate::key::{SigningKey, VerifyingKey};

#[test]
fn a_pair_is_read_back_and_verifies() {
    let (key, text) = SigningKey::generate().unwrap();
    let again = SigningKey::from_pem(text.as_bytes()).unwrap();
    assert_eq!(again.verifying(), key.verifying());
    assert_eq!(again.salt(b"part"), key.salt(b"part"));
    assert_ne!(again.salt(b"part"), key.salt(b"other"));
    let public = VerifyingKey::from_pem(key.verifying().to_pem().as_bytes()).unwrap();
    assert!(public.verifies(b"message", &again.sign(b"message")));
    assert!(!public.verifies(b"massage", &again.sign(b"message")));
    assert!(!format!("{key:?}").contains(text.lines().nth(1).unwrap()));
}

#[test]
fn what_is_no_key_says_what_it_is() {
    let (key, private) = SigningKey::generate().unwrap();
    let errors = [
        SigningKey::from_pem(key.verifying().to_pem().as_bytes()).unwrap_err(),
        SigningKey::from_pem(b"nothing").unwrap_err(),
        SigningKey::from_pem(b"-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n").unwrap_err(),
        SigningKey::from_pem(b"-----BEGIN RSA PRIVATE KEY-----\nMAA=\n-----END RSA PRIVATE KEY-----\n").unwrap_err(),
        VerifyingKey::from_pem(private.as_bytes()).unwrap_err(),
        VerifyingKey::from_pem(&[0xff; 40]).unwrap_err(),
    ];
    let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert!(told[0].starts_with("it holds a PEM block `PUBLIC KEY`, expected `PRIVATE KEY`;"), "{told:?}");
    assert!(told[1].starts_with("it is not a PEM file with a block `PRIVATE KEY`"), "{told:?}");
    assert!(told[2].starts_with("its key is not one of Ed25519"), "{told:?}");
    assert!(told[3].starts_with("it holds a PEM block `RSA PRIVATE KEY`"), "{told:?}");
    assert!(told[4].starts_with("it holds a PEM block `PRIVATE KEY`, expected `PUBLIC KEY`;"), "{told:?}");
}
