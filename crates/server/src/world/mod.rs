//! The world of a task run: what the agent found, and what was written over it.

mod materialised;
pub(crate) mod parts;
pub(crate) mod resources;
mod state;

pub(crate) use materialised::{Authors, laid_out, materialised};
pub(crate) use state::State;
