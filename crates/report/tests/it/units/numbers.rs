//! Numbers as a person reads them.

use crate::numbers::score;

#[test]
fn a_score_never_looks_better_than_it_is() {
    for (value, shown) in [
        (0.0, "0"),
        (1e-9, "0.01"),
        (0.0556, "0.05"),
        (0.29, "0.29"),
        (0.5, "0.5"),
        (2.0 / 3.0, "0.66"),
        (0.899_99, "0.89"),
        (0.9, "0.9"),
        (1.0 - 1e-12, "0.99"),
        (1.0, "1"),
    ] {
        assert_eq!(score(value), shown);
    }
}
