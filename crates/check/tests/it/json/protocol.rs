//! The parts of serde's protocol that derived types seldom use.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Serialize};

use crate::json::typed::same;
use crate::json::{ours, theirs};

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Unit;

#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
struct Newtype<T>(T);

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Tuple(u8, Option<String>);

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Nested {
    #[serde(default)]
    a: Option<Box<Nested>>,
    #[serde(default)]
    b: Vec<Nested>,
    #[serde(default)]
    c: BTreeMap<String, Nested>,
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
enum Tree {
    Leaf,
    One(Box<Tree>),
    Two(Box<Tree>, Box<Tree>),
    Named { a: Box<Tree> },
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
enum Loose {
    Unit,
    Bool(bool),
    Text(String),
    List(Vec<Loose>),
    Object(BTreeMap<String, Loose>),
}

/// Bytes of a text or of a list.
#[derive(Debug, PartialEq)]
struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Bytes;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Bytes, E> {
                Ok(Bytes(text.as_bytes().to_vec()))
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<Bytes, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = items.next_element()? {
                    bytes.push(byte);
                }
                Ok(Bytes(bytes))
            }
        }
        deserializer.deserialize_byte_buf(Any)
    }
}

impl Serialize for Bytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

const TEXTS: &[&str] = &[
    "",
    " ",
    "null",
    "nul",
    "true",
    "0",
    "-0",
    "1",
    "-1",
    "255",
    "256",
    "1.0",
    "1.5",
    "1e2",
    "1e400",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-9223372036854775809",
    "\"\"",
    "\"a\"",
    "\"ab\"",
    "\"é\"",
    "\"\\u00e9\"",
    "\"1\"",
    "\"Leaf\"",
    "\"One\"",
    "\"Two\"",
    "\"Named\"",
    "\"Unknown\"",
    "\"a",
    "\"\\ud800\"",
    "\"\\ud800\\u0041\"",
    "\"\\udc00\"",
    "\u{feff}1",
    "[]",
    "[1]",
    "[1,null]",
    "[1,\"a\"]",
    "[1,\"a\",2]",
    "[1,]",
    "[,]",
    "[1 2]",
    "[[]]",
    "[\"a\",[true,null]]",
    "[{}]",
    "[null]",
    "{}",
    "{\"\":1}",
    "{\"a\":null}",
    "{\"a\":{}}",
    "{\"a\":{\"a\":{\"b\":[{}],\"c\":{\"x\":{}}}}}",
    "{\"b\":[{},1]}",
    "{\"a\":1,\"a\":2}",
    "{\"1\":1,\"-7\":2}",
    "{\"1 \":1}",
    "{\" 1\":1}",
    "{\"1.5\":1}",
    "{\"-\":1}",
    "{\"true\":1}",
    "{\"tru\":1}",
    "{\"truely\":1}",
    "{\"A\":1}",
    "{\"Leaf\":null}",
    "{\"Leaf\":1}",
    "{\"One\":\"Leaf\"}",
    "{\"One\":{\"Two\":[\"Leaf\",{\"Named\":{\"a\":\"Leaf\"}}]}}",
    "{\"Two\":[\"Leaf\"]}",
    "{\"Two\":[\"Leaf\",\"Leaf\",\"Leaf\"]}",
    "{\"Two\":[]}",
    "{\"Two\":1}",
    "{\"Named\":[\"Leaf\"]}",
    "{\"Named\":{}}",
    "{\"Named\":{\"a\":\"Leaf\",\"b\":1}}",
    "{\"One\":\"Leaf\",\"x\":1}",
    "{\"One\":\"Leaf\" x",
    "{\"One\":\"Leaf\"",
    "{\"One\"",
    "{1:2}",
    "{,}",
    "{\"a\":1,}",
    "{\"a\" 1}",
    "{\"a\":}",
    "1 2",
    "[1]]",
    "\n\n  [1,\n x]",
];

/// The numbers that a map takes through the buffer of an untagged enum in `serde_json`, and does not here.
const MAPS: &[&str] = &["-0", "1.0", "1.5", "1e2", "1e400", "18446744073709551616", "-9223372036854775809"];

