//! Task file to plan to criterion runs to task run.
//!
//! A [`Task`] is read from a file, every error with its place; an [`Engine`] binds its criteria to checks and runs them
//! against a [`candor_check::Sandbox`]; what comes out are records ([`TaskRun`], [`BenchmarkRun`]) that scoring has
//! summed up. Nothing here knows a concrete check, prints, or writes a file.

mod again;
mod benchmark;
mod clock;
mod companion;
mod document;
mod faults;
mod keys;
mod lint;
mod members;
mod observed;
mod placeholder;
mod plan;
mod record;
mod run;
mod task;
mod wait;
mod waited;

pub use again::{NotJudged, RunIdentity};
pub use benchmark::{Benchmark, Entry};
pub use document::{Document, FileError, edit};
pub use lint::{CODES, Code, Finding, Severity, invalid, lint, lint_with_notes};
pub use observed::Observed;
pub use plan::Plan;
pub use record::{BenchmarkRun, CriterionRun, TaskRun};
pub use run::Engine;
pub use task::{Criterion, LOOP_KEYS, Task};

/// The JSON Schema of a task file. `$defs/assertion` and `$defs/loop` are for whoever knows the checks and the loop.
pub const TASK_SCHEMA: &str = include_str!("../schemas/task.json");
/// The JSON Schema of a benchmark file.
pub const BENCHMARK_SCHEMA: &str = include_str!("../schemas/benchmark.json");

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
