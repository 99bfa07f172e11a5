//! Faults that a review of the crate found.

use std::collections::BTreeMap;

use candor_json::{Deserializer, Map, Number, Value, json};
use serde::de::value::MapDeserializer;
use serde::{Deserialize, Serialize};

fn value(text: &str) -> Value {
    candor_json::from_str(text).unwrap()
}

fn number(text: &str) -> Number {
    text.parse().unwrap()
}

#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
struct Name(String);

#[derive(Debug, Deserialize, PartialEq)]
struct Wrapper(Map<String, Value>);

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum Shape {
    Options { a: Option<u8> },
    Object(Map<String, Value>),
    Names(BTreeMap<String, String>),
    Renamed(BTreeMap<Name, String>),
    Wrapped(Wrapper),
    Pairs(Vec<(String, String)>),
    Number(Number),
}

#[test]
fn an_exact_number_is_not_a_map_or_a_struct() {
    for text in ["1.10", "-0", "1e+400", "1234567890123456789012345678901234567890", "1.5", "7"] {
        let expected = Shape::Number(number(text));
        assert_eq!(candor_json::from_str::<Shape>(text).unwrap(), expected);
        assert_eq!(candor_json::from_value::<Shape>(value(text)).unwrap(), expected);
        assert_eq!(Shape::deserialize(&value(text)).unwrap(), expected);
    }
    assert_eq!(candor_json::from_str::<Shape>("{}").unwrap(), Shape::Options { a: None });
}

#[test]
fn a_value_of_another_crate_refuses_a_number_that_it_cannot_hold() {
    assert_eq!(serde_json::Value::deserialize(value("[1, 1.5]")).unwrap(), serde_json::json!([1, 1.5]));
    assert_eq!(toml::Value::deserialize(value("1.5")).unwrap(), toml::Value::Float(1.5));
    assert!(serde_json::Value::deserialize(value("[1.10]")).is_err());
    assert!(serde_json::Value::deserialize(&mut Deserializer::from_str("[1.10]")).is_err());
    assert!(toml::Value::deserialize(value("[1.10]")).is_err());
}

#[test]
fn a_constant_with_the_letters_of_the_token_is_not_the_token() {
    for name in ["candor_json::exact", ""] {
        let members: MapDeserializer<'_, _, candor_json::Error> = MapDeserializer::new([(name, "1.10")].into_iter());
        assert_eq!(Value::deserialize(members).unwrap(), json!({ name: "1.10" }));
        let any: BTreeMap<&str, &str> = [(name, "1.10")].into();
        assert_eq!(candor_json::to_value(&any).unwrap(), json!({ name: "1.10" }));
    }
}

#[derive(Serialize)]
#[serde(tag = "kind")]
enum Out {
    A(Inner),
}

#[derive(Serialize)]
enum Inner {
    Tuple(Number, Value),
    Struct { number: Number, list: Vec<Option<Value>> },
}

#[derive(Serialize)]
struct Flat {
    #[serde(flatten)]
    inner: Inner,
}

