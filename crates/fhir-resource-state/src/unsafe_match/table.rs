//! Which elements and values are unsafe: `data/unsafe-elements.tsv`, explained in `data/README.md`.

use std::collections::HashMap;
use std::sync::LazyLock;

use candor_check::records::{SafetyRow, SafetyTable};
use candor_json::Value;

pub(super) static TABLE: LazyLock<SafetyTable> =
    LazyLock::new(|| SafetyTable::read(include_str!("../../data/unsafe-elements.tsv")));

/// The rows by the element that they are about.
pub(super) static RULES: LazyLock<HashMap<&'static str, Vec<Rule>>> = LazyLock::new(|| {
    let mut rules: HashMap<&'static str, Vec<Rule>> = HashMap::new();
    for row in TABLE.rows().iter().filter(|row| !row.values.are_none()) {
        rules.entry(row.element).or_default().push(Rule { scope: Scope::read(row.at), row });
    }
    rules
});

#[derive(Debug)]
pub(super) struct Rule {
    pub(super) scope: Scope,
    pub(super) row: &'static SafetyRow,
}

/// The place that an element must have for a rule to apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Anywhere,
    /// In the element at this path of any resource; at its root where the path is empty.
    Of(Vec<&'static str>),
    /// At the root of a resource of these types, each with the beginning of a member that it must not have.
    Types(Vec<(&'static str, Option<&'static str>)>),
    /// In the element at this path, the resource type first.
    Below(Vec<&'static str>),
    /// In an object whose `value` was selected alone.
    BesideValue,
    /// In an item of an array without which a field would not pass.
    OnlyItem,
    /// In the element at this path, the resource type first, from which a field reads.
    ReadBelow(Vec<&'static str>),
    /// An array with a second item that says another thing than the one from which a field reads; not in resources of one
    /// type.
    Rival {
        but: Option<&'static str>,
    },
}

impl Scope {
    pub(super) fn read(at: &'static str) -> Self {
        match at {
            "*" => Self::Anywhere,
            "=" => Self::BesideValue,
            "?" => Self::OnlyItem,
            at if at.starts_with('~') => Self::Rival { but: at.strip_prefix("~!") },
            at if at.starts_with('+') => Self::ReadBelow(at.trim_start_matches('+').split('.').collect()),
            at if at.starts_with('/') => Self::Of(at.split('/').filter(|name| !name.is_empty()).collect()),
            at if at.contains('.') => Self::Below(at.split('.').collect()),
            types => Self::Types(
                types
                    .split(' ')
                    .map(|name| match name.split_once('!') {
                        Some((name, without)) => (name, Some(without)),
                        None => (name, None),
                    })
                    .collect(),
            ),
        }
    }
}

/// The values in an element that a row can be about, each with the steps to it: the element itself, the items of an array,
/// the codes of a Coding or a CodeableConcept.
pub(super) fn values<'a>(element: &'a Value) -> Vec<(String, &'a Value)> {
    let items: Vec<(String, &'a Value)> = match element {
        Value::Array(items) => items.iter().enumerate().map(|(at, item)| (format!(".{at}"), item)).collect(),
        element => vec![(String::new(), element)],
    };
    let mut values = Vec::with_capacity(items.len());
    for (step, item) in items {
        let codings = item.get("coding").and_then(Value::as_array).into_iter().flatten().enumerate();
        let codes = codings.filter_map(|(at, coding)| Some((format!("{step}.coding.{at}.code"), coding.get("code")?)));
        let code = item.get("code").filter(|code| code.is_string()).map(|code| (format!("{step}.code"), code));
        let inner: Vec<_> = codes.chain(code).collect();
        values.push((step, item));
        values.extend(inner);
    }
    values
}
