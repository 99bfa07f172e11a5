//! A build without the feature `http`: no endpoint can be asked.

use std::time::Duration;

use candor_check::Unverifiable;
use candor_check::feature::left_out;

use super::answer::Answer;
use super::settings::{Headers, Method};

/// Refuses to ask: this build leaves HTTP out.
///
/// # Errors
/// Always, with the sentence that names the feature.
pub(super) fn ask(_: &str, _: Method, _: &Headers, _: Duration) -> Result<Answer, Unverifiable> {
    Err(left_out("ask HTTP endpoints", "http"))
}
