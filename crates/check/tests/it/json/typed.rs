//! Types with derived implementations: the same values, the same texts, the same errors.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::json::texts::sound;
use crate::json::{ours, theirs};

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Plain {
    a: i32,
    #[serde(default)]
    b: Option<String>,
    #[serde(default)]
    c: Vec<(u8, f64)>,
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
enum External {
    Unit,
    Newtype(u8),
    Tuple(u8, String),
    Struct { a: u8 },
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "a")]
enum Internal {
    Unit,
    Struct { b: u8 },
    Newtype(BTreeMap<String, String>),
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "a", content = "b")]
enum Adjacent {
    Unit,
    Tuple(u8, u8),
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
enum Untagged {
    Integer(u64),
    Text(String),
    List(Vec<bool>),
    Object { a: i64 },
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Flat {
    a: i64,
    #[serde(flatten)]
    rest: BTreeMap<String, Option<bool>>,
}

#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
enum Name {
    A,
    B,
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Maps {
    #[serde(default)]
    a: BTreeMap<i16, ()>,
    #[serde(default)]
    b: BTreeMap<bool, char>,
    #[serde(default)]
    c: BTreeMap<Name, External>,
}

pub(crate) fn same<T: DeserializeOwned + Serialize>(text: &str) {
    let (a, b) = (candor_json::from_str::<T>(text), serde_json::from_str::<T>(text));
    match (&a, &b) {
        (Ok(a), Ok(b)) => {
            assert_eq!(
                candor_json::to_string(a).map_err(|e| ours(&e)),
                serde_json::to_string(b).map_err(|e| theirs(&e))
            );
            assert_eq!(
                candor_json::to_string_pretty(a).map_err(|e| ours(&e)),
                serde_json::to_string_pretty(b).map_err(|e| theirs(&e))
            );
            assert_eq!(
                candor_json::to_value(a).map(|v| v.to_string()).map_err(|e| ours(&e)),
                serde_json::to_value(b).map(|v| v.to_string()).map_err(|e| theirs(&e))
            );
        }
        (Err(a), Err(b)) => assert_eq!(ours(a), theirs(b), "{text}"),
        _ => panic!("{text}: {:?}, but {:?}", a.err(), b.err()),
    }
    let (Ok(a), Ok(b)) =
        (candor_json::from_str::<candor_json::Value>(text), serde_json::from_str::<serde_json::Value>(text))
    else {
        return;
    };
    assert_eq!(T::deserialize(&a).err().map(|e| ours(&e)), T::deserialize(&b).err().map(|e| theirs(&e)), "{text}");
    let (a, b) = (candor_json::from_value::<T>(a), serde_json::from_value::<T>(b));
    assert_eq!(
        a.map(|a| candor_json::to_string(&a).unwrap()).map_err(|e| ours(&e)),
        b.map(|b| serde_json::to_string(&b).unwrap()).map_err(|e| theirs(&e)),
        "{text}"
    );
}

fn same_of_all(text: &str) {
    same::<Plain>(text);
    same::<External>(text);
    same::<Internal>(text);
    same::<Adjacent>(text);
    same::<Untagged>(text);
    same::<Flat>(text);
    same::<Maps>(text);
    same::<Vec<External>>(text);
    same::<Option<u8>>(text);
    same::<(bool, String)>(text);
    same::<BTreeMap<u8, Internal>>(text);
    same::<i64>(text);
    same::<char>(text);
    same::<()>(text);
}

/// Texts of objects that are close to the types above.
fn close() -> impl Strategy<Value = String> {
    let name =
        proptest::sample::select(vec!["a", "b", "c", "Unit", "Newtype", "Tuple", "Struct", "1", "-7", "true", "x\\n"]);
    let leaf = proptest::sample::select(vec![
        "1",
        "-3",
        "300",
        "\"Unit\"",
        "\"Struct\"",
        "\"Newtype\"",
        "\"Tuple\"",
        "null",
        "true",
        "[1,2]",
        "[1,\"a\"]",
        "{}",
        "[]",
        "\"x\"",
        "[[1,2.5]]",
        "{\"a\":1}",
        "{\"b\":\"Unit\"}",
        "\"é\"",
        "{\"1\":null}",
        "{\"true\":\"x\"}",
        "{ \"a\" : {\"Newtype\": 1} }",
    ]);
    let member = (name, leaf.clone()).prop_map(|(name, value)| format!("\"{name}\": {value}"));
    prop_oneof![
        proptest::collection::vec(member, 0..4).prop_map(|members| format!("{{{}}}", members.join(","))),
        proptest::collection::vec(leaf.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
        leaf.prop_map(str::to_owned),
    ]
}

proptest! {
    #[test]
    fn close_texts_read_alike(text in close()) {
        same_of_all(&text);
    }

    #[test]
    fn close_texts_that_are_cut_read_alike(text in close(), at in any::<proptest::sample::Index>()) {
        let cut = text.char_indices().map(|(at, _)| at).collect::<Vec<_>>();
        same_of_all(&text[..cut[at.index(cut.len())]]);
    }

    #[test]
    fn any_text_reads_alike_as_a_map_of_texts(text in sound()) {
        same::<BTreeMap<String, String>>(&text);
        same::<Vec<Option<bool>>>(&text);
    }

    #[test]
    fn floats_are_written_alike(double in any::<f64>(), single in any::<f32>()) {
        let value = (double, single, Some(double), BTreeMap::from([(1, single)]));
        prop_assert_eq!(candor_json::to_string(&value).unwrap(), serde_json::to_string(&value).unwrap());
        prop_assert_eq!(candor_json::to_value(&value).unwrap().to_string(), serde_json::to_value(&value).unwrap().to_string());
    }

    #[test]
    fn floats_are_the_closest_ones(double in any::<f64>()) {
        prop_assume!(double.is_finite());
        prop_assert_eq!(candor_json::from_str::<f64>(&format!("{double:e}")).unwrap(), double);
    }
}

#[test]
fn keys_that_cannot_be_written_are_refused_alike() {
    #[derive(PartialEq, Eq, PartialOrd, Ord, Serialize)]
    struct Pair(u8, u8);
    let of_pairs = BTreeMap::from([(Pair(1, 2), 3)]);
    let of_units = BTreeMap::from([((), 3)]);
    assert_eq!(
        ours(&candor_json::to_string(&of_pairs).unwrap_err()),
        theirs(&serde_json::to_string(&of_pairs).unwrap_err())
    );
    assert_eq!(
        ours(&candor_json::to_value(&of_units).unwrap_err()),
        theirs(&serde_json::to_value(&of_units).unwrap_err())
    );
}
