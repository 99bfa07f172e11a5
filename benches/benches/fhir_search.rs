//! FHIR search over a folder of a million resources: a gigabyte of NDJSON made of real Synthea resources.
//!
//! `cargo bench -p candor-benches --bench fhir_search [megabytes]`. Loading and indexing are compared with only parsing
//! the same lines, in processor time. Short steps are measured in wall time. Memory is the resident memory of the
//! process.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use candor_fhir_resource_state::store::{Builder, Store};
use candor_fhir_search::Search;
use candor_json::Value;

fn main() {
    let megabytes = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(1_250);
    let lines = Lines::of_fixture();
    let corpus = lines.ndjson(megabytes * 1_000_000);
    let size = corpus.len();
    let before = resident();
    println!("{:.0} MB of NDJSON, {} resources", mb(size), corpus.split(|byte| *byte == b'\n').count() - 1);

    let (parsing, _) = timed(|| {
        let lines = corpus.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| candor_json::from_slice::<Value>(line).expect("JSON").is_object()).filter(|is| *is).count()
    });
    println!("parsing alone        {:>8.2} s  {:>6.0} MB/s", parsing.as_secs_f64(), mb(size) / parsing.as_secs_f64());

    let (loading, store) = timed(|| {
        let mut builder = Builder::default();
        builder.file("fhir/all.ndjson", corpus);
        builder.finish()
    });
    println!("loading              {:>8.2} s  {:>6.0} MB/s", loading.as_secs_f64(), mb(size) / loading.as_secs_f64());
    println!("memory after loading {:>8.2} times the file", (resident() - before + mb(size)) / mb(size));
    assert!(store.unreadable().is_empty());

    let searches = searches();
    let mut indexing = Duration::ZERO;
    for (resource_type, name, value) in &searches {
        let search = compile(resource_type, name, value);
        let (first, found) = timed(|| store.find(&search).len());
        indexing += first;
        let mut times: Vec<Duration> = (0..15).map(|_| clocked(|| store.find(&search).len())).collect();
        times.sort_unstable();
        println!(
            "{:<60} first {:>7.3} s, then {:>8.3} ms, {found} of {}",
            format!("{resource_type}?{name}={value}"),
            first.as_secs_f64(),
            times[7].as_secs_f64() * 1e3,
            store.of_type(resource_type).count(),
        );
    }
    println!(
        "loading and indexing {:>8.2} s  {:>6.2} times parsing alone",
        (loading + indexing).as_secs_f64(),
        (loading + indexing).as_secs_f64() / parsing.as_secs_f64()
    );
    println!("memory with indexes  {:>8.2} times the file", (resident() - before + mb(size)) / mb(size));
    drop(store);
    bundle(&lines);
}

/// A search for each kind of parameter, and one for several at once: type, name, value.
fn searches() -> Vec<(&'static str, &'static str, &'static str)> {
    vec![
        ("Observation", "code", "http://loinc.org|8302-2"),
        ("Observation", "status", "final"),
        ("Observation", "patient", "Patient/p70"),
        ("Observation", "date", "ge2012-01-01"),
        ("Observation", "value-quantity", "gt150|http://unitsofmeasure.org|cm"),
        ("Observation", "_id", "r100006"),
        ("Observation", "code:not", "8302-2"),
        ("Observation", "category:missing", "true"),
        ("Observation", "code-value-quantity", "8302-2$gt160"),
        ("Observation", "patient.family", "hoeger70"),
        ("Patient", "name", "buster"),
        ("Patient", "name:contains", "oeger7"),
        ("Patient", "_has:Observation:patient:code", "8302-2"),
        ("Encounter", "date", "2013"),
        ("Claim", "created", "lt2010"),
    ]
}

