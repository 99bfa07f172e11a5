//! YAML files, and the places of their members.

use std::path::Path;

use candor_engine::{Document, FileError};
use candor_json::json;
use proptest::prelude::*;

fn read(text: &str) -> Result<Document, FileError> {
    Document::parse(Path::new("t.yaml"), text.as_bytes())
}

fn place(document: &Document, steps: &[&str]) -> Option<(usize, usize)> {
    document.error(steps, "").position
}

#[test]
fn reads_the_core_schema_and_keeps_every_digit() {
    let text = "a: 0.1000000000000000055511151231257827\nb: [~, yes, true, 'true', !!str 12, 000123, +5, .5, 0x1F, 1e3, '']\nc: &x {k: v}\nd: *x\ne: |\n  two\n  lines\nf: 2026-11-20\ng:\n";
    let document = read(text).unwrap();
    let value = document.value();
    assert_eq!(value["a"].to_string(), "0.1000000000000000055511151231257827");
    assert_eq!(
        value["b"].to_string(),
        r#"[null,"yes",true,"true","12","000123",5,0.5,31,1e+3,""]"#.replace("1e+3", &value["b"][9].to_string())
    );
    assert_eq!(value["d"], json!({"k": "v"}));
    assert_eq!(value["e"], json!("two\nlines\n"));
    assert_eq!((&value["f"], &value["g"]), (&json!("2026-11-20"), &json!(null)));
    assert_eq!(place(&document, &["b", "3"]), Some((2, 19)));
    assert_eq!(place(&document, &["d"]), Some((4, 1)));
}

#[test]
fn a_billion_laughs_are_not_funny() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let before = format!("*a{}", n - 1);
        text += &format!("a{n}: &a{n} [{}]\n", [before.as_str(); 10].join(", "));
    }
    assert!(read(&text).unwrap_err().message.contains("nodes"));
    assert!(read(&"[".repeat(100_000)).is_err());
}

proptest! {
    #[test]
    fn reads_json_as_json(numbers in prop::collection::vec(any::<i64>(), 0..5), text in "[a-z ]{0,8}", flag in any::<bool>()) {
        let value = json!({"numbers": numbers, "text": text, "flag": flag, "nested": {"a": [{"b": null}]}});
        let document = read(&value.to_string()).unwrap();
        prop_assert_eq!(document.value(), &value);
    }

    #[test]
    fn never_panics(text in "[-a:\\[\\]{}\"'&*!|>#0.,\n ]{0,40}") {
        let _ = read(&text);
    }
}
