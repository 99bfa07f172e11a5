//! Weaknesses of assertions.

mod claim;
mod lists;
mod records;
