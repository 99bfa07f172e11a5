//! Percentiles.

use crate::rank::nearest_rank;

#[test]
fn the_nearest_rank() {
    let values = [15, 20, 35, 40, 50];
    for (percentile, expected) in [(5.0, 15), (30.0, 20), (40.0, 20), (50.0, 35), (100.0, 50), (0.1, 15)] {
        assert_eq!(nearest_rank(&values, percentile), Some(expected), "{percentile}");
    }
    assert_eq!(nearest_rank(&[], 50.0), None);
}
