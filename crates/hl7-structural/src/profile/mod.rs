//! `profile`: what an interface specification says beyond the standard.
//!
//! `model` is what a profile says, `condition` when a rule applies, `judge` what becomes of a message.

mod condition;
mod judge;
mod model;
mod value;

pub(crate) use model::Profile;
