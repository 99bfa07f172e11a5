//! Paths that are tried on a document.

use candor_check::json_path::tried::path;
use candor_check::tried::Tried;

fn tried(text: &str) -> Tried {
    path(text, "a.json", br#"{"name": [{"family": "Roe", "given": ["Ann", "B"]}], "id": "1"}"#).unwrap().remove(0)
}

#[test]
fn values_are_told_with_place_and_type_and_nothing_with_what_is_there() {
    let one = tried("name.family");
    assert_eq!((one.selected[0].place.as_str(), one.selected[0].kind.as_deref()), ("name.0.family", Some("string")));
    assert_eq!(tried("$.name[0].given[*]").selected.len(), 2);
    assert_eq!(tried("name.famly").why.unwrap(), "`name` has no `famly`; did you mean `family`?");
    assert_eq!(tried("id.x").why.unwrap(), "`id` is \"1\", in which there is no `x`");
    assert!(path("a..b", "a.json", b"{}").is_err());
    assert!(path("a", "a.json", b"{\"a\": 1, \"a\": 2}").unwrap()[0].unreadable);
    assert_eq!(path("a", "a.ndjson", b"{\"a\": 1}\n{\"b\": 2}\n").unwrap().len(), 2);
}

proptest::proptest! {
    #[test]
    fn nothing_panics(text in "[ -~]{0,24}", bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let _ = path(&text, "a.json", &bytes);
        let _ = path(&text, "a.json", br#"{"a": [{"b": 1}]}"#);
    }
}
