//! Which elements and values are unsafe: `data/unsafe-elements.tsv`, explained in `data/README.md`.

use serde_json::Value;

const TABLE: &str = include_str!("../../data/unsafe-elements.tsv");

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) scope: Scope,
    pub(super) element: &'static str,
    /// The unsafe values; any value when there is none.
    pub(super) values: Vec<&'static str>,
}

/// Where an element has to stand for a rule to be about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Anywhere,
    Root,
    /// In the element at this path, the resource type first.
    Below(Vec<&'static str>),
}

pub(super) fn rules() -> Vec<Rule> {
    let row = |line: &'static str| {
        let mut cells = line.split('\t');
        let scope = match cells.next()? {
            "*" => Scope::Anywhere,
            "/" => Scope::Root,
            path => Scope::Below(path.split('.').collect()),
        };
        let element = cells.next()?;
        let values = cells.next()?.split(' ').filter(|value| *value != "*").collect();
        Some(Rule { scope, element, values })
    };
    TABLE.lines().filter_map(row).collect()
}

impl Rule {
    /// The value that makes an element unsafe, with the steps to it from the element.
    pub(super) fn unsafe_value<'a>(&self, element: &'a Value) -> Option<(String, &'a Value)> {
        if self.values.is_empty() {
            let nothing = match element {
                Value::Null => true,
                Value::String(text) => text.is_empty(),
                Value::Array(items) => items.is_empty(),
                Value::Object(members) => members.is_empty(),
                _ => false,
            };
            return (!nothing).then(|| (String::new(), element));
        }
        let codings = element.get("coding").and_then(Value::as_array);
        let codes = codings
            .into_iter()
            .flatten()
            .enumerate()
            .filter_map(|(at, coding)| Some((format!(".coding.{at}.code"), coding.get("code")?)));
        std::iter::once((String::new(), element)).chain(codes).find(|(_, value)| match value {
            Value::String(text) => self.values.contains(&text.as_str()),
            Value::Bool(true) => self.values.contains(&"true"),
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_rule() {
        assert_eq!(rules().len(), TABLE.lines().count());
        assert!(rules().iter().all(|rule| !rule.element.is_empty()));
    }
}
