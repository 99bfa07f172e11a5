//! The result of balancing a set.

pub(super) type Faults = Vec<(String, usize)>;
pub(super) type Unknown = Option<(String, usize)>;

/// The imbalances of a set, each with its segment, and the first amount that is not a number.
pub(crate) struct Balance {
    pub(crate) faults: Faults,
    pub(crate) unknown: Unknown,
}
