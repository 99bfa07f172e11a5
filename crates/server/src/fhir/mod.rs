//! The part of FHIR R4 that an agent acts with, over the log of a task run's sandbox.

mod bundle;
mod capability;
mod change;
mod handlers;
pub(crate) mod outcome;
mod search;

pub(crate) use handlers::{batch, create, delete, history, metadata, read, search_get, search_post, update, vread};

/// Runs a Bundle over nothing: for fuzzing.
pub(crate) fn fuzz(value: &candor_json::Value) {
    let state = crate::world::State::of(&crate::world::parts::Parts::default(), &Default::default());
    let _ = bundle::run(&state, value, "http://localhost/fhir", "2026-01-01T00:00:00.000Z");
}
