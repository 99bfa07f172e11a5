//! Results as bytes: one file per output format. Pure: nothing here prints, opens a file or asks for a terminal.
//!
//! Text that is rendered comes in part from the system under test. JSON holds it verbatim; every other format escapes
//! it, so that nothing in it is taken for markup or for a command to a terminal.

mod bench;
mod causes;
pub mod comparison;
mod escape;
mod fhir;
mod github;
pub mod json;
mod junit;
mod loop_run;
mod markdown;
pub mod model;
mod numbers;
#[cfg(feature = "html")]
pub mod page;
pub mod sarif;
mod spreadsheet;
mod tables;
mod text;
mod told;

use candor_engine as engine;
use candor_json::{Value, json};
use candor_scoring::stored::{StoredOutcome, StoredScore};
use serde::Serialize;

pub use bench::{BenchLine, BenchSummary, BenchTable};
pub use escape::{is_steering, plain, plain_json};
pub use github::github_annotations;
pub use loop_run::{lines_at, reason_lines};
use model::{BenchmarkRun, Stored, StoredReadError, TaskRun};
pub use spreadsheet::csv_table;
pub use tables::{checks, findings};
pub use text::layout::folded;

/// The JSON Schema of a task run and of a benchmark run, as `--format json` writes them.
pub const RESULT_SCHEMA: &str = include_str!("../schemas/result.json");

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A table for a person.
    Text,
    /// A JSON document in the contract's shape.
    Json,
    /// A criterion run a line: what `candor score` reads.
    Ndjson,
    /// JUnit's XML: a test suite a task, a test case a criterion.
    Junit,
    /// A Markdown table, and what did not pass below it.
    Markdown,
    /// A page for a browser, which loads nothing from elsewhere.
    Html,
    /// SARIF 2.1.0: a result a criterion.
    Sarif,
    /// FHIR R4 `TestReport`, a `Bundle` of them for a benchmark.
    Testreport,
    /// FHIR R4 `OperationOutcome`.
    OperationOutcome,
    /// CSV: a line a field result.
    Csv,
    /// Annotations of GitHub Actions.
    Github,
}

const FORMATS: &[(&str, Format)] = &[
    ("text", Format::Text),
    ("json", Format::Json),
    ("ndjson", Format::Ndjson),
    ("junit", Format::Junit),
    ("markdown", Format::Markdown),
    ("html", Format::Html),
    ("sarif", Format::Sarif),
    ("testreport", Format::Testreport),
    ("operationoutcome", Format::OperationOutcome),
    ("csv", Format::Csv),
    ("github", Format::Github),
];

impl Format {
    /// The names of all formats.
    pub const NAMES: &[&str] = &[
        "text",
        "json",
        "ndjson",
        "junit",
        "markdown",
        "html",
        "sarif",
        "testreport",
        "operationoutcome",
        "csv",
        "github",
    ];

    /// The format of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        FORMATS.iter().find(|(known, _)| *known == name).map(|&(_, format)| format)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        FORMATS.iter().find(|(_, format)| *format == self).map_or("", |&(name, _)| name)
    }

    /// Returns `true` if this build writes it.
    #[must_use]
    pub fn is_built(self) -> bool {
        self != Self::Html || cfg!(feature = "html")
    }
}

/// How text is laid out.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// True if to colour, for a terminal.
    pub color: bool,
    /// How many columns there are.
    pub width: usize,
}

/// A task run in a format.
#[must_use]
pub fn task_run(run: &engine::TaskRun, format: Format, style: Style) -> Vec<u8> {
    match format {
        Format::Json => json::document(run),
        Format::Ndjson => json::criterion_runs([run], None),
        _ => one_task_run(&TaskRun::from(run), format, style),
    }
}

/// A benchmark run in a format.
#[must_use]
pub fn benchmark_run(run: &engine::BenchmarkRun, format: Format, style: Style) -> Vec<u8> {
    match format {
        Format::Json => json::document(run),
        Format::Ndjson => json::criterion_runs(&run.task_runs, Some(&run.benchmark_id)),
        _ => one_benchmark_run(&BenchmarkRun::from(run), format, style),
    }
}

