//! A check that Candor does not have, in a program of a stranger: how many letters wait in a queue. It depends on `candor`
//! alone.

use candor::CheckType;
use candor::check::{Check, Evidence, Failure, FieldResult, Meta, Sandbox, Share, Unverifiable};
use serde_json::json;

/// The part of the sandbox with a file for each letter.
const PART: &str = "queue";

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
        part: PART,
        files: &[],
        evidence_key: "fieldResults",
        schema: r#"{"type": "object", "required": ["most"], "properties": {"most": {"type": "integer"}}}"#,
    };
    type Seen = u64;

    async fn observe(&self, sandbox: &Sandbox) -> Result<u64, Unverifiable> {
        let folder = sandbox.folder(PART).ok_or_else(|| sandbox.no_source(PART))?;
        sandbox.blocking("queue/", move || folder.list().map(|listing| listing.files.len() as u64)).await
    }

    fn judge(&self, seen: &u64) -> Evidence {
        let passed = *seen <= self.most;
        let result = FieldResult::constraint("$count", json!(self.most), json!(seen), passed);
        let details = format!("Found {seen} letters in queue/, expected at most {}.", self.most);
        match passed {
            true => Evidence::passed(vec![result.into()], details),
            false => Evidence::failed(Failure::CountMismatch, Share::zero(), vec![result.into()], details),
        }
    }
}

/// The check, for `Engine::with`.
pub const CHECK: CheckType = CheckType::of::<QueueLength>();