#[test]
fn numbers_keep_their_digits_in_the_buffer_of_a_tagged_enum() {
    let long = "1234567890123456789012345678901234567890";
    let inner = || {
        [
            Inner::Tuple(number("1.10"), value("[1e400]")),
            Inner::Struct { number: number(long), list: vec![None, Some(value("{\"a\":[2.00]}"))] },
        ]
    };
    let texts = [
        r#""Tuple":[1.10,[1e+400]]"#.to_owned(),
        format!(r#""Struct":{{"number":{long},"list":[null,{{"a":[2.00]}}]}}"#),
    ];
    for (inner, text) in inner().into_iter().zip(&texts) {
        let (out, text) = (Out::A(inner), format!(r#"{{"kind":"A",{text}}}"#));
        assert_eq!(candor_json::to_string(&out).unwrap(), text);
        assert_eq!(candor_json::to_value(&out).unwrap().to_string(), text);
    }
    for (inner, text) in inner().into_iter().zip(&texts) {
        let (flat, text) = (Flat { inner }, format!("{{{text}}}"));
        assert_eq!(candor_json::to_string(&flat).unwrap(), text);
        assert_eq!(candor_json::to_value(&flat).unwrap().to_string(), text);
    }
    let raw = candor_json::from_str("[ 1.10 ]").unwrap();
    #[derive(Serialize)]
    enum Raw {
        Struct { raw: candor_json::value::RawValueBuf },
    }
    #[derive(Serialize)]
    #[serde(tag = "kind")]
    enum Tagged {
        A(Raw),
    }
    let text = candor_json::to_string(&Tagged::A(Raw::Struct { raw })).unwrap();
    assert_eq!(text, r#"{"kind":"A","Struct":{"raw":[ 1.10 ]}}"#);
    assert_eq!(
        serde_json::to_string(&Out::A(Inner::Tuple(number("1.10"), value("1.10")))).unwrap(),
        r#"{"kind":"A","Tuple":[1.1,1.1]}"#
    );
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum Any {
    Never { never: u8 },
    Any(Value),
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum AnyNumber {
    Never { never: u8 },
    Any(Number),
}

#[test]
fn an_exponent_is_the_same_through_a_buffer() {
    for text in ["1e21", "1E21", "1e+21", "1.5e300", "1e-7", "1E-7", "1e5", "1e16", "1e400"] {
        let direct = value(text);
        assert_eq!(candor_json::from_str::<Any>(text).unwrap(), Any::Any(direct.clone()), "{text}");
        assert_eq!(candor_json::from_str::<AnyNumber>(text).unwrap(), AnyNumber::Any(number(text)), "{text}");
        assert_eq!(candor_json::from_value::<Any>(direct.clone()).unwrap(), Any::Any(direct), "{text}");
    }
    assert_eq!(value("1E21").to_string(), "1e+21");
    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(untagged)]
    enum Float {
        Float(f64),
    }
    assert_eq!(candor_json::from_str::<Float>("1e21").unwrap(), Float::Float(1e21));
    assert_eq!(toml::from_str::<Value>("a = 1e21").unwrap(), value(r#"{"a": 1e21}"#));
}

#[test]
fn a_number_that_code_made_stays_the_same() {
    for made in [json!(1e21), json!(-1.5e-9), json!(1e16)] {
        assert_eq!(candor_json::to_value(&made).unwrap(), made);
        assert_eq!(candor_json::from_value::<Value>(made.clone()).unwrap(), made);
        assert_eq!(candor_json::from_value::<Any>(made.clone()).unwrap(), Any::Any(made.clone()));
        assert_eq!(json!([made.clone()])[0], made);
    }
}

#[test]
fn a_reader_goes_on_after_too_deep_a_value() {
    let text = "[".repeat(1000);
    let mut reader = Deserializer::from_str(&text);
    for _ in 0..4 {
        let error = Value::deserialize(&mut reader).unwrap_err();
        assert!(error.to_string().starts_with("recursion limit exceeded"), "{error}");
    }
    /// Reads an error as nothing.
    struct Lenient;
    impl<'de> Deserialize<'de> for Lenient {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            drop(Value::deserialize(deserializer));
            Ok(Self)
        }
    }
    let text = format!("{}{}", "[".repeat(300), "]".repeat(300));
    assert!(candor_json::from_str::<Vec<Lenient>>(&text).is_err());
}

#[test]
fn no_float_becomes_infinite() {
    for text in ["1e400", "-1e400"] {
        assert!(candor_json::from_str::<f64>(text).is_err());
        assert!(candor_json::from_value::<f64>(value(text)).is_err());
        assert!(f64::deserialize(&value(text)).is_err());
        assert!(candor_json::from_value::<Option<f64>>(value(text)).is_err());
        assert!(candor_json::from_value::<f32>(value(text)).is_err());
    }
    assert!(candor_json::from_value::<f32>(value("1e39")).is_err());
    assert_eq!(candor_json::from_value::<(f64, f32)>(value("[1e300, 1e-400]")).unwrap(), (1e300, 0.0));
}

#[test]
fn raw_values_of_serde_json_are_taken() {
    let raw = || serde_json::value::RawValue::from_string(r#"{"a": 1.10}"#.to_owned()).unwrap();
    assert_eq!(candor_json::to_string(&[raw()]).unwrap(), r#"[{"a": 1.10}]"#);
    assert_eq!(candor_json::to_value([raw()]).unwrap().to_string(), r#"[{"a":1.10}]"#);
}
