//! Results as FHIR R4 resources.

mod operation_outcome;
mod test_report;

pub(crate) use operation_outcome::operation_outcome;
pub(crate) use test_report::{test_report, test_reports};

use crate::plain;

/// A string of FHIR: one line without control characters, and never empty or of spaces alone.
fn string(text: &str) -> Option<String> {
    const LONGEST: usize = 1 << 20;
    let text: String = plain(text).trim().chars().take(LONGEST / 4).collect();
    (!text.is_empty()).then_some(text)
}