/// A task run in a format that is not JSON of its own.
fn one_task_run(run: &TaskRun, format: Format, style: Style) -> Vec<u8> {
    match format {
        Format::Text => text::task_run(run, style).into_bytes(),
        Format::Junit if run.criterion_runs.is_none() => junit::task_outcome(&run.outcome).into_bytes(),
        Format::Junit => junit::task_runs(run.shown_id().unwrap_or("task"), &[run]).into_bytes(),
        Format::Markdown => markdown::task_run(run).into_bytes(),
        #[cfg(feature = "html")]
        Format::Html => page::task_run(run, &page::Context::default()).into_bytes(),
        Format::Sarif => json::document(&sarif::task_runs(&[run], json!({}))),
        Format::Testreport => json::document(&fhir::test_report(run)),
        Format::OperationOutcome => json::document(&fhir::operation_outcome(&[run])),
        Format::Csv => spreadsheet::task_runs(&[run]),
        Format::Github => github::task_runs(&[run]).into_bytes(),
        // JSON is written from the result itself, and a format that is not built is refused before.
        _ => Vec::new(),
    }
}

fn one_benchmark_run(run: &BenchmarkRun, format: Format, style: Style) -> Vec<u8> {
    let runs: Vec<&TaskRun> = run.runs().iter().collect();
    // A score that was stored without its runs: the verdict is the one thing to list.
    let lists = matches!(format, Format::Sarif | Format::Testreport | Format::OperationOutcome);
    if run.task_runs.is_none() && (lists || matches!(format, Format::Csv | Format::Github)) {
        return one_task_run(&run.as_task(), format, style);
    }
    match format {
        Format::Text => text::benchmark_run(run, style).into_bytes(),
        Format::Junit if run.task_runs.is_none() => junit::verdict(run.outcome.outcome.verdict, None).into_bytes(),
        Format::Junit => junit::task_runs(run.title(), &runs).into_bytes(),
        Format::Markdown => markdown::benchmark_run(run).into_bytes(),
        #[cfg(feature = "html")]
        Format::Html => page::benchmark_run(run, &page::Filter::default(), &page::Context::default()).into_bytes(),
        Format::Sarif => {
            let outcome = &run.outcome.outcome;
            let verdict = json!({"verdict": outcome.verdict, "score": outcome.score, "conclusive": outcome.conclusive});
            json::document(&sarif::task_runs(&runs, verdict))
        }
        Format::Testreport => json::document(&fhir::test_reports(run)),
        Format::OperationOutcome => json::document(&fhir::operation_outcome(&runs)),
        Format::Csv => spreadsheet::task_runs(&runs),
        Format::Github => github::task_runs(&runs).into_bytes(),
        _ => Vec::new(),
    }
}

/// Single tests of one name as JUnit's XML, each with what is wrong with it.
#[must_use]
pub fn junit_cases(name: &str, cases: &[(&str, Option<String>)]) -> String {
    junit::cases(name, cases)
}

/// The score of stored criterion runs, in a format. There are no criterion runs in it: `ndjson` is the result on a
/// line, and `junit` has nothing to list but the verdict.
#[must_use]
pub fn stored_score(score: &StoredScore, format: Format, style: Style) -> Vec<u8> {
    match (format, &score.outcome) {
        (Format::Json, outcome) => json::document(outcome),
        (Format::Ndjson, outcome) => json::line(outcome),
        (_, StoredOutcome::Task(run)) => one_task_run(&TaskRun::from(&**run), format, style),
        (_, StoredOutcome::Benchmark(result)) => one_benchmark_run(&BenchmarkRun::from(&**result), format, style),
    }
}

