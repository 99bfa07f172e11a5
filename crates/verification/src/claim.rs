//! What a delegate says of its own work.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a delegate wrote about its work. It is shown and recorded, and it is never evidence: a verdict of the criteria
/// rests on [`candor_check::Evidence`], which is only ever made from what a source observed, and no conversion leads from
/// here to there.
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
    /// What it says that they answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_results: Vec<Value>,
}
