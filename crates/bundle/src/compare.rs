//! Two JSON values, member by member.

use candor_json::Value;

use crate::read::Difference;

/// The most differences that are named.
const MOST: usize = 200;

pub(crate) fn compare(place: &str, stored: &Value, recomputed: &Value, out: &mut Vec<Difference>) {
    if out.len() >= MOST || stored == recomputed {
        return;
    }
    match (stored, recomputed) {
        (Value::Object(one), Value::Object(other)) => {
            for (name, value) in one {
                compare(&format!("{place}.{name}"), value, other.get(name).unwrap_or(&Value::Null), out);
            }
            for (name, value) in other.iter().filter(|(name, _)| !one.contains_key(*name)) {
                compare(&format!("{place}.{name}"), &Value::Null, value, out);
            }
            // A member that is null on one side and not there on the other.
            if one.len() != other.len() && out.is_empty() {
                out.push(Difference::new(place, stored.clone(), recomputed.clone()));
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                compare(&format!("{place}[{index}]"), one, other, out);
            }
        }
        _ => out.push(Difference::new(place, stored.clone(), recomputed.clone())),
    }
}
