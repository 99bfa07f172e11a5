//! Criterion runs to task, axis and benchmark results, as pure functions.
