//! The identity of a resource, from the beginning of a document that cannot be read.

use candor_check::Obstacle;

use super::changes::{Change, Target, When};
use super::json;

/// The change that an unreadable document may be: another version of the resource that its beginning names. `lines` tells
/// that it is one of several in a file: in a file of versions one that breaks off may be one of any before it.
pub(crate) fn change(bytes: &[u8], lines: bool) -> Option<Change> {
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
