//! Archives made to attack their reader.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use candor_bundle::{Bundle, BundleError};
use candor_json::json;
use proptest::prelude::*;

use crate::common::{bundle, engine, places, replayed, three};
use crate::zip::{Packed, archive, listed};

fn members(bytes: &[u8]) -> Vec<Packed> {
    let of = |member: &crate::zip::Listed| Packed {
        name: member.name.clone(),
        method: member.method,
        crc: member.crc,
        size: member.size,
        bytes: bytes[member.packed.clone()].to_vec(),
    };
    listed(bytes).unwrap().iter().map(of).collect()
}

fn plain() -> Vec<u8> {
    let (task, sandbox) = three();
    bundle(&task, &sandbox, None)
}

/// The first place that differs.
fn first(bytes: Vec<u8>) -> String {
    let replay = replayed(bytes);
    assert!(!replay.same);
    places(&replay.differences)[0].to_owned()
}

#[test]
fn a_name_that_leads_away_is_named_and_not_followed() {
    for name in ["../../etc/passwd", "/etc/passwd", "parts/../manifest.json", "parts/AB", "a\0b", "parts\\x"] {
        let mut members = members(&plain());
        members.push(Packed::stored(name.to_owned(), b"x"));
        let replay = replayed(archive(&members));
        let stored = replay.differences[0].stored.as_str().unwrap().to_owned();
        assert_eq!(replay.differences[0].place, "archive");
        assert_eq!(stored, format!("a member {name:?}"));
    }
}

#[test]
fn a_bomb_is_not_unpacked() {
    let mut all = members(&plain());
    let bomb = Packed::new("parts/x".to_owned(), &vec![0; 1 << 20]);
    let last = all.last_mut().unwrap();
    // It says that it is small, and would be a megabyte.
    (last.method, last.bytes) = (bomb.method, bomb.bytes);
    let place = last.name.clone();
    assert_eq!(first(archive(&all)), place);
    // Or it says that it is larger than anything that is read.
    all.last_mut().unwrap().size = u32::MAX;
    assert_eq!(first(archive(&all)), "archive");
}

#[test]
fn members_that_share_their_bytes_are_not_copied() {
    // Each entry of the list names the same bytes: an archive that would be larger the more entries it has.
    let bytes = plain();
    let (first, rest) = (listed(&bytes).unwrap(), members(&bytes));
    let largest = first.iter().max_by_key(|member| member.packed.len()).unwrap();
    let end = bytes.len() - 22;
    let directory = usize::try_from(u32::from_le_bytes(bytes[end + 16..end + 20].try_into().unwrap())).unwrap();
    let mut at = directory;
    let mut entry = &bytes[directory..directory];
    for member in &rest {
        let next = at + 46 + member.name.len();
        if member.name == largest.name {
            entry = &bytes[at..next];
        }
        at = next;
    }
    let mut bomb = bytes[..end].to_vec();
    (0..1_000).for_each(|_| bomb.extend_from_slice(entry));
    bomb.extend_from_slice(&bytes[end..]);
    let end = bomb.len() - 22;
    let count = u16::try_from(rest.len() + 1_000).unwrap().to_le_bytes();
    bomb[end + 8..end + 10].copy_from_slice(&count);
    bomb[end + 10..end + 12].copy_from_slice(&count);
    let replay = replayed(bomb);
    assert_eq!(replay.differences[0].stored, "members of it share the same bytes");
}

#[test]
fn a_member_that_stands_twice_is_named() {
    let mut members = members(&plain());
    members.push(members[1].clone());
    assert_eq!(first(archive(&members)), members[1].name);
}

#[test]
fn a_member_that_is_not_its_digest_is_named() {
    let mut members = members(&plain());
    let name = members[2].name.clone();
    members[2] = Packed::new(name.clone(), b"another content");
    assert_eq!(first(archive(&members)), name);
    members.remove(2);
    assert_eq!(first(archive(&members)), name);
}

#[test]
fn another_encoding_of_the_same_members_is_a_changed_bundle() {
    let mut all = members(&plain());
    all.swap(1, 2);
    assert!(first(archive(&all)).starts_with("archive, byte "));
    let mut stored = members(&plain());
    let listed = listed(&plain()).unwrap();
    let at = listed.iter().position(|member| member.method == crate::zip::Method::Deflated).unwrap();
    let content = crate::zip::content(&plain(), &listed[at], 1 << 20).unwrap();
    stored[at] = Packed::stored(stored[at].name.clone(), &content);
    assert_eq!(first(archive(&stored)), stored[at].name);
    let mut commented = plain();
    commented.extend_from_slice(b"comment");
    assert!(first(commented).starts_with("archive"));
}

#[test]
fn what_is_no_bundle_says_so() {
    let error = |bytes: &[u8]| Bundle::read(bytes.to_vec()).unwrap_err().to_string();
    let of = |manifest: candor_json::Value| {
        archive(&[Packed::stored("manifest.json".to_owned(), manifest.to_string().as_bytes())])
    };
    assert!(error(b"").starts_with("it is not an evidence bundle: the list of members at its end is missing"));
    assert!(error(&archive(&[Packed::stored("a".to_owned(), b"x")])).contains("has no `manifest.json`"));
    assert!(error(&of(json!({}))).contains("has no `format` of a bundle"));
    assert!(error(&of(json!("["))).contains("has no `format` of a bundle"));
    let later = Bundle::read(of(json!({"format": "candor-bundle/2"}))).unwrap_err();
    assert_eq!(later, BundleError::OtherFormat("candor-bundle/2".to_owned()));
    assert!(later.to_string().contains("replay it with the version that wrote it"));
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep = archive(&[Packed::stored("manifest.json".to_owned(), deep.as_bytes())]);
    assert!(error(&deep).contains("is not JSON: recursion limit exceeded"));
}

#[test]
fn a_cut_file_is_named() {
    let bytes = plain();
    for length in [50, bytes.len() / 2, bytes.len() - 1] {
        let replay = replayed(bytes[..length].to_vec());
        assert_eq!(replay.differences[0].place, "archive");
        assert!(replay.differences[0].stored.as_str().unwrap().contains("the file is cut"));
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), at in any::<prop::sample::Index>()) {
        let _ = Bundle::read(bytes.clone());
        let mut spliced = plain_once().to_vec();
        let at = at.index(spliced.len());
        let end = (at + bytes.len()).min(spliced.len());
        spliced.splice(at..end, bytes);
        if let Ok(bundle) = Bundle::read(spliced) {
            let _ = candor_bundle::replay(&bundle, &engine(), None);
        }
    }
}

fn plain_once() -> &'static [u8] {
    static PLAIN: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    PLAIN.get_or_init(plain)
}
