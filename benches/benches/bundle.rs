//! Writing and replaying a bundle of 1,000 criteria, each over a row of its own.

use std::sync::OnceLock;

use candor::bundle::{Bundle, replay, write};
use candor::{Engine, Run, Sandbox, Task, blocking};
use candor_json::{Value, json};

const CRITERIA: usize = 1_000;

struct Ran {
    engine: Engine,
    task: Task,
    sandbox: Sandbox,
    run: Run,
    bundle: Vec<u8>,
}

fn ran() -> &'static Ran {
    static RAN: OnceLock<Ran> = OnceLock::new();
    RAN.get_or_init(|| {
        let rows: Value = (0..CRITERIA)
            .map(|id| json!({"id": id, "status": "paid", "note": format!("{:x}", id * 7_919).repeat(100)}))
            .collect();
        let criteria: Value = (0..CRITERIA)
            .map(|id| {
                json!({"id": format!("c{id}"), "assertion": {
                    "assert": "portal-state-match",
                    "correlate_by": {"resource": "claims", "key": "id", "value": id},
                    "assertions": [{"path": "status", "expected": "paid"}],
                }})
            })
            .collect();
        let task = Task::from_value(json!({"id": "t", "criteria": criteria})).unwrap();
        let sandbox = Sandbox::builder().portal("claims", rows).build().unwrap();
        let engine = Engine::standard().recording();
        let run = blocking::run(&engine, &task, &sandbox).unwrap();
        let bundle = write(&engine, &task, &sandbox, &run, None).unwrap();
        Ran { engine, task, sandbox, run, bundle }
    })
}

fn main() {
    divan::main();
}

#[divan::bench]
fn writes(bencher: divan::Bencher) {
    let ran = ran();
    bencher.bench(|| write(&ran.engine, &ran.task, &ran.sandbox, &ran.run, None).unwrap().len());
}

#[divan::bench]
fn replays(bencher: divan::Bencher) {
    let ran = ran();
    bencher.bench(|| {
        let replay = replay(&Bundle::read(ran.bundle.clone()).unwrap(), &ran.engine, None);
        assert!(replay.same);
    });
}
