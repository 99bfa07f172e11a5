//! Whole checks: one, ten and a thousand criteria over one file of each part, next to other readers of the same file.
//!
//! `cargo xtask bench criteria`; `cargo bench -p candor-benches --bench criteria 10` takes a tenth of the records. Times
//! are processor seconds of the whole process, the least of three; memory is the most that it held (Linux). Slopes are
//! the logarithm of time over that of size, from a quarter of the file to all of it: 1 is linear, 2 the square. Where
//! `CANDOR_PEERS_PYTHON` is set, as `cargo xtask bench` does, other readers of Python run too.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use candor_benches::binary;
use candor_benches::cases::{Case, JUDGED, KEYED};

const RUNS: usize = 3;

/// By case: the readers of `whole_checks.py`, the one that goals are measured by first, and those of this program.
const PEERS: [(&str, &[&str], &[&str]); 4] = [
    ("portal", &["json", "orjson", "duckdb"], &["memchr"]),
    ("fhir", &["json", "orjson"], &["memchr"]),
    ("hl7v2", &["split-hl7v2", "python-hl7"], &["memchr", "hl7-parser"]),
    ("x12", &["split-x12", "pyx12"], &["memchr"]),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    if let [reader, file] = words.as_slice() {
        return read(reader, &fs::read(file).expect("a file"));
    }
    let part: usize = words.iter().find_map(|word| word.parse().ok()).unwrap_or(1);
    let candor = binary();
    for case in &KEYED {
        let records = case.records / part;
        let one = growing(&candor, case, records);
        let folder = made(case, records);
        for criteria in [10, 1000] {
            let many = checked(&candor, case, folder.path(), criteria, records);
            println!("  {criteria:>6} criteria    {many}  {:.2} times one", many.seconds / one.seconds);
        }
        peers(case, &folder.path().join("sandbox").join(case.file), &one);
    }
    for case in &JUDGED {
        growing(&candor, case, case.records / part);
    }
}

/// Runs a criterion over a quarter of the file and over all of it.
fn growing(candor: &Path, case: &Case, records: usize) -> Run {
    println!("{}: {records} records", case.name);
    let [quarter, all] = [records / 4, records].map(|records| {
        let folder = made(case, records);
        let run = checked(candor, case, folder.path(), 1, records);
        let megabytes = fs::metadata(folder.path().join("sandbox").join(case.file)).expect("a file").len() as f64 / 1e6;
        println!("  {megabytes:>6.1} MB          {run}  {:.0} MB/s", megabytes / run.seconds);
        (run, megabytes)
    });
    let slope = |more: f64, less: f64| (more / less).ln() / (all.1 / quarter.1).ln();
    let (of_time, of_memory) = (slope(all.0.seconds, quarter.0.seconds), slope(all.0.mebibytes, quarter.0.mebibytes));
    println!("  slope of time {of_time:.2}, of memory {of_memory:.2}");
    all.0
}

/// A folder with a sandbox of one file.
fn made(case: &Case, records: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sandbox").join(case.file);
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(file, case.content(records)).expect("room");
    folder
}

/// A run of all criteria, each of which must pass.
fn checked(candor: &Path, case: &Case, folder: &Path, criteria: usize, records: usize) -> Run {
    fs::write(folder.join("task.json"), case.task(criteria, records).to_string()).expect("room");
    let mut check = Command::new(candor);
    check.args(["check", "task.json", "--sandbox", "sandbox"]).current_dir(folder);
    least(&mut check).unwrap_or_else(|| panic!("{}: {criteria} criteria do not pass", case.name))
}

fn peers(case: &Case, file: &Path, one: &Run) {
    let Some((_, of_python, own)) = PEERS.iter().find(|(name, ..)| *name == case.name) else { return };
    let python = std::env::var_os("CANDOR_PEERS_PYTHON");
    for (at, reader) in of_python.iter().enumerate().filter(|_| python.is_some()) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("whole_checks.py");
        let run = least(Command::new(python.as_deref().unwrap_or_default()).arg(script).arg(reader).arg(file));
        show(reader, run.as_ref(), one, at == 0);
    }
    let program = std::env::current_exe().expect("this program has a path");
    for reader in *own {
        show(reader, least(Command::new(&program).arg(reader).arg(file)).as_ref(), one, false);
    }
}

fn show(reader: &str, run: Option<&Run>, one: &Run, is_goal: bool) {
    let Some(run) = run else { return println!("  {reader:<15} did not read the file") };
    let goal = if is_goal { ", by which goals are measured" } else { "" };
    println!("  {reader:<15} {run}  one criterion takes {:.2} of it{goal}", one.seconds / run.seconds);
}

/// The limit of every reader, and another reader in Rust.
fn read(reader: &str, bytes: &[u8]) {
    let found = match reader {
        "memchr" => memchr::memchr3_iter(b'\n', b'\r', b'~', bytes).count(),
        _ => {
            let text = std::str::from_utf8(bytes).expect("UTF-8");
            let starts: Vec<usize> = text.match_indices("MSH|").map(|(at, _)| at).chain([text.len()]).collect();
            let messages = starts.windows(2).map(|ends| &text[ends[0]..ends[1]]);
            messages.filter(|message| hl7_parser::Message::parse(message).is_ok()).count()
        }
    };
    assert!(found > 0, "{reader} found nothing");
}

struct Run {
    seconds: f64,
    mebibytes: f64,
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:>7.2} s {:>6.0} MiB", self.seconds, self.mebibytes)
    }
}

/// The run of several that took the least; `None` if the command fails.
fn least(command: &mut Command) -> Option<Run> {
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        runs.push(run(command)?);
    }
    runs.into_iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds))
}

fn run(command: &mut Command) -> Option<Run> {
    let before = of_children();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let status = Path::new("/proc").join(child.id().to_string()).join("status");
    let mut mebibytes = 0.0_f64;
    let ended = loop {
        mebibytes = mebibytes.max(most_held(&status));
        if let Some(ended) = child.try_wait().expect("its end") {
            break ended;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    // A clock of 10 ms: less than one tick is taken for one.
    ended.success().then(|| Run { seconds: (of_children() - before).max(0.01), mebibytes })
}

/// The processor seconds of the ended children of this process.
fn of_children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    // The 16th and 17th fields; the second one is a name in parentheses.
    let behind = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    behind.skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn most_held(status: &Path) -> f64 {
    let text = fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse::<f64>().unwrap_or(0.0) / 1024.0
}
