//! `manifest.json`: the list of a bundle's parts, with the role of each.

use std::collections::BTreeMap;

use candor_engine::FileError;
use candor_json::{Map, Value};
use serde::{Deserialize, Serialize};

pub(crate) const FORMAT: &str = "candor-bundle/1";
/// The prefix that the formats of all versions share.
pub(crate) const FORMATS: &str = "candor-bundle/";

/// Which command wrote a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// `candor check` wrote it: it has a single task run.
    Check,
    /// `candor bench` wrote it: it has the task runs of a benchmark.
    Bench,
    /// `candor loop` wrote it: it has a task run for every look at the work.
    Loop,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    pub format: String,
    pub kind: Kind,
    /// When the bundle was written: RFC 3339.
    pub created_at: String,
    /// The version of Candor.
    pub candor: String,
    /// The version of the rules by which values are compared.
    pub normalization: u32,
    /// The checks that the tasks ask for, each with the version of its observations.
    pub checks: BTreeMap<String, u32>,
    pub verifier_id: Option<String>,
    pub agent_id: Option<String>,
    /// The public key of who signed it, in base64. Then the first 32 bytes of every part are its salt.
    pub signer: Option<String>,
    /// True if actual values are masked.
    pub masked: bool,
    pub tasks: Vec<TaskEntry>,
    pub benchmark: Option<BenchmarkEntry>,
    #[serde(rename = "loop")]
    pub loop_run: Option<Map<String, Value>>,
    /// All parts, each with the SHA-256 of its bytes as they are packed in the archive.
    pub parts: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskEntry {
    pub task_id: String,
    pub task_run_id: String,
    /// The name of the task file; empty if a program made the task.
    pub file: String,
    /// The task, as Candor read it.
    pub task: String,
    /// The files that the task names.
    pub files: BTreeMap<String, String>,
    /// The files that the task names and that could not be read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unread: BTreeMap<String, Unread>,
    /// Environment and limits of the sandbox.
    pub settings: String,
    pub criteria: Vec<CriterionEntry>,
    /// The task run, without its criterion runs.
    pub run: String,
}

/// Why a file that a task names could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unread {
    file: String,
    position: Option<(usize, usize)>,
    message: String,
}

impl Unread {
    pub(crate) fn of(error: &FileError) -> Self {
        Self {
            file: error.file.to_string_lossy().into_owned(),
            position: error.position,
            message: error.message.clone(),
        }
    }

    pub(crate) fn error(&self) -> FileError {
        FileError { file: self.file.clone().into(), position: self.position, message: self.message.clone() }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CriterionEntry {
    pub criterion_id: String,
    /// The observation that the check judged; null if values are masked.
    pub observation: Option<String>,
    /// The criterion run.
    pub run: String,
    /// The criterion run without its details and its evidence.
    pub outcome: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BenchmarkEntry {
    pub benchmark_id: String,
    /// The benchmark run, without its task runs.
    pub run: String,
}

/// `redacted.json`: the parts that were left out after the bundle was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Redacted {
    /// The digests of the parts that were left out, in order.
    pub left_out: Vec<String>,
}

/// Members of a criterion run that hold what was read.
pub(crate) const QUOTING: [&str; 2] = ["details", "evidence"];

/// The members of a criterion run that scoring needs, and that hold nothing of what was read.
pub(crate) fn outcome(run: &Value) -> Map<String, Value> {
    let members = run.as_object().into_iter().flatten();
    members.filter(|(name, _)| !QUOTING.contains(&name.as_str())).map(|(n, v)| (n.clone(), v.clone())).collect()
}

/// JSON as every part of a bundle has it: on one line.
pub(crate) fn json(value: &impl Serialize) -> Vec<u8> {
    // Keys are texts and numbers finite.
    candor_json::to_vec(value).unwrap_or_default()
}
