//! OperationOutcomes: what a server said in place of what it was asked for, or in addition.

use candor_check::Obstacle;
use candor_json::Value;

use super::members::{Members, string};
use crate::outcome::{Issue, issues};

pub(super) fn is_outcome(members: &Members<'_>) -> bool {
    string(members, "resourceType").as_deref() == Some("OperationOutcome")
}

/// The errors of an OperationOutcome as a sentence, and their effect; `None` for any other resource, and for mere
/// warnings.
pub(super) fn errors(members: &Members<'_>) -> Option<(String, Obstacle)> {
    said(members, &[], |issue| issue.error)
}

/// The same for one in the answer to a search by these parameters, of which warnings can say that it is not whole.
pub(super) fn gap(members: &Members<'_>, parameters: &[String]) -> Option<(String, Obstacle)> {
    said(members, parameters, |_| true)
}

fn said(members: &Members<'_>, parameters: &[String], wanted: impl Fn(&Issue) -> bool) -> Option<(String, Obstacle)> {
    if !is_outcome(members) {
        return None;
    }
    let issue = members.get("issue").and_then(|raw| candor_json::from_str::<Value>(raw.get()).ok())?;
    let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
    let mut issues = issues(&candor_json::json!({"issue": issue}), &parameters);
    issues.retain(|issue| issue.obstacle.is_some() && wanted(issue));
    let obstacle = issues.first()?.obstacle?;
    let what = if issues.iter().any(|issue| issue.error) { "errors" } else { "warnings" };
    let mut codes: Vec<String> =
        issues.iter().map(|issue| issue.code.chars().filter(|c| !c.is_control()).take(40).collect()).collect();
    codes.dedup();
    codes.truncate(3);
    Some((format!("an OperationOutcome with {what} ({}) in place of resources", codes.join(", ")), obstacle))
}
