//! Ids, labels and comments of a draft.

use std::collections::BTreeSet;

use candor_check::difference::{Change, Difference, FieldChange};
use candor_check::draft::{Selection, is_segment_path};
use candor_json::Value;

use super::names::slug;
use super::render::{Written, comment};
use crate::harden::{Hardened, Left};

/// Describes what the work did to a record. The difference is from after the work to before it, so it is turned around.
pub(super) fn told(difference: &Difference) -> String {
    let change = match &difference.change {
        Change::Added => Change::Removed,
        Change::Removed => Change::Added,
        Change::Changed { fields } => {
            let turned = |field: &FieldChange| FieldChange {
                path: field.path.clone(),
                before: field.after.clone(),
                after: field.before.clone(),
            };
            Change::Changed { fields: fields.iter().map(turned).collect() }
        }
    };
    Difference { change, ..difference.clone() }.told()
}

pub(super) fn id(difference: &Difference, selection: &Selection) -> String {
    let text = |name: &str| selection.assertion.get(name).and_then(Value::as_str);
    let name = match (difference.collection.as_str(), text("path"), text("speaker")) {
        ("", Some(path), _) => {
            let name = path.rsplit('/').next().unwrap_or(path);
            name.split('.').next().unwrap_or(name)
        }
        ("", None, Some(speaker)) => return slug(&format!("said-by-{speaker}")),
        ("", None, None) => selection.what.split(' ').nth(1).unwrap_or_default(),
        (collection, ..) => collection,
    };
    let id = slug(name);
    if difference.change == Change::Added { format!("{id}-gone") } else { id }
}

pub(super) fn unique(written: &mut [Written]) {
    let mut used = BTreeSet::new();
    for one in written {
        let id = one.id.clone();
        let mut number = 1;
        while !used.insert(one.id.clone()) {
            number += 1;
            one.id = format!("{id}-{number}");
        }
    }
}

pub(super) fn label(difference: &Difference, selection: &Selection, fields: &[Value]) -> String {
    let Selection { what, came, .. } = selection;
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match &difference.change {
        Change::Removed => {
            let status = fields.iter().find(|field| field.get("path").is_some_and(|path| path == "status"));
            let status =
                status.and_then(|field| field.get("expected")).map(|status| format!(" with status {}", shown(status)));
            format!("{what} {came}{}", status.unwrap_or_default()).trim_end().to_owned()
        }
        Change::Added => format!("{what} is not there any more"),
        Change::Changed { .. } => {
            let value = |field: &Value| {
                // The path of a segment is not a word for a sentence.
                let path = field.get("path")?.as_str().filter(|path| !is_segment_path(path))?;
                Some(
                    field
                        .get("expected")
                        .map_or_else(|| format!("no {path}"), |value| format!("{path} {}", shown(value))),
                )
            };
            let values: Vec<String> = fields.iter().filter_map(value).take(3).collect();
            match values.split_last() {
                None => format!("{what} was changed"),
                Some((last, [])) => format!("{what} has {last}"),
                Some((last, others)) => format!("{what} has {} and {last}", others.join(", ")),
            }
        }
    }
}

pub(super) fn name_of(item: &Value) -> String {
    let named = ["path", "phrase", "item"].iter().find_map(|name| item.get(*name)?.as_str());
    named.or(item.as_str()).unwrap_or_default().to_owned()
}

pub(super) fn head(demonstrations: &[Vec<Difference>], records: u64, reasons: &[String]) -> Vec<String> {
    let first = demonstrations.first().map(Vec::as_slice).unwrap_or_default();
    let count = |is: fn(&Change) -> bool| first.iter().filter(|one| is(&one.change)).count();
    let parts = [
        (count(|change| *change == Change::Added), "came"),
        (count(|change| matches!(change, Change::Changed { .. })), "changed"),
        (count(|change| *change == Change::Removed), "went"),
    ];
    let parts: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, verb)| format!("{n} {verb}")).collect();
    let source = match demonstrations.len() {
        1 => "one demonstration".to_owned(),
        several => format!("{several} demonstrations"),
    };
    let mut head = vec![format!(
        "Drafted by candor from {source}: of {records} records, {}. Look it over: it asserts what the work set, and leaves out what systems make up.",
        parts.join(", ")
    )];
    head.extend(reasons.iter().cloned());
    head
}

/// Says below the draft what an audit still lets live.
pub(super) fn add_left(hardened: &mut Hardened) {
    if hardened.left.is_empty() {
        return;
    }
    if !hardened.text.ends_with('\n') {
        hardened.text.push('\n');
    }
    comment(&mut hardened.text, "", "An audit still finds, and an addition does not mend:");
    for Left { criterion_id, what, why } in &hardened.left {
        let place = criterion_id.as_deref().unwrap_or("the task");
        comment(&mut hardened.text, "", &format!("- {place}: {what} ({why})"));
    }
}
