//! Candor as a guest of an async program, and as a command that is interrupted: heartbeats, memory, time, signals.
#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_check::Sandbox;
use candor_check::work::Budget;
use candor_engine::{Document, Engine, Plan, Task};
use candor_json::{Value, json};
use candor_tests::candor;

/// True if tests run at their full size.
fn is_full() -> bool {
    candor_test_size::pick(false, true)
}

fn engine() -> Engine {
    Engine::new(candor_checks::ALL.iter().copied(), "candor/test")
}

fn task(assertions: Vec<Value>) -> Value {
    let criterion = |(index, assertion): (usize, Value)| {
        let id = format!("c{index}");
        json!({"id": id, "label": id, "assertion": assertion})
    };
    let criteria: Vec<Value> = assertions.into_iter().enumerate().map(criterion).collect();
    json!({"id": "t", "criteria": criteria})
}

fn plan(engine: &Engine, assertions: Vec<Value>) -> Plan {
    let document = Document::parse(Path::new("t.json"), task(assertions).to_string().as_bytes()).unwrap();
    engine.plan(Arc::new(Task::from_document(document).map_err(|errors| format!("{errors:?}")).unwrap()))
}

/// An interchange of about so many bytes, of 271 transaction sets.
fn x12(bytes: usize) -> String {
    let isa =
        "ISA*00*          *00*          *ZZ*PAYER          *ZZ*PROVIDER       *261120*1200*^*00501*000000001*0*P*:~";
    let mut text = format!("{isa}\nGS*HB*PAYER*PROVIDER*20261120*1200*1*X*005010X279A1~\n");
    let mut sets = 0;
    while text.len() < bytes {
        sets += 1;
        let _ = write!(
            text,
            "ST*271*{sets:09}*005010X279A1~\nBHT*0022*11*{sets}*20261120*1319~\nHL*1**20*1~\nNM1*PR*2*ABC COMPANY*****PI*842610001~\nHL*2*1*21*1~\nNM1*1P*2*BONE AND JOINT CLINIC*****SV*2000035~\nHL*3*2*22*0~\nTRN*2*{sets}*9877281234~\nNM1*IL*1*SMITH*JOHN****MI*123456789~\nDTP*346*D8*20260101~\nEB*1**1^33^30**GOLD 123 PLAN~\nSE*12*{sets:09}~\n"
        );
    }
    let _ = write!(text, "GE*{sets}*1~\nIEA*1*000000001~\n");
    text
}

/// An assertion that keeps and judges every set.
fn judges_all() -> Value {
    json!({"assert": "x12-response", "transaction": "271", "match": "all", "validate": [1, 2],
        "fields": [{"path": "ISA.6", "expected": "PAYER"}]})
}

fn x12_folder(bytes: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("x12")).unwrap();
    fs::write(folder.path().join("x12/a.edi"), x12(bytes)).unwrap();
    folder
}

/// The longest that a timer of 5 ms is late while a future runs on the same thread.
async fn latest_heartbeat(work: impl Future<Output = ()>) -> Duration {
    const EVERY: Duration = Duration::from_millis(5);
    let mut work = std::pin::pin!(work);
    let mut latest = Duration::ZERO;
    loop {
        let began = Instant::now();
        let mut beat = std::pin::pin!(tokio::time::sleep(EVERY));
        // The beat is polled after the work, so that a poll that blocks shows.
        let is_over = std::future::poll_fn(|context| {
            if work.as_mut().poll(context).is_ready() {
                return std::task::Poll::Ready(true);
            }
            beat.as_mut().poll(context).map(|()| false)
        });
        let is_over = is_over.await;
        latest = latest.max(began.elapsed().saturating_sub(EVERY));
        if is_over {
            return latest;
        }
    }
}

