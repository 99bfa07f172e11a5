//! Results as bytes: one file per output format. Pure: nothing here prints, opens a file or asks for a terminal.
//!
//! What is rendered comes in part from the system under test. JSON holds it verbatim; every other format escapes it, so
//! that nothing in it is taken for markup or for a command to a terminal.

mod escape;
mod json;
mod junit;
mod loop_run;
mod markdown;
mod numbers;
mod text;

use candor_engine::{BenchmarkRun, TaskRun};
use candor_scoring::stored::{StoredOutcome, StoredScore};

use serde::Serialize;

pub use escape::plain;

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A table for a person.
    Text,
    /// One JSON document in the contract's shape.
    Json,
    /// One criterion run a line: what `candor score` reads.
    Ndjson,
    /// JUnit's XML: a test suite a task, a test case a criterion.
    Junit,
    /// A Markdown table, and what did not pass below it.
    Markdown,
}

const FORMATS: &[(&str, Format)] = &[
    ("text", Format::Text),
    ("json", Format::Json),
    ("ndjson", Format::Ndjson),
    ("junit", Format::Junit),
    ("markdown", Format::Markdown),
];

impl Format {
    /// The names of all formats.
    pub const NAMES: &[&str] = &["text", "json", "ndjson", "junit", "markdown"];

    /// The format of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        FORMATS.iter().find(|(known, _)| *known == name).map(|&(_, format)| format)
    }
}

/// How text is laid out.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Whether to colour, for a terminal.
    pub color: bool,
    /// How many columns there are.
    pub width: usize,
}

/// A task run in a format.
#[must_use]
pub fn task_run(run: &TaskRun, format: Format, style: Style) -> Vec<u8> {
    match format {
        Format::Text => text::task_run(run, style).into_bytes(),
        Format::Json => json::document(run),
        Format::Ndjson => json::criterion_runs([run]),
        Format::Junit => junit::task_runs(&run.task_id, &[run]).into_bytes(),
        Format::Markdown => markdown::task_run(run).into_bytes(),
    }
}

/// A benchmark run in a format.
#[must_use]
pub fn benchmark_run(run: &BenchmarkRun, format: Format, style: Style) -> Vec<u8> {
    match format {
        Format::Text => text::benchmark_run(run, style).into_bytes(),
        Format::Json => json::document(run),
        Format::Ndjson => json::criterion_runs(&run.task_runs),
        Format::Junit => junit::task_runs(&run.benchmark_id, &run.task_runs.iter().collect::<Vec<_>>()).into_bytes(),
        Format::Markdown => markdown::benchmark_run(run).into_bytes(),
    }
}

/// Single tests of one name as JUnit's XML, each with what is wrong with it.
#[must_use]
pub fn junit_cases(name: &str, cases: &[(&str, Option<String>)]) -> String {
    junit::cases(name, cases)
}

/// What stored criterion runs come to, in a format. There are no criterion runs in it: `ndjson` is the result on one
/// line, and `junit` has nothing to list but the verdict.
#[must_use]
pub fn stored_score(score: &StoredScore, format: Format, style: Style) -> Vec<u8> {
    match (format, &score.outcome) {
        (Format::Text, StoredOutcome::Task(run)) => text::task_result(&run.result, style).into_bytes(),
        (Format::Text, StoredOutcome::Benchmark(result)) => text::benchmark_result(result, style).into_bytes(),
        (Format::Json, outcome) => json::document(outcome),
        (Format::Ndjson, outcome) => json::line(outcome),
        (Format::Junit, StoredOutcome::Task(run)) => junit::task_result(&run.result).into_bytes(),
        (Format::Junit, StoredOutcome::Benchmark(result)) => junit::verdict(result.verdict, None).into_bytes(),
        (Format::Markdown, StoredOutcome::Task(run)) => markdown::task_result(&run.result).into_bytes(),
        (Format::Markdown, StoredOutcome::Benchmark(result)) => markdown::benchmark_result(result).into_bytes(),
    }
}

/// The record of a loop in a format. `told` says that progress was shown where the text goes: the attempts' reasons are
/// not repeated then.
///
/// # Errors
/// When it is not the record of a loop, and for `junit`, in which there is nothing that an attempt would be.
pub fn loop_run(record: &impl Serialize, format: Format, told: bool, style: Style) -> Result<Vec<u8>, String> {
    let value = || serde_json::to_value(record).map_err(|error| error.to_string());
    match format {
        Format::Text => Ok(loop_run::text(&loop_run::LoopRun::read(value()?)?, told, style).into_bytes()),
        Format::Markdown => Ok(loop_run::markdown(&loop_run::LoopRun::read(value()?)?).into_bytes()),
        Format::Json => Ok(json::document(record)),
        Format::Ndjson => {
            let mut end = value()?;
            let attempts = end.as_object_mut().and_then(|end| end.remove("attempts"));
            let attempts = attempts.as_ref().and_then(serde_json::Value::as_array).into_iter().flatten();
            Ok(attempts.chain([&end]).flat_map(json::line).collect())
        }
        Format::Junit => writes_loops(format).map(|()| Vec::new()),
    }
}

/// Refuses a format in which no loop is written.
///
/// # Errors
/// A sentence that names the formats.
pub fn writes_loops(format: Format) -> Result<(), String> {
    match format {
        Format::Text | Format::Json | Format::Ndjson | Format::Markdown => Ok(()),
        Format::Junit => {
            Err("`candor loop` writes text, json, ndjson or markdown; give --format one of these".to_owned())
        }
    }
}
