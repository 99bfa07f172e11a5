//! The members of a JSON object as text.

use proptest::prelude::*;

use crate::json::{SyntaxError, items, members};

fn accepts(text: &str) -> bool {
    members::<SyntaxError>(text, |_| Ok(())).is_ok()
}

proptest! {
    #[test]
    fn accepts_what_the_json_reader_accepts(text in r#"\{("a":|"b\\n":|[\[\]{},:" 0-9eE.+\-]|true|null|"x"|\\u00e9){0,12}\}"#) {
        let reference = candor_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        prop_assert_eq!(accepts(&text), reference, "{}", text);
    }
}

#[test]
fn accepts_and_refuses() {
    for text in [
        "{}",
        " { } ",
        r#"{"a":[],"b":{"c":[1,-0.5e+7,{"d":null}],"":""},"x":[[[]],true,false]}"#,
        r#"{"a":"\"\\\/\b\f\n\r\t\u00e9é"}"#,
    ] {
        assert!(accepts(text), "{text}");
    }
    for (text, at) in [
        ("", 0),
        ("[]", 0),
        ("{", 1),
        ("{}x", 2),
        ("{a:1}", 1),
        (r#"{"a" 1}"#, 5),
        (r#"{"a":}"#, 5),
        (r#"{"a":1,}"#, 7),
        (r#"{"a":[1,]}"#, 8),
        (r#"{"a":[1}"#, 7),
        (r#"{"a":{"b"}}"#, 9),
        (r#"{"a":01}"#, 6),
        (r#"{"a":1.}"#, 7),
        (r#"{"a":-}"#, 6),
        (r#"{"a":1e}"#, 7),
        (r#"{"a":tru}"#, 5),
        (r#"{"a":NaN}"#, 5),
        (r#"{"a":"\x"}"#, 6),
        (r#"{"a":"\u12"}"#, 6),
        ("{\"a\":\"\t\"}", 6),
        (r#"{"a":"b"#, 7),
    ] {
        let error = members::<SyntaxError>(text, |_| Ok(())).unwrap_err();
        assert_eq!(error.at, at, "{text}");
    }
}

#[test]
fn items_are_given_with_their_offsets() {
    let found = |text: &str| {
        let mut found = Vec::new();
        items::<SyntaxError>(text, |item, at| {
            found.push((item.to_owned(), at));
            Ok(())
        })
        .map(|()| found)
    };
    let pair = |item: &str, at| (item.to_owned(), at);
    assert_eq!(found(r#"[ {"a":[1]} , 2]"#), Ok(vec![pair(r#"{"a":[1]}"#, 2), pair("2", 14)]));
    assert_eq!(found("[ ]"), Ok(Vec::new()));
    assert_eq!((found("[1,]").unwrap_err().at, found("{}").unwrap_err().at), (3, 0));
}

#[test]
fn members_stand_as_written() {
    let text = r#"{ "a\u0062" : [ 1 , 2 ] , "c":"\n"}"#;
    let mut found = Vec::new();
    members::<SyntaxError>(text, |member| {
        assert_eq!(text.get(member.at..member.at + member.value.len()), Some(member.value));
        found.push((member.name.into_owned(), member.value));
        Ok(())
    })
    .unwrap();
    assert_eq!(found, [("ab".to_owned(), "[ 1 , 2 ]"), ("c".to_owned(), r#""\n""#)]);
}
