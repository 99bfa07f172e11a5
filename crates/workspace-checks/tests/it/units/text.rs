//! Bytes that are read as text.

use proptest::prelude::*;

use crate::text::{Positions, ReadAs, decoded, is_binary, is_utf16};

#[test]
fn utf_32_is_not_taken_for_utf_16() {
    let utf_32: Vec<u8> = "\u{feff}TODO".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    assert!(is_binary(&utf_32));
    assert!(!is_binary(&"\u{feff}TODO".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()));
}

#[test]
fn no_byte_is_lost() {
    assert_eq!(decoded(b"caf\xc3\xa9".to_vec()), ("café".to_owned(), ReadAs::Utf8));
    assert_eq!(decoded(b"caf\xe9".to_vec()), ("café".to_owned(), ReadAs::Latin1));
    assert_eq!(decoded(b"\xff\xfea\0b\0".to_vec()), ("ab".to_owned(), ReadAs::Utf16));
    assert_eq!(decoded(b"a\0b\0".to_vec()), ("ab".to_owned(), ReadAs::Utf16));
    assert_eq!(decoded(b"\0a\0b".to_vec()), ("ab".to_owned(), ReadAs::Utf16));
    for other in [&b"a\0\0b"[..], b"\xff\xfe\0\0a\0\0\0", b"\0\0\xfe\xff\0\0\0a", b"\0\0", b"a\0b"] {
        assert!(decoded(other.to_vec()).0.contains('\0'), "{other:?}");
    }
    let cafe: Vec<u8> = "// TODO: café, 表\r\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(decoded(cafe.clone()).1, ReadAs::Utf16);
    assert!(is_utf16(&cafe) && !is_binary(&cafe) && !is_utf16(b"ab") && !is_utf16(b""));
    assert!(is_binary(b"a\0b") && !is_binary(b"\xff\xfea\0") && !is_binary(b"ab"));
}

proptest! {
    #[test]
    fn positions_are_those_of_counting(text in "[aé\n\r ]{0,40}", mut offsets in prop::collection::vec(0usize..60, 1..6)) {
        offsets.sort_unstable();
        let mut positions = Positions::new(&text);
        for offset in offsets.into_iter().filter(|&offset| text.is_char_boundary(offset)) {
            let before = &text[..offset.min(text.len())];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
            let (found_line, found_column, quoted) = positions.at(offset);
            prop_assert_eq!((found_line, found_column), (line, column));
            prop_assert!(text.contains(quoted));
        }
    }
}
