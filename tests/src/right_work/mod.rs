//! Criteria that right work has to meet, made from real data: "the value at its place equals itself".
//!
//! No author wrote these criteria, and no system under test did anything wrong. Each one that does not pass is a false red
//! of a default: the tables of unsafe elements, the readers, the model of the standard. [`Tally`] counts them by cause.

mod fhir;
mod hl7;
mod rows;
mod x12;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use candor_check::{Reason, Sandbox, Status};
use candor_json::Value;

/// The kind of data that a folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// FHIR resources and Bundles in JSON files.
    Fhir,
    /// HL7 v2 messages.
    Hl7,
    /// X12 interchanges.
    X12,
    /// Tables of a portal in JSON: arrays of rows, or objects of rows by key.
    Portal,
    /// CSV files with a header.
    Csv,
}

impl Kind {
    /// The kind by its name on a command line.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "fhir" => Some(Self::Fhir),
            "hl7" => Some(Self::Hl7),
            "x12" => Some(Self::X12),
            "portal" => Some(Self::Portal),
            "csv" => Some(Self::Csv),
            _ => None,
        }
    }
}

/// Files with the assertions that hold in them. A file that the generator cannot read has no assertions.
pub(crate) struct Work {
    /// The path of each file in the sandbox, and its bytes.
    files: Vec<(String, Vec<u8>)>,
    assertions: Vec<Value>,
}

/// How many criteria were tried, and why some did not pass.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Files that gave criteria.
    pub files: u64,
    /// Files that gave none.
    pub skipped: u64,
    /// Criteria that were judged.
    pub tried: u64,
    /// Criteria that did not pass, by cause, each with the first example.
    pub red: BTreeMap<String, (u64, String)>,
}

impl Tally {
    /// Reds per 1,000 criteria, by cause, the most frequent first.
    #[must_use]
    pub fn per_thousand(&self) -> Vec<(String, f64)> {
        let share = |number: u64| number as f64 * 1000.0 / self.tried.max(1) as f64;
        let mut shares: Vec<_> = self.red.iter().map(|(cause, (number, _))| (cause.clone(), share(*number))).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        shares
    }

    /// Adds another tally to this one.
    pub fn add(&mut self, other: Self) {
        self.files += other.files;
        self.skipped += other.skipped;
        self.tried += other.tried;
        for (cause, (number, example)) in other.red {
            self.red.entry(cause).or_insert((0, example)).0 += number;
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let red: u64 = self.red.values().map(|(number, _)| number).sum();
        let share = red as f64 * 1000.0 / self.tried.max(1) as f64;
        writeln!(
            f,
            "{} criteria from {} files ({} files gave none): {red} red, {share:.2} per 1,000",
            self.tried, self.files, self.skipped
        )?;
        for (cause, share) in self.per_thousand() {
            let example = self.red.get(&cause).map_or("", |(_, example)| example.as_str());
            writeln!(f, "{share:9.2}  {cause}\n           {example}")?;
        }
        Ok(())
    }
}

/// Judges the criteria that a folder of data gives: of each file every `every`th.
///
/// # Panics
/// When the folder cannot be read.
#[must_use]
pub fn measure(kind: Kind, folder: &Path, every: usize) -> Tally {
    let mut tally = Tally::default();
    for path in files_below(folder) {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let work = match kind {
            Kind::Fhir => fhir::work(&name, bytes),
            Kind::Hl7 => hl7::work(&name, bytes, every),
            Kind::X12 => x12::work(&name, bytes),
            Kind::Portal => rows::portal(&name, &bytes),
            Kind::Csv => rows::csv(&name, bytes),
        };
        match work {
            Some(work) if !work.assertions.is_empty() => {
                let every = if kind == Kind::Hl7 { 1 } else { every };
                tally.add(judged(work, every, &name));
            }
            _ => tally.skipped += 1,
        }
    }
    tally
}

fn judged(work: Work, every: usize, file: &str) -> Tally {
    let mut tally = Tally { files: 1, ..Tally::default() };
    let builder = work.files.into_iter().fold(Sandbox::builder(), |b, (path, bytes)| b.file(path, bytes));
    let sandbox = builder.build(candor_checks::PARTS).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for assertion in work.assertions.into_iter().step_by(every) {
        let name = assertion.get("assert").and_then(Value::as_str).unwrap_or_default();
        let check = candor_checks::ALL.iter().find(|check| check.meta().assert == name).unwrap();
        let evidence = runtime.block_on(check.run(assertion.clone(), &sandbox));
        tally.tried += 1;
        if evidence.status() != Status::Passed {
            let shown = evidence.to_value(check.meta().evidence_key);
            let reason = evidence.reason().map_or("no reason", Reason::name);
            let cause = format!("{name} {reason}{}", element(&shown, check.meta().evidence_key, reason));
            let example = format!("{file}: {} <- {assertion}", evidence.details());
            let example: String = example.chars().take(400).collect();
            tally.red.entry(cause).or_insert((0, example)).0 += 1;
        }
    }
    tally
}

/// Of an unsafe match: the element and its value, by which the table's row is known.
fn element(evidence: &Value, key: &str, reason: &str) -> String {
    if reason != "unsafe_match" {
        return String::new();
    }
    let results = evidence.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let unsafe_one = results.iter().find(|result| result.get("passed") == Some(&Value::Bool(false)));
    let path = unsafe_one.and_then(|result| result.get("path")).and_then(Value::as_str).unwrap_or_default();
    let path: String = path.chars().filter(|c| !c.is_ascii_digit()).collect();
    let actual = unsafe_one.and_then(|result| result.get("actual")).unwrap_or(&Value::Null).to_string();
    format!(" {path} {}", actual.chars().take(60).collect::<String>())
}

/// Every file below a folder, by path.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut open = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).unwrap().filter_map(Result::ok) {
            let path = entry.path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// The leaves of a JSON value, each with its dotted path.
fn leaves(value: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), value)];
    while let Some((path, value)) = open.pop() {
        let below = |step: &str| if path.is_empty() { step.to_owned() } else { format!("{path}.{step}") };
        match value {
            Value::Object(members) => open.extend(members.iter().map(|(name, value)| (below(name), value))),
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(index, value)| (below(&index.to_string()), value)));
            }
            Value::Null => {}
            leaf => found.push((path, leaf.clone())),
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}
