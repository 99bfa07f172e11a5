//! Every element of a resource with its path and its value.

use candor_check::explain::on_one_line;
use candor_check::strict_json::{items, members};
use candor_json::Value;
use serde::Serialize;

/// The most elements of one resource that are shown.
const MOST_ELEMENTS: usize = 20_000;

/// How deep elements lie in each other at most.
const MOST_DEPTH: usize = 32;

/// The most characters of a name, and of a value.
const MOST_OF_NAME: usize = 100;
const MOST_OF_VALUE: usize = 300;

/// An element with a primitive value, or an empty one.
#[derive(Debug, Serialize)]
pub(super) struct ShownElement {
    /// `name.0.given.1`
    pub(super) path: String,
    value: Value,
}

impl ShownElement {
    pub(super) fn written(&self) -> String {
        match &self.value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

/// The elements of the resource whose text is `raw`, and sentences about those that are left out. Of a Bundle the resources
/// in its entries are not its elements.
pub(super) fn elements(raw: &str, is_bundle: bool) -> (Vec<ShownElement>, Vec<String>) {
    let mut walking = Walking { found: Vec::new(), is_cut: false, deep: 0, is_bundle };
    for (name, value) in members(raw).filter(|(name, _)| name != "resourceType") {
        walking.element(on_one_line(&name, MOST_OF_NAME), value, 0);
    }
    let mut notes = Vec::new();
    if walking.is_cut {
        notes.push(format!("Only the first {MOST_ELEMENTS} elements are shown."));
    }
    match walking.deep {
        0 => {}
        1 => notes.push(format!("1 element is not shown, because it is deeper than {MOST_DEPTH} levels.")),
        several => {
            notes.push(format!("{several} elements are not shown, because they are deeper than {MOST_DEPTH} levels."));
        }
    }
    (walking.found, notes)
}

struct Walking {
    found: Vec<ShownElement>,
    is_cut: bool,
    /// How many elements lie too deep.
    deep: usize,
    is_bundle: bool,
}

impl Walking {
    fn element(&mut self, path: String, raw: &str, depth: usize) {
        if self.found.len() >= MOST_ELEMENTS {
            self.is_cut = true;
            return;
        }
        let is_list = raw.starts_with('[');
        if !is_list && !raw.starts_with('{') {
            return self.found.push(ShownElement { path, value: primitive(raw) });
        }
        if depth >= MOST_DEPTH {
            self.deep += 1;
            return;
        }
        let is_entry = self.is_bundle && depth == 1 && path.starts_with("entry.");
        let mut is_empty = true;
        for (number, item) in items(raw).enumerate() {
            is_empty = false;
            self.element(format!("{path}.{number}"), item, depth + 1);
            if self.is_cut {
                return;
            }
        }
        for (name, value) in members(raw) {
            is_empty = false;
            if is_entry && name == "resource" {
                continue;
            }
            self.element(format!("{path}.{}", on_one_line(&name, MOST_OF_NAME)), value, depth + 1);
            if self.is_cut {
                return;
            }
        }
        if is_empty {
            let value = if is_list { Value::Array(Vec::new()) } else { Value::Object(candor_json::Map::new()) };
            self.found.push(ShownElement { path, value });
        }
    }
}

/// A primitive value, a text on one line and cut where it is long.
fn primitive(raw: &str) -> Value {
    match candor_json::from_str(raw) {
        Ok(Value::String(text)) => Value::String(on_one_line(&text, MOST_OF_VALUE)),
        Ok(value) => value,
        Err(_) => Value::String(on_one_line(raw, MOST_OF_VALUE)),
    }
}
