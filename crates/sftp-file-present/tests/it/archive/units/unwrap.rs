//! Wrapped content.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::io::Write as _;

use candor_check::Obstacle;
use candor_check::records::Fault;
use proptest::prelude::*;

use crate::archive::keys::Keys;
use crate::archive::shape::Wrapper;
use crate::archive::trouble::{Bounds, Trouble};
use crate::archive::unwrap::unwrapped;

const BOUNDS: Bounds = Bounds { max_bytes: 1000, max_total_bytes: 2000, max_files: 10 };

fn gz(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, Trouble> {
    unwrapped(bytes, &[Wrapper::Gzip], &Keys::default(), &BOUNDS)
}

#[test]
fn several_members_are_one_content() {
    let both = [gz(b"one "), gz(b""), gz(b"two")].concat();
    assert_eq!(gunzip(&both).unwrap(), b"one two");
    let twice = unwrapped(&gz(&both), &[Wrapper::Gzip; 2], &Keys::default(), &BOUNDS);
    assert_eq!(twice.unwrap(), b"one two");
}

#[test]
fn zeros_after_a_member_are_padding() {
    let padded = [gz(b"one "), vec![0; 200_000], gz(b"two"), vec![0; 512]].concat();
    assert_eq!(gunzip(&padded).unwrap(), b"one two");
    let followed = gunzip(&[gz(b"one").as_slice(), b"\0\0rest of another file"].concat());
    assert!(followed.unwrap_err().to_string().contains("after the end of its gzip"));
}

#[test]
fn every_cause_has_its_own_sentence() {
    let whole = gz(b"one");
    for (bytes, sentence) in [
        (Vec::new(), "is empty, so it is not gzip".to_owned()),
        (whole[..1].to_vec(), "is cut off, or too short to be gzip (1 byte)".to_owned()),
        (whole[..9].to_vec(), "is cut off, or too short to be gzip (9 bytes)".to_owned()),
        (whole[..15].to_vec(), "is cut off at byte 15, before its gzip content ends".to_owned()),
        (b"id,amount\nC1,9.50\n".to_vec(), "is not valid gzip (invalid gzip header)".to_owned()),
        (
            [whole.as_slice(), b"x"].concat(),
            format!("has 1 byte after the end of its gzip content, from byte {} on", whole.len()),
        ),
        (
            [whole.as_slice(), b"\0\0junk!"].concat(),
            format!("has 5 bytes after the end of its gzip content, from byte {} on", whole.len() + 2),
        ),
    ] {
        assert_eq!(gunzip(&bytes).unwrap_err().what, sentence);
    }
}

#[test]
fn nothing_of_a_broken_one_is_taken_for_its_content() {
    let whole = [gz(b"one "), gz(b"two")].concat();
    let first = gz(b"one ").len();
    // At the end of the first member a whole file ends.
    for length in (0..whole.len()).filter(|length| *length != first) {
        let trouble = gunzip(&whole[..length]).unwrap_err();
        assert_eq!(trouble.fault, Fault::System, "{length}: {trouble}");
    }
    for garbage in [&b"x"[..], b"\0x", b"\x1f", b"PK\x03\x04"] {
        let trouble = gunzip(&[&whole, garbage].concat()).unwrap_err();
        assert_eq!(trouble.fault, Fault::System, "{garbage:?}: {trouble}");
    }
    let mut checksum = whole.clone();
    let last = checksum.len() - 5;
    checksum[last] ^= 1;
    assert_eq!(gunzip(&checksum).unwrap_err().fault, Fault::System);
}

#[test]
fn no_more_comes_out_than_the_limits_say() {
    let bomb = gz(&vec![0; 1 << 20]);
    let trouble = gunzip(&bomb).unwrap_err();
    assert_eq!(trouble.fault, Fault::Obstacle(Obstacle::LimitExceeded));
    assert!(trouble.what.contains("limit max_"), "{trouble}");
    let inner = unwrapped(&gz(&bomb), &[Wrapper::Gzip; 2], &Keys::default(), &BOUNDS).unwrap_err();
    assert_eq!(inner.fault, Fault::Obstacle(Obstacle::LimitExceeded));
    assert_eq!(gunzip(&gz(&[7; 1000])).unwrap().len(), 1000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(64)))]

    #[test]
    fn what_was_packed_comes_out(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..90), 1..5)) {
        let packed: Vec<u8> = parts.iter().flat_map(|part| gz(part)).collect();
        prop_assert_eq!(gunzip(&packed).unwrap(), parts.concat());
    }

    #[test]
    fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = gunzip(&bytes);
        let _ = gunzip(&[&[0x1f, 0x8b, 8, 0], &bytes[..]].concat());
    }
}
