//! A delegate's account of its own work.

use candor_json::Value;
use serde::{Deserialize, Deserializer, Serialize};

use crate::plain;

/// A delegate's account of its own work. It is shown and recorded, and it is never evidence: a verdict of the criteria
/// rests on [`candor_check::Evidence`], which is only ever made from what a source observed, and no conversion leads
/// from here to there.
///
/// ```compile_fail
/// use candor_verification::Claim;
/// let claim = Claim { response: "Done. I booked it.".into(), ..Claim::default() };
/// let evidence: candor_check::Evidence = claim.into();
/// ```
///
/// ```compile_fail
/// use candor_check::evidence::Entry;
/// use candor_verification::Claim;
/// let claim = Claim { response: "Done. I booked it.".into(), ..Claim::default() };
/// let evidence = candor_check::Evidence::passed(vec![Entry::from(claim)], "the agent says so");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The answer in words.
    #[serde(default)]
    pub response: String,
    /// The tools it says that it called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<Value>,
    /// The answers of those tools, as the delegate reports them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_results: Vec<Value>,
    /// The outputs it names, each `{"path" | "url", "what"}`: where a person may look, and nothing that a verifier reads.
    /// Kept as they were written, whatever their form.
    #[serde(default, deserialize_with = "listed", skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Value>,
    /// Criteria that it proposes, as assertions over its workspace. They are verified in addition to those of the task and
    /// cannot replace them.
    #[serde(default, deserialize_with = "listed", skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<Value>,
}

fn listed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Value>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Null => Vec::new(),
        Value::Array(items) => items,
        other => vec![other],
    })
}

impl Claim {
    /// The outputs that the delegate names, each in one line: `report.md (the letter)`.
    ///
    /// ```
    /// use candor_verification::Claim;
    /// let claim: Claim = candor_json::from_str(
    ///     r#"{"response": "Done.", "outputs": [{"path": "report.md", "what": "the letter"}, {"url": "http://a.example/1"}, 7]}"#,
    /// )
    /// .unwrap();
    /// assert_eq!(claim.named_outputs(), ["report.md (the letter)", "http://a.example/1", "7"]);
    /// ```
    #[must_use]
    pub fn named_outputs(&self) -> Vec<String> {
        self.outputs.iter().map(named).collect()
    }
}

fn named(output: &Value) -> String {
    let text = |name: &str| output.get(name).and_then(Value::as_str);
    let known =
        output.as_object().is_some_and(|all| all.keys().all(|key| ["path", "url", "what"].contains(&key.as_str())));
    let named = match (text("path"), text("url"), text("what")) {
        (Some(place), None, Some(what)) | (None, Some(place), Some(what)) if known => format!("{place} ({what})"),
        (Some(place), None, None) | (None, Some(place), None) if known => place.to_owned(),
        _ => output.to_string(),
    };
    plain(&named).split_whitespace().collect::<Vec<_>>().join(" ")
}
