//! What came of balancing a set.

pub(super) type Faults = Vec<(String, usize)>;
pub(super) type Unknown = Option<(String, usize)>;

/// What does not balance in a set: each fault with its segment, and the first amount that is no number.
pub(crate) struct Balance {
    pub(crate) faults: Faults,
    pub(crate) unknown: Unknown,
}
