//! A check that Candor does not have, with a part of the sandbox and settings of its own: how many letters wait in a queue.
//!
//! ```sh
//! cargo run --example seventh_check
//! ```

use candor::check::field::FieldResult;
use candor::check::sandbox::{Section, SectionError};
use candor::check::{Check, Evidence, Failure, Meta, Part, Sandbox, Share, Source, Unverifiable};
use candor::json::json;
use candor::{CheckType, Engine, PartType, Task, Verdict};

/// The check and its part as values: what a crate with a check exports.
const CHECK: CheckType = CheckType::of::<QueueLength>();
const PART: PartType = PartType::of::<Queue>();

/// `{assert: queue-length, most: 3}`: at most so many letters wait.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct QueueLength {
    most: u64,
}

impl Check for QueueLength {
    const META: Meta = Meta {
        assert: "queue-length",
        about: "Counts the letters that wait in a queue",
        part: Queue::NAME,
        files: &[],
        evidence_key: "fieldResults",
        schema: r#"{"type": "object", "required": ["most"], "properties": {"most": {"type": "integer"}}}"#,
    };
    type Seen = Vec<String>;

    /// Reads. Every criterion of a task shares what was read.
    async fn observe(&self, sandbox: &Sandbox) -> Result<Vec<String>, Unverifiable> {
        Ok(sandbox.source::<Queue>().await?.letters.clone())
    }

    /// Compares, without any I/O.
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

/// The queue: `queue/` of a sandbox, with a file for each letter.
struct Queue {
    letters: Vec<String>,
}

impl Part for Queue {
    const NAME: &'static str = "queue";
    const KEYS: &'static [&'static str] = &["prefix"];
    /// Only letters whose names begin so count.
    type Settings = String;

    /// Reads the table `[queue]` of `sandbox.toml`, which is empty if the file does not have it.
    fn settings(section: &Section) -> Result<String, SectionError> {
        section.only(Self::KEYS)?;
        Ok(section.text("prefix")?.unwrap_or_default())
    }
}

impl Source for Queue {
    const READS: &'static [&'static str] = &[Self::NAME];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        let prefix = sandbox.settings::<Self>()?;
        let folder = sandbox.folder(Self::NAME).ok_or_else(|| sandbox.no_source(Self::NAME))?;
        let listing = sandbox.blocking("queue/", move || folder.list()).await?;
        let names = listing.files.into_iter().map(|file| file.path);
        Ok(Self { letters: names.filter(|name| name.starts_with(prefix.as_str())).collect() })
    }
}

/// Grades two sandboxes with Candor's checks and this one.
///
/// # Errors
/// When a result is not the expected one.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::with(candor::checks().chain([CHECK]));
    let parts: Vec<PartType> = candor::parts().chain([PART]).collect();
    let task = Task::from_value(json!({"id": "send-letters", "criteria": [
        {"id": "sent", "assertion": {"assert": "queue-length", "most": 1}},
    ]}))?;

    let sandbox = candor::Sandbox::builder()
        .with_file("queue/out-1.txt", "Dear Dr. Rivera")
        .with_file("queue/draft-1.txt", "Dear")
        .settings("[queue]\nprefix = \"out-\"\n")
        .build_with(&parts)?;
    assert_eq!(candor::blocking::run(&engine, &task, &sandbox)?.verdict(), Verdict::Pass);

    let fuller = sandbox.with_file("queue/out-2.txt", "Dear Dr. Jones");
    let run = candor::blocking::run(&engine, &task, &fuller)?;
    assert_eq!(run.verdict(), Verdict::Fail);
    let sent = run.criterion_run("sent").ok_or("no such criterion")?;
    assert_eq!(sent.details(), "Found 2 letters in the queue, expected at most 1.");
    Ok(())
}
