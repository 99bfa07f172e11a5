//! Text that a path goes on into.

use crate::json_path::text::Text;

#[test]
fn text_that_begins_as_json_is_shut_unless_it_is_json() {
    let is = |text: &str| match Text::of(text) {
        Text::Json(_) => "json",
        Text::Shut => "shut",
        Text::Plain => "plain",
    };
    for text in ["{}", " [1]", "[]", r#"{"a": "[x]"}"#, "\n[\n {\"a\": 1}\n]\n"] {
        assert_eq!(is(text), "json", "{text}");
    }
    for text in [
        r#"[{"a": 1}, {"b"#,
        r#"{"a": 1"#,
        "[1, 2, 3",
        "[ {\n",
        "[",
        r#"{"a": 1, "a": 2}"#,
        r#"{"a": 1} {"b": 2}"#,
        r#"["a", ...]"#,
        "{'a': None}",
        "[{'a': 1}]",
        r#""[{\"a\": 1}]""#,
        r#""{\"a\": \"b"#,
        r#""[1, 2]""#,
        r#"{\"a\": 1}"#,
    ] {
        assert_eq!(is(text), "shut", "{text}");
    }
    for text in [
        "",
        "a",
        "[x]",
        "{patient seen}",
        "[2 pages]",
        "[11/20/2026] called",
        "{\\rtf1}",
        "\"[x]\"",
        "\"[x] she said",
        "\"a\"",
        "\"{}\"",
        "[]. None",
    ] {
        assert_eq!(is(text), "plain", "{text}");
    }
}