/// A stored result in a format, whichever command wrote it: see [`Stored::read`].
///
/// # Errors
/// When it is not a result, and for a format in which such a result is not written.
pub fn stored(bytes: &[u8], format: Format, style: Style) -> Result<Vec<u8>, String> {
    let document = model::document(bytes).map_err(|error| error.to_string())?;
    let of = |document: Value| Stored::of(document).map_err(|error: StoredReadError| error.to_string());
    match format {
        Format::Json => of(document.clone()).map(|_| json::document(&document)),
        Format::Ndjson => of(document.clone()).map(|_| json::stored_lines(&document)),
        _ => stored_result(&of(document)?, format, style),
    }
}

/// A stored result in a format other than `json` and `ndjson`.
///
/// # Errors
/// For a format in which such a result is not written.
pub fn stored_result(result: &Stored, format: Format, style: Style) -> Result<Vec<u8>, String> {
    let refused = |what: &str, formats: &str| Err(format!("{what} is written as {formats}, not as {}", format.name()));
    match (result, format) {
        (Stored::Task(run), _) => Ok(one_task_run(run, format, style)),
        (Stored::Benchmark(run), _) => Ok(one_benchmark_run(run, format, style)),
        (Stored::Audit(audit), Format::Text) => Ok(told::audit_text(audit).into_bytes()),
        (Stored::Audit(audit), Format::Markdown) => Ok(markdown::fitted(told::audit_markdown(audit)).into_bytes()),
        (Stored::Audit(audit), Format::Junit) => {
            Ok(junit::cases(&audit.task_id, &told::audit_complaints(audit)).into_bytes())
        }
        (Stored::Audit(audit), Format::Sarif) => Ok(json::document(&sarif::audit(audit))),
        #[cfg(feature = "html")]
        (Stored::Audit(audit), Format::Html) => Ok(page::audit(audit, &page::Context::default()).into_bytes()),
        (Stored::Audit(_), _) => refused("an audit", "text, json, ndjson, junit, markdown, html or sarif"),
        (Stored::Difference(difference), Format::Text) => Ok(told::difference_text(difference).into_bytes()),
        (Stored::Difference(difference), Format::Markdown) => {
            Ok(markdown::fitted(told::difference_markdown(difference)).into_bytes())
        }
        #[cfg(feature = "html")]
        (Stored::Difference(difference), Format::Html) => {
            Ok(page::difference(difference, &page::Context::default()).into_bytes())
        }
        (Stored::Difference(_), _) => refused("a difference", "text, json, ndjson, markdown or html"),
        (Stored::Loop(record), Format::Text) => Ok(loop_run::text(&record.run, false, style).into_bytes()),
        (Stored::Loop(record), Format::Markdown) => Ok(markdown::fitted(loop_run::markdown(&record.run)).into_bytes()),
        #[cfg(feature = "html")]
        (Stored::Loop(record), Format::Html) => Ok(page::loop_record(record, &page::Context::default()).into_bytes()),
        (Stored::Loop(_), _) => refused("the record of a loop", "text, json, ndjson, markdown or html"),
        (Stored::Validation(read), Format::Markdown) => Ok(markdown::validation(read).into_bytes()),
        #[cfg(feature = "html")]
        (Stored::Validation(read), Format::Html) => Ok(page::validation(read, &page::Context::default()).into_bytes()),
        (Stored::Validation(_), _) => refused("a validation", "json, ndjson, markdown or html by `candor report`"),
    }
}

/// The record of a loop in a format. `told` says that progress was shown where the text goes: the attempts' reasons are
/// not repeated then.
///
/// # Errors
/// When it is not the record of a loop, and for a format in which loops are not written.
pub fn loop_run(record: &impl Serialize, format: Format, told: bool, style: Style) -> Result<Vec<u8>, String> {
    let value = candor_json::to_value(record).map_err(|error| error.to_string())?;
    match format {
        Format::Text => Ok(loop_run::text(&loop_run::LoopRun::read(value)?, told, style).into_bytes()),
        Format::Json => Ok(json::document(record)),
        Format::Ndjson => Ok(json::stored_lines(&value)),
        _ => stored_result(&Stored::of(value).map_err(|error| error.to_string())?, format, style),
    }
}

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
