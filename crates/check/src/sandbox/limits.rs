//! Limits within which ground truth is read and quoted.

use std::time::Duration;

/// How long and how much may be read, and how much quoted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest one read of a source may take.
    pub timeout: Duration,
    /// The largest object that is read, in bytes.
    pub max_bytes: u64,
    /// The most bytes of one part that are held in memory at a time.
    pub max_total_bytes: u64,
    /// The most files that one part may hold.
    pub max_files: u64,
    /// The most bytes of JSON that the evidence of one criterion quotes. A run of many criteria quotes at most 16 times as
    /// many. Of `match: all`, results beyond the first and the last 8 MiB are never quoted: those that passed, and those that
    /// did not.
    pub max_evidence: u64,
}

impl Limits {
    /// The settings that the table `[limits]` of `sandbox.toml` may hold.
    pub const KEYS: &[&str] = &["timeout", "max_bytes", "max_total_bytes", "max_files", "max_evidence"];
}

impl Default for Limits {
    /// 30 seconds, 256 MiB an object, 1 GiB and 1,000,000 files a part, 8 MiB of evidence a criterion.
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            max_bytes: 256 << 20,
            max_total_bytes: 1 << 30,
            max_files: 1_000_000,
            max_evidence: 8 << 20,
        }
    }
}

const UNITS_OF_TIME: &[(&str, u64)] = &[("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)];
const UNITS_OF_SIZE: &[(&str, u64)] = &[
    ("B", 1),
    ("KB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

/// Reads a duration such as `500ms`, `30s`, `5m`, `1h`.
///
/// # Errors
/// When the text is not a duration, or is 0.
pub fn duration(text: &str) -> Result<Duration, String> {
    match scaled(text, UNITS_OF_TIME) {
        Some(milliseconds) if milliseconds > 0 => Ok(Duration::from_millis(milliseconds)),
        _ => Err(format!("`{text}` is not a duration; write a whole number and a unit, as in 500ms, 30s, 5m or 1h")),
    }
}

/// A size such as `100B`, `10KiB`, `256MiB`, `1GB`.
pub(super) fn size(text: &str) -> Result<u64, String> {
    scaled(text, UNITS_OF_SIZE).ok_or_else(|| {
        format!("`{text}` is not a size; write a whole number and a unit, as in 100B, 64KiB, 256MiB or 1GB")
    })
}

fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let &(_, scale) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    number.parse::<u64>().ok()?.checked_mul(scale)
}

/// A duration as a sentence writes it.
#[must_use]
pub fn duration_text(duration: Duration) -> String {
    match duration.as_millis() {
        ms if ms % 1000 == 0 => format!("{} s", ms / 1000),
        ms => format!("{ms} ms"),
    }
}

/// A size as a sentence writes it.
pub fn size_text(bytes: u64) -> String {
    let exact = UNITS_OF_SIZE.iter().rev().find(|&&(_, scale)| {
        scale >= 1 << 10 && scale.is_power_of_two() && bytes >= scale && bytes.is_multiple_of(scale)
    });
    match exact {
        Some((unit, scale)) => format!("{} {unit}", bytes / scale),
        None => format!("{bytes} bytes"),
    }
}
