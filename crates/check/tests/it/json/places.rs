//! Texts that are surveyed and taken apart, against readers that build values or go byte by byte.

use std::collections::HashSet;

use candor_json::text::{Flaw, MAX_DEPTH, Survey, items, members, plain_until, span, survey, unquoted};
use candor_json::{Map, Value, json};
use proptest::prelude::*;
use serde::de::IgnoredAny;

use super::ours;

/// Every flaw of well-formed text, byte by byte: its place, and true if a name is repeated.
fn flaws(text: &str) -> Vec<(usize, bool)> {
    let mut found = Vec::new();
    // The names so far, the first one repeated, and whether a name comes next.
    let mut open: Vec<(Option<HashSet<String>>, Option<usize>, bool)> = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'{' | b'[' => {
                if open.len() == MAX_DEPTH {
                    found.push((at, false));
                    found.extend(open.iter().rev().filter_map(|(_, twice, _)| Some(((*twice)?, true))));
                    return found;
                }
                open.push(((*byte == b'{').then(HashSet::new), None, *byte == b'{'));
            }
            b'}' | b']' => found.extend(open.pop().and_then(|(_, twice, _)| Some((twice?, true)))),
            b',' => {
                if let Some((names, _, is_next)) = open.last_mut() {
                    *is_next = names.is_some();
                }
            }
            b'"' => {
                let mut end = at + 1;
                while text.as_bytes()[end] != b'"' {
                    end += if text.as_bytes()[end] == b'\\' { 2 } else { 1 };
                }
                if let Some((Some(names), twice, is_next)) = open.last_mut().filter(|(_, _, is_next)| *is_next) {
                    let written = &text[at..=end];
                    let name = candor_json::from_str(written).unwrap_or_else(|_| written.to_owned());
                    if !names.insert(name) {
                        twice.get_or_insert(at);
                    }
                    *is_next = false;
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

fn agrees(text: &str) {
    let found = survey(text);
    let read = candor_json::from_str::<IgnoredAny>(text);
    assert_eq!(found.error.as_ref().map(ours), read.as_ref().err().map(ours), "{text}");
    if read.is_err() {
        return;
    }
    let kept = |flaw: &Flaw<'_>| matches!(flaw, Flaw::Repeated(_));
    let places: Vec<_> = found.flaws.iter().map(|(at, flaw)| (*at, kept(flaw))).collect();
    assert_eq!(places, flaws(text), "{text}");
    for (at, flaw) in found.flaws {
        if let Flaw::Repeated(key) = flaw {
            assert_eq!(span(text, key).start, at);
        }
    }
    if !found.has_surrogates && !places.iter().any(|(_, is_name)| !is_name) {
        assert!(candor_json::from_str::<Value>(text).is_ok(), "{text}");
    }
}

#[test]
fn texts_are_surveyed() {
    for text in [
        "{}",
        " [ ] ",
        r#"{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"a\"a"}"#,
        r#"{"a":1,"\u0061":2}"#,
        r#"{"x":1,"x":2,"y":{"c":1,"c":2,"c":3}}"#,
        r#"{"a":"\ud800","\ud800":1,"\ud800":2}"#,
        r#"[1,2"#,
        r#"{"a" 1}"#,
        "{} {}",
        "\"\u{1}\"",
        "",
    ] {
        agrees(text);
    }
    let deep = |depth: usize| "{\"a\":1,\"a\":[".repeat(depth) + &"]}".repeat(depth);
    for depth in [1, MAX_DEPTH / 2, MAX_DEPTH / 2 + 1, MAX_DEPTH, 1_000] {
        agrees(&deep(depth).replace("[]", "[1]"));
    }
    let keys =
        |last: &str| format!("{{{}\"{last}\":1}}", (0..40).map(|key| format!("\"k{key}\":1,")).collect::<String>());
    agrees(&keys("k40"));
    agrees(&keys("k7"));
    assert!(survey(&"[".repeat(1_000_000)).error.is_some());
}

#[test]
fn values_are_counted_up_to_an_error() {
    let values = |text: &str| survey(text).values;
    assert_eq!(values(r#"{"\\": 1, "\"": 2, "a\\": 3, "b": ","}"#), 5);
    assert_eq!(values(r#"{"a": {"a": "a"}, "b": ["a", "a", {"a": "{"}]}"#), 8);
    assert_eq!((values("7"), values("{}"), values(r#"{"a": [1, 2, "#), values("")), (1, 2, 5, 1));
    let Survey { has_surrogates, .. } = survey(r#"{"a": "\ud83d\ude00"}"#);
    assert!(has_surrogates && !survey(r#"{"\u0061": "\n"}"#).has_surrogates);
}

fn scanned(text: &str) -> Map<String, Value> {
    members(text).map(|(name, value)| (name.into_owned(), candor_json::from_str(value).unwrap())).collect()
}

#[test]
fn members_are_found_where_they_are() {
    let text = "{ \"a\" : {\"b\":[1,\"}\\\"\"]} ,\"\\u0063\":-1.5e3,\"d\":\"x\\\\\",\"e\":null, \"f\":[ ] }";
    assert_eq!(Value::Object(scanned(text)), candor_json::from_str::<Value>(text).unwrap());
    for text in ["{}", "[1]", "1", ""] {
        assert_eq!(members(text).count(), 0, "{text}");
    }
    for text in ["1", "\"", "\"a", "a\"", r#""\x""#] {
        assert_eq!(unquoted(text), None, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_is_surveyed_alike(text in r#"[\[\]{}:,"ab\\u0-9.eE+\- tfnrl]{0,24}"#) {
        agrees(&text);
    }

    #[test]
    fn mended_json_is_surveyed_alike(at in 0..80_usize, with in r#"[\[\]{}:,"a\\0 ]{0,2}"#) {
        let text = r#"{"resourceType":"Patient","name":[{"given":["a",null]}],"x":-1.5e3,"y":true}"#;
        let cut = at.min(text.len());
        agrees(&[&text[..cut], &with, text.get(cut + 1..).unwrap_or_default()].concat());
    }

    #[test]
    fn names_that_repeat_are_found(names in prop::collection::vec("[ab]|\\\\u006[12]|\\\\ud800", 0..6), inner in prop::collection::vec("[a-c]", 0..3)) {
        let object = |names: &[String], value: &str| {
            let members: Vec<_> = names.iter().map(|name| format!("\"{name}\":{value}")).collect();
            format!("{{{}}}", members.join(","))
        };
        agrees(&object(&names, &object(&inner, "[]")));
    }

    #[test]
    fn the_first_special_byte_is_found(bytes in prop::collection::vec(prop_oneof![8 => 0x1E_u8..0x26, 8 => 0x5A_u8..0x5E, 1 => any::<u8>()], 0..40), at in 0..42_usize) {
        let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1F);
        let first = bytes.iter().skip(at).position(is_special).map(|length| at + length);
        prop_assert_eq!(plain_until(&bytes, at), first.unwrap_or(bytes.len().max(at)));
    }

    #[test]
    fn parts_are_what_the_reader_finds(names in prop::collection::btree_map(any::<String>(), any::<String>(), 0..5), pretty in any::<bool>()) {
        let value = json!({"nested": names, "list": [names], "n": 1.5});
        let text = if pretty { candor_json::to_string_pretty(&value) } else { candor_json::to_string(&value) }.unwrap();
        prop_assert_eq!(Value::Object(scanned(&text)), value);
        let names: Vec<String> = names.into_keys().collect();
        let text = candor_json::to_string(&names).unwrap();
        let found: Vec<String> = items(&text).map(|item| candor_json::from_str(item).unwrap()).collect();
        prop_assert_eq!(found, names);
    }

    #[test]
    fn a_string_is_unquoted_as_it_is_read(text in any::<String>(), written in r#"[a"\\\[\]u0-9d]{0,10}"#) {
        let quoted = candor_json::to_string(&text).unwrap();
        let read = unquoted(&quoted);
        prop_assert_eq!(read.as_deref(), Some(text.as_str()));
        for value in [format!("\"{written}\""), written] {
            if candor_json::from_str::<IgnoredAny>(&value).is_ok() {
                let read = candor_json::from_str::<Value>(&value).ok().filter(Value::is_string);
                prop_assert_eq!(unquoted(&value).map(|text| Value::String(text.into_owned())), read);
            }
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), open in any::<bool>()) {
        let text = if open { format!("{{\"{text}") } else { text };
        prop_assert!(members(&text).count() <= text.len());
        let text = format!("[{text}");
        prop_assert!(items(&text).count() <= text.len());
    }
}
