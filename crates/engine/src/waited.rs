//! Details that a wait adds to the evidence of its last look.

use candor_check::Evidence;
use candor_json::{Value, json};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Waited {
    pub sentence: String,
    pub polls: Vec<Value>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub polls_cut: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Waited {
    pub(crate) fn added_to(&self, evidence: Evidence) -> Evidence {
        let evidence = evidence.adding(&self.sentence).with("polls", Value::Array(self.polls.clone()));
        if self.polls_cut == 0 { evidence } else { evidence.with("polls_cut", json!(self.polls_cut)) }
    }
}