#[test]
fn gradings_hold_up_no_heartbeat_of_the_host() {
    // A debug build is some ten times slower.
    let size = if cfg!(debug_assertions) && !is_full() { 600_000 } else { 10_000_000 };
    let folder = x12_folder(size);
    let engine = engine();
    let plan = plan(&engine, vec![judges_all()]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let grade = || {
        let sandbox = |_| Sandbox::open(folder.path(), candor_checks::PARTS).unwrap();
        let sandboxes: Vec<Sandbox> = (0..8).map(sandbox).collect();
        let (own, all, began) = (ticks("thread-self"), ticks("self"), Instant::now());
        let late = runtime.block_on(latest_heartbeat(async {
            let runs = sandboxes.iter().map(|sandbox| engine.run(&plan, sandbox));
            let runs = futures_util::future::join_all(runs).await;
            assert!(runs.iter().flat_map(|run| &run.criterion_runs).all(|c| c.evidence.candidates.matched > 1000));
        }));
        let seen = Heard { late, took: began.elapsed(), own: ticks("thread-self") - own, all: ticks("self") - all };
        println!("8 gradings: {seen:?}");
        seen
    };
    // What else the machine does makes a beat late now and then. If a grading held up the beats, each run would show it.
    assert!((0..10).any(|_| grade().is_steady()));
}

/// Measurements of a host while it grades.
#[derive(Debug)]
struct Heard {
    /// The latest beat.
    late: Duration,
    /// All gradings together.
    took: Duration,
    /// Processor time of the thread that beats, and of the whole process, in ticks.
    own: u64,
    all: u64,
}

impl Heard {
    /// A thread that reads or judges takes a good part of the processor time. One that waits for a thread that does lets no
    /// beat pass meanwhile.
    fn is_steady(&self) -> bool {
        self.late < self.took / 2 && self.own < self.all / 4
    }
}

/// The processor time of a thread or a process so far. Source: proc_pid_stat(5), fields 14 and 15.
fn ticks(of: &str) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{of}/stat")).unwrap();
    // The name before the third field may hold blanks and brackets.
    let (_, fields) = stat.rsplit_once(')').unwrap();
    fields.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap()).sum()
}

#[test]
fn criteria_that_wait_for_each_other_end_in_time() {
    let (files, criteria) = if is_full() { (10_000, 1_000) } else { (3_000, 300) };
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("files")).unwrap();
    for file in 0..files {
        fs::write(folder.path().join(format!("files/{file}.json")), format!("{{\"n\": {file}}}")).unwrap();
    }
    let engine = engine().with_budget(Budget { threads: 2, ..Budget::default() });
    let assertion = |n: usize| {
        let n = n % files;
        json!({"assert": "sftp-file-present", "path": format!("{n}.js*"), "fields": [{"path": "n", "expected": n}]})
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let one = plan(&engine, vec![assertion(0)]);
    let alone = (0..3).map(|_| {
        let began = Instant::now();
        runtime.block_on(engine.run(&one, &Sandbox::open(folder.path(), candor_checks::PARTS).unwrap()));
        began.elapsed()
    });
    // Less than all of them take together, and more than one of them takes, however fast the machine is.
    let limit = (40 * alone.min().unwrap()).as_millis().max(1000);
    fs::write(folder.path().join("sandbox.toml"), format!("[limits]\ntimeout = \"{limit}ms\"\n")).unwrap();
    let plan = plan(&engine, (0..criteria).map(assertion).collect());
    let began = Instant::now();
    let run = runtime.block_on(engine.run(&plan, &Sandbox::open(folder.path(), candor_checks::PARTS).unwrap()));
    println!("{criteria} criteria over {files} files: {:?}, {} MB at most", began.elapsed(), peak("self") / 1_000_000);
    for criterion in &run.criterion_runs {
        assert_eq!(criterion.reason(), None, "{}: {}", criterion.criterion_id, criterion.evidence.details());
    }
}

/// The most memory that a process has had, in bytes; 0 when it is gone.
fn peak(process: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).map_or(0, |kib| kib << 10)
}

/// A sandbox of about so many bytes of FHIR.
fn fhir_folder(root: &Path, number: usize, bytes: usize) {
    let folder = root.join(format!("s{number}/fhir"));
    fs::create_dir_all(&folder).unwrap();
    let mut text = String::new();
    let mut id = 0;
    while text.len() < bytes {
        id += 1;
        let _ = writeln!(
            text,
            r#"{{"resourceType": "Observation", "id": "{number}-{id}", "status": "final", "code": {{"coding": [{{"system": "http://loinc.org", "code": "718-7", "display": "Hemoglobin [Mass/volume] in Blood"}}]}}, "subject": {{"reference": "Patient/{id}"}}, "effectiveDateTime": "2026-11-20T10:00:00Z", "valueQuantity": {{"value": 7.20, "unit": "g/dL", "system": "http://unitsofmeasure.org", "code": "g/dL"}}, "note": [{{"text": "Nothing of note was seen in this sample, which was taken at rest."}}]}}"#
        );
    }
    fs::write(folder.join("a.ndjson"), text).unwrap();
}

