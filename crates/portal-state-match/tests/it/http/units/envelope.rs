//! The members around the rows of an answer.

use crate::http::envelope::{at, misspelt, text};

fn path(text: &str) -> Vec<String> {
    text.split('.').filter(|step| !step.is_empty()).map(str::to_owned).collect()
}

#[test]
fn members_whose_names_are_alike() {
    let answer = r#"{"data": [], "meta": {"nextCursor": "c1", "next": null}}"#;
    let of = |members: &str| misspelt(answer, &path(members)).map(|(_, near)| near);
    assert_eq!(of("meta.next_cursor").as_deref(), Some("meta.nextCursor"));
    assert_eq!(of("Meta.next").as_deref(), Some("meta"));
    assert_eq!(of("meta.next"), None);
    assert_eq!(of("links"), None);
    assert_eq!(of("meta.more"), None);
}

#[test]
fn members_that_lead_on() {
    let answer = r#" {"data": {"rows": [ {"a": 1} ]}, "meta": {"next": null, "left": 3, "cursor": "c\"1"}, "x": 1} "#;
    assert_eq!(at(answer, &path("data.rows")), Ok(Some(r#"[ {"a": 1} ]"#)));
    assert_eq!(at(answer, &[]), Ok(Some(answer.trim())));
    assert_eq!(at(answer, &path("meta.next")), Ok(None));
    assert_eq!(at(answer, &path("meta.next.url")), Ok(None));
    assert_eq!(at(answer, &path("mta.next")), Ok(None));
    assert_eq!(text(answer, &path("meta.left")), Ok(Some("3".to_owned())));
    assert_eq!(text(answer, &path("meta.cursor")), Ok(Some("c\"1".to_owned())));
    assert!(text(answer, &path("meta")).is_err());
    assert!(at(answer, &path("x.y")).unwrap_err().contains("no object in `x`"));
    assert!(at("[1]", &path("x")).unwrap_err().contains("no object"));
    assert!(at(r#"{"a": 1, "a": 2}"#, &path("a")).unwrap_err().contains("twice"));
    assert!(at(r#"{"a": [1}"#, &path("a")).unwrap_err().contains("no JSON"));
    assert!(at(&"[".repeat(100_000), &path("a")).is_err());
}
