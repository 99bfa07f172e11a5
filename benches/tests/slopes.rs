//! How the work of a check grows with its file and with its criteria: allocations and their bytes are counted, and what
//! is read of a file, and the bytes that `match: all` holds. No time is measured.
//!
//! Slopes are the logarithm of a count over that of size: 1 is linear, 2 the square. Steps that only compare allocate
//! nothing and are not seen here; the slopes of time that the bench `criteria` prints show them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use candor::{Engine, Sandbox, Task, Verdict};
use candor_benches::cases::{Case, JUDGED, KEYED};
use candor_check::Status;
use candor_check::evidence::{Entry, SharedText, SourceRef};
use candor_check::field::FieldResult;
use candor_check::records::{Candidate, Judgement, Judging, Match, Observation, RecordRules, Wording, conclude};
use candor_json::json;

/// The highest slope of what is linear: steps like the growth of a table make it differ from 1.
const LINEAR: f64 = 1.3;
const TIMES: usize = 4;

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static HELD: AtomicU64 = AtomicU64::new(0);
static MOST_HELD: AtomicU64 = AtomicU64::new(0);

fn count(bytes: usize) {
    ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    BYTES.fetch_add(bytes as u64, Ordering::Relaxed);
    let held = HELD.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
    MOST_HELD.fetch_max(held, Ordering::Relaxed);
}

fn release(bytes: usize) {
    HELD.fetch_sub(bytes as u64, Ordering::Relaxed);
}

// SAFETY: every call goes to the allocator of the system with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        release(layout.size());
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        release(layout.size());
        count(size);
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A single test, so that nothing else allocates or reads meanwhile.
#[test]
fn work_grows_with_files_and_criteria_as_a_line() {
    let slope = |less: [f64; 2], more: [f64; 2]| [0, 1].map(|at| (more[at] / less[at]).ln() / (TIMES as f64).ln());
    let mut problems = Vec::new();
    // A result has four short texts, 22 bytes; its candidate a comparison, 40; its place among those quoted takes 41. Growing
    // lists leave 2 of 100 bytes free.
    let held = held_by_judging(2_000, "hl7/a.hl7") / 2_000;
    if held > size_of::<Entry>() as u64 + 160 {
        problems.push(format!("match: all holds {held} bytes for each candidate, more than a result and 160"));
    }
    // Fewer than 12,000 such long results are held. Of every further candidate only its comparison is, 40 bytes.
    let long = "x".repeat(1_500);
    let [less, more] = [12_000, 24_000].map(|candidates| held_by_judging(candidates, &long));
    if more.saturating_sub(less) > 12_000 * 64 {
        problems.push(format!("match: all holds {less} bytes of 12,000 candidates, and {more} of 24,000"));
    }
    for case in KEYED.iter().chain(&JUDGED) {
        let [less, more] = [100, 100 * TIMES].map(|records| counted(case, 1, records));
        problems.extend(steep(case, "records", slope(less, more)));
    }
    for case in &KEYED {
        let [less, more] = [10, 10 * TIMES].map(|criteria| counted(case, criteria, 400));
        problems.extend(steep(case, "criteria", slope(less, more)));
        if let [Some(one), Some(ten)] = [1, 10].map(|criteria| read_of_a_folder(case, criteria))
            && ten > one + one / 2
        {
            problems.push(format!("{}: one criterion reads {one} bytes, ten read {ten}", case.name));
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

/// A sentence if the slope of the allocations or of their bytes is not that of a line.
fn steep(case: &Case, of: &str, slopes: [f64; 2]) -> Option<String> {
    let [number, bytes] = slopes;
    let text =
        || format!("{}: over {of}, allocations have the slope {number:.2} and their bytes {bytes:.2}", case.name);
    (number > LINEAR || bytes > LINEAR).then(text)
}

/// The most bytes that `match: all` of one field holds beyond what was observed.
fn held_by_judging(candidates: u64, locator: &str) -> u64 {
    let locator = SharedText::from(locator);
    let candidate = |at: u64| Candidate {
        source: SourceRef { locator: locator.clone(), sha256: None, span: Some((at, at + 1)), record: None },
        label: format!("message {at}").into(),
        content: (),
    };
    let candidates: Vec<Candidate<()>> = (0..candidates).map(candidate).collect();
    let considered = candidates.len() as u64;
    let seen = Observation { candidates, considered, ..Observation::default() };
    let wording = Wording {
        one: "message".to_owned(),
        several: "messages".to_owned(),
        selected_by: String::new(),
        place: "hl7/".to_owned(),
        field: "field",
    };
    let rules = RecordRules { matching: Match::All, count: None };
    let judging = Judging { rules, asserts_content: true, whole: Vec::new(), hangs_on_all: false, wording: &wording };
    let before = HELD.load(Ordering::Relaxed);
    MOST_HELD.store(before, Ordering::Relaxed);
    let evidence = conclude(&judging, &seen, |candidate| {
        let name = || json!("Doe");
        let field = FieldResult::constraint("PID.5.1", name(), name(), true).at(candidate.source.place());
        Judgement { fields: vec![field], ..Judgement::default() }
    });
    assert_eq!(evidence.status(), Status::Passed, "{}", evidence.details());
    MOST_HELD.load(Ordering::Relaxed) - before
}

/// The allocations of a run and their bytes, without those of a first run, which makes tables for all.
fn counted(case: &Case, criteria: usize, records: usize) -> [f64; 2] {
    let task = task(case, criteria, records);
    [0, 1].map(|_| {
        let sandbox = Sandbox::builder().with_file(case.file, case.content(records)).build().expect("a sandbox");
        let so_far = || [&ALLOCATIONS, &BYTES].map(|count| count.load(Ordering::Relaxed));
        let before = so_far();
        pass(case, &task, &sandbox);
        let after = so_far();
        [0, 1].map(|at| (after[at] - before[at]) as f64)
    })[1]
}

/// The bytes that this process reads while it runs a task over a folder, where the system counts them.
fn read_of_a_folder(case: &Case, criteria: usize) -> Option<u64> {
    const RECORDS: usize = 2_000;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(case.file);
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&file, case.content(RECORDS)).expect("room");
    let (task, sandbox) = (task(case, criteria, RECORDS), Sandbox::open(folder.path()).expect("a sandbox"));
    let before = read_so_far()?;
    pass(case, &task, &sandbox);
    Some(read_so_far()? - before)
}

fn read_so_far() -> Option<u64> {
    let io = fs::read_to_string(Path::new("/proc/self/io")).ok()?;
    io.lines().find_map(|line| line.strip_prefix("rchar: "))?.trim().parse().ok()
}

fn task(case: &Case, criteria: usize, records: usize) -> Task {
    Task::from_value(case.task(criteria, records)).expect("a task")
}

fn pass(case: &Case, task: &Task, sandbox: &Sandbox) {
    let run = candor::blocking::run(&Engine::standard(), task, sandbox).expect("a run");
    assert_eq!(run.verdict(), Verdict::Pass, "{}: {:.2000}", case.name, run.to_json());
}
