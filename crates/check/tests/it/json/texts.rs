//! Texts, sound and damaged: the same values, the same errors at the same places.

use proptest::prelude::*;
use serde::de::IgnoredAny;

use crate::json::{ours, theirs};

/// Pieces that a text of JSON, or nearly one, is made of.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\u00e9",
        "\\ud83d\\ude00",
        "\\ud83d",
        "\\udc00",
        "\\n",
        "\\x",
        "\\u12",
        " ",
        "\n",
        "\t",
        "0",
        "-",
        "-0",
        "1",
        "12",
        "1.5",
        "1.10",
        "1E5",
        "1e-7",
        "1e",
        "1.",
        ".",
        "+",
        "01",
        "true",
        "false",
        "null",
        "tru",
        "nul",
        "a",
        "\"a\"",
        "\"b\":",
        "\"a\":",
        "é",
        "\u{1}",
        "18446744073709551616",
        "-9223372036854775808",
        "123456789012345678901234567890.50",
        "\"plain text of some length\"",
        "[]",
        "{}",
        "[1,2]",
        "{\"a\":1}",
    ];
    proptest::sample::select(pieces.map(str::to_owned).to_vec())
}

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(piece(), 0..12).prop_map(|pieces| pieces.concat())
}

/// Texts of JSON.
pub(crate) fn sound() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,8})?([eE][+-]?[0-9]{1,2})?",
        any::<i64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| number.to_string()),
    ];
    let string = prop_oneof![
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
        "\"([a-z]|\\\\[nrtbf/\"]|\\\\u[0-9a-f]{2}[0-9a-f]{2}){0,12}\""
            .prop_filter("surrogates", |text| { serde_json::from_str::<String>(text).is_ok() }),
    ];
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        number,
        string.clone(),
    ];
    let space = proptest::sample::select(vec!["", " ", "\n  "]);
    leaf.prop_recursive(5, 48, 6, move |inner| {
        let items = proptest::collection::vec((space.clone(), inner.clone()), 0..6)
            .prop_map(|items| items.into_iter().map(|(space, item)| format!("{space}{item}")).collect::<Vec<_>>());
        let names =
            prop_oneof![string.clone(), proptest::sample::select(vec!["\"a\"", "\"b\""]).prop_map(str::to_owned)];
        let members = proptest::collection::vec((names, space.clone(), inner), 0..6)
            .prop_map(|members| members.into_iter().map(|(k, s, v)| format!("{k}{s}:{s}{v}")).collect::<Vec<_>>());
        prop_oneof![
            items.prop_map(|items| format!("[{}]", items.join(","))),
            members.prop_map(|members| format!("{{{}}}", members.join(" ,"))),
        ]
    })
}

fn same(text: &[u8]) {
    let (a, b) =
        (candor_json::from_slice::<candor_json::Value>(text), serde_json::from_slice::<serde_json::Value>(text));
    match (&a, &b) {
        (Ok(a), Ok(b)) => {
            assert_eq!(a.to_string(), b.to_string());
            assert_eq!(format!("{a:#}"), format!("{b:#}"));
            assert_eq!(format!("{a:?}"), format!("{b:?}"));
            assert_eq!(candor_json::to_string(a).unwrap(), b.to_string());
            assert_eq!(candor_json::to_vec_pretty(a).unwrap(), serde_json::to_vec_pretty(b).unwrap());
            assert_eq!(&candor_json::to_value(a).unwrap(), a);
        }
        (Err(a), Err(b)) => {
            assert_eq!((ours(a), a.is_eof()), (theirs(b), b.is_eof()));
            assert_eq!(format!("{a:?}"), format!("{b:?}"));
        }
        _ => panic!("{a:?}, but {b:?}"),
    }
    let (a, b) = (candor_json::from_slice::<IgnoredAny>(text), serde_json::from_slice::<IgnoredAny>(text));
    assert_eq!(a.err().map(|error| ours(&error)), b.err().map(|error| theirs(&error)));
    let a = candor_json::from_slice::<candor_json::value::RawValue<'_>>(text);
    let b = serde_json::from_slice::<&serde_json::value::RawValue>(text);
    assert_eq!(a.map(|raw| raw.get()).map_err(|e| ours(&e)), b.map(|raw| raw.get()).map_err(|e| theirs(&e)));
    if let Ok(text) = std::str::from_utf8(text) {
        let (a, b) = (text.parse::<candor_json::Number>(), text.parse::<serde_json::Number>());
        assert_eq!(a.map(|n| n.to_string()).map_err(|e| ours(&e)), b.map(|n| n.to_string()).map_err(|e| theirs(&e)));
        let a: Vec<_> = candor_json::Deserializer::from_str(text).into_iter::<candor_json::Value>().take(20).collect();
        let b: Vec<_> = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>().take(20).collect();
        let a = a.into_iter().map(|a| a.map(|a| a.to_string()).map_err(|e| ours(&e))).collect::<Vec<_>>();
        let b = b.into_iter().map(|b| b.map(|b| b.to_string()).map_err(|e| theirs(&e))).collect::<Vec<_>>();
        assert_eq!(a, b);
    }
}

proptest! {
    #[test]
    fn pieces_read_alike(text in text()) {
        same(text.as_bytes());
    }

    #[test]
    fn sound_texts_read_alike(text in sound()) {
        prop_assert!(candor_json::from_str::<candor_json::Value>(&text).is_ok());
        same(text.as_bytes());
    }

    #[test]
    fn damaged_texts_read_alike(text in sound(), at in any::<proptest::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] = byte;
        }
        same(&bytes);
    }
}

#[test]
fn nesting_is_bounded_alike() {
    for depth in [126, 127, 128, 129, 400] {
        same(("[".repeat(depth) + &"]".repeat(depth)).as_bytes());
        same(("{\"a\":".repeat(depth) + "1" + &"}".repeat(depth)).as_bytes());
    }
}

#[test]
fn the_last_of_two_members_wins_at_the_place_of_the_first() {
    same(br#"{"a":1,"b":2,"a":3}"#);
    let value: candor_json::Value = candor_json::from_str(r#"{"a":1,"b":2,"a":3}"#).unwrap();
    assert_eq!(value.to_string(), r#"{"a":3,"b":2}"#);
}
