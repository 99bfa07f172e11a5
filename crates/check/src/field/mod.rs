//! Field assertions: a path, an operator, what is expected; and what comes of one over the values a path selected.

mod assertion;
mod entry;
mod evaluate;
mod fhir_types;
mod items;
mod members;
mod naming;
mod result;

pub use assertion::{Expected, Field, FieldPath, PathProblem, Quantifier};
pub use entry::{FieldEntry, ItemGroup, OneOf};
pub use evaluate::{Found, ReadFrom, Selection};
pub use items::{Items, Judged, Noted, Thing, judge_entries};
pub use result::{Among, FieldReason, FieldResult, Location, shown};
