//! Values: what they convert from, compare with and are indexed by.

use candor_json::{Map, Number, Value, json};

#[test]
fn values_are_indexed() {
    let mut value = json!({"a": [1, {"b": null}], "~/": 1.5});
    assert_eq!((value["a"][0].as_u64(), &value["a"][1]["b"], &value["x"]["y"]), (Some(1), &Value::Null, &Value::Null));
    assert_eq!(value.pointer("/a/1/b"), Some(&Value::Null));
    assert_eq!((value.pointer("/~0~1"), value.pointer("/a/01"), value.pointer("a")), (Some(&json!(1.5)), None, None));
    value["c"]["d"] = json!("x");
    *value.pointer_mut("/a/0").unwrap() = json!(2);
    assert_eq!(value.to_string(), r#"{"a":[2,{"b":null}],"~/":1.5,"c":{"d":"x"}}"#);
    assert_eq!(value["c"].take(), json!({"d": "x"}));
    assert!(value["c"].is_null());
}

#[test]
fn values_compare_with_plain_ones() {
    assert!(json!(1) == 1 && json!(1) == 1_u8 && json!(-1) != 1 && json!("a") == "a" && "a" == json!("a"));
    assert!(json!(1.5) == 1.5 && json!(true) == true && json!("1") != 1 && json!(300) != 44_u8);
    assert!(json!(1) != json!(1.0) && json!({"a": 1, "b": 2}) == json!({"b": 2, "a": 1}));
}

#[test]
fn values_convert() {
    assert_eq!(Value::from(vec!["a"]), json!(["a"]));
    assert_eq!(
        (Value::from(Some(1)), Value::from(None::<u8>), Value::from(f64::NAN)),
        (json!(1), json!(null), json!(null))
    );
    assert_eq!([("a", 1)].into_iter().collect::<Value>(), json!({"a": 1}));
    assert_eq!(Value::from(1_i128 << 100).to_string(), "1267650600228229401496703205376");
    assert_eq!(Value::default(), Value::Null);
}

#[test]
fn members_keep_their_order() {
    let members = || ["c", "a", "d", "b"].map(|name| (name.to_owned(), json!(name))).into_iter().collect::<Map<_, _>>();
    let names = |map: &Map<String, Value>| map.keys().cloned().collect::<String>();
    let mut map = members();
    assert_eq!((map.insert("a".to_owned(), json!(1)), names(&map).as_str()), (Some(json!("a")), "cadb"));
    assert_eq!((map.remove("c"), names(&map).as_str()), (Some(json!("c")), "bad"));
    let mut map = members();
    assert_eq!((map.shift_remove("c"), names(&map).as_str()), (Some(json!("c")), "adb"));
    map.entry("e").or_insert(json!(0));
    map.entry("a").and_modify(|value| *value = json!(5)).or_insert(json!(0));
    assert_eq!((names(&map).as_str(), &map["a"]), ("adbe", &json!(5)));
}

#[test]
fn numbers_keep_their_texts() {
    let number = |text: &str| text.parse::<Number>().unwrap();
    for text in ["0", "-0", "1.10", "0.000", "123456789012345678901234567890", "1e+400", "-1.5e-7"] {
        assert_eq!(number(text).to_string(), text);
        assert_eq!(number(text).to_string(), text.parse::<serde_json::Number>().unwrap().to_string());
    }
    assert_eq!(number("1E5").to_string(), "1E5".parse::<serde_json::Number>().unwrap().to_string());
    assert_eq!((number("1e400").as_f64(), number("1.0").as_u64(), number("-0").as_i64()), (None, None, Some(0)));
    assert_eq!((Number::from_f64(1e21).unwrap().to_string(), Number::from_f64(1e16).unwrap().to_string()), {
        let theirs = |value| serde_json::Number::from_f64(value).unwrap().to_string();
        (theirs(1e21), theirs(1e16))
    });
}
