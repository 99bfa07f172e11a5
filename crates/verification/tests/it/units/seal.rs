//! The seal of a record's file.

use candor_json::json;
use proptest::prelude::*;

use crate::seal::{Seal, seal, sealed};

#[test]
fn a_seal_is_read_back() {
    let (bytes, digest) = sealed(&json!({"a": 0.1, "b": ["\"previous\": \""]}), "before").unwrap();
    assert_eq!(seal(&bytes), Seal::Whole { digest, previous: "before".to_owned() });
    let value: candor_json::Value = candor_json::from_slice(&bytes).unwrap();
    assert_eq!((&value["a"], &value["previous"]), (&json!(0.1), &json!("before")));
    assert_eq!(seal(b"{\n  \"attempt\": 0\n}\n"), Seal::None);
    assert!(sealed(&json!([]), "").is_err());
}

proptest! {
    #[test]
    fn one_changed_byte_breaks_it(text in any::<String>(), at: prop::sample::Index, to: u8) {
        let (mut bytes, digest) = sealed(&json!({ "text": text }), "0").unwrap();
        let before = seal(&bytes);
        prop_assert_eq!(&before, &Seal::Whole { digest, previous: "0".to_owned() });
        let at = at.index(bytes.len());
        let same = bytes[at] == to;
        bytes[at] = to;
        let is_whole = matches!(seal(&bytes), Seal::Whole { .. });
        prop_assert_eq!(is_whole, same);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = seal(&bytes);
    }
}
