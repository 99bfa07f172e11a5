//! SARIF 2.1.0, as code scanners and editors read it: a rule for each criterion, a result for each criterion run.

use std::collections::HashMap;

use candor_check::Status;
use candor_json::{Map, Value, json};

use crate::model::{Audit, CriterionRun, Place, TaskRun};
use crate::{numbers, plain};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Something that is wrong at a place of a file: a finding of `candor lint`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFinding {
    /// The file, as the user named it.
    pub file: String,
    /// Line and column, counted from 1.
    pub position: Option<(usize, usize)>,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// The kind of finding.
    pub code: String,
    /// The fault, in a sentence.
    pub message: String,
}

#[derive(Default)]
struct Rules {
    numbers: HashMap<String, usize>,
    rules: Vec<Value>,
}

impl Rules {
    fn number(&mut self, id: &str, rule: impl FnOnce() -> Value) -> usize {
        if let Some(number) = self.numbers.get(id) {
            return *number;
        }
        self.rules.push(rule());
        self.numbers.insert(id.to_owned(), self.rules.len() - 1);
        self.rules.len() - 1
    }
}

fn log(rules: Rules, results: Vec<Value>, properties: Value) -> Value {
    let mut run = json!({
        "tool": {"driver": {"name": "Candor", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules.rules}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    });
    if let (Some(run), Value::Object(properties)) = (run.as_object_mut(), properties)
        && !properties.is_empty()
    {
        run.insert("properties".to_owned(), Value::Object(properties));
    }
    json!({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})
}

/// A text that no reader takes for a link or for anything but text. It is never empty: a message must not be.
fn message(text: &str) -> Value {
    let text = plain(text).replace("](", "] (");
    json!({"text": if text.is_empty() { "No details." } else { &text }})
}

fn kind(status: Status) -> (&'static str, &'static str) {
    match status {
        Status::Passed => ("pass", "none"),
        Status::Failed => ("fail", "error"),
        Status::Unverifiable => ("open", "none"),
    }
}

pub(crate) fn task_runs(runs: &[&TaskRun], properties: Value) -> Value {
    let mut rules = Rules::default();
    let mut results = Vec::new();
    for run in runs {
        let task = run.shown_id().unwrap_or("task");
        if run.scored || run.criterion_runs.is_none() {
            let id = format!("{task}/verdict");
            let rule = || json!({"id": plain(&id), "shortDescription": {"text": "The verdict of the task"}});
            let number = rules.number(&id, rule);
            let (kind, level) = kind(run.status());
            let verdict = run.outcome.verdict.as_str();
            let failures = run.outcome.failures.as_ref().filter(|_| !run.scored);
            let named = failures.map(|failures| format!("; {}", numbers::failures(failures, plain)));
            results.push(json!({
                "ruleId": plain(&id), "ruleIndex": number, "kind": kind, "level": level,
                "message": message(&format!("The verdict is {verdict}{}.", named.unwrap_or_default())),
                "properties": {"verdict": verdict, "score": run.outcome.score, "conclusive": run.outcome.conclusive},
            }));
        }
        for criterion in run.criteria() {
            let id = format!("{task}/{}", criterion.criterion_id);
            let number = rules.number(&id, || rule(&id, criterion));
            results.push(result(&plain(&id), number, criterion));
        }
    }
    log(rules, results, properties)
}

fn rule(id: &str, criterion: &CriterionRun) -> Value {
    let label = message(&criterion.label);
    json!({
        "id": plain(id),
        "shortDescription": label,
        "properties": {"axis": criterion.axis.as_deref().map(plain), "weight": criterion.weight_value(), "gate": criterion.gate},
    })
}

fn result(id: &str, number: usize, criterion: &CriterionRun) -> Value {
    let (kind, level) = kind(criterion.status);
    let mut result = json!({
        "ruleId": id, "ruleIndex": number, "kind": kind, "level": level,
        "message": message(&criterion.details),
        "properties": {
            "status": criterion.status.name(), "reason": criterion.reason.as_deref().map(plain), "score": criterion.score,
            "criterion_run_id": plain(&criterion.id), "task_run_id": criterion.task_run_id.as_deref().map(plain),
        },
    });
    let locations = locations(criterion);
    if let (Some(members), false) = (result.as_object_mut(), locations.is_empty()) {
        members.insert("locations".to_owned(), Value::Array(locations));
    }
    result
}

/// The places of what decided: of the results that did not pass, of the nearest candidate, or of everything quoted.
fn locations(criterion: &CriterionRun) -> Vec<Value> {
    const MOST: usize = 20;
    let entries = criterion.entries();
    let wrong = entries.iter().filter(|entry| !entry.passed()).filter_map(|entry| entry.source().cloned());
    let mut places: Vec<Place> = wrong.collect();
    if places.is_empty() && criterion.status != Status::Passed {
        places.extend(criterion.nearest().map(|nearest| nearest.place));
    }
    if places.is_empty() {
        places.extend(criterion.sources().into_iter().map(|(place, _)| place));
    }
    places.dedup();
    places.iter().take(MOST).map(location).collect()
}

fn location(place: &Place) -> Value {
    let mut physical = Map::new();
    physical.insert("artifactLocation".to_owned(), json!({"uri": uri(&place.locator)}));
    if let Some((start, end)) = place.span {
        let region = json!({"byteOffset": start, "byteLength": end.saturating_sub(start)});
        physical.insert("region".to_owned(), region);
    }
    json!({"physicalLocation": physical})
}

/// A locator as a reference: what cannot be in one is written in percent signs.
fn uri(locator: &str) -> String {
    let mut out = String::with_capacity(locator.len());
    // The colon of a first segment would be taken for a scheme's.
    let has_scheme =
        ["http://", "https://", "sftp://", "s3://", "gs://"].iter().any(|scheme| locator.starts_with(scheme));
    for (at, byte) in locator.bytes().enumerate() {
        let kept = byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte);
        let kept = kept && !(at == 0 && locator.starts_with("//")) || has_scheme && b":?".contains(&byte);
        match kept {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The findings of `candor lint`, at their places.
#[must_use]
pub fn findings(findings: &[FileFinding]) -> Value {
    let mut rules = Rules::default();
    let mut results = Vec::new();
    for finding in findings {
        let number = rules.number(&finding.code, || json!({"id": finding.code}));
        let mut physical = json!({"artifactLocation": {"uri": uri(&finding.file.replace('\\', "/"))}});
        if let (Some(members), Some((line, column))) = (physical.as_object_mut(), finding.position) {
            members.insert("region".to_owned(), json!({"startLine": line.max(1), "startColumn": column.max(1)}));
        }
        results.push(json!({
            "ruleId": finding.code, "ruleIndex": number, "kind": "fail", "level": finding.severity,
            "message": message(&finding.message), "locations": [{"physicalLocation": physical}],
        }));
    }
    log(rules, results, json!({}))
}

/// An audit: a result for each criterion by its grade, and one for each survivor.
pub(crate) fn audit(audit: &Audit) -> Value {
    let mut rules = Rules::default();
    let mut results = Vec::new();
    for criterion in &audit.criteria {
        let id = format!("{}/{}", audit.task_id, criterion.criterion_id);
        let number = rules.number(&id, || json!({"id": plain(&id)}));
        let (kind, level) = match criterion.grade.as_str() {
            "proven" => ("pass", "none"),
            "weak" => ("fail", "warning"),
            "unaudited" => ("open", "none"),
            _ => ("fail", "error"),
        };
        let details = criterion.details.as_deref().unwrap_or_default();
        let text = format!("The criterion is {}. {details}", criterion.grade);
        results.push(json!({
            "ruleId": plain(&id), "ruleIndex": number, "kind": kind, "level": level, "message": message(text.trim()),
            "properties": {"grade": plain(&criterion.grade), "status": plain(&criterion.status)},
        }));
        for survivor in &criterion.survivors {
            let level = if survivor.probe == "equivalence" { "note" } else { "warning" };
            let mut result = json!({
                "ruleId": plain(&id), "ruleIndex": number, "kind": "fail", "level": level,
                "message": message(&survivor.sentence),
                "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(&survivor.locator)}}}],
                "properties": {"probe": plain(&survivor.probe), "operator": plain(&survivor.operator)},
            });
            if let (Some(members), Some(why)) = (result.as_object_mut(), &survivor.accepted) {
                let suppression = json!({"kind": "external", "justification": plain(why)});
                members.insert("suppressions".to_owned(), json!([suppression]));
            }
            results.push(result);
        }
    }
    log(rules, results, json!({"grade": plain(&audit.grade)}))
}
