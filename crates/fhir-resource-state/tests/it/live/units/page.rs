//! Pages of a searchset.

use crate::live::page::{Key, Mode, NoPage, checked, read};

#[test]
fn entries_by_what_they_are_there_for() {
    let text = r#"{"resourceType":"Bundle","type":"searchset","total":3,
        "link":[{"relation":"self","url":"s"},{"relation":"next","url":"n"}],
        "entry":[
          {"fullUrl":"u","resource":{"resourceType":"Patient","id":"1","meta":{"versionId":"7"}},"search":{"mode":"match"}},
          {"resource":{"resourceType":"Patient","id":"2"}},
          {"resource":{"resourceType":"Practitioner","id":"3"}},
          {"resource":{"resourceType":"OperationOutcome"},"search":{"mode":"match"}},
          {"response":{"status":"403 Forbidden"}},
          {"resource":{"resourceType":"Patient","id":"4"},"search":{"mode":"include"}}]}"#;
    let page = read(text, "Patient").unwrap();
    let modes: Vec<Mode> = page.entries.iter().map(|entry| entry.mode).collect();
    assert_eq!(modes, [Mode::Match, Mode::Match, Mode::Include, Mode::Outcome, Mode::Match, Mode::Include]);
    assert_eq!((page.next.as_deref(), page.own.as_deref(), page.total), (Some("n"), Some("s"), Some(3)));
    let first = &page.entries[0];
    assert_eq!(first.key, Some(Key { name: "Patient/1".to_owned(), version: Some("7".to_owned()) }));
    assert!(text[first.at..].starts_with(r#"{"fullUrl""#));
    assert_eq!(page.entries[4].refused.as_deref(), Some("403 Forbidden"));
}

#[test]
fn what_is_no_page_says_what_it_is() {
    let is = |body: &[u8]| checked(body, "text/html; charset=utf-8").unwrap_err();
    assert_eq!(is(b"<!DOCTYPE html><html>"), "HTML (text/html), not FHIR JSON");
    assert_eq!(is(b"  <Bundle/>"), "XML (text/html), not FHIR JSON");
    assert_eq!(is(b""), "nothing at all");
    assert!(is(b"{\"resourceType\":\"Bundle\",").starts_with("no JSON that can be read"));
    assert!(is(b"{\"a\":1,\"a\":2}").contains("twice"));
    assert!(is(b"\xff").starts_with("no UTF-8"));
    let no = |text: &str| read(text, "Patient").err().unwrap();
    assert!(matches!(no(r#"{"resourceType":"OperationOutcome"}"#), NoPage::Outcome(_)));
    for text in [
        "[]",
        r#"{"resourceType":"Patient"}"#,
        r#"{"resourceType":"Bundle","type":"history"}"#,
        r#"{"resourceType":"Bundle"}"#,
        r#"{"resourceType":"Bundle","type":42}"#,
        r#"{"resourceType":"Bundle","type":"searchset","entry":{}}"#,
        r#"{"resourceType":"Bundle","type":"searchset","entry":[1]}"#,
        r#"{"resourceType":"Bundle","type":"searchset","link":{"relation":"next","url":"n"}}"#,
        r#"{"resourceType":"Bundle","type":"searchset","link":["n"]}"#,
        r#"{"resourceType":"Bundle","type":"searchset","link":[{"relation":["next"],"url":"n"}]}"#,
        r#"{"resourceType":"Bundle","type":"searchset","link":[{"relation":"next","url":1}]}"#,
        r#"{"resourceType":"Bundle","type":"searchset","total":"7"}"#,
        r#"{"resourceType":"Bundle","type":"searchset","total":-1}"#,
    ] {
        assert!(matches!(no(text), NoPage::Other(_)), "{text}");
    }
    assert!(read(r#"{"resourceType":"Bundle","type":"searchset"}"#, "Patient").unwrap().entries.is_empty());
}

#[test]
fn another_type_than_was_asked_for_is_no_answer() {
    let with = |entries: &str| format!(r#"{{"resourceType":"Bundle","type":"searchset","entry":[{entries}]}}"#);
    for (entries, found) in [
        (r#"{"resource":{"resourceType":"Device","id":"1"},"search":{"mode":"match"}}"#, "a Device"),
        (r#"{"resource":{"resourceType":"Device","id":"1"}}"#, "a Device"),
        (r#"{"resource":{"resourceType":"task","id":"1"}}"#, "a task"),
        (r#"{"resource":{"resourceType":"Task","id":"1"}},{"resource":{"resourceType":"task","id":"2"}}"#, "a task"),
        (r#"{"resource":{"id":"1"},"search":{"mode":"match"}}"#, "a resource without a type"),
        (
            r#"{"resource":{"resourceType":"Task","id":"1"}},{"resource":{"resourceType":"Bundle","type":"searchset"}}"#,
            "a Bundle",
        ),
    ] {
        let expected = NoPage::Other(format!("{found}, not a resource of the type Task"));
        assert_eq!(read(&with(entries), "Task").err(), Some(expected), "{entries}");
    }
    for entries in [
        r#"{"resource":{"resourceType":"Device","id":"1"},"search":{"mode":"include"}}"#,
        r#"{"resource":{"resourceType":"Task","id":"1"}},{"resource":{"resourceType":"Device","id":"1"}}"#,
        r#"{"resource":{"resourceType":"OperationOutcome"}}"#,
        r#"{"search":{"mode":"match"}}"#,
    ] {
        assert!(read(&with(entries), "Task").is_ok(), "{entries}");
    }
    let bundle = with(r#"{"resource":{"resourceType":"Bundle","type":"document"},"search":{"mode":"match"}}"#);
    assert!(read(&bundle, "Bundle").is_ok());
}

#[test]
fn links_are_found_in_any_case() {
    let page = r#"{"resourceType":"Bundle","type":"searchset","link":[{"relation":"Self","url":"s"},{"relation":"NEXT","url":"n"}]}"#;
    let page = read(page, "Task").unwrap();
    assert_eq!((page.next.as_deref(), page.own.as_deref()), (Some("n"), Some("s")));
}
