//! Breaches of a criterion: a message that the criterion forbids is added.

use std::collections::BTreeMap;

use candor_check::operators::{Change, Target};
use candor_json::Value;

type Values = BTreeMap<String, BTreeMap<u32, BTreeMap<u32, BTreeMap<u32, String>>>>;

/// A message of nothing but what the criterion selects by. Nothing where that cannot be written down from its words alone.
pub(super) fn forbidden_message(target: &Target<'_>) -> Vec<Change> {
    // Once, and not for each file that is there.
    if target.place.locator != "hl7/" {
        return Vec::new();
    }
    let Some(assertion) = target.forbidden else { return Vec::new() };
    let (mut kind, mut control) = ("ADT^A01".to_owned(), "ZZAUDIT1".to_owned());
    let mut values = Values::new();
    for (key, value) in assertion.get("correlate_by").and_then(Value::as_object).into_iter().flatten() {
        let value = match value {
            Value::String(value)
                if !value.contains(['|', '^', '~', '\\', '&', '\r', '\n']) || key == "message_type" =>
            {
                value.clone()
            }
            Value::Number(value) => value.to_string(),
            _ => return Vec::new(),
        };
        match key.as_str() {
            "message_type" => kind = value,
            "control_id" => control = value,
            // The message is of a day that is later than any.
            "since" => {}
            path => {
                if place(&mut values, path, value).is_none() {
                    return Vec::new();
                }
            }
        }
    }
    let header = values.remove("MSH").unwrap_or_default();
    let text = |number: u32, otherwise: &str| header.get(&number).map_or(otherwise.to_owned(), written);
    let mut message = format!(
        "MSH|^~\\&|{}|{}|{}|{}|{}||{}|{}|{}|{}\r",
        text(3, "AUDIT"),
        text(4, "AUDIT"),
        text(5, ""),
        text(6, ""),
        text(7, "20991231120000"),
        text(9, &kind),
        text(10, &control),
        text(11, "P"),
        text(12, "2.5.1"),
    );
    for name in ["PID", "PV1", "ORC", "OBR"] {
        let fields = values.remove(name);
        message.extend(fields.map(|fields| segment(name, &fields)));
    }
    message.extend(values.iter().map(|(name, fields)| segment(name, fields)));
    let locator = "hl7/zz-audit.hl7";
    let change = Change::new(locator, Vec::new(), "A message as the criterion forbids it was sent.");
    vec![change.with_file(locator, Some(message.into_bytes().into()))]
}

/// Puts a value where a path such as `PID.3[5=MR].1` leads. Nothing where it is a path of another kind.
fn place(values: &mut Values, path: &str, value: String) -> Option<()> {
    let (segment, rest) = path.split_once('.').filter(|(segment, _)| segment.len() == 3)?;
    let (at, component) = match rest.split_once(']') {
        Some((at, after)) => (at, after.strip_prefix('.').unwrap_or(after)),
        None => rest.split_once('.').unwrap_or((rest, "")),
    };
    let (field, selector) = at.split_once('[').unwrap_or((at, ""));
    let (field, component): (u32, u32) =
        (field.parse().ok()?, if component.is_empty() { 1 } else { component.parse().ok()? });
    let fields = values.entry(segment.to_owned()).or_default().entry(field).or_default();
    let (repetition, condition) = match selector.split_once('=') {
        _ if selector.is_empty() => (1, None),
        Some((named, wanted)) => (1, Some((named.parse::<u32>().ok()?, wanted.to_owned()))),
        None => (selector.parse().ok()?, None),
    };
    if field > 60 || repetition > 20 || component > 20 {
        return None;
    }
    let components = fields.entry(repetition).or_default();
    if let Some((named, wanted)) = condition.filter(|(named, _)| *named <= 20) {
        components.insert(named, wanted);
    }
    components.insert(component, value);
    Some(())
}

/// A segment with its fields, what lies between them empty.
fn segment(name: &str, fields: &BTreeMap<u32, BTreeMap<u32, BTreeMap<u32, String>>>) -> String {
    format!("{name}|{}\r", joined(fields, '|', written))
}

fn written(repetitions: &BTreeMap<u32, BTreeMap<u32, String>>) -> String {
    joined(repetitions, '~', |components| joined(components, '^', String::clone))
}

fn joined<T>(parts: &BTreeMap<u32, T>, by: char, written: impl Fn(&T) -> String) -> String {
    let last = parts.keys().next_back().copied().unwrap_or_default();
    let all: Vec<String> = (1..=last).map(|at| parts.get(&at).map(&written).unwrap_or_default()).collect();
    all.join(by.encode_utf8(&mut [0; 4]))
}