fn bundle(lines: &Lines) {
    let resources = lines.ndjson(12_000_000);
    let entries: Vec<String> = resources
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .take(10_000)
        .map(|line| format!("{{\"resource\":{}}}", String::from_utf8_lossy(line)))
        .collect();
    assert_eq!(entries.len(), 10_000);
    let text = format!("{{\"resourceType\":\"Bundle\",\"type\":\"searchset\",\"entry\":[{}]}}", entries.join(","));
    let size = text.len();
    let (loading, store): (_, Store) = timed(|| {
        let mut builder = Builder::default();
        builder.file("fhir/bundle.json", text.into_bytes());
        builder.finish()
    });
    println!("a Bundle of 10,000 entries ({:.1} MB): loaded in {:.1} ms", mb(size), loading.as_secs_f64() * 1e3);
    for (name, value) in [("code", "http://loinc.org|8302-2"), ("date", "ge2012-01-01"), ("value-quantity", "gt150")] {
        let search = compile("Observation", name, value);
        let start = Instant::now();
        let found = store.find(&search).len();
        let first = start.elapsed();
        let again = clocked(|| store.find(&search).len());
        println!(
            "  filtered by {name}={value}: {:.2} ms, again {:.3} ms, {found} found",
            first.as_secs_f64() * 1e3,
            again.as_secs_f64() * 1e3
        );
    }
}

fn compile(resource_type: &str, name: &str, value: &str) -> Search {
    Search::compile(resource_type, [(name, [value])]).expect("a search")
}

/// How long something takes on the processor: on a machine that others use too the clock on the wall tells of them.
fn timed<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let (clock, processor) = (Instant::now(), on_processor());
    let result = run();
    let elapsed = clock.elapsed();
    let took = on_processor().zip(processor).map_or(elapsed, |(after, before)| after.saturating_sub(before));
    (took, result)
}

/// The wall time of something short: the clock of processor time is not that fine.
fn clocked(run: impl FnOnce() -> usize) -> Duration {
    let start = Instant::now();
    std::hint::black_box(run());
    start.elapsed()
}

/// The processor time of this thread, where the system tells it.
fn on_processor() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[expect(clippy::cast_precision_loss, reason = "a size for people to read")]
fn mb(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// The resident memory of the process, in megabytes.
fn resident() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    let kilobytes: usize = line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or_default();
    mb(kilobytes * 1024)
}

/// The resources of one patient, as lines in which the patient and the ids can be changed.
struct Lines(Vec<String>);

impl Lines {
    fn of_fixture() -> Self {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/fhir-synthea-smart");
        let text = fs::read_to_string(fixtures.join("Buster_Hoeger.json")).expect("a fixture");
        let bundle: Value = candor_json::from_str(&text).expect("JSON");
        let entries = bundle["entry"].as_array().expect("entries");
        let mut lines = Vec::new();
        for entry in entries {
            let mut resource = entry["resource"].clone();
            resource["id"] = "\u{1}".into();
            lines.push(resource.to_string());
        }
        // References to the entries become references to their numbers.
        for (number, entry) in entries.iter().enumerate() {
            let url = entry["fullUrl"].as_str().expect("a fullUrl");
            let resource_type = entry["resource"]["resourceType"].as_str().expect("a type");
            let target = if resource_type == "Patient" {
                "Patient/p\u{2}".to_owned()
            } else {
                format!("{resource_type}/{number}-\u{2}")
            };
            lines.iter_mut().for_each(|line| *line = line.replace(url, &target));
        }
        lines.iter_mut().for_each(|line| *line = line.replace("\\u0001", "\u{1}").replace("Hoeger", "Hoeger\u{2}"));
        Self(lines)
    }

    fn ndjson(&self, size: usize) -> Vec<u8> {
        let mut all = Vec::with_capacity(size + 10_000);
        let (mut patient, mut number) = (0_usize, 0_usize);
        while all.len() < size {
            patient += 1;
            for line in &self.0 {
                number += 1;
                let id = if line.contains("\"resourceType\":\"Patient\"") {
                    format!("p{patient}")
                } else {
                    format!("r{number}")
                };
                let line = line.replace('\u{1}', &id).replace('\u{2}', &patient.to_string());
                all.extend_from_slice(line.as_bytes());
                all.push(b'\n');
            }
        }
        all
    }
}
