//! Percentiles of measured times.

/// The smallest value that so many of a hundred are not above: the nearest rank.
pub(super) fn nearest_rank(sorted: &[u64], percentile: f64) -> Option<u64> {
    let rank = (1..=sorted.len()).find(|rank| *rank as f64 * 100.0 >= percentile * sorted.len() as f64)?;
    sorted.get(rank - 1).copied()
}
