//! Tests of single modules.

mod alike;
mod clauses;
mod completeness;
mod order;
mod quoted;
mod table;
