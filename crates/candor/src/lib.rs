//! Candor verifies whether work in healthcare systems actually happened. A task names typed criteria; a [`Sandbox`] holds
//! the ground truth that the work left (FHIR resources, HL7 v2 messages, X12 interchanges, portal rows, files, transcripts,
//! a workspace); an [`Engine`] reads it, compares, and returns a [`Run`]: a verdict, a score, and the evidence behind them.
//!
//! This crate is what a program depends on. It prints nothing, starts no process except the commands that a task names,
//! and never exits.
//!
//! Checks of your own implement [`check::Check`] and join ours: `Engine::with(candor::checks().chain([CHECK]))`.
//!
//! JSON values are those of [`json`](mod@json): `use candor::json::{Value, json}`. They keep the digits of numbers and the
//! order of members. Your own `serde_json` stays as it is; turn its values into ours with [`json::to_value`].

#[cfg(feature = "audit")]
pub mod audit;
mod bench;
pub mod blocking;
mod builder;
#[cfg(feature = "bundle")]
pub mod bundle;
mod engine;
#[cfg(any(feature = "fhir", feature = "hl7", feature = "voice", feature = "x12"))]
pub mod explain;
#[doc(hidden)]
pub mod inner;
mod input;
mod lint;
#[cfg(feature = "audit")]
pub mod rubric;
mod run;
mod run_read;
mod sandbox;
mod score;
#[cfg(feature = "state")]
pub mod state;
pub mod stored;
mod task;
#[cfg(feature = "validate")]
pub mod validate;
#[cfg(feature = "loop")]
pub mod verification;

pub use bench::{Benchmark, BenchmarkRun};
pub use builder::SandboxBuilder;
pub use candor_check as check;
pub use candor_check::{CheckType, PartType, Status};
/// The JSON of this crate's interface: values with exact numbers and ordered members, their macro, reader and writer.
///
/// ```
/// use candor::json::{Value, json};
///
/// let value: Value = candor::json::from_str(r#"{"total": 120.50}"#)?;
/// assert_eq!(value["total"].to_string(), "120.50");
/// assert_eq!(candor::json::to_value(vec!["a", "b"])?, json!(["a", "b"]));
/// # Ok::<(), candor::json::Error>(())
/// ```
pub use candor_json as json;
pub use candor_report::Format;
pub use candor_scoring::Verdict;
pub use engine::{Engine, checks, checks_table, parts, schema};
pub use input::{Contents, Records};
pub use lint::{Findings, LintOptions};
pub use run::{Axis, CriterionRun, Run};
pub use sandbox::{Sandbox, SandboxError};
pub use score::Score;
pub use task::{Criterion, Problem, Task, TaskError};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
