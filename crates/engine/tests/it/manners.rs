//! Gradings as guests: in whose threads they run, when they stop, and what they hold.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use candor_check::field::FieldResult;
use candor_check::work::{Budget, cancelled};
use candor_check::{Check, CheckType, Evidence, Meta, Sandbox, Source, Unverifiable};
use candor_engine::{Benchmark, Document, Engine, Plan, Task};
use candor_json::json;

/// Only a hang takes longer.
const LONG: Duration = Duration::from_secs(120);

/// Rounds of what runs until it is cancelled.
static ROUNDS: AtomicU64 = AtomicU64::new(0);
/// Sources that are open, and how many were at once at most, and opened in all.
static OPEN: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
/// Tests that use these run one at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// A check whose behavior the criterion sets.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Probe {
    does: Does,
}

#[derive(Clone, Copy, PartialEq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum Does {
    NamesItsThreads,
    ReadsForEver,
    JudgesForEver,
    Breaks,
    OpensASource,
}

fn for_ever() {
    while !cancelled() {
        ROUNDS.fetch_add(1, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(1));
    }
}

fn thread_name() -> String {
    thread::current().name().unwrap_or_default().to_owned()
}

struct Opened;

impl Source for Opened {
    const READS: &'static [&'static str] = &[];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        let open = || {
            let now = OPEN[0].fetch_add(1, Ordering::SeqCst) + 1;
            OPEN[1].fetch_max(now, Ordering::SeqCst);
            OPEN[2].fetch_add(1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(5));
            Ok(Self)
        };
        sandbox.blocking("x", open).await
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        OPEN[0].fetch_sub(1, Ordering::SeqCst);
    }
}

impl Check for Probe {
    const META: Meta =
        Meta { assert: "probe", about: "", part: "files", files: &[], evidence_key: "fieldResults", schema: "{}" };
    type Seen = String;

    async fn observe(&self, sandbox: &Sandbox) -> Result<String, Unverifiable> {
        let does = self.does;
        if does == Does::OpensASource {
            sandbox.source::<Opened>().await?;
        }
        let read = move || {
            if does == Does::ReadsForEver {
                for_ever();
            }
            Ok(thread_name())
        };
        sandbox.blocking("x", read).await
    }

    fn judge(&self, read_on: &String) -> Evidence {
        assert!(self.does != Does::Breaks, "a defect");
        if self.does == Does::JudgesForEver {
            for_ever();
        }
        let result = FieldResult::constraint("$x", json!(1), json!(1), true);
        Evidence::passed(vec![result.into()], format!("{read_on} {}", thread_name()))
    }
}

fn engine() -> Engine {
    Engine::new([CheckType::of::<Probe>()], "candor/test")
}

fn plan(engine: &Engine, does: &[&str]) -> Plan {
    let criterion = |(index, does): (usize, &&str)| {
        let id = format!("c{index}");
        json!({"id": id, "label": id, "assertion": {"assert": "probe", "does": does}})
    };
    let criteria: Vec<_> = does.iter().enumerate().map(criterion).collect();
    let task = json!({"id": "t", "criteria": criteria}).to_string();
    let document = Document::parse(Path::new("t.json"), task.as_bytes()).unwrap();
    engine.plan(Arc::new(Task::from_document(document).map_err(|errors| format!("{errors:?}")).unwrap()))
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future without a runtime: a thread that polls.
fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

fn eventually(is_so: impl Fn() -> bool) -> bool {
    let end = Instant::now() + LONG;
    while !is_so() && Instant::now() < end {
        thread::sleep(Duration::from_millis(1));
    }
    is_so()
}

fn is_send<T: Send>(value: T) -> T {
    value
}

#[test]
fn judging_and_reading_run_on_no_thread_of_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::open(folder.path(), &[]).unwrap();
    let engine = engine();
    let plan = plan(&engine, &["names_its_threads"; 8]);
    let current = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let several = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let runs = [
        // With a runtime that has no timers, with one of several threads, and with none.
        current.block_on(engine.run(&plan, &sandbox)),
        several.block_on(is_send(engine.run(&plan, &sandbox))),
        block_on(engine.run(&plan, &sandbox)),
    ];
    for criterion in runs.iter().flat_map(|run| &run.criterion_runs) {
        let threads: Vec<&str> = criterion.evidence.details().split(' ').collect();
        assert_eq!(threads.len(), 2, "{threads:?}");
        assert!(threads.iter().all(|name| name.starts_with("candor-work-")), "{threads:?}");
    }
    let evidence =
        block_on(CheckType::of::<Probe>().run(json!({"assert": "probe", "does": "names_its_threads"}), &sandbox));
    assert!(evidence.details().split(' ').all(|name| name.starts_with("candor-work-")), "{}", evidence.details());
}

