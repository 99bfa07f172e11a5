//! The identity of a resource, from the beginning of a document that cannot be read.

use candor_check::Obstacle;

use super::changes::{Change, Target, When};
use super::json;

/// The change that an unreadable document may be: another version of the resource that its beginning names. `lines` tells
/// that it is one of several in a file: in a file of versions one that breaks off may be one of any before it.
pub(super) fn change(bytes: &[u8], lines: bool) -> Option<Change> {
    let whole = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => bytes.get(..error.valid_up_to()).and_then(|text| std::str::from_utf8(text).ok())?,
    };
    let text = whole.trim_start();
    if !text.starts_with('{') {
        return None;
    }
    let start = Start::of(text);
    let target = match (start.resource_type, start.id) {
        // What is in a Bundle may be anything.
        (Some(name), Some(id)) if name != "Bundle" => Target::One { resource_type: name, id },
        (name, _) if lines && breaks_off(text) => {
            Target::InFile { resource_type: name.filter(|name| name != "Bundle") }
        }
        _ => return None,
    };
    Some(Change {
        target,
        base: None,
        when: When::Unread,
        version_id: start.version_id,
        last_updated: start.last_updated,
        obstacle: Some(Obstacle::SourceMalformed),
    })
}

fn breaks_off(text: &str) -> bool {
    candor_json::from_str::<serde::de::IgnoredAny>(text).is_err_and(|error| error.is_eof())
}

/// The members that can be seen whole.
#[derive(Default)]
struct Start {
    resource_type: Option<String>,
    id: Option<String>,
    version_id: Option<String>,
    last_updated: Option<String>,
}

impl Start {
    fn of(text: &str) -> Self {
        let mut start = Self::default();
        for (name, value) in json::members(text) {
            match &*name {
                "resourceType" => once(&mut start.resource_type, value),
                "id" => once(&mut start.id, value),
                "meta" => {
                    for (name, value) in json::members(value) {
                        match &*name {
                            "versionId" => once(&mut start.version_id, value),
                            "lastUpdated" => once(&mut start.last_updated, value),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        let stated = |text: &String| !text.is_empty();
        Self {
            resource_type: start.resource_type.filter(stated),
            id: start.id.filter(stated),
            version_id: start.version_id.filter(stated),
            last_updated: start.last_updated.filter(stated),
        }
    }
}

/// Sets a member. If it occurs twice with different values, it is emptied: no reader knows which is meant.
fn once(member: &mut Option<String>, value: &str) {
    let text = candor_json::from_str::<String>(value).unwrap_or_default();
    *member = Some(if member.as_ref().is_none_or(|known| *known == text) { text } else { String::new() });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
}
