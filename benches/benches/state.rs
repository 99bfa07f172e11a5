//! A million FHIR resources and a million rows, as a capture holds them: listed and compared.
//!
//! `cargo xtask bench state`. Each comparison is printed with the time that only reading both sides takes: every line
//! parsed, and nothing kept. The comparison has a process of its own, so that the most memory is its own, too.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use candor_check::{PartType, Sandbox};
use candor_json::Value;

const RECORDS: usize = 1_000_000;

/// The parts that are compared.
const PARTS: [PartType; 2] = [candor_fhir_resource_state::PART, candor_portal_state_match::PART];
/// Asks this program for the comparison alone.
const ALONE: &str = "--compare";

fn main() {
    let mut words = std::env::args().skip(1);
    if words.next().is_some_and(|word| word == ALONE) {
        return alone(Path::new(&words.next().unwrap_or_default()));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for (part, file, record) in
        [("fhir", "Observation.ndjson", observation as fn(usize, bool) -> String), ("portal", "orders.ndjson", order)]
    {
        for (side, changed) in [("before", false), ("after", true)] {
            let below = at(part).join(side).join(part);
            fs::create_dir_all(&below).expect("a folder");
            fs::write(below.join("../sandbox.toml"), "[limits]\nmax_bytes = \"4GB\"\ntimeout = \"10m\"\n")
                .expect("settings");
            let mut file = BufWriter::new(File::create(below.join(file)).expect("a file"));
            for number in 0..RECORDS {
                writeln!(file, "{}", record(number, changed && number % 100_000 == 7)).expect("room");
            }
            file.flush().expect("room");
        }
        let size = fs::metadata(at(part).join("before").join(part).join(file)).map_or(0, |file| file.len());
        println!("{part}: {RECORDS} records, {} MB a side", size / 1_000_000);
        let read = time(|| {
            for side in ["before", "after"] {
                parse(&at(part).join(side).join(part).join(file));
            }
        });
        println!("  reading both sides          {:>7.2} s", read.as_secs_f64());
        let (compared, peak) = compare(&at(part));
        let ratio = compared / read.as_secs_f64();
        println!("  comparing them              {compared:>7.2} s, {ratio:.2} times reading, at most {peak} MB");
    }
}

fn observation(number: usize, changed: bool) -> String {
    let value = if changed { 99.5 } else { 37.1 };
    format!(
        "{{\"resourceType\":\"Observation\",\"id\":\"o{number}\",\"meta\":{{\"versionId\":\"1\"}},\"status\":\"final\",\
         \"code\":{{\"coding\":[{{\"system\":\"http://loinc.org\",\"code\":\"8310-5\"}}]}},\
         \"subject\":{{\"reference\":\"Patient/p{}\"}},\"effectiveDateTime\":\"2026-11-20T10:00:00Z\",\
         \"valueQuantity\":{{\"value\":{value},\"unit\":\"Cel\",\"system\":\"http://unitsofmeasure.org\",\"code\":\"Cel\"}}}}",
        number / 10
    )
}

fn order(number: usize, changed: bool) -> String {
    let status = if changed { "cancelled" } else { "open" };
    format!(
        "{{\"id\":{number},\"member\":\"W{}\",\"status\":\"{status}\",\"units\":2,\"amount\":120.50,\"urgent\":false}}",
        number / 3
    )
}

fn time(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// Every line parsed; nothing kept.
fn parse(file: &Path) {
    let lines = BufReader::with_capacity(256 << 10, File::open(file).expect("a file")).lines();
    let objects = lines.filter(|line| {
        let value: Value = candor_json::from_str(line.as_ref().expect("a line")).expect("JSON");
        value.is_object()
    });
    assert_eq!(objects.count(), RECORDS);
}

/// Compares in a process of its own: how long it took, and the most memory that it had, in MB.
fn compare(folder: &Path) -> (f64, u64) {
    let program = std::env::current_exe().expect("this program");
    let output = Command::new(program).arg(ALONE).arg(folder).stderr(Stdio::inherit()).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let mut words = text.split_whitespace();
    let mut next = || words.next().and_then(|word| word.parse::<f64>().ok()).expect("a number");
    (next(), next() as u64)
}

/// The comparison alone.
fn alone(folder: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let open = |side: &str| Sandbox::open(&folder.join(side), &PARTS).expect("a sandbox");
    let (before, after) = (open("before"), open("after"));
    let start = Instant::now();
    let diff = runtime.block_on(candor_state::diff(&before, &after, None)).expect("a difference");
    let took = start.elapsed();
    assert_eq!((diff.counts(), diff.records), ((0, 0, 10), RECORDS as u64));
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let kilobytes = peak.split_whitespace().next().unwrap_or_default();
    println!("{} {}", took.as_secs_f64(), kilobytes.parse::<u64>().unwrap_or_default() / 1024);
}
