//! Writing bundles.

use std::collections::BTreeMap;

use candor_check::{CheckType, NORMALIZATION, Sandbox};
use candor_engine::{BenchmarkRun, CriterionRun, Engine, Task, TaskRun};
use candor_json::{Map, Value, json};
use jiff::Timestamp;
use serde::Serialize;

use crate::digest::sha256;
use crate::error::BundleError;
use crate::key::SigningKey;
use crate::manifest::{
    BenchmarkEntry, CriterionEntry, FORMAT, Kind, Manifest, TaskEntry, Unread, json as bytes_of, outcome,
};
use crate::statement::{Envelope, predicate, statement};
use crate::zip::{MAX_ARCHIVE, MAX_JSON, MAX_MEMBERS, MAX_PART, Packed, archive};

/// A task run with what it came from.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<'a> {
    /// The task.
    pub task: &'a Task,
    /// Its run, by an engine that records.
    pub run: &'a TaskRun,
    /// The sandbox, of which environment and limits are kept.
    pub sandbox: &'a Sandbox,
}

/// The facts that a bundle records in addition to its task runs.
#[derive(Debug, Default)]
pub struct Terms<'a> {
    /// When it is written.
    pub at: Timestamp,
    /// Who did the work.
    pub agent_id: Option<&'a str>,
    /// Who signs it.
    pub key: Option<&'a SigningKey>,
    /// True if the actual values of the runs are masked; then no observation is kept.
    pub masked: bool,
}

/// The bundle of one task run.
///
/// # Errors
/// When the run was not recorded, or does not fit into a bundle.
pub fn of_check(engine: &Engine, recorded: Recorded<'_>, terms: &Terms<'_>) -> Result<Vec<u8>, BundleError> {
    Writer::new(engine, terms).finish(Kind::Check, &[recorded], None, None)
}

