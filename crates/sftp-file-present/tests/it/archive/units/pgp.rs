//! Encrypted files.

use std::path::Path;

use candor_check::Obstacle;
use candor_check::records::Fault;
use candor_check::sandbox::Secret;
use proptest::prelude::*;

use crate::archive::keys::Keys;
use crate::archive::pgp::opened;
use crate::archive::trouble::Bounds;
use crate::store::Decryption;

const BOUNDS: Bounds = Bounds { max_bytes: 10_000, max_total_bytes: 20_000, max_files: 10 };
const CLAIM: &[u8] = br#"{"claim": {"id": "C1", "total": 120.50}}"#;

fn keys(file: &str, passphrase: Option<&str>) -> Keys {
    let key_file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/keys").join(file).into();
    Keys::new(Some(Decryption { key_file, passphrase: passphrase.map(|text| Secret::new(text.to_owned())) }))
}

#[test]
fn a_protected_key_is_opened_by_its_passphrase() {
    let message = include_bytes!("../../../keys/locked.pgp");
    assert_eq!(opened(message, &keys("locked.asc", Some("opensesame")), &BOUNDS).unwrap(), CLAIM);
    let trouble = opened(message, &keys("locked.asc", Some("hunter2")), &BOUNDS).unwrap_err();
    assert_eq!(trouble.fault, Fault::Obstacle(Obstacle::SourceDenied));
    assert!(trouble.what.contains("not opened by pgp_passphrase") && !trouble.what.contains("hunter2"), "{trouble}");
}

#[test]
fn no_other_content_is_taken_from_a_message_that_was_changed_or_cut() {
    let message = include_bytes!("../../../keys/open.pgp");
    let keys = keys("open.asc", None);
    assert_eq!(opened(message, &keys, &BOUNDS).unwrap(), CLAIM);
    for at in (0..message.len()).step_by(3) {
        assert!(opened(&message[..at], &keys, &BOUNDS).is_err(), "{at}");
        let mut changed = message.to_vec();
        changed[at] ^= 1 << (at % 8);
        if let Ok(content) = opened(&changed, &keys, &BOUNDS) {
            assert_eq!(content, CLAIM, "{at}");
        }
    }
}

proptest! {
    #[test]
    fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = opened(&bytes, &Keys::default(), &BOUNDS);
    }
}
