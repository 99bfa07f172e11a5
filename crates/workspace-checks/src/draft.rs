//! Drafts assertions about a file of a workspace: that it exists, and that it is not empty.

use candor_check::draft::{Came, Selection};
use candor_json::json;

pub(crate) fn selections(came: &Came<'_>) -> Vec<Selection> {
    if !came.is_new {
        return Vec::new();
    }
    let is_empty = came.value("$size").is_some_and(|size| size == 0);
    let assert = if is_empty { "file-exists" } else { "file-not-empty" };
    let what = format!("The file {}", came.key);
    let assertion = json!({"assert": assert, "path": came.key});
    vec![Selection { assertion, fields: None, what, came: "was written", by: Vec::new() }]
}
