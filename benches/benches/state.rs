//! A million FHIR resources and a million rows: captured from a server's form, listed, and compared.
//!
//! `cargo xtask bench state`. Beside each comparison stands what reading both sides takes: every line parsed, and nothing
//! kept. Peak memory is that of the comparison, measured in a process of its own.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use candor_benches::binary;
use serde_json::Value;

const RECORDS: usize = 1_000_000;

fn main() {
    let binary = binary();
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
        let mut peak = 0;
        let compared = time(|| peak = compare(&binary, &at(part)));
        let ratio = compared.as_secs_f64() / read.as_secs_f64();
        println!(
            "  candor diff                 {:>7.2} s, {ratio:.2} times reading, at most {peak} MB",
            compared.as_secs_f64()
        );
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
        let value: Value = serde_json::from_str(line.as_ref().expect("a line")).expect("JSON");
        value.is_object()
    });
    assert_eq!(objects.count(), RECORDS);
}

/// Compares by the command; the most memory that it took, in MB.
fn compare(binary: &Path, folder: &Path) -> u64 {
    let output = Command::new("/usr/bin/env")
        .args(["sh", "-c", "\"$0\" diff before after > told; code=$?; echo $code"])
        .arg(binary)
        .current_dir(folder)
        .stderr(Stdio::inherit())
        .output()
        .expect("the command runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "1");
    let told = fs::read_to_string(folder.join("told")).expect("what it told");
    assert!(told.ends_with(&format!("0 added, 0 removed, 10 changed, of {RECORDS} records.\n")), "{told}");
    // The largest child so far.
    let text = Command::new("python3")
        .args(["-c", "import resource,subprocess,sys; subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss//1024)"])
        .arg(binary)
        .args(["diff", "before", "after"])
        .current_dir(folder)
        .output()
        .expect("python runs");
    String::from_utf8_lossy(&text.stdout).trim().parse().expect("a number")
}