#[test]
fn dropping_the_future_of_a_grading_stops_it() {
    let _alone = ALONE.lock();
    let folder = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::open(folder.path(), &[]).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for does in ["reads_for_ever", "judges_for_ever"] {
        let engine = engine();
        let plan = plan(&engine, &[does; 5]);
        let before = ROUNDS.load(Ordering::SeqCst);
        let was_dropped = runtime.block_on(async {
            let has_begun = async {
                while ROUNDS.load(Ordering::SeqCst) < before + 5 {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            };
            tokio::select! {
                _ = engine.run(&plan, &sandbox) => false,
                () = has_begun => true,
            }
        });
        assert!(was_dropped, "{does} ended before its future was dropped");
        // Only cancelling ends what it does.
        assert!(engine.work().settle(LONG), "{does}");
        let then = ROUNDS.load(Ordering::SeqCst);
        thread::sleep(Duration::from_millis(30));
        assert_eq!(ROUNDS.load(Ordering::SeqCst), then, "{does} goes on");
        // The sandbox and the engine are as good as before.
        let again = engine.plan(Arc::new(task_of("names_its_threads")));
        let run = runtime.block_on(engine.run(&again, &sandbox));
        assert!(run.criterion_runs.iter().all(|criterion| criterion.reason().is_none()));
    }
}

fn task_of(does: &str) -> Task {
    let assertion = json!({"assert": "probe", "does": does});
    let task = json!({"id": "t", "criteria": [{"id": "c", "label": "c", "assertion": assertion}]}).to_string();
    Task::from_document(Document::parse(Path::new("t.json"), task.as_bytes()).unwrap()).ok().unwrap()
}

#[test]
fn a_check_that_breaks_breaks_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::open(folder.path(), &[]).unwrap();
    let engine = engine();
    let run = block_on(engine.run(&plan(&engine, &["names_its_threads", "breaks", "names_its_threads"]), &sandbox));
    let broke: Vec<bool> = run.criterion_runs.iter().map(|criterion| criterion.broke).collect();
    assert_eq!(broke, [false, true, false]);
    let details = run.criterion_runs[1].evidence.details();
    assert!(details.contains("The check itself broke") && details.contains("a defect"), "{details}");
}

#[test]
fn a_budget_bounds_what_runs_at_once_over_all_gradings() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine().with_budget(Budget { threads: 2, ..Budget::default() });
    let plan = plan(&engine, &["names_its_threads"; 10]);
    let sandboxes: Vec<Sandbox> = (0..10).map(|_| Sandbox::open(folder.path(), &[]).unwrap()).collect();
    let mut names = std::collections::BTreeSet::new();
    let runs = block_on(futures_util::future::join_all(sandboxes.iter().map(|sandbox| engine.run(&plan, sandbox))));
    for run in &runs {
        names.extend(run.criterion_runs.iter().flat_map(|c| c.evidence.details().split(' ').map(str::to_owned)));
    }
    assert!(names.len() <= 2, "{names:?}");
}

#[test]
fn a_benchmark_holds_no_more_sandboxes_than_jobs() {
    let _alone = ALONE.lock();
    let folder = tempfile::tempdir().unwrap();
    let task = json!({"id": "t", "criteria": [
        {"id": "c", "label": "c", "assertion": {"assert": "probe", "does": "opens_a_source"}},
        {"id": "d", "label": "d", "assertion": {"assert": "probe", "does": "opens_a_source"}}]});
    std::fs::write(folder.path().join("task.json"), task.to_string()).unwrap();
    let entry = |(index, name): (usize, String)| {
        std::fs::create_dir_all(folder.path().join(&name)).unwrap();
        json!({"id": format!("e{index}"), "task": "task.json", "sandbox": name})
    };
    // One sandbox many times in a row, then many once.
    let names = (0..8).map(|_| "same".to_owned()).chain((0..20).map(|n| format!("s{n}")));
    let entries: Vec<_> = names.enumerate().map(entry).collect();
    let file = folder.path().join("benchmark.json");
    std::fs::write(&file, json!({"id": "b", "tasks": entries}).to_string()).unwrap();
    let benchmark = Benchmark::read(&file, &[]).map_err(|errors| format!("{errors:?}")).unwrap();
    let engine = engine();
    OPEN.iter().for_each(|count| count.store(0, Ordering::SeqCst));
    let done = AtomicUsize::new(0);
    let run = block_on(engine.run_benchmark(&benchmark, 3, |_| {
        done.fetch_add(1, Ordering::SeqCst);
    }));
    assert_eq!((run.task_runs.len(), done.into_inner()), (28, 28));
    assert!(run.task_runs.iter().flat_map(|task| &task.criterion_runs).all(|criterion| criterion.reason().is_none()));
    let [now, most, all] = OPEN.each_ref().map(|count| count.load(Ordering::SeqCst));
    assert!((1..=3).contains(&most), "{most} at once");
    // The one of eight entries was in use all the time.
    assert_eq!(all, 21);
    assert!(eventually(|| OPEN[0].load(Ordering::SeqCst) == 0), "{now} are still open");
}