/// The bundle of a benchmark run. `recorded` has its task runs, in their order.
///
/// # Errors
/// As [`of_check`].
pub fn of_benchmark(
    engine: &Engine,
    run: &BenchmarkRun,
    recorded: &[Recorded<'_>],
    terms: &Terms<'_>,
) -> Result<Vec<u8>, BundleError> {
    Writer::new(engine, terms).finish(Kind::Bench, recorded, Some(run), None)
}

/// The bundle of a loop: a task run for every look at the work, in their order, and the members of the loop's record that
/// say how it ended.
///
/// # Errors
/// As [`of_check`].
pub fn of_loop(
    engine: &Engine,
    record: Map<String, Value>,
    recorded: &[Recorded<'_>],
    terms: &Terms<'_>,
) -> Result<Vec<u8>, BundleError> {
    Writer::new(engine, terms).finish(Kind::Loop, recorded, None, Some(record))
}

/// Parts as they are added: each once, by its digest.
pub(crate) struct Parts<'a> {
    key: Option<&'a SigningKey>,
    packed: BTreeMap<String, Packed>,
    /// By the digest without a salt.
    names: BTreeMap<String, String>,
}

impl<'a> Parts<'a> {
    pub(crate) fn new(key: Option<&'a SigningKey>) -> Self {
        Self { key, packed: BTreeMap::new(), names: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, content: &[u8]) -> Result<String, BundleError> {
        let plain = sha256(content);
        if let Some(name) = self.names.get(&plain) {
            return Ok(name.clone());
        }
        if content.len() as u64 > MAX_PART {
            return Err(BundleError::TooMuch(format!(
                "a part has {} bytes, at most {MAX_PART} are read",
                content.len()
            )));
        }
        let salted = self.key.map(|key| [&key.salt(content), content].concat());
        let content = salted.as_deref().unwrap_or(content);
        let name = sha256(content);
        self.packed.insert(name.clone(), Packed::new(format!("parts/{name}"), content));
        self.names.insert(plain, name.clone());
        Ok(name)
    }

    /// All parts, each with the digest of its packed bytes.
    pub(crate) fn table(&self) -> BTreeMap<String, String> {
        self.packed.iter().map(|(name, packed)| (name.clone(), sha256(&packed.bytes))).collect()
    }

    pub(crate) fn archive(self, manifest: &Manifest, result: &Value) -> Result<Vec<u8>, BundleError> {
        let manifest_bytes = bytes_of(manifest);
        if manifest_bytes.len() as u64 > MAX_JSON {
            let length = manifest_bytes.len();
            return Err(BundleError::TooMuch(format!("its manifest has {length} bytes, at most {MAX_JSON} are read")));
        }
        let mut members = Vec::new();
        if let Some(key) = self.key {
            let statement = statement(&manifest_bytes, &predicate(manifest, result));
            members.push(Packed::stored("signature.json".to_owned(), &bytes_of(&Envelope::sign(key, &statement))));
        }
        members.insert(0, Packed::stored("manifest.json".to_owned(), &manifest_bytes));
        members.extend(self.packed.into_values());
        written(&members)
    }
}

/// The archive of these members, if it can be read.
pub(crate) fn written(members: &[Packed]) -> Result<Vec<u8>, BundleError> {
    if members.len() > MAX_MEMBERS {
        let count = members.len();
        return Err(BundleError::TooMuch(format!(
            "it would have {count} parts, at most {MAX_MEMBERS} are read; write fewer task runs into one bundle"
        )));
    }
    let size: u64 = members.iter().map(|member| member.bytes.len() as u64 + 200).sum();
    if size > MAX_ARCHIVE {
        return Err(BundleError::TooMuch(format!("it would have {size} bytes, at most {MAX_ARCHIVE} are read")));
    }
    Ok(archive(members))
}

struct Writer<'a> {
    engine: &'a Engine,
    terms: &'a Terms<'a>,
    parts: Parts<'a>,
}

impl<'a> Writer<'a> {
    fn new(engine: &'a Engine, terms: &'a Terms<'a>) -> Self {
        Self { engine, terms, parts: Parts::new(terms.key) }
    }

    fn finish(
        mut self,
        kind: Kind,
        recorded: &[Recorded<'_>],
        benchmark: Option<&BenchmarkRun>,
        loop_run: Option<Map<String, Value>>,
    ) -> Result<Vec<u8>, BundleError> {
        let tasks = recorded.iter().map(|one| self.task(one)).collect::<Result<Vec<_>, _>>()?;
        let mut result = recorded.last().map_or(Value::Null, |one| without(one.run, "criterion_runs"));
        let benchmark = match benchmark {
            Some(run) => {
                result = without(run, "task_runs");
                Some(BenchmarkEntry {
                    benchmark_id: run.benchmark_id.clone(),
                    run: self.parts.add(&bytes_of(&result))?,
                })
            }
            None => None,
        };
        let runs = recorded.iter().flat_map(|one| &one.run.criterion_runs);
        let manifest = Manifest {
            format: FORMAT.to_owned(),
            kind,
            created_at: format!("{:.3}", self.terms.at),
            candor: env!("CARGO_PKG_VERSION").to_owned(),
            normalization: NORMALIZATION,
            checks: checks(self.engine.checks(), recorded),
            verifier_id: runs.map(|run| run.verifier_id.clone()).next(),
            agent_id: self.terms.agent_id.map(str::to_owned),
            signer: self.terms.key.map(|key| key.verifying().to_base64()),
            masked: self.terms.masked,
            tasks,
            benchmark,
            loop_run,
            parts: self.parts.table(),
        };
        self.parts.archive(&manifest, &result)
    }

    fn task(&mut self, recorded: &Recorded<'_>) -> Result<TaskEntry, BundleError> {
        let Recorded { task, run, sandbox } = recorded;
        let (mut files, mut unread) = (BTreeMap::new(), BTreeMap::new());
        for (name, document) in self.engine.companions(task) {
            match document {
                Ok(document) => drop(files.insert(name, self.parts.add(&document.bytes())?)),
                Err(error) => drop(unread.insert(name, Unread::of(&error))),
            }
        }
        let run_json = TaskRun { scored: false, criterion_runs: Vec::new(), ..(*run).clone() };
        Ok(TaskEntry {
            task_id: run.task_id.clone(),
            task_run_id: run.id.clone(),
            file: task.file().to_string_lossy().into_owned(),
            task: self.parts.add(&task.document().bytes())?,
            files,
            unread,
            settings: self.parts.add(&bytes_of(&settings(sandbox)))?,
            criteria: run.criterion_runs.iter().map(|run| self.criterion(run)).collect::<Result<_, _>>()?,
            run: self.parts.add(&bytes_of(&without(&run_json, "criterion_runs")))?,
        })
    }

    fn criterion(&mut self, run: &CriterionRun) -> Result<CriterionEntry, BundleError> {
        let value = json!(run);
        let observation = match (&run.observed, self.terms.masked) {
            (_, true) => None,
            (Some(observed), false) => Some(self.parts.add(observed)?),
            (None, false) => return Err(BundleError::NotRecorded { criterion: run.criterion_id.clone() }),
        };
        Ok(CriterionEntry {
            criterion_id: run.criterion_id.clone(),
            observation,
            outcome: outcome(&value),
            run: self.parts.add(&bytes_of(&value))?,
        })
    }
}

pub(crate) fn without(record: &impl Serialize, member: &str) -> Value {
    let mut value = json!(record);
    if let Some(members) = value.as_object_mut() {
        // `remove` would change the order of those that are left.
        *members = std::mem::take(members).into_iter().filter(|(name, _)| name != member).collect();
    }
    value
}

/// Environment and limits of a sandbox, and the parts that it has. Nothing of it names a server or a secret.
fn settings(sandbox: &Sandbox) -> Value {
    let limits = sandbox.limits();
    let parts = sandbox.parts().iter().map(candor_check::PartType::name).filter(|part| sandbox.has(part));
    let parts: Map<String, Value> =
        parts.map(|part| (part.to_owned(), json!(if sandbox.is_live(part) { "live" } else { "recorded" }))).collect();
    json!({
        "environment": sandbox.environment(),
        "limits": {
            "timeout_ms": u64::try_from(limits.timeout.as_millis()).unwrap_or(u64::MAX),
            "max_bytes": limits.max_bytes,
            "max_total_bytes": limits.max_total_bytes,
            "max_files": limits.max_files,
            "max_evidence": limits.max_evidence,
        },
        "parts": parts,
    })
}

fn checks(known: &[CheckType], recorded: &[Recorded<'_>]) -> BTreeMap<String, u32> {
    let criteria = recorded.iter().flat_map(|one| &one.task.criteria);
    let asked = criteria.filter_map(|criterion| criterion.assertion.get("assert")?.as_str());
    let check = |name: &str| known.iter().find(|check| check.meta().assert == name);
    asked.filter_map(|name| Some((name.to_owned(), check(name)?.observation_version()))).collect()
}
