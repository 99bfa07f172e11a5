//! Packed files come out, and nothing else ever does.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::io::Write as _;

use candor_check::records::Fault;
use proptest::prelude::*;

use crate::archive::extract::extract;
use crate::archive::gathering::{Extraction, Wanted};
use crate::archive::keys::Keys;
use crate::archive::shape::shape;
use crate::archive::trouble::{Bounds, Trouble};

const BOUNDS: Bounds = Bounds { max_bytes: 2000, max_total_bytes: 8000, max_files: 20 };

type Files = Vec<(String, Vec<u8>)>;

fn zip(files: &Files) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(content).unwrap();
        let packed = encoder.finish().unwrap();
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let offset = u32::try_from(bytes.len()).unwrap();
        // Version, flags, method, time, date, checksum, sizes, lengths of name and extra field.
        let mut common = [20u16, 1 << 11, 8, 0, 0].map(u16::to_le_bytes).concat();
        common.extend(crc.sum().to_le_bytes());
        common.extend(u32::try_from(packed.len()).unwrap().to_le_bytes());
        common.extend(u32::try_from(content.len()).unwrap().to_le_bytes());
        common.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        common.extend([0, 0]);
        bytes.extend([b"PK\x03\x04", &common[..], name.as_bytes(), &packed].concat());
        let rest = [&[0; 10][..], &offset.to_le_bytes()].concat();
        directory.extend([b"PK\x01\x02", &[20, 0][..], &common, &rest, name.as_bytes()].concat());
    }
    let (start, count) = (u32::try_from(bytes.len()).unwrap(), u16::try_from(files.len()).unwrap());
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([count, count].map(u16::to_le_bytes).concat());
    bytes.extend([u32::try_from(directory.len()).unwrap(), start].map(u32::to_le_bytes).concat());
    bytes.extend([0, 0]);
    bytes
}

fn tar(files: &Files) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, content) in files {
        let mut header = [0u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[148..156].fill(b' ');
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        bytes.extend(header);
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.extend([0; 1024]);
    bytes
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn all(name: &str, bytes: &[u8]) -> Result<Extraction, Trouble> {
    extract(bytes, &shape(name), &Keys::default(), &BOUNDS, &|_| Wanted::Keep)
}

fn packed(kind: usize, files: &Files) -> (&'static str, Vec<u8>) {
    match kind {
        0 => ("a.zip", zip(files)),
        1 => ("a.tar", tar(files)),
        _ => ("a.tgz", gz(&tar(files))),
    }
}

fn files() -> impl Strategy<Value = Files> {
    prop::collection::btree_map("[a-z]{1,8}(/[a-zé]{1,8})?", prop::collection::vec(any::<u8>(), 0..300), 0..6)
        .prop_map(|map| map.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(96)))]

    #[test]
    fn what_was_packed_comes_out(files in files(), kind in 0usize..3) {
        let (name, bytes) = packed(kind, &files);
        let found = all(name, &bytes).unwrap();
        prop_assert!(found.unreadable.is_empty() && found.refused.is_empty());
        let members: Files = found.members.into_iter().map(|m| (m.path, m.bytes.unwrap())).collect();
        prop_assert_eq!(members, files);
    }

    #[test]
    fn a_changed_archive_gives_no_other_content_unnoticed(
        files in files(), kind in 0usize..3, at in any::<prop::sample::Index>(), bit in 0u8..8, cut in any::<bool>(),
    ) {
        let (name, mut bytes) = packed(kind, &files);
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        if cut {
            bytes.truncate(at);
        }
        let Ok(found) = all(name, &bytes) else { return Ok(()) };
        for member in found.members {
            let content = member.bytes.unwrap();
            prop_assert_eq!(content.len() as u64, member.size);
            prop_assert!(content.len() as u64 <= BOUNDS.max_bytes);
            // A tar has no checksum of contents; names may change everywhere.
            if kind == 0 && files.iter().any(|(path, _)| *path == member.path) {
                prop_assert!(files.iter().any(|(_, original)| *original == content));
            }
        }
    }

    #[test]
    fn never_panics(mut bytes in prop::collection::vec(any::<u8>(), 0..200), kind in 0usize..3) {
        let name = ["a.zip", "a.tar", "a.tgz"][kind];
        let _ = all(name, &bytes);
        bytes.extend(zip(&vec![("a".to_owned(), b"x".to_vec())]));
        let _ = all(name, &bytes);
    }
}

#[test]
fn nothing_is_taken_for_a_whole_archive_that_is_cut_off() {
    let files = vec![("a".to_owned(), b"one".to_vec()), ("b".to_owned(), vec![7; 600])];
    for kind in 0..3 {
        let (name, bytes) = packed(kind, &files);
        // A tar is whole with one of its two blocks of zeros.
        let whole = if kind == 1 { bytes.len() - 512 } else { bytes.len() };
        for length in 0..whole {
            let trouble = all(name, &bytes[..length]).unwrap_err();
            assert_eq!(trouble.fault, Fault::System, "{name} {length}: {trouble}");
        }
    }
}

#[test]
fn many_large_members_take_no_more_than_the_limits() {
    let bomb: Files = (0..10).map(|i| (format!("{i}"), vec![0; 1900])).collect();
    let found = all("a.zip", &zip(&bomb)).unwrap();
    assert_eq!((found.members.len(), found.unreadable.len()), (4, 6));
    assert!(all("a.tar.gz", &gz(&tar(&bomb))).is_err());
    let many: Files = (0..21).map(|i| (format!("{i}"), Vec::new())).collect();
    assert!(all("a.zip", &zip(&many)).unwrap_err().what.contains("max_files"));
}
