//! Engines, tasks, bundles, and bundles that were changed: the tests share them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_bundle::{Bundle, Difference, Recorded, Replay, SigningKey, Terms, of_check, replay};
use candor_check::Sandbox;
use candor_engine::{Document, Engine, Task, TaskRun};
use candor_json::{Map, Value, json};
use jiff::Timestamp;

use crate::digest::sha256;
use crate::zip::{Packed, archive, content, listed};

pub(super) fn engine() -> Engine {
    let engine = Engine::new(candor_checks::KNOWN.iter().copied(), "candor/test");
    engine.with_parts(candor_checks::PARTS.iter().copied()).at(at()).recording()
}

pub(super) fn at() -> Timestamp {
    "2026-11-20T10:00:00Z".parse().unwrap()
}

pub(super) fn task(value: Value) -> Arc<Task> {
    Arc::new(Task::from_document(Document::from_value(value).unwrap()).unwrap())
}

/// A task of these assertions, whose criteria are called `c0`, `c1`, ….
pub(super) fn task_of(assertions: &[Value]) -> Arc<Task> {
    let criteria = assertions.iter().enumerate();
    let criteria: Value =
        criteria.map(|(index, assertion)| json!({"id": format!("c{index}"), "assertion": assertion})).collect();
    task(json!({"id": "t", "criteria": criteria}))
}

pub(super) fn run(engine: &Engine, task: &Arc<Task>, sandbox: &Sandbox) -> TaskRun {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(engine.run(&engine.plan(Arc::clone(task)), sandbox))
}

pub(super) fn bundle(task: &Arc<Task>, sandbox: &Sandbox, key: Option<&SigningKey>) -> Vec<u8> {
    let engine = engine();
    let run = run(&engine, task, sandbox);
    let terms = Terms { at: at(), agent_id: Some("agent"), key, masked: false };
    of_check(&engine, Recorded { task, run: &run, sandbox }, &terms).unwrap()
}

pub(super) fn replayed(bytes: Vec<u8>) -> Replay {
    replay(&Bundle::read(bytes).unwrap(), &engine(), None)
}

pub(super) fn places(differences: &[Difference]) -> Vec<&str> {
    differences.iter().map(|difference| difference.place.as_str()).collect()
}

/// Three criteria over three kinds of ground truth: passed, failed, unverifiable.
pub(super) fn three() -> (Arc<Task>, Sandbox) {
    let rows = json!([{"id": 1, "member": "W1", "status": "approved", "note": "x".repeat(500)}]);
    let sandbox =
        Sandbox::builder().file("portal/requests.json", rows.to_string().into_bytes()).build(candor_checks::PARTS);
    let portal = |expected: &str| {
        json!({
            "assert": "portal-state-match",
            "correlate_by": {"resource": "requests", "key": "member", "value": "W1"},
            "assertions": [{"path": "status", "expected": expected}],
        })
    };
    let fhir = json!({"assert": "fhir-resource-state", "resource_type": "Patient", "fields": [{"path": "id", "expected": "a"}]});
    (task_of(&[portal("approved"), portal("denied"), fhir]), sandbox.unwrap())
}

/// The content of every member of an archive.
pub(super) fn contents(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let of = |member: crate::zip::Listed| (member.name.clone(), content(bytes, &member, u64::MAX).unwrap());
    listed(bytes).unwrap().into_iter().map(of).collect()
}

pub(super) fn manifest(bytes: &[u8]) -> Value {
    candor_json::from_slice(&contents(bytes)["manifest.json"]).unwrap()
}

/// A bundle that is changed and written again, without a signature.
pub(super) struct Changed {
    pub(super) manifest: Value,
    /// By their digests.
    parts: BTreeMap<String, Vec<u8>>,
}

impl Changed {
    pub(super) fn read(bytes: &[u8]) -> Self {
        let manifest = manifest(bytes);
        assert_eq!(manifest["signer"], Value::Null);
        let part = |(name, content): (String, Vec<u8>)| Some((name.strip_prefix("parts/")?.to_owned(), content));
        Self { manifest, parts: contents(bytes).into_iter().filter_map(part).collect() }
    }

    pub(super) fn take(&mut self, part: &str) -> Vec<u8> {
        self.parts.remove(part).unwrap()
    }

    /// Adds a part, and returns its name.
    pub(super) fn add(&mut self, content: Vec<u8>) -> String {
        let name = sha256(&content);
        self.parts.insert(name.clone(), content);
        name
    }

    /// The archive, with the digests of its parts made right.
    pub(super) fn written(mut self) -> Vec<u8> {
        let packed = |(name, content): (&String, &Vec<u8>)| Packed::new(format!("parts/{name}"), content);
        let packed: Vec<Packed> = self.parts.iter().map(packed).collect();
        let table: Map<String, Value> =
            self.parts.keys().zip(&packed).map(|(name, part)| (name.clone(), json!(sha256(&part.bytes)))).collect();
        self.manifest["parts"] = Value::Object(table);
        let manifest = Packed::stored("manifest.json".to_owned(), &candor_json::to_vec(&self.manifest).unwrap());
        archive([&manifest].into_iter().chain(&packed))
    }
}

/// The bundle with one criterion run changed, and everything that holds it made right again.
pub(super) fn with_changed_run(bytes: &[u8], index: usize, change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut changed = Changed::read(bytes);
    let old = changed.manifest["tasks"][0]["criteria"][index]["run"].as_str().unwrap().to_owned();
    let mut run: Value = candor_json::from_slice(&changed.take(&old)).unwrap();
    change(&mut run);
    let members = run.as_object().unwrap().iter().filter(|(name, _)| !["details", "evidence"].contains(&name.as_str()));
    let outcome: Map<String, Value> = members.map(|(name, value)| (name.clone(), value.clone())).collect();
    let new = changed.add(candor_json::to_vec(&run).unwrap());
    let entry = &mut changed.manifest["tasks"][0]["criteria"][index];
    entry["outcome"] = Value::Object(outcome);
    entry["run"] = json!(new);
    changed.written()
}
