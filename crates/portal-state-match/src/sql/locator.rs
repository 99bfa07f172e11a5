//! Where a row is: `sqlite:portal.db#prior_auth_requests[request_id=PA-1001]`.

use std::cmp::Ordering;

use candor_check::compare::Decimal;
use candor_json::Value;

/// The longest value that is whole in a locator, in characters.
const LONGEST: usize = 64;

/// The locator of a row by its key; by its number where the table has no key.
pub(super) fn locator(table: &str, key: &[(&str, &Value)], number: u64) -> String {
    if key.is_empty() {
        return format!("{table}[{number}]");
    }
    let parts: Vec<String> = key.iter().map(|(name, value)| format!("{}={}", escaped(name), shown(value))).collect();
    format!("{table}[{}]", parts.join(","))
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => escaped(text),
        value => escaped(&value.to_string()),
    }
}

/// A text that cannot end the locator, cut when it is long.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars().take(LONGEST) {
        match c {
            '%' | '[' | ']' | ',' | '=' | '#' => escaped.push_str(&format!("%{:02X}", u32::from(c))),
            c if c.is_control() => escaped.push_str(&format!("%{:02X}", u32::from(c))),
            c => escaped.push(c),
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        escaped.push('…');
    }
    escaped
}

/// The order of rows by their key: numbers by value, text by its characters, numbers before text.
pub(super) fn by_key(key: &[String], a: &Value, b: &Value) -> Ordering {
    key.iter().map(|name| order(a.get(name), b.get(name))).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn order(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    match (a, b) {
        (Some(Value::Number(a)), Some(Value::Number(b))) => {
            match (Decimal::json(&a.to_string()), Decimal::json(&b.to_string())) {
                (Some(a), Some(b)) => a.cmp(&b),
                _ => a.to_string().cmp(&b.to_string()),
            }
        }
        (Some(Value::String(a)), Some(Value::String(b))) => a.cmp(b),
        (Some(Value::Bool(a)), Some(Value::Bool(b))) => a.cmp(b),
        (a, b) => rank(a).cmp(&rank(b)).then_with(|| text(a).cmp(&text(b))),
    }
}

fn rank(value: Option<&Value>) -> u8 {
    match value {
        None | Some(Value::Null) => 0,
        Some(Value::Bool(_)) => 1,
        Some(Value::Number(_)) => 2,
        Some(Value::String(_)) => 3,
        Some(Value::Array(_) | Value::Object(_)) => 4,
    }
}

fn text(value: Option<&Value>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}
