//! Which elements and values are unsafe: `data/unsafe-elements.tsv`, explained in `data/README.md`.

use serde_json::Value;

const TABLE: &str = include_str!("../../data/unsafe-elements.tsv");

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) scope: Scope,
    pub(super) element: &'static str,
    pub(super) values: Values,
}

/// Which values of an element are unsafe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Values {
    Any,
    Listed(Vec<&'static str>),
}

/// Where an element has to stand for a rule to be about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Anywhere,
    Root,
    /// In the element at this path, the resource type first.
    Below(Vec<&'static str>),
    /// In an object whose `value` was selected alone.
    BesideValue,
}

pub(super) fn rules() -> Vec<Rule> {
    let row = |line: &'static str| {
        let mut cells = line.split('\t');
        let scope = match cells.next()? {
            "*" => Scope::Anywhere,
            "/" => Scope::Root,
            "=" => Scope::BesideValue,
            path => Scope::Below(path.split('.').collect()),
        };
        let element = cells.next()?;
        let values = match cells.next()? {
            "*" => Values::Any,
            "-" => Values::Listed(Vec::new()),
            listed => Values::Listed(listed.split(' ').collect()),
        };
        Some(Rule { scope, element, values })
    };
    TABLE.lines().filter_map(row).collect()
}

impl Rule {
    /// The value that makes an element unsafe, with the steps to it from the element.
    pub(super) fn unsafe_value<'a>(&self, element: &'a Value) -> Option<(String, &'a Value)> {
        let Values::Listed(values) = &self.values else {
            let nothing = match element {
                Value::Null => true,
                Value::String(text) => text.is_empty(),
                Value::Array(items) => items.is_empty(),
                Value::Object(members) => members.is_empty(),
                _ => false,
            };
            return (!nothing).then(|| (String::new(), element));
        };
        let codings = element.get("coding").and_then(Value::as_array);
        let codes = codings
            .into_iter()
            .flatten()
            .enumerate()
            .filter_map(|(at, coding)| Some((format!(".coding.{at}.code"), coding.get("code")?)));
        std::iter::once((String::new(), element)).chain(codes).find(|(_, value)| match value {
            Value::String(text) => values.contains(&text.as_str()),
            Value::Bool(true) => values.contains(&"true"),
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
        assert!(TABLE.lines().all(|line| line.split('\t').nth(3).is_some_and(|source| source.starts_with('R'))));
    }

    #[test]
    fn every_modifier_element_of_the_specification_has_its_row() {
        let rules = rules();
        let elements = include_str!("../../data/modifier-elements.txt");
        assert_eq!(elements.lines().count(), 145);
        for path in elements.lines() {
            let (parent, element) = path.rsplit_once('.').unwrap();
            let about = |rule: &&Rule| {
                rule.element == element
                    && match &rule.scope {
                        Scope::Anywhere => true,
                        Scope::BesideValue => ["Quantity", "Age", "Count", "Distance", "Duration"].contains(&parent),
                        Scope::Root => !parent.contains('.'),
                        Scope::Below(path) => path.join(".") == parent,
                    }
            };
            assert!(rules.iter().any(|rule| about(&rule)), "{path}");
        }
    }
}
