//! The body of the fuzz target of criteria that share one reading of HL7 v2 or X12, or one listing of files: the
//! assertions and files of the conformance vectors, ten at a time, over files that are damaged.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use candor_check::Sandbox;
use candor_engine::{Document, Engine, Task, TaskRun};
use candor_json::{Value, json};

const TOGETHER: usize = 10;
const CHECKS: [&str; 3] = ["hl7-structural", "x12-response", "sftp-file-present"];
/// A profile is a file next to the task; the others wait.
const LEFT_OUT: [&str; 3] = ["profile", "stable", "within"];

/// The files and the assertion of each vector of a file of them.
type Topic = Vec<(BTreeMap<String, String>, Value)>;

/// The vectors of a check by topic; those whose files are text.
fn topics(check: &str) -> Vec<Topic> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance").join(check);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let topic = |file: &std::path::PathBuf| {
        let document: Value = candor_json::from_slice(&fs::read(file).unwrap()).unwrap();
        let vectors = document["vectors"].as_array().cloned().unwrap_or_default();
        let of = |vector: &Value| {
            let files = candor_json::from_value(vector["files"].clone()).ok()?;
            let assertion = &vector["assertion"];
            LEFT_OUT.iter().all(|key| assertion.get(key).is_none()).then(|| (files, assertion.clone()))
        };
        vectors.iter().filter_map(of).collect()
    };
    files.iter().map(topic).filter(|topic: &Vec<_>| !topic.is_empty()).collect()
}

/// Choices by bytes, two for each; the first of all when there are no more.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn below(&mut self, number: usize) -> usize {
        let Some((bytes, rest)) = self.0.split_first_chunk() else { return 0 };
        self.0 = rest;
        usize::from(u16::from_le_bytes(*bytes)) % number
    }
}

/// The bytes of a file, often damaged.
fn damaged(text: &str, choices: &mut Choices<'_>) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    if bytes.is_empty() {
        return bytes;
    }
    let at = choices.below(bytes.len());
    match choices.below(21) {
        0..6 => {}
        6..9 => bytes.truncate(at),
        9..15 => {
            let exchanged = b"\0\r\n|^~*\\:MIS1\xFF\x0B\x1C";
            bytes[at] = exchanged[choices.below(exchanged.len())];
        }
        15..18 => {
            let end = at + 1 + choices.below(39);
            bytes.drain(at..end.min(bytes.len()));
        }
        18..20 => bytes.extend_from_slice(text.as_bytes()),
        // Text of several MiB behind it, so that it is read piece by piece.
        _ => {
            bytes.extend_from_slice(b"\rMSH|^~\\&|A|B|C|D|20261120||ADT^A08|L|P|2.5.1\rNTE|1||");
            bytes.resize(bytes.len() + (5 << 20), b'x');
            bytes.extend_from_slice(b"\r");
            bytes.extend_from_slice(text.as_bytes());
        }
    }
    bytes
}

/// A sandbox with the files of the vectors at `chosen`.
fn world(topic: &Topic, chosen: &[usize], most: Option<usize>, choices: &mut Choices<'_>) -> Sandbox {
    let mut sandbox = Sandbox::builder();
    let mut events = Vec::new();
    for (number, index) in chosen.iter().enumerate() {
        for (path, text) in &topic[*index].0 {
            let bytes = damaged(text, choices);
            match path.rsplit_once('/') {
                Some((folder, name)) => sandbox = sandbox.file(format!("{folder}/{number}-{name}"), bytes),
                None if path == "events.ndjson" => events.extend([bytes, b"\n".to_vec()].concat()),
                None => {}
            }
        }
    }
    if !events.is_empty() {
        sandbox = sandbox.events(events);
    }
    let limits = most.map(|most| format!("[limits]\nmax_total_bytes = \"{most}B\""));
    sandbox.settings(limits.unwrap_or_default()).build(candor_checks::PARTS).unwrap()
}

fn run(assertions: &[&Value], sandbox: &Sandbox) -> TaskRun {
    let criterion = |(number, assertion)| json!({"id": format!("c{number}"), "assertion": assertion});
    let criteria: Vec<Value> = (0..).zip(assertions).map(criterion).collect();
    let task = json!({"id": "t", "criteria": criteria}).to_string();
    let task = Task::readable(Document::parse(Path::new("t.json"), task.as_bytes()).unwrap()).0.unwrap();
    let engine = Engine::new(candor_checks::ALL.iter().copied(), "candor/test")
        .with_parts(candor_checks::PARTS.iter().copied())
        .at("2026-11-29T10:00:00Z".parse().unwrap())
        .recording();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(engine.run(&engine.plan(task.into()), sandbox))
}

/// Chooses, by bytes, a check, vectors of one topic, the damage of their files and ten assertions: each gets what it gets
/// alone, byte for byte.
///
/// # Panics
/// When one does not.
pub fn one_pass(data: &[u8]) {
    static TOPICS: [OnceLock<Vec<Topic>>; CHECKS.len()] = [const { OnceLock::new() }; CHECKS.len()];
    let mut choices = Choices(data);
    let check = choices.below(CHECKS.len());
    let topics = TOPICS[check].get_or_init(|| topics(CHECKS[check]));
    let topic = &topics[choices.below(topics.len())];
    let chosen: Vec<usize> = (0..1 + choices.below(4)).map(|_| choices.below(topic.len())).collect();
    // Of those whose files are there, and of others.
    let others: Vec<usize> = (chosen.len()..TOGETHER).map(|_| choices.below(topic.len())).collect();
    let assertions: Vec<&Value> = chosen.iter().chain(&others).map(|index| &topic[*index].1).collect();
    let most = (check == 1 && choices.below(10) == 9).then(|| 500 + choices.below(7500));
    let sandbox = world(topic, &chosen, most, &mut choices);
    let together = run(&assertions, &sandbox);
    assert_eq!(together.criterion_runs.len(), TOGETHER);
    for (assertion, shared) in assertions.iter().zip(&together.criterion_runs) {
        let alone = run(&[assertion], &sandbox.anew());
        let alone = &alone.criterion_runs[0];
        let text = |observed: &Option<std::sync::Arc<[u8]>>| {
            observed.as_deref().map(String::from_utf8_lossy).unwrap().into_owned()
        };
        assert_eq!(text(&shared.observed), text(&alone.observed), "{assertion}");
        assert_eq!(shared.evidence, alone.evidence, "{assertion}");
    }
}
