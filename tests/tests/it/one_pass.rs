//! Criteria that are run together share one reading of HL7 v2 and X12, and get what each of them gets alone, byte for byte:
//! the assertions and files of the conformance vectors, ten at a time, over files that are damaged.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use candor_check::Sandbox;
use candor_engine::{Document, Engine, Task, TaskRun};
use candor_json::{Value, json};
use proptest::prelude::*;
use proptest::sample::Index;

const TOGETHER: usize = 10;

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
            (vector["assertion"].get("profile").is_none()).then(|| (files, vector["assertion"].clone()))
        };
        vectors.iter().filter_map(of).collect()
    };
    files.iter().map(topic).filter(|topic: &Vec<_>| !topic.is_empty()).collect()
}

/// A change of the bytes of a file.
#[derive(Clone, Debug)]
enum Damage {
    None,
    Cut(Index),
    Byte(Index, u8),
    Without(Index, usize),
    Twice,
    /// Text of several MiB behind it, so that it is read piece by piece.
    Large,
}

fn damage() -> impl Strategy<Value = Damage> {
    let byte = prop::sample::select(b"\0\r\n|^~*\\:MIS1\xFF\x0B\x1C".to_vec());
    prop_oneof![
        6 => Just(Damage::None),
        3 => any::<Index>().prop_map(Damage::Cut),
        6 => (any::<Index>(), byte).prop_map(|(at, byte)| Damage::Byte(at, byte)),
        3 => (any::<Index>(), 1..40_usize).prop_map(|(at, length)| Damage::Without(at, length)),
        2 => Just(Damage::Twice),
        1 => Just(Damage::Large),
    ]
}

impl Damage {
    fn done_to(&self, text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        match self {
            _ if bytes.is_empty() => {}
            Self::None => {}
            Self::Cut(at) => bytes.truncate(at.index(bytes.len())),
            Self::Byte(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Self::Without(at, length) => {
                let at = at.index(bytes.len());
                bytes.drain(at..(at + length).min(bytes.len()));
            }
            Self::Twice => bytes.extend_from_slice(text.as_bytes()),
            Self::Large => {
                bytes.extend_from_slice(b"\rMSH|^~\\&|A|B|C|D|20261120||ADT^A08|L|P|2.5.1\rNTE|1||");
                bytes.resize(bytes.len() + (5 << 20), b'x');
                bytes.extend_from_slice(b"\r");
                bytes.extend_from_slice(text.as_bytes());
            }
        }
        bytes
    }
}

/// A vector whose files are in the world, and how they are damaged.
type Chosen = (Index, Damage);

fn world(topic: &Topic, chosen: &[Chosen], most: Option<u32>) -> Sandbox {
    let mut sandbox = Sandbox::builder();
    let mut events = Vec::new();
    for (number, (index, damage)) in chosen.iter().enumerate() {
        for (path, text) in &index.get(topic).0 {
            let bytes = damage.done_to(text);
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

fn together_and_alone(check: &str, topic: Index, asked: &[Index], chosen: &[Chosen], most: Option<u32>) {
    static TOPICS: [OnceLock<Vec<Topic>>; 2] = [const { OnceLock::new() }; 2];
    let topics = TOPICS[usize::from(check == "x12-response")].get_or_init(|| topics(check));
    let topic = topic.get(topics);
    // Of those whose files are there, and of others.
    let own = chosen.iter().map(|(index, _)| index);
    let assertions: Vec<&Value> = own.chain(asked).map(|index| &index.get(topic).1).take(TOGETHER).collect();
    let sandbox = world(topic, chosen, most);
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::pick(24, 600)))]

    #[test]
    fn hl7v2(
        topic: Index,
        asked in prop::collection::vec(any::<Index>(), TOGETHER),
        chosen in prop::collection::vec((any::<Index>(), damage()), 1..5),
    ) {
        together_and_alone("hl7-structural", topic, &asked, &chosen, None);
    }

    #[test]
    fn x12(
        topic: Index,
        asked in prop::collection::vec(any::<Index>(), TOGETHER),
        chosen in prop::collection::vec((any::<Index>(), damage()), 1..5),
        most in prop::option::weighted(0.1, 500..8000_u32),
    ) {
        together_and_alone("x12-response", topic, &asked, &chosen, most);
    }
}
