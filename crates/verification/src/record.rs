//! The record of a loop: every attempt, and the escalation for a person if it failed.

use candor_json::Value;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

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
    /// It could not be decided.
    Unverifiable,
    /// The verifier or a hook is broken: the work is not judged, and the delegate is neither blamed nor asked again.
    Broken,
}

/// An attempt of the delegate and its judgement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// Its number, 0 the first.
    pub attempt: u32,
    /// The delegate's prompt.
    pub prompt: String,
    /// The delegate's answer: a claim, shown and never believed.
    pub claim: Claim,
    /// Why there is no answer, if the delegate gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegate_error: Option<String>,
    /// The end of what it wrote to standard error, if it answered. Of one that did not, `delegate_error` has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegate_stderr: Option<String>,
    /// How it was judged.
    pub outcome: AttemptOutcome,
    /// Why it did not pass, as far as the delegate may read it.
    pub reason: Option<String>,
    /// The score, where the verifier scores.
    pub score: Option<Value>,
    /// The task run that the verdict rests on, if the verifier made one. For the operator, never for the delegate.
    pub task_run: Option<Value>,
    /// The finding of each of several verifiers, in full. For the operator, never for the delegate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// The runs of the hooks, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<HookRun>,
    /// The result after the hooks, if one of them changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Claim>,
    /// Noteworthy traits of the attempt: `changed_only_what_was_named`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
    /// The answer of an evaluator, if one was asked: a claim, too.
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
    /// It could not be decided, and the delegate is not blamed for it.
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
    /// The evidence that was looked for, where, and the values found instead.
    pub evidence_gap: String,
}

/// Everything a person needs to take over. Every end but `passed` has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Escalation {
    /// The task's id.
    pub task_id: String,
    /// The task's prompt.
    pub prompt: String,
    /// Why the loop ended.
    pub reason: Option<String>,
    /// The open criteria, in full: a person is not a delegate.
    pub open_criteria: Vec<OpenCriterion>,
    /// The findings of the verifiers that did not pass, if there are several verifiers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// The runs of the hooks that blocked the result.
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
    /// The delegate's claim, cut after 2,000 characters. The attempt has all of it.
    pub claim: String,
    /// The outputs that the claim names: claims too, and where a person may look.
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
    /// The state of the task: `completed`, `escalated_to_human`, or the state in which the loop ended.
    pub status: crate::status::TaskStatus,
    /// Why it is broken, or why it could not be verified.
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
    /// The boundary that kept the delegate from the checks: `mode`, and why it is not a stronger one; `none` without a
    /// boundary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boundary: Option<Value>,
}
