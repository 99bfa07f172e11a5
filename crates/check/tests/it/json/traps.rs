//! Exact numbers and raw values change nothing around them.

use std::collections::BTreeMap;

use candor_json::value::{RawValue, RawValueBuf, to_raw_value};
use candor_json::{Number, Value, json};
use serde::{Deserialize, Serialize};

fn value(text: &str) -> Value {
    candor_json::from_str(text).unwrap()
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum Untagged {
    Integer(u64),
    Float(f64),
    Text(String),
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Tagged {
    Weight { kilograms: f64 },
}

#[derive(Debug, Deserialize, PartialEq)]
struct Flat {
    #[serde(flatten)]
    values: Temperature,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Temperature {
    temperature: f64,
}

#[test]
fn plain_numbers_reach_types_through_a_buffer() {
    let read = |text| candor_json::from_str::<Untagged>(text).unwrap();
    assert_eq!(
        (read("1"), read("1.5"), read("\"a\"")),
        (Untagged::Integer(1), Untagged::Float(1.5), Untagged::Text("a".to_owned()))
    );
    let weight: Tagged = candor_json::from_str(r#"{"kind": "weight", "kilograms": 71.5}"#).unwrap();
    assert_eq!(weight, Tagged::Weight { kilograms: 71.5 });
    let flat: Flat = candor_json::from_value(json!({"temperature": 36.6})).unwrap();
    assert_eq!(flat, Flat { values: Temperature { temperature: 36.6 } });
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
enum Any {
    Never { never: u8 },
    Any(Value),
}

#[derive(Debug, Deserialize, Serialize)]
struct Rest {
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[test]
fn exact_numbers_come_through_a_buffer() {
    for text in ["1.10", "-0", "1e+5", "0.1", "7", "1234567890123456789012345678901234567890", "[1.10,{\"a\":2.00}]"] {
        let any: Any = candor_json::from_str(text).unwrap();
        assert_eq!(candor_json::to_string(&any).unwrap(), text);
        assert_eq!(candor_json::to_value(&any).unwrap().to_string(), text);
        let any: Any = candor_json::from_value(value(text)).unwrap();
        assert_eq!(candor_json::to_string(&any).unwrap(), text);
        let object = format!("{{\"a\":{text}}}");
        let rest: Rest = candor_json::from_str(&object).unwrap();
        assert_eq!(candor_json::to_string(&rest).unwrap(), object);
        assert_eq!(candor_json::to_value(&rest).unwrap().to_string(), object);
    }
}

#[test]
fn typed_fields_take_any_number() {
    assert_eq!(candor_json::from_str::<Vec<f64>>("[1, 1.10, 1E2, -0]").unwrap(), [1.0, 1.1, 100.0, 0.0]);
    assert_eq!(candor_json::from_value::<(f64, f32)>(value("[1.10, 2]")).unwrap(), (1.1, 2.0));
    assert_eq!(candor_json::from_str::<(Number, Number)>("[1.10, 7]").unwrap().0.to_string(), "1.10");
}

#[test]
fn other_serializers_get_plain_numbers() {
    let exact = value(r#"{"a":[1.10,7,-3,1E2,-0.0],"b":{"c":123456789012345678901234567890}}"#);
    let plain = r#"{"a":[1.1,7,-3,100.0,-0.0],"b":{"c":1.2345678901234568e+29}}"#;
    assert_eq!(serde_json::to_string(&exact).unwrap(), plain);
    assert_eq!(serde_json::to_value(&exact).unwrap().to_string(), plain);
    assert_eq!(toml::to_string(&value(r#"{"a":1.10,"b":7}"#)).unwrap(), "a = 1.1\nb = 7\n");
    assert!(serde_json::to_string(&value("1e400")).unwrap_err().to_string().contains("out of range"));
}

#[test]
fn other_serializers_get_the_value_of_a_raw_one() {
    let raw = to_raw_value(&json!({"a": [1.5, "x"]})).unwrap();
    assert_eq!(serde_json::to_string(&vec![&raw]).unwrap(), r#"[{"a":[1.5,"x"]}]"#);
    assert_eq!(toml::to_string(&BTreeMap::from([("r", &raw)])).unwrap(), "[r]\na = [1.5, \"x\"]\n");
}

#[derive(Serialize)]
#[serde(tag = "kind")]
enum Out {
    A { number: Number, list: Vec<Option<Number>> },
    B(Rest),
}

#[derive(Serialize)]
struct Outer {
    #[serde(flatten)]
    rest: Rest,
    number: Option<Number>,
}

#[test]
fn own_serializers_write_exact_numbers_wherever_they_are() {
    let number = || "1.10".parse::<Number>().unwrap();
    let rest = || Rest { rest: BTreeMap::from([("x".to_owned(), value("[2.00]"))]) };
    let outer = Outer { rest: rest(), number: Some(number()) };
    let text = r#"{"x":[2.00],"number":1.10}"#;
    assert_eq!(
        (candor_json::to_string(&outer).unwrap().as_str(), candor_json::to_value(&outer).unwrap().to_string().as_str()),
        (text, text)
    );
    let out = Out::A { number: number(), list: vec![None, Some(number())] };
    assert_eq!(candor_json::to_string(&out).unwrap(), r#"{"kind":"A","number":1.10,"list":[null,1.10]}"#);
    assert_eq!(candor_json::to_string(&Out::B(rest())).unwrap(), r#"{"kind":"B","x":[2.00]}"#);
}

#[test]
fn no_name_in_data_is_special() {
    for name in [
        "$serde_json::private::Number",
        "$serde_json::private::RawValue",
        "candor_json::exact",
        "$candor_json::Exact",
        "$candor_json::Number",
        "$candor_json::RawValue",
    ] {
        let text = format!("{{\"{name}\":\"1\"}}");
        let read = value(&text);
        assert_eq!(read.as_object().map(|members| members[name].clone()), Some(json!("1")));
        assert_eq!(candor_json::to_string(&read).unwrap(), text);
        assert_eq!(candor_json::to_value(&read).unwrap(), read);
        assert_eq!(candor_json::from_value::<Value>(read.clone()).unwrap(), read);
        let Any::Any(buffered) = candor_json::from_str(&text).unwrap() else { panic!("{text}") };
        assert_eq!(buffered, read);
        assert!(candor_json::from_str::<Number>(&text).is_err() && candor_json::from_value::<Number>(read).is_err());
        let raw: RawValue<'_> = candor_json::from_str(&text).unwrap();
        assert_eq!(raw.get(), text);
    }
}

#[derive(Deserialize, Serialize)]
struct Raw<'a> {
    #[serde(borrow)]
    a: Option<RawValue<'a>>,
    b: RawValueBuf,
    #[serde(borrow)]
    c: BTreeMap<&'a str, RawValue<'a>>,
    d: Vec<RawValueBuf>,
}

#[test]
fn raw_values_keep_their_texts() {
    let text = r#"{ "a": [ 1.0 ], "b" : {"x" :1}, "c": {"y": "\u00e9"}, "d": [ null ,2] }"#;
    let raw: Raw<'_> = candor_json::from_str(text).unwrap();
    assert_eq!(
        (raw.a.unwrap().get(), raw.b.get(), raw.c["y"].get(), raw.d[0].get()),
        ("[ 1.0 ]", r#"{"x" :1}"#, r#""\u00e9""#, "null")
    );
    let inside = raw.a.unwrap().get().as_ptr().addr() - text.as_ptr().addr();
    assert_eq!(&text[inside..][..7], "[ 1.0 ]");
    assert_eq!(candor_json::to_string(&raw).unwrap(), r#"{"a":[ 1.0 ],"b":{"x" :1},"c":{"y":"\u00e9"},"d":[null,2]}"#);
    assert_eq!(candor_json::to_value(&raw).unwrap()["a"].to_string(), "[1.0]");
    assert_eq!(to_raw_value(&json!({"a": 1})).unwrap().get(), r#"{"a":1}"#);
    assert!(candor_json::from_str::<RawValueBuf>("[1").is_err());
    assert_eq!(candor_json::from_str::<RawValueBuf>(" 1 ").unwrap().get(), "1");
    assert!(RawValue::deserialize(&json!([1])).is_err());
    assert_eq!(candor_json::from_value::<RawValueBuf>(json!([1])).unwrap().get(), "[1]");
}

#[test]
fn what_is_no_number_is_written_as_null() {
    assert_eq!(candor_json::to_string(&[f64::NAN, f64::INFINITY, 1.0]).unwrap(), "[null,null,1.0]");
    assert_eq!(candor_json::to_value(f32::NAN).unwrap(), Value::Null);
}

#[test]
fn exact_numbers_of_serde_json_are_taken() {
    let theirs: serde_json::Value = serde_json::from_str(r#"{"a":[1.10]}"#).unwrap();
    assert_eq!(candor_json::to_string(&theirs).unwrap(), r#"{"a":[1.10]}"#);
    assert_eq!(candor_json::to_value(&theirs).unwrap(), value(r#"{"a":[1.10]}"#));
}
