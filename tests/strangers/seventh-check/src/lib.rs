//! A check that Candor does not have, in a program of a stranger: how many letters wait in a queue. The part of the sandbox
//! that it reads, the scheme of its URL and its settings are its own. It depends on `candor` alone.

mod source;

use candor::check::field::FieldResult;
use candor::check::{Check, Evidence, Failure, Meta, Sandbox, Share, Unverifiable};
use candor::json::json;
use candor::{CheckType, PartType};

use source::{PART_NAME, Queue};

/// The check, for `Engine::with`.
pub const CHECK: CheckType = CheckType::of::<QueueLength>();

/// The part of a sandbox that it reads, for `Sandbox::open_with` and `SandboxBuilder::build_with`.
pub const PART: PartType = PartType::of::<Queue>();

/// `{assert: queue-length, most: 3}`: at most so many letters wait.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueLength {
    most: u64,
}

impl Check for QueueLength {
    const META: Meta = Meta {
        assert: "queue-length",
        about: "Counts the letters that wait in a queue",
        part: PART_NAME,
        files: &[],
        evidence_key: "fieldResults",
        schema: r#"{"type": "object", "required": ["most"], "properties": {"most": {"type": "integer"}}}"#,
    };
    type Seen = Vec<String>;

    async fn observe(&self, sandbox: &Sandbox) -> Result<Vec<String>, Unverifiable> {
        Ok(sandbox.source::<Queue>().await?.letters.clone())
    }

    fn judge(&self, seen: &Vec<String>) -> Evidence {
        let passed = seen.len() as u64 <= self.most;
        let result = FieldResult::constraint("$letters", json!(self.most), json!(seen), passed);
        let details = format!("Found {} letters in the queue, expected at most {}.", seen.len(), self.most);
        match passed {
            true => Evidence::passed(vec![result.into()], details),
            false => Evidence::failed(Failure::CountMismatch, Share::zero(), vec![result.into()], details),
        }
    }
}
