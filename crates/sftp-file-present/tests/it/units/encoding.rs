//! Encodings of text.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use proptest::prelude::*;

use crate::encoding::{Charset, UTF8_MARK, of_xml, undeclared};

fn text(name: &str, bytes: &[u8]) -> (String, Option<usize>) {
    let decoded = Charset::named(name).unwrap().decode(bytes);
    (decoded.text.into_owned(), decoded.invalid)
}

#[test]
fn encodings_are_read_strictly() {
    for (name, bytes, expected, invalid) in [
        ("utf-8", b"\xEF\xBB\xBFa\xC3\xA9".as_slice(), "a\u{e9}", None),
        ("utf-8", b"ab\xC3(", "ab\u{fffd}(", Some(2)),
        ("ascii", b"a\xE9", "a\u{fffd}", Some(1)),
        ("iso-8859-1", b"\x80\x85\xE9", "\u{80}\u{85}\u{e9}", None),
        ("cp1252", b"\x80\x85\xE9", "\u{20ac}\u{2026}\u{e9}", None),
        ("windows-1252", b"a\x81", "a\u{81}", Some(1)),
        ("utf-16", b"\xFE\xFF\0a", "a", None),
        ("utf-16", b"a\0b\0", "ab", None),
        ("utf-16le", b"\xFF\xFEa\0b", "a\u{fffd}", Some(4)),
        ("utf-16be", b"\0a\xD8\0\0b", "a\u{fffd}b", Some(2)),
        ("utf-16le", b"\xFE\xFF\0a", "\u{fffe}\u{6100}", Some(0)),
        ("shift_jis", b"a\x82\xA0\x82", "a\u{3042}\u{fffd}", Some(3)),
    ] {
        assert_eq!(text(name, bytes), (expected.to_owned(), invalid), "{name} {bytes:x?}");
    }
    assert!(Charset::named("klingon").unwrap_err().contains("is not an encoding"));
    assert!(Charset::named("iso-2022-kr").is_err(), "what decodes to nothing is no encoding");
}

#[test]
fn what_nobody_declared_is_utf_8_or_what_its_mark_says() {
    assert_eq!(undeclared(b"\xEF\xBB\xBFa").unwrap().text, "a");
    assert_eq!(undeclared(b"\xFF\xFEa\0").unwrap().text, "a");
    assert_eq!(undeclared(b"\xFE\xFF\0a").unwrap().text, "a");
    assert_eq!(undeclared(b"\xFF\xFEa\0b").unwrap_err().0, 4);
    assert_eq!(undeclared(b"\xFF\xFE\0\0a\0\0\0").unwrap_err().0, 0);
    assert_eq!(undeclared(b"\xEF\xBB\xBFa\xE9").unwrap_err().0, 4);
    for (bytes, at, name) in [
        (b"a\0b\0".as_slice(), 1, "utf-16le"),
        (b"\0a\0b", 0, "utf-16be"),
        (b"\x1C\x20a\0b\0c\0", 3, "utf-16le"),
        (b"a\0\xE9\0\n", 1, "utf-16le"),
    ] {
        let (offset, what) = undeclared(bytes).unwrap_err();
        assert!(offset == at && what.ends_with(&format!("`encoding: {name}`")), "{bytes:x?}: {offset} {what}");
    }
    for bytes in [b"a\0".as_slice(), b"a\0\0\0\0\0", b"ab\0c\0de", b"\0\0\0\0", b"ab\0\0"] {
        assert!(undeclared(bytes).is_ok(), "{bytes:x?}");
    }
}

#[test]
fn xml_says_its_encoding() {
    let read = |bytes: &[u8]| of_xml(bytes).map(|decoded| decoded.text.into_owned());
    let latin = read(b"<?xml version='1.0' encoding = 'ISO-8859-1'?><a>\xE9</a>").unwrap();
    assert!(latin.ends_with("<a>\u{e9}</a>"), "{latin}");
    assert!(read(b"<\0a\0/\0>\0").unwrap() == "<a/>" && read(b"\0<\0a\0/\0>").unwrap() == "<a/>");
    assert_eq!(read(b"<a>\xE9</a>").unwrap_err().0, 3);
    let (at, what) = read(b"<?xml version='1.0' encoding='us-ascii'?><a>\xE9</a>").unwrap_err();
    assert!(at == 44 && what.contains("us-ascii"), "{at} {what}");
    assert!(read(b"<?xml version='1.0' encoding='x'?><a/>").unwrap_err().1.contains("`x` is not an encoding"));
}

proptest! {
    #[test]
    fn offsets_are_those_of_the_file(before in "[a-z\u{e9}\u{20ac}\u{1f600}]{0,12}", mark in any::<bool>()) {
        let text = format!("{before}!");
        let utf16 = |big: bool| -> Vec<u8> {
            let mark = if mark { Some(0xFEFF) } else { None };
            let units = mark.into_iter().chain(text.encode_utf16());
            units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
        };
        let utf8: Vec<u8> = if mark { [UTF8_MARK, text.as_bytes()].concat() } else { text.clone().into_bytes() };
        for (name, bytes, wide) in [("utf-8", utf8, 1), ("utf-16le", utf16(false), 2), ("utf-16be", utf16(true), 2)] {
            let decoded = Charset::named(name).unwrap().decode(&bytes);
            prop_assert_eq!(decoded.invalid, None);
            prop_assert_eq!(decoded.offset(before.len()), bytes.len() - wide, "{}", name);
        }
    }

    #[test]
    fn no_bytes_panic_and_what_is_invalid_stands_in_the_file(bytes in prop::collection::vec(any::<u8>(), 0..40), at in 0usize..80) {
        for name in ["utf-8", "ascii", "latin1", "cp1252", "utf-16", "utf-16be", "shift_jis", "gb18030", "iso-2022-jp"] {
            let decoded = Charset::named(name).unwrap().decode(&bytes);
            prop_assert!(decoded.invalid.is_none_or(|invalid| invalid < bytes.len().max(1)), "{}", name);
            prop_assert!(decoded.offset(at) <= bytes.len());
        }
        let _ = (undeclared(&bytes).is_ok(), of_xml(&bytes).is_ok());
    }
}
