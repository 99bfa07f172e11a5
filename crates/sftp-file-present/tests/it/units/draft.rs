//! Names in drafts.

use crate::draft::opened;

#[test]
fn days_and_times_are_left_open() {
    for (name, open) in [
        ("claims_20261120.csv", "claims_*.csv"),
        ("835_20261120091500_0007.edi", "835_*_0007.edi"),
        ("123456789_72148.json", "123456789_72148.json"),
        ("0198c5f0-0000-7000-8000-00000000000a.json", "*.json"),
        ("a[1].csv", "a[[]1].csv"),
    ] {
        assert_eq!(opened(name), open, "{name}");
    }
}
