//! Assertions on databases.

use std::path::Path;

use candor_json::{Value, json};
use candor_tests::grade::all_within;
pub(crate) use candor_tests::grade::{Graded, described, within};

/// Grades assertions, side by side, on the sandbox in a folder.
pub(crate) fn all(folder: &Path, assertions: &[Value]) -> Vec<Graded> {
    let description = std::fs::read_to_string(folder.join("sandbox.toml")).unwrap_or_default();
    all_within(folder, &description, assertions.to_vec())
}

/// A description of a database at a URL, its password that of `reader`, with time enough for a machine that is busy.
pub(crate) fn at(url: &str) -> String {
    timed(url, "30s")
}

/// The same with so much time.
pub(crate) fn timed(url: &str, timeout: &str) -> String {
    let password = "${env:CARGO_PKG_NAME}";
    format!("[portal]\nurl = \"{url}\"\npassword = \"{password}\"\n[limits]\ntimeout = \"{timeout}\"\n")
}

/// An assertion on rows by a key.
pub(crate) fn row(resource: &str, key: &str, value: impl Into<Value>, assertions: Value) -> Value {
    json!({
        "assert": "portal-state-match", "correlate_by": {"resource": resource, "key": key, "value": value.into()},
        "assertions": assertions
    })
}
