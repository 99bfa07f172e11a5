//! Field assertions: a path, an operator, what is expected; and what comes of one over the values a path selected.

mod assertion;
mod evaluate;
mod fhir_types;
mod members;
mod naming;
mod result;

pub use assertion::{Expected, Field, FieldPath, PathProblem, Quantifier};
pub use evaluate::{Found, ReadFrom, Selection};
pub use result::{FieldReason, FieldResult, Location, shown};
