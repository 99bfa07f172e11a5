//! Slips of the pen that the task alone shows: labels and placeholders.

use std::collections::{BTreeMap, HashSet};

use candor_json::Value;

use super::{Finding, codes};
use crate::plan::Plan;

pub(super) fn of_task(plan: &Plan) -> Vec<Finding> {
    let mut findings = unused_inputs(plan);
    if plan.task.prompt.as_deref().is_some_and(|prompt| prompt.trim().is_empty()) {
        let message = "the prompt is empty, so the delegate has nothing to go on; write it, or leave the member out";
        findings.push(Finding::new(codes::EMPTY_PROMPT, plan.task.error_of("prompt", message)));
    }
    let mut labels: BTreeMap<&str, &str> = BTreeMap::new();
    for (index, planned) in plan.criteria.iter().enumerate() {
        let criterion = &planned.criterion;
        let mut found = |code, steps: &[&str], message: String| {
            let message = format!("criterion `{}`: {message}", criterion.id);
            findings.push(Finding::new(code, plan.task.error_in(index, steps, message)));
        };
        // A label that the file does not give is the id.
        if criterion.label != criterion.id {
            match labels.get(criterion.label.as_str()) {
                None => drop(labels.insert(&criterion.label, &criterion.id)),
                Some(other) => {
                    let message = format!(
                        "its label `{}` is also the label of `{other}`, so a reader cannot distinguish them; give each its own",
                        criterion.label
                    );
                    found(codes::SAME_LABEL, &["label"], message);
                }
            }
        }
        if let Some((steps, placeholder)) = foreign(&criterion.assertion, &mut vec!["assertion".to_owned()]) {
            let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
            let message = format!(
                "`{placeholder}` is compared as it is; a placeholder of a task is `${{inputs.NAME}}` or `${{entity.NAME}}`"
            );
            found(codes::OTHER_PLACEHOLDER, &steps, message);
        }
    }
    findings
}

fn unused_inputs(plan: &Plan) -> Vec<Finding> {
    let Some(task) = plan.task.value().as_object() else { return Vec::new() };
    let Some(inputs) = task.get("inputs").and_then(Value::as_object) else { return Vec::new() };
    let mut used = HashSet::new();
    task.iter().filter(|(name, _)| *name != "inputs").for_each(|(_, value)| inputs_in(value, &mut used));
    let finding = |name: &String| {
        let message =
            format!("nothing uses the input `{name}`; write `${{inputs.{name}}}` where it is meant, or leave it out");
        Finding::new(codes::UNUSED_INPUT, plan.task.error_of_input(name, message))
    };
    // `${inputs}` names them all.
    inputs.keys().filter(|name| !used.contains(name.as_str()) && !used.contains("")).map(finding).collect()
}

/// The names behind `${inputs.` in the texts of a value.
fn inputs_in<'v>(value: &'v Value, used: &mut HashSet<&'v str>) {
    match value {
        Value::String(text) => used.extend(text.split("${inputs").skip(1).map(|rest| {
            let name = rest.strip_prefix('.').unwrap_or_default();
            name.split(['.', '}', '[']).next().unwrap_or_default()
        })),
        Value::Array(items) => items.iter().for_each(|item| inputs_in(item, used)),
        Value::Object(members) => members.values().for_each(|item| inputs_in(item, used)),
        _ => {}
    }
}

/// The first text of a value that holds a placeholder of another template language, with the steps to it.
fn foreign(value: &Value, steps: &mut Vec<String>) -> Option<(Vec<String>, String)> {
    match value {
        Value::String(text) => Some((steps.clone(), placeholder(text)?.to_owned())),
        Value::Array(items) => {
            let mut items = items.iter().enumerate().map(|(index, item)| (index.to_string(), item));
            items.find_map(|(step, item)| within(step, item, steps))
        }
        Value::Object(members) => members.iter().find_map(|(name, item)| within(name.clone(), item, steps)),
        _ => None,
    }
}

fn within(step: String, value: &Value, steps: &mut Vec<String>) -> Option<(Vec<String>, String)> {
    steps.push(step);
    let found = foreign(value, steps);
    steps.pop();
    found
}

/// `{{member_id}}` or `$inputs.status` in a text.
fn placeholder(text: &str) -> Option<&str> {
    let braces = text.match_indices("{{").find_map(|(at, _)| {
        let rest = text.get(at..)?;
        let end = rest.find("}}")? + 2;
        let name = rest.get(2..end - 2)?.trim();
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '.')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c));
        is_name.then(|| rest.get(..end)).flatten()
    });
    let dollar = ["$inputs.", "$entity.", "$input.", "$entities."].into_iter().find_map(|begin| {
        let rest = text.get(text.find(begin)?..)?;
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "$_.-".contains(c))).unwrap_or(rest.len());
        rest.get(..end)
    });
    braces.or(dollar)
}
