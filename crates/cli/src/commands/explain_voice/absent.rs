//! `candor explain --voice` in a build without the feature `voice`.

use std::io::Write;
use std::path::Path;

use candor::check::feature::missing_feature;

use crate::exit::Outcome;

/// Refuses: this build leaves transcripts out.
pub(super) fn run(_: &Path, _: Option<&str>, _: bool, _: &mut dyn Write) -> Result<Outcome, String> {
    Err(missing_feature("read transcripts of calls", "voice"))
}
