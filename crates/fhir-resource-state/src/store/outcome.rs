//! OperationOutcomes with errors: what a server said in place of what it was asked for.

use serde::Deserialize;

use super::bundle::Members;

#[derive(Deserialize)]
struct Issue {
    #[serde(default)]
    severity: String,
    #[serde(default)]
    code: String,
}

/// What the errors of an OperationOutcome are; nothing for any other resource, and for mere warnings. Source: FHIR R4,
/// OperationOutcome, 2.41.3.
pub(super) fn errors(members: &Members<'_>) -> Option<String> {
    if super::bundle::string(members, "resourceType").as_deref() != Some("OperationOutcome") {
        return None;
    }
    let issues: Vec<Issue> = members.get("issue").and_then(|raw| serde_json::from_str(raw.get()).ok())?;
    let mut errors: Vec<String> = issues
        .into_iter()
        .filter(|issue| matches!(issue.severity.as_str(), "error" | "fatal"))
        .map(|issue| issue.code.chars().filter(|c| !c.is_control()).take(40).collect())
        .collect();
    errors.dedup();
    errors.truncate(3);
    (!errors.is_empty())
        .then(|| format!("an OperationOutcome with errors ({}) in place of resources", errors.join(", ")))
}
