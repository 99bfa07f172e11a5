//! Packed files.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::packed::{Broken, unpack};

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn members_follow_one_another() {
    let both = [packed(b"{}"), packed(b"\n[]")].concat();
    let unpacked = unpack(&both, 10);
    assert_eq!((unpacked.bytes.as_slice(), unpacked.broken), (b"{}\n[]".as_slice(), None));
}

#[test]
fn a_bomb_is_refused_before_it_is_unpacked() {
    let bomb = packed(&vec![b' '; 10 << 20]);
    let unpacked = unpack(&bomb, 1 << 10);
    assert_eq!((unpacked.bytes.capacity() < 1 << 20, unpacked.broken), (true, Some(Broken::TooLarge)));
}

#[test]
fn what_is_cut_off_or_no_gzip_says_so() {
    let whole = packed(b"{\"a\": 1}\n");
    for bytes in [whole.get(..whole.len() - 4).unwrap(), b"{}", &[whole.clone(), b"rest".to_vec()].concat()] {
        assert!(matches!(unpack(bytes, 100).broken, Some(Broken::Malformed(_))));
    }
    assert_eq!(unpack(&packed(b""), 0).broken, None);
}
