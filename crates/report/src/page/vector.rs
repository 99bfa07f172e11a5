//! A criterion run as a conformance vector, so that a disputed verdict becomes a test.

use candor_json::{Map, Value, json};

use super::Ground;
use crate::model::CriterionRun;

/// The most bytes of files that a vector holds.
const LARGEST: usize = 64 << 10;

/// A vector, as indented JSON.
pub(super) struct Vector {
    pub(super) json: String,
    pub(super) is_whole: bool,
}

pub(super) fn vector(run: &CriterionRun, task_id: Option<&str>, ground: &dyn Ground) -> Vector {
    let mut files = Map::new();
    let mut size = 0;
    let sources = run.sources();
    let mut is_whole = !sources.is_empty();
    for (place, sha256) in sources {
        if files.contains_key(&place.locator) {
            continue;
        }
        let bytes = ground.source(&place.locator, sha256.as_deref());
        let content =
            bytes.filter(|bytes| size + bytes.len() <= LARGEST).and_then(|bytes| String::from_utf8(bytes).ok());
        is_whole &= content.is_some();
        size += content.as_ref().map_or(0, String::len);
        files.insert(place.locator, content.map_or_else(|| json!("FILL IN"), Value::String));
    }
    let assertion = ground.assertion(&run.criterion_id);
    is_whole &= assertion.is_some();
    let comment = match task_id {
        Some(task) => format!("{task}: {}", run.label),
        None => run.label.clone(),
    };
    let vector = json!({
        "id": run.criterion_id,
        "comment": comment,
        "files": files,
        "assertion": assertion.unwrap_or_else(|| json!("FILL IN")),
        "expected": {"status": run.status.name(), "reason": run.reason},
    });
    Vector { json: format!("{vector:#}"), is_whole }
}
