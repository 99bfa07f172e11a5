//! How many different changes an audit tried: one change is tried on every criterion that it may concern, and counts there
//! each time.

use std::collections::{BTreeMap, BTreeSet};

use candor_check::operators::Change;
use sha2::{Digest as _, Sha256};

/// The changes of each probe, without those that were made before.
#[derive(Default)]
pub(crate) struct Distinct(BTreeMap<&'static str, BTreeSet<[u8; 32]>>);

impl Distinct {
    pub(crate) fn add(&mut self, probe: &'static str, change: &Change) {
        self.0.entry(probe).or_default().insert(fingerprint(change));
    }

    pub(crate) fn counts(&self) -> BTreeMap<&'static str, usize> {
        self.0.iter().map(|(probe, changes)| (*probe, changes.len())).collect()
    }
}

/// The same for two changes that leave the same bytes, whoever made them.
fn fingerprint(change: &Change) -> [u8; 32] {
    let mut hash = Sha256::new();
    let mut put = |bytes: &[u8]| {
        hash.update(bytes.len().to_le_bytes());
        hash.update(bytes);
    };
    put(change.locator.as_bytes());
    for edit in &change.edits {
        put(&edit.span.start.to_le_bytes());
        put(&edit.span.end.to_le_bytes());
        put(edit.with.as_bytes());
    }
    for (locator, bytes) in &change.files {
        put(locator.as_bytes());
        put(&[u8::from(bytes.is_some())]);
        put(bytes.as_deref().unwrap_or_default());
    }
    hash.finalize().into()
}
