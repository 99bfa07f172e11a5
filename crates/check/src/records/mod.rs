//! The common parts of record-shaped checks: what an observation holds, which candidate must satisfy the fields, how many
//! there must be, and what follows.

mod alike;
mod clauses;
mod completeness;
mod conclude;
mod label;
mod observation;
mod order;
mod quoted;
mod rules;
mod safety;
mod sentence;

pub use completeness::{Completeness, Cut, Reading};
pub use conclude::{Judgement, Judging, conclude, conclude_by_time};
pub use label::Label;
pub use observation::{Bytes, Candidate, Fault, NearMiss, Observation, Unreadable, closest};
pub use order::{Moment, Standing};
pub use quoted::QuotedPlaces;
pub use rules::{Match, RecordRules};
pub use safety::{
    Asserting, Condition, Element, Fact, FactRole, Facts, Matters, SafetyRow, SafetyTable, Undoes, UnsafeMatch, Values,
    undoes_another, undone, unsafe_element,
};
pub use sentence::{Wording, described};
