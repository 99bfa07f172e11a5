//! Scoring stored criterion runs: time and peak memory.
//!
//! Each case is a process of its own, so that its peak memory is its own. The lines are made while
//! they are read, which is part of the time.

use std::fmt::Write as _;
use std::io::{BufReader, Read};
use std::time::Instant;

use candor_scoring::stored::{Limits, StoredRuns};

/// A name, how many task runs, how many criterion runs each.
const CASES: [(&str, u64, u64); 3] =
    [("one task run", 1, 1_000_000), ("tasks of ten", 100_000, 10), ("tasks of one", 1_000_000, 1)];

/// The lines of criterion runs with evidence such as checks leave, about 580 bytes each.
struct Lines {
    runs: u64,
    each: u64,
    next: u64,
    line: String,
    read: usize,
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.read == self.line.len() {
            if self.next == self.runs * self.each {
                return Ok(0);
            }
            self.make();
        }
        let rest = &self.line.as_bytes()[self.read..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.read += length;
        Ok(length)
    }
}

impl Lines {
    fn make(&mut self) {
        let (run, criterion) = (self.next / self.each, self.next % self.each);
        let (status, passed, score, reason) = match self.next % 7 {
            0 => ("failed", false, "0.6666666666666666", "\"field_mismatch\""),
            1 => ("unverifiable", false, "0.0", "\"timeout\""),
            _ => ("passed", true, "1.0", "null"),
        };
        let axis = ["correctness", "safety"][usize::from(self.next.is_multiple_of(2))];
        self.line.clear();
        writeln!(
            self.line,
            r#"{{"id":"cr_{n}","task_run_id":"tr_{run}","task_id":"task-{run}","criterion_id":"criterion-{criterion}","label":"Prior authorization submitted for the right member","axis":"{axis}","weight":{weight},"status":"{status}","passed":{passed},"score":{score},"reason":{reason},"details":"1 of 3 prior_auth_requests rows matched.","evidence":{{"assertionResults":[{{"path":"status","expected":"submitted","actual":"draft","passed":false}}],"candidates":{{"considered":3,"matched":1,"nearest":null}}}},"verifier_id":"candor/0.1.0","started_at":"2026-11-20T10:00:00.000Z","completed_at":"2026-11-20T10:00:00.004Z"}}"#,
            n = self.next,
            weight = ["1", "2", "0.7"][usize::try_from(self.next % 3).unwrap_or(0)],
        )
        .expect("a string takes text");
        self.read = 0;
        self.next += 1;
    }
}

fn case(runs: u64, each: u64) {
    let started = Instant::now();
    let lines = Lines { runs, each, next: 0, line: String::new(), read: 0 };
    let mut stored = StoredRuns::new(Limits::default());
    let mut seen = 0_u64;
    stored
        .read("made", BufReader::with_capacity(1 << 16, lines), |_| seen += 1)
        .expect("every line is a criterion run");
    let score = stored.finish(|_| seen += 1);
    assert_eq!(seen, runs);
    assert!(score.notes.is_empty(), "{:?}", score.notes);
    println!(
        "{} criterion runs in {runs} task runs: {:.2} s, peak memory {} kB",
        runs * each,
        started.elapsed().as_secs_f64(),
        peak_kb().map_or_else(|| "unknown".to_owned(), |kb| kb.to_string()),
    );
}

/// The most memory this process ever had, where the system tells.
fn peak_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    if let [one] = wanted.as_slice()
        && let Some((_, runs, each)) = CASES.iter().find(|(name, ..)| name == one)
    {
        return case(*runs, *each);
    }
    let program = std::env::current_exe().expect("this program has a path");
    for (name, ..) in CASES {
        let ended = std::process::Command::new(&program).arg(name).status().expect("it starts");
        assert!(ended.success(), "{name}");
    }
}
