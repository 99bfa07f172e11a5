//! Criterion runs to task, axis and benchmark results, as pure functions.
//!
//! [`TaskScorer`] takes [`CriterionOutcome`]s and gives a [`TaskResult`]; [`BenchmarkScorer`] takes
//! task results and gives a [`BenchmarkResult`]. Scores, bounds and comparisons with 9/10 are exact;
//! a float appears only where a result is written, and in the confidence intervals, which are
//! estimates. [`stored`] reads criterion runs back from NDJSON of any length.
//!
//! ```
//! use candor_scoring::{CriterionOutcome, Score, Status, TaskScorer, Verdict};
//!
//! let mut task = TaskScorer::new();
//! task.add(&CriterionOutcome::passed("right-member", "0.7".parse()?));
//! task.add(&CriterionOutcome::passed("right-code", "0.2".parse()?));
//! task.add(&CriterionOutcome::new("on-time", "0.1".parse()?, Status::Failed, Score::ZERO)?);
//! let result = task.finish();
//! assert_eq!(result.verdict, Verdict::Pass); // 0.7 + 0.2 is 0.9, exactly
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod benchmark;
mod criterion;
mod exact;
mod influence;
mod pass;
mod score;
pub mod statistics;
pub mod stored;
mod task;
mod verdict;
mod weight;

pub use benchmark::{BenchmarkAxis, BenchmarkResult, BenchmarkScorer, Confidence, Estimate, Method, VerdictCounts};
pub use criterion::{CriterionOutcome, Inconsistent, Status};
pub use exact::{Fraction, NumberError};
pub use influence::{Influence, Stake, influences};
pub use pass::{NotAPassRule, PassRule};
pub use score::{MAX_DENOMINATOR, Score};
pub use task::{Axes, AxisResult, DEFAULT_AXIS, Failures, MAX_FAILED_BYTES, TaskResult, TaskScorer};
pub use verdict::{Interval, Verdict};
pub use weight::Weight;

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
