//! Any byte that is changed, missing or added is found.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::sync::OnceLock;

use candor_bundle::{Bundle, SigningKey, replay};
use proptest::prelude::*;

use crate::common::{bundle, engine, three};

fn bundles() -> &'static [Vec<u8>; 3] {
    static BUNDLES: OnceLock<[Vec<u8>; 3]> = OnceLock::new();
    BUNDLES.get_or_init(|| {
        let (task, sandbox) = three();
        let signed = bundle(&task, &sandbox, Some(&SigningKey::generate().unwrap().0));
        let redacted = Bundle::read(signed.clone()).unwrap().redacted(&["c1".to_owned()]).unwrap();
        [bundle(&task, &sandbox, None), signed, redacted]
    })
}

fn is_found(bytes: Vec<u8>) -> bool {
    match Bundle::read(bytes) {
        Ok(bundle) => {
            let replay = replay(&bundle, &engine(), None);
            !replay.same && !replay.differences.is_empty()
        }
        Err(error) => !error.to_string().is_empty(),
    }
}

#[test]
fn what_is_not_changed_is_the_same() {
    assert!(bundles().iter().all(|bytes| !is_found(bytes.clone())));
}

#[test]
fn a_flipped_bit_of_any_byte_of_the_archive_is_found() {
    let step = candor_test_size::pick(29, 1);
    for bytes in bundles() {
        for at in (0..bytes.len()).step_by(step) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            assert!(is_found(flipped), "byte {at} of {}", bytes.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(256)))]

    #[test]
    fn any_change_is_found(which in 0..3_usize, at in any::<prop::sample::Index>(), byte: u8, kind in 0..4) {
        let original = &bundles()[which];
        let mut bytes = original.clone();
        let at = at.index(bytes.len());
        match kind {
            0 => bytes[at] = byte,
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, byte),
            _ => bytes.truncate(at),
        }
        prop_assume!(bytes != *original);
        prop_assert!(is_found(bytes));
    }
}
