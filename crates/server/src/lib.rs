//! The HTTP service: benchmark runs, the sandboxes that agents act on, and verdicts that tell nothing of a hidden rubric.
//!
//! [`serve`] runs it until a signal comes. [`create_key`], [`list_keys`] and [`revoke_key`] manage operators' keys, and
//! [`backup`] copies an embedded database that is in use.

mod app;
mod body;
mod call;
mod dispatch;
mod elision;
mod error;
mod fhir;
mod forms;
mod grading;
mod html;
mod ids;
mod keys;
mod listener;
mod metrics;
mod mllp;
mod openapi;
mod options;
mod outside;
mod pages;
mod retention;
mod routes;
mod service;
mod store;
mod tar;
mod token;
mod viewer;
mod world;

use std::time::Duration;

pub use keys::{KeyRecord, backup, create_key, list_keys, revoke_key};
pub use options::{Database, Options};
pub use service::serve;

/// Reads a duration such as `30s`, `24h` or `30d`.
///
/// # Errors
/// A sentence without a full stop, if the text is something else.
pub fn duration(text: &str) -> Result<Duration, String> {
    match text.strip_suffix('d') {
        Some(days) => {
            match days.parse::<u64>().ok().and_then(|days| days.checked_mul(86400)).filter(|days| *days > 0) {
                Some(seconds) => Ok(Duration::from_secs(seconds)),
                None => {
                    Err(format!("`{text}` is not a duration; write a whole number and a unit, as in 30s, 24h or 30d"))
                }
            }
        }
        None => candor::check::sandbox::duration(text),
    }
}

/// Runs the parsers of request bodies over any bytes: for fuzzing.
#[doc(hidden)]
pub fn fuzz_bodies(bytes: &[u8]) {
    let _ = mllp::unframed(&mllp::acknowledged(bytes, Ok(()), 1).bytes);
    drop(forms::pairs(bytes));
    if let Ok(text) = std::str::from_utf8(bytes) {
        drop(token::Presented::read(text));
        drop(world::parts::plain(text));
    }
    let Ok(text) = body::text(bytes) else { return };
    drop(body::batch(text));
    let Ok(value) = body::to_grade(text, text) else { return };
    if let Ok(parts) = world::parts::Parts::read(&value) {
        let _ = world::materialised(&parts, &Default::default(), &[], "", &candor::parts().collect::<Vec<_>>());
    }
    let _ = app::read_task(value.clone());
    fhir::fuzz(&value);
}