#[test]
fn a_benchmark_holds_the_sandboxes_of_its_jobs_alone() {
    // The sandboxes of all tasks together are larger than the most that may be held.
    let (tasks, bytes, limit) = if is_full() { (1_000, 5_800_000, 300_000_000) } else { (90, 1_500_000, 120_000_000) };
    assert!(tasks as u64 * bytes as u64 > limit);
    let folder = tempfile::tempdir().unwrap();
    let assertion = json!({"assert": "fhir-resource-state", "resource_type": "Observation", "search": {"_id": "0-1"},
        "fields": [{"path": "status", "expected": "final"}]});
    fs::write(folder.path().join("task.json"), task(vec![assertion]).to_string()).unwrap();
    // The sandboxes are links to a few folders, so that the disk is not what is tested.
    (0..4).for_each(|number| fhir_folder(folder.path(), number, bytes));
    let entry = |number: usize| {
        let name = format!("l{number}");
        std::os::unix::fs::symlink(folder.path().join(format!("s{}", number % 4)), folder.path().join(&name)).unwrap();
        json!({"id": format!("e{number}"), "task": "task.json", "sandbox": name})
    };
    let entries: Vec<Value> = (0..tasks).map(entry).collect();
    fs::write(folder.path().join("bench.json"), json!({"id": "b", "tasks": entries}).to_string()).unwrap();
    let mut command = Command::new(candor());
    command.args(["bench", "--jobs", "4", "--format", "json", "--out", "run.json", "bench.json"]);
    let began = Instant::now();
    let mut child = command.current_dir(folder.path()).spawn().unwrap();
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(peak(&child.id().to_string()));
        std::thread::sleep(Duration::from_millis(5));
    }
    println!("{tasks} tasks of {bytes} bytes with 4 jobs: {} MB at most, {:?}", most / 1_000_000, began.elapsed());
    let run: Value = candor_json::from_slice(&fs::read(folder.path().join("run.json")).unwrap()).unwrap();
    assert_eq!(run["task_runs"].as_array().unwrap().len(), tasks);
    assert!(most > bytes as u64 && most < limit, "{most}");
}

/// Waits for a thread of a process, by the beginning of its name.
fn await_thread(process: u32, name: &str) {
    let runs = || {
        let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        let comm = |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).unwrap_or_default();
        tasks.map(comm).any(|comm| comm.starts_with(name))
    };
    let began = Instant::now();
    while !runs() {
        assert!(began.elapsed() < Duration::from_secs(300), "{name} does not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_command_that_waits_for_standard_input_ends_at_a_signal() {
    let folder = tempfile::tempdir().unwrap();
    for words in [
        &["score", "-"][..],
        &["validate", "-"][..],
        &["report", "-"][..],
        &["explain", "-"][..],
        &["try", "path", "json", "a", "-"][..],
    ] {
        let mut command = Command::new(candor());
        command.args(words).current_dir(folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // It stays open while the command is waited for.
        let input = child.stdin.take();
        await_thread(child.id(), "candor-input");
        assert!(Command::new("kill").args(["-INT".to_owned(), child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        drop(input);
        let written = [output.stdout, output.stderr].concat();
        assert_eq!((output.status.code(), written), (Some(130), Vec::new()), "{words:?}");
    }
}

#[test]
fn an_interrupted_command_ends_at_once_and_writes_nothing() {
    let size = if cfg!(debug_assertions) && !is_full() { 4_000_000 } else { 40_000_000 };
    let folder = x12_folder(size);
    // Enough to be interrupted in the middle of it, however fast the machine is.
    fs::write(folder.path().join("task.json"), task(vec![judges_all(); 1000]).to_string()).unwrap();
    let entry = json!({"task": "task.json", "sandbox": "."});
    fs::write(folder.path().join("bench.json"), json!({"id": "b", "tasks": [entry]}).to_string()).unwrap();
    for (words, signal) in [
        (&["check", "task.json", "--sandbox", "."][..], "INT"),
        (&["bench", "bench.json"][..], "INT"),
        (&["check", "task.json", "--sandbox", "."][..], "TERM"),
    ] {
        let mut command = Command::new(candor());
        command.args(words).args(["--out", "run.json"]).current_dir(folder.path()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Once it reads or judges, it listens for signals, too.
        await_thread(child.id(), "candor-work");
        // Somewhere in the middle.
        std::thread::sleep(Duration::from_millis(200));
        assert!(child.try_wait().unwrap().is_none(), "{words:?} was over before it was interrupted");
        assert!(
            Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap().success()
        );
        let code = child.wait().unwrap().code();
        let mut complaint = String::new();
        child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
        assert_eq!((code, complaint.as_str()), (Some(130), ""), "{words:?} after {signal}");
        assert!(!folder.path().join("run.json").exists());
    }
}
