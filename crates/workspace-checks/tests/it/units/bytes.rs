//! Patterns in files that are not text.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use regex::Regex;

use crate::bytes::{InBytes, MOST, position};

fn pattern(text: &str) -> InBytes {
    InBytes::new(&Regex::new(text).unwrap(), false).unwrap()
}

#[test]
fn what_stands_in_bytes_is_found_there() {
    let bytes = b"\x89PNG\n\0\0local\0host localhost caf\xc3\xa9";
    assert_eq!(pattern("localhost").find(bytes), [(18, 27)]);
    assert_eq!(pattern("caf.$").find(bytes).len(), 1);
    assert_eq!(position(bytes, 18), (2, 14));
    assert!(pattern("secret").find(bytes).is_empty() && !pattern("secret").may_stand(bytes));
}

#[test]
fn what_could_be_read_as_it_may_stand() {
    let texts = |text: &str| {
        let wide: Vec<u32> = text.chars().map(u32::from).collect();
        [
            text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
            text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            wide.iter().flat_map(|unit| unit.to_le_bytes()).collect(),
            wide.iter().flat_map(|unit| unit.to_be_bytes()).collect(),
        ]
    };
    for needle in ["localhost", "café", "秘密"] {
        for text in texts(needle) {
            for before in 0..4 {
                let bytes = [&b"\0\xff\xd8\x01"[..before], &text, b"\0"].concat();
                assert!(pattern(needle).may_stand(&bytes), "{needle} after {before}: {bytes:?}");
                assert!(!pattern("elsewhere").may_stand(&bytes));
            }
        }
    }
    assert!(pattern("x").may_stand(&vec![0; MOST + 1]));
}
