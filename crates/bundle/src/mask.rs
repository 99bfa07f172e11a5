//! Keyed hashes of actual values: HMAC-SHA-256, cut to 16 hex digits.

use std::fmt;

use candor_check::mask::Mask;
use candor_engine::{Task, TaskRun};
use ring::hmac;

use crate::digest::hex;
use crate::key::KeyError;

/// The least bytes of a key.
const LEAST: usize = 16;
/// How many hex digits are shown.
const DIGITS: usize = 16;

/// A key that masks actual values.
pub struct MaskKey(hmac::Key);

impl fmt::Debug for MaskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MaskKey")
    }
}

impl MaskKey {
    /// A key of at least 16 bytes, any bytes.
    ///
    /// # Errors
    /// When there are fewer.
    pub fn new(bytes: &[u8]) -> Result<Self, KeyError> {
        match bytes.len() {
            length if length < LEAST => Err(KeyError::TooShort(length)),
            _ => Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, bytes))),
        }
    }

    /// Masks the evidence of a task run, and drops what it was judged by.
    pub fn mask(&self, task: &Task, run: &mut TaskRun) {
        for (criterion, run) in task.criteria.iter().zip(&mut run.criterion_runs) {
            run.evidence = run.evidence.clone().masked(self, &criterion.assertion);
            run.observed = None;
        }
    }
}

impl Mask for MaskKey {
    fn hash(&self, text: &str) -> String {
        let digest = hex(hmac::sign(&self.0, text.as_bytes()).as_ref());
        format!("masked:{}", digest.get(..DIGITS).unwrap_or_default())
    }
}
