//! Names of the members of a zip.

use crate::archive::zip_name::{CP437, name};

#[test]
fn names_are_read_as_their_flag_says() {
    assert_eq!(CP437.trim_end_matches('\n').chars().count(), 128);
    assert_eq!(name(b"r\x82sum\x82.csv", false, false, &[]).unwrap(), "résumé.csv");
    assert_eq!(name("résumé.csv".as_bytes(), true, false, &[]).unwrap(), "résumé.csv");
    assert_eq!(name(b"\xff", true, false, &[]), None);
    assert_eq!(name(b"\xff", false, false, &[]).unwrap(), "\u{a0}");
    assert_eq!(name("é".as_bytes(), false, true, &[]).unwrap(), "é");
    assert_eq!(name("é".as_bytes(), false, false, &[]).unwrap(), "├⌐");
    assert_eq!(name(b"\x82", false, true, &[]).unwrap(), "é");
    let mut crc = flate2::Crc::new();
    crc.update(b"r\x82");
    let field = [&[0x75, 0x70, 8, 0, 1][..], &crc.sum().to_le_bytes(), "ré".as_bytes()].concat();
    assert_eq!(name(b"r\x82", false, false, &field).unwrap(), "ré");
    assert_eq!(name(b"s\x82", false, false, &field).unwrap(), "sé");
}
