//! Changes between two sandboxes.

mod compare;
mod leaves;
mod told;
