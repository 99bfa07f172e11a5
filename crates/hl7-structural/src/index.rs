//! Which of many criteria a message concerns, by a text that each of them wants in it.

use std::collections::HashMap;

use candor_hl7v2::{Message, Path};

/// Criteria by their numbers.
pub(crate) struct Index<'a> {
    wanting: Vec<(&'a Path, HashMap<&'a str, Vec<usize>>)>,
    /// Those that every message concerns.
    always: Vec<usize>,
}

impl<'a> Index<'a> {
    /// `wanted` says of each criterion which text it wants at which path, where other messages do not concern it.
    pub(crate) fn new(wanted: impl Iterator<Item = Option<(&'a Path, &'a str)>>) -> Self {
        let mut index = Self { wanting: Vec::new(), always: Vec::new() };
        for (number, wanted) in wanted.enumerate() {
            let Some((path, text)) = wanted else {
                index.always.push(number);
                continue;
            };
            match index.wanting.iter_mut().find(|(known, _)| *known == path) {
                Some((_, by_text)) => by_text.entry(text).or_default().push(number),
                None => index.wanting.push((path, HashMap::from([(text, vec![number])]))),
            }
        }
        index
    }

    /// Adds those whom a message concerns to `asked`, in order.
    pub(crate) fn concerned(&self, message: &Message<'_>, asked: &mut Vec<usize>) {
        asked.extend(&self.always);
        for (path, by_text) in &self.wanting {
            for value in path.select(message) {
                asked.extend(by_text.get(&*value.text().text).into_iter().flatten());
            }
        }
        asked.sort_unstable();
        asked.dedup();
    }
}
