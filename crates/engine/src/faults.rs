//! The faults of an assertion behind its first one. A check names one fault; without what is at fault, it names the next.

use candor_check::CheckType;
use candor_check::settings::InvalidAssertion;
use candor_json::Value;

use crate::document::steps_of;

/// A fault: the steps from the assertion to its place, and its sentence.
pub(crate) type Fault = (Vec<String>, String);

/// So many faults of one assertion are looked for.
const MOST: usize = 20;

/// The faults behind `first`, as far as they do not follow from what was left out to find them.
pub(crate) fn behind(first: &InvalidAssertion, check: &CheckType, assertion: Value) -> Vec<Fault> {
    let mut left = assertion;
    let mut out: Vec<Vec<String>> = Vec::new();
    let mut found = Vec::new();
    let mut steps = steps_of(&first.place);
    for _ in 0..MOST {
        let Some(place) = leave_out(&mut left, &steps, &out) else { break };
        out.push(place);
        let Err(invalid) = check.bind(left.clone()) else { break };
        steps = steps_of(&invalid.place);
        let place = as_written(&left, &steps, &out);
        if invalid.message.starts_with("unknown field") || !out.iter().any(|gone| may_follow(&place, gone)) {
            found.push((place, invalid.message));
        }
    }
    found
}

/// Takes the value at a place, or the nearest one above it, out of the assertion. Returns its place in the assertion of the author.
fn leave_out(left: &mut Value, steps: &[String], out: &[Vec<String>]) -> Option<Vec<String>> {
    for length in (1..=steps.len()).rev() {
        let (above, last) = (steps.get(..length - 1)?, steps.get(length - 1)?);
        let place = as_written(left, steps.get(..length)?, out);
        let parent = above.iter().try_fold(&mut *left, |value, step| match value {
            Value::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
            other => other.get_mut(step),
        });
        let taken = match parent {
            Some(Value::Object(members)) => members.shift_remove(last).is_some(),
            Some(Value::Array(items)) => {
                let index = last.parse().ok().filter(|index| *index < items.len());
                index.map(|index: usize| items.remove(index)).is_some()
            }
            _ => false,
        };
        if taken {
            return Some(place);
        }
    }
    None
}

/// Steps in what is left, as they were before items of lists were left out.
fn as_written(left: &Value, steps: &[String], out: &[Vec<String>]) -> Vec<String> {
    let mut value = Some(left);
    let mut written: Vec<String> = Vec::new();
    for step in steps {
        let index = value.and_then(Value::as_array).and_then(|_| step.parse::<usize>().ok());
        let mut place = step.clone();
        if let Some(mut index) = index {
            let gone = out.iter().filter_map(|gone| gone.strip_prefix(written.as_slice()));
            let mut gone: Vec<usize> =
                gone.filter_map(|rest| if let [one] = rest { one.parse().ok() } else { None }).collect();
            gone.sort_unstable();
            index += gone.iter().fold(0, |before, gone| if *gone <= index + before { before + 1 } else { before });
            place = index.to_string();
        }
        value = value.and_then(|value| match value {
            Value::Array(items) => items.get(step.parse::<usize>().ok()?),
            other => other.get(step),
        });
        written.push(place);
    }
    written
}

/// Returns true if a fault at a place may be there only because of what was left out: in what held it, or next to it.
fn may_follow(place: &[String], gone: &[String]) -> bool {
    let is_item = gone.last().is_some_and(|last| last.parse::<usize>().is_ok());
    let beside = |above: &[String]| !is_item && place.len() == gone.len() && place.starts_with(above);
    gone.starts_with(place) || gone.split_last().is_some_and(|(_, above)| beside(above))
}
