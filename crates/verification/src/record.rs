//! What a loop leaves behind: every attempt, and what a human needs where it failed.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::claim::Claim;
use crate::hook::HookRun;
use crate::identity::Parties;
use crate::status::Transition;
use crate::verifier::Finding;

/// How an attempt was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptOutcome {
    /// The delegate is asked, and no answer of it is kept: it may be at work, or may have done the work.
    Asked,
    /// Its answer is kept, and not judged yet.
    Answered,
    /// Verified, and no hook blocked it.
    Passed,
    /// Not verified, or blocked.
    Failed,
    /// It could not be said.
    Unverifiable,
    /// What looks is broken: nobody knows, and the delegate is neither blamed nor asked again.
    Broken,
}

/// One attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// Its number, 0 the first.
    pub attempt: u32,
    /// What the delegate was told.
    pub prompt: String,
    /// What it said: a claim, shown and never believed.
    pub claim: Claim,
    /// Why it said nothing, where it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegate_error: Option<String>,
    /// The end of what it wrote to standard error, if it answered. Of one that did not, `delegate_error` has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegate_stderr: Option<String>,
    /// How it was judged.
    pub outcome: AttemptOutcome,
    /// Why it did not pass, as the delegate is told.
    pub reason: Option<String>,
    /// The score, where the verifier scores.
    pub score: Option<Value>,
    /// The task run that the verdict rests on, where there is one. For the operator, never for the delegate.
    pub task_run: Option<Value>,
    /// What each of several verifiers said, in full. For the operator, never for the delegate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What each hook did, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<HookRun>,
    /// The result as the hooks left it, where one changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Claim>,
    /// What is noteworthy about it: `changed_only_what_was_named`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
    /// What an evaluator answered, where one was asked: a claim, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Claim>,
    /// How often the verifier looked.
    pub looks: u32,
    /// How often the delegate was asked for this attempt before, by a loop that ended before it kept an answer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub asked_before: u32,
    /// When the delegate was asked.
    #[serde(with = "crate::at")]
    pub started_at: Timestamp,
    /// When it was judged.
    #[serde(with = "crate::at")]
    pub completed_at: Timestamp,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// How a loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopOutcome {
    /// An attempt passed.
    Passed,
    /// None did.
    VerificationFailed,
    /// The criteria were met before the delegate was asked, and it was not asked.
    AlreadyMet,
    /// It could not be said, and nobody is blamed for it.
    Unverifiable,
    /// The verifier, a hook or the delegate is broken.
    Broken,
}

/// A criterion that is not met after the last attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenCriterion {
    /// Its id.
    pub criterion_id: String,
    /// Its label.
    pub label: String,
    /// `failed` or `unverifiable`.
    pub status: String,
    /// The reason as results name it.
    pub reason: Option<String>,
    /// What was looked for, where, and what was found instead.
    pub evidence_gap: String,
}

/// What a human needs to take over. Every end but `passed` has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Escalation {
    /// The task's id.
    pub task_id: String,
    /// What was to be done.
    pub prompt: String,
    /// Why the loop ended.
    pub reason: Option<String>,
    /// What is open, in full: a human is no delegate.
    pub open_criteria: Vec<OpenCriterion>,
    /// What the verifiers that did not pass said, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What the hooks that blocked the result said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<HookRun>,
    /// Each attempt's reason.
    pub attempts: Vec<EscalatedAttempt>,
}

/// An attempt as an escalation tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EscalatedAttempt {
    /// Its number.
    pub attempt: u32,
    /// Why it did not pass.
    pub reason: Option<String>,
    /// How the delegate ended where it did not answer: a crash, a time limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegate_error: Option<String>,
    /// What the delegate claimed, cut after 2,000 characters. The attempt has all of it.
    pub claim: String,
    /// The outputs that it names: claims, and where a person may look.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Value>,
}

/// Everything about a loop that ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoopRecord {
    /// `lp_…`
    pub loop_id: String,
    /// The task's id.
    pub task_id: String,
    /// Who verified whom.
    #[serde(flatten)]
    pub parties: Parties,
    /// How it ended.
    pub outcome: LoopOutcome,
    /// `completed`, `escalated_to_human`, or where the task stands.
    pub status: crate::status::TaskStatus,
    /// What is broken, or what kept it from being verified.
    pub reason: Option<String>,
    /// The score of attempt 0: what the delegate does without help.
    pub first_score: Option<Value>,
    /// The score of the last attempt.
    pub last_score: Option<Value>,
    /// The result as it may go on, where an attempt passed: the hooks have seen it.
    pub result: Option<Claim>,
    /// Every attempt, in order.
    pub attempts: Vec<Attempt>,
    /// The states the task went through.
    pub history: Vec<Transition>,
    /// For a human, where no attempt passed.
    pub escalation: Option<Escalation>,
    /// What kept the delegate from what judges it: `mode`, and why no stronger one; `none` where nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boundary: Option<Value>,
}
