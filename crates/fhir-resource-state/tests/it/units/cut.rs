//! Files that break off.

use proptest::prelude::*;

use crate::store::cut::change;

fn seen(text: &str, lines: bool) -> Option<(Option<String>, Option<String>)> {
    let change = change(text.as_bytes(), lines)?;
    let (resource_type, id) = change.target.name();
    Some((resource_type.map(str::to_owned), id.map(str::to_owned)))
}

fn some(resource_type: &str, id: &str) -> Option<(Option<String>, Option<String>)> {
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    Some((given(resource_type), given(id)))
}

#[test]
fn what_can_be_seen() {
    assert_eq!(seen(r#"{"resourceType":"Task","id":"t","status":"re"#, true), some("Task", "t"));
    assert_eq!(seen(r#"{"id":"t","resourceType":"Task","#, false), some("Task", "t"));
    assert_eq!(seen(r#"{"resourceType":"Task","id":"t","a":1,"a":2}"#, false), some("Task", "t"));
    assert_eq!(seen(r#"{"resourceType":"Task","id":"t"#, true), some("Task", ""));
    assert_eq!(seen(r#"{"resourceType":"Task","id":"t"#, false), None);
    assert_eq!(seen(r#"{"resourceTy"#, true), some("", ""));
    assert_eq!(seen(r#"{"resourceType":"Task","id":"a","id":"b","#, true), some("Task", ""));
    assert_eq!(seen(r#"{"resourceType":"Bundle","id":"a","entry":["#, true), some("", ""));
    for text in ["", "not JSON", "{not JSON}", "<html>", "[1", "null"] {
        assert_eq!(seen(text, true), None, "{text}");
    }
}

#[test]
fn the_version_is_seen() {
    let change = change(br#"{"resourceType":"Task","id":"t","meta":{"versionId":"7"},"status"#, true).unwrap();
    assert_eq!(change.version_id.as_deref(), Some("7"));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..60), lines in any::<bool>()) {
        let mut text = br#"{"resourceType":"Task","#.to_vec();
        text.extend_from_slice(&bytes);
        drop((change(&bytes, lines), change(&text, lines)));
    }
}
