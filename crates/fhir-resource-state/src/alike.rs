//! Removes differences between two states of a resource that are not changes: other spellings of an instant, a reference or
//! a list of codings, and the members that a server writes whenever it stores a resource.

use std::collections::{BTreeMap, HashMap};

use candor_fhirpath::Temporal;
use candor_json::Value;

type Fields = Vec<(String, Value)>;

/// Writes the references to the server itself as paths.
pub(crate) fn relative(resource: &mut Value, base: &str) {
    // A list and not the stack: values may be nested deeply.
    let mut open = vec![resource];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                for (name, value) in members {
                    match value {
                        Value::String(url) if name == "reference" => {
                            if let Some(path) = url.strip_prefix(base).and_then(|rest| rest.strip_prefix('/')) {
                                *url = path.to_owned();
                            }
                        }
                        value => open.push(value),
                    }
                }
            }
            _ => {}
        }
    }
}

pub(crate) fn align(before: &mut Fields, after: &mut Fields) {
    for fields in [&mut *before, &mut *after] {
        let is_generated =
            fields.iter().any(|(path, value)| path == "text.status" && value.as_str() == Some("generated"));
        fields.retain(|(path, _)| !(path == "meta.source" || is_generated && path.starts_with("text.")));
    }
    order_codings(before, after);
    let was: HashMap<&str, &Value> = before.iter().map(|(path, value)| (path.as_str(), value)).collect();
    for (path, value) in after {
        if let Some(was) = was.get(path.as_str())
            && is_one_instant(was, value)
        {
            *value = (*was).clone();
        }
    }
}

/// Compares two texts as instants. Both need a date, a time and a zone.
fn is_one_instant(before: &Value, after: &Value) -> bool {
    let instant = |value: &Value| value.as_str().filter(|text| text.contains('T')).and_then(Temporal::date_time);
    let (Some(before), Some(after)) = (instant(before), instant(after)) else { return false };
    before.compare(&after) == Some(std::cmp::Ordering::Equal)
}

/// The codings of one concept, by their numbers: each the members by their paths below it.
type Codings = BTreeMap<usize, BTreeMap<String, String>>;

fn codings(fields: &Fields) -> HashMap<String, Codings> {
    let mut all: HashMap<String, Codings> = HashMap::new();
    for (path, value) in fields {
        if let Some((list, number, rest)) = coding(path) {
            let one = all.entry(list.to_owned()).or_default().entry(number).or_default();
            one.insert(rest.to_owned(), value.to_string());
        }
    }
    all
}

fn coding(path: &str) -> Option<(&str, usize, &str)> {
    const LIST: &str = "coding.";
    let at = path.rfind(LIST).filter(|at| *at == 0 || path.get(..*at).is_some_and(|rest| rest.ends_with('.')))?;
    let (list, below) = path.split_at_checked(at + LIST.len())?;
    let (number, rest) = below.split_once('.')?;
    Some((list, number.parse().ok()?, rest))
}

/// The codings of a concept have no order (`ElementDefinition.orderMeaning` is absent): where they are the same ones, those
/// of now take the numbers of those before.
fn order_codings(before: &Fields, after: &mut Fields) {
    let (was, is) = (codings(before), codings(after));
    let mut numbers: HashMap<(&str, usize), usize> = HashMap::new();
    for (list, now) in &is {
        let Some(before) = was.get(list).filter(|before| before.len() == now.len()) else { continue };
        let sorted = |codings: &Codings| {
            let mut sorted: Vec<_> = codings.iter().map(|(number, members)| (members.clone(), *number)).collect();
            sorted.sort();
            sorted
        };
        let (before, now) = (sorted(before), sorted(now));
        if before.iter().zip(&now).all(|(before, now)| before.0 == now.0) {
            numbers.extend(before.iter().zip(&now).map(|(before, now)| ((list.as_str(), now.1), before.1)));
        }
    }
    for (path, _) in after {
        if let Some((list, number, rest)) = coding(path)
            && let Some(number) = numbers.get(&(list, number))
        {
            *path = format!("{list}{number}.{rest}");
        }
    }
}
