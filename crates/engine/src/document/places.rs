//! Places of the members of a document.

use std::collections::HashMap;

/// Line and column of every member (its key) and item, by its steps from the top.
#[derive(Clone, Debug, Default)]
pub(super) struct Places(HashMap<Vec<String>, (usize, usize)>);

impl Places {
    pub(super) fn set(&mut self, steps: &[String], position: (usize, usize)) {
        self.0.insert(steps.to_vec(), position);
    }

    pub(super) fn of(&self, steps: &[&str]) -> Option<(usize, usize)> {
        let owned: Vec<String> = steps.iter().map(|&s| s.to_owned()).collect();
        (0..=owned.len()).rev().find_map(|length| self.0.get(owned.get(..length)?)).copied()
    }
}

/// Steps as a person writes them: `criteria[0].weight`.
pub(crate) fn dotted(steps: &[&str]) -> String {
    let mut text = String::new();
    for step in steps {
        if step.bytes().all(|byte| byte.is_ascii_digit()) {
            text += &format!("[{step}]");
        } else {
            if !text.is_empty() {
                text.push('.');
            }
            text += step;
        }
    }
    text
}

/// `fields[0].path` as steps.
pub(crate) fn steps_of(place: &str) -> Vec<String> {
    place.split(['.', '[', ']']).filter(|step| !step.is_empty()).map(str::to_owned).collect()
}
