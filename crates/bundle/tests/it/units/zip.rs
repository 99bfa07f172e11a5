//! Archives.

use crate::zip::{ArchiveError, Damage, Method, Packed, archive, canonical, content, listed};

fn three() -> Vec<u8> {
    archive(&[
        Packed::stored("manifest.json".to_owned(), b"{}"),
        Packed::new("parts/a".to_owned(), &[b'a'; 500]),
        Packed::new("parts/b".to_owned(), b"b"),
    ])
}

#[test]
fn what_is_written_is_read_and_is_canonical() {
    let bytes = three();
    let members = listed(&bytes).unwrap();
    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(names, ["manifest.json", "parts/a", "parts/b"]);
    assert_eq!(members[1].method, Method::Deflated);
    assert_eq!(content(&bytes, &members[1], 500), Ok(vec![b'a'; 500]));
    assert_eq!(content(&bytes, &members[1], 499), Err(Damage::TooLong));
    assert_eq!(canonical(&bytes, &members.iter().collect::<Vec<_>>()), bytes);
}

#[test]
fn a_member_that_says_less_than_it_is_does_not_grow() {
    let mut bytes = three();
    let at = bytes.windows(4).position(|window| window == 500_u32.to_le_bytes()).unwrap();
    bytes[at] -= 1;
    let again = bytes.windows(4).rposition(|window| window == 500_u32.to_le_bytes()).unwrap();
    bytes[again] -= 1;
    assert_eq!(content(&bytes, &listed(&bytes).unwrap()[1], 1 << 20), Err(Damage::TooLong));
}

#[test]
fn what_is_no_archive_says_so() {
    assert_eq!(listed(b""), Err(ArchiveError::NoEnd));
    assert_eq!(listed(&[b'x'; 200]), Err(ArchiveError::NoEnd));
    let bytes = three();
    assert_eq!(listed(&bytes[..bytes.len() - 1]), Err(ArchiveError::NoEnd));
}
