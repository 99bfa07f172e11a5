//! Where a loop keeps its attempts while it runs.

use crate::record::Attempt;

/// Keeps attempts, so that a loop that is interrupted at any moment continues where it ended. An attempt is kept before
/// the delegate is asked, before its answer is judged, and when it is judged.
pub trait Keep: Sync {
    /// Keeps an attempt in place of what is kept of it.
    ///
    /// # Errors
    /// When it cannot be kept. A delegate is not asked for an attempt that cannot be kept.
    fn keep(&self, attempt: &Attempt) -> Result<(), String>;

    /// Forgets an attempt for which no delegate was asked.
    ///
    /// # Errors
    /// When it cannot be forgotten.
    fn forget(&self, attempt: u32) -> Result<(), String>;
}

pub(crate) struct Nowhere;

impl Keep for Nowhere {
    fn keep(&self, _: &Attempt) -> Result<(), String> {
        Ok(())
    }

    fn forget(&self, _: u32) -> Result<(), String> {
        Ok(())
    }
}