#[test]
fn all_kinds_of_types_are_read_and_written_alike() {
    for text in TEXTS {
        same::<Unit>(text);
        same::<()>(text);
        same::<Newtype<u8>>(text);
        same::<Newtype<Option<u8>>>(text);
        same::<Option<Newtype<Option<Unit>>>>(text);
        same::<Tuple>(text);
        same::<(u8,)>(text);
        same::<[u8; 2]>(text);
        same::<Nested>(text);
        same::<Tree>(text);
        if !MAPS.contains(text) {
            same::<Loose>(text);
        }
        // Lone surrogates are refused in bytes as well.
        if !text.contains("\\ud") {
            same::<Bytes>(text);
        }
        same::<Cow<'static, str>>(text);
        same::<Box<str>>(text);
        same::<char>(text);
        same::<bool>(text);
        same::<u8>(text);
        same::<i8>(text);
        same::<u64>(text);
        same::<i64>(text);
        same::<BTreeMap<String, u8>>(text);
        same::<BTreeMap<i8, u8>>(text);
        same::<BTreeMap<u64, u8>>(text);
        same::<BTreeMap<bool, u8>>(text);
        same::<BTreeMap<char, u8>>(text);
        same::<BTreeMap<Newtype<i64>, u8>>(text);
        same::<BTreeMap<Newtype<String>, u8>>(text);
        same::<BTreeMap<String, ()>>(text);
        same::<Vec<Option<Tree>>>(text);
    }
}

/// Without what differs on purpose: a number out of the range of a float.
#[test]
fn floats_are_read_alike() {
    for text in TEXTS.iter().filter(|text| !text.contains("e400")) {
        same::<f64>(text);
        same::<f32>(text);
        same::<Vec<Option<f64>>>(text);
    }
}

#[derive(Debug, Deserialize, PartialEq)]
struct Borrowed<'a> {
    text: &'a str,
    #[serde(borrow)]
    cow: Option<Cow<'a, str>>,
    bytes: Option<&'a [u8]>,
    #[serde(borrow, default)]
    map: BTreeMap<&'a str, &'a str>,
}

#[test]
fn texts_are_borrowed_alike() {
    for text in [
        r#"{"text": "a", "cow": "b\n", "bytes": "xyz", "map": {"k": "v"}}"#,
        r#"{"text": "a\n"}"#,
        r#"{"text": "a", "bytes": "\u0041"}"#,
        r#"{"text": "a", "map": {"\u0041": "x"}}"#,
        r#"{"text": 1}"#,
        r#"["a", "b", "c", {}]"#,
        r#"["a"]"#,
    ] {
        let (a, b) = (candor_json::from_str::<Borrowed<'_>>(text), serde_json::from_str::<Borrowed<'_>>(text));
        assert_eq!(a.map_err(|e| ours(&e)), b.map_err(|e| theirs(&e)), "{text}");
        let (Ok(a), Ok(b)) = (text.parse::<candor_json::Value>(), text.parse::<serde_json::Value>()) else { panic!() };
        assert_eq!(
            Borrowed::deserialize(&a).map_err(|e| ours(&e)),
            Borrowed::deserialize(&b).map_err(|e| theirs(&e)),
            "{text}"
        );
    }
}

#[test]
fn depth_is_bounded_alike_in_typed_values() {
    for depth in [40, 63, 64, 126, 127, 128, 129, 300] {
        same::<Nested>(&(r#"{"a":"#.repeat(depth) + "null" + &"}".repeat(depth)));
        same::<Nested>(&(r#"{"b":["#.repeat(depth) + &"]}".repeat(depth)));
        same::<Nested>(&(r#"{"c":{"x":"#.repeat(depth) + "{}" + &"}}".repeat(depth)));
        same::<Tree>(&(r#"{"One":"#.repeat(depth) + "\"Leaf\"" + &"}".repeat(depth)));
        same::<Tree>(&(r#"{"Two":["Leaf","#.repeat(depth) + "\"Leaf\"" + &"]}".repeat(depth)));
        same::<Tree>(&(r#"{"Named":{"a":"#.repeat(depth) + "\"Leaf\"" + &"}}".repeat(depth)));
        same::<Loose>(&("[".repeat(depth) + &"]".repeat(depth)));
    }
}

#[test]
fn bytes_that_are_not_utf8_are_refused_alike() {
    for bytes in [
        &b"\"\xff\""[..],
        b"\"a\\n\xff\"",
        b"[\"a\", \"\xc3\"]",
        b"{\"\xff\": 1}",
        b"{\"a\": \"\xed\xa0\x80\"}",
        b"[1, \xff]",
        b"\xff",
        b"\xef\xbb\xbf1",
        b"\"\xf0\x9f\x98\"\n",
        b"[\n\"x\", \"\xc3\xa9\xff\"]",
        b"\"\xc0\x80\"",
        b"{\"a\": 1} \xff",
    ] {
        let read = |bytes| candor_json::from_slice::<candor_json::Value>(bytes).map(|v| v.to_string());
        let read_theirs = |bytes| serde_json::from_slice::<serde_json::Value>(bytes).map(|v| v.to_string());
        assert_eq!(read(bytes).map_err(|e| ours(&e)), read_theirs(bytes).map_err(|e| theirs(&e)), "{bytes:?}");
        let map = candor_json::from_slice::<BTreeMap<String, Bytes>>(bytes);
        let theirs = serde_json::from_slice::<BTreeMap<String, Bytes>>(bytes);
        assert!(theirs.is_ok() || map.is_err(), "{bytes:?}");
    }
}
