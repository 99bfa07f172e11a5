//! The types of elements, where a definition and not the JSON says what a value is.

use std::collections::HashMap;

use candor_json::Value;

use super::CompareAs;

/// How the elements of one document are read, by the definitions of their types. Elements are known by their address, so
/// that no one has to say by which path one was reached: the document must not move.
#[derive(Clone, Debug, Default)]
pub struct ElementTypes {
    types: HashMap<usize, CompareAs>,
}

impl ElementTypes {
    /// Says how an element is read.
    pub fn insert(&mut self, element: &Value, read_as: CompareAs) {
        self.types.insert(address(element), read_as);
    }

    /// How an element is read; `None` where only its JSON says it.
    #[must_use]
    pub fn of(&self, element: &Value) -> Option<CompareAs> {
        self.types.get(&address(element)).copied()
    }
}

fn address(element: &Value) -> usize {
    std::ptr::from_ref(element).addr()
}
