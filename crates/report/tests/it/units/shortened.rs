//! Long reasons in a table.

use crate::shortened::{REASON, shortened};

#[test]
fn a_long_reason_keeps_its_begin_and_its_end() {
    assert_eq!(shortened(&"é".repeat(REASON)), "é".repeat(REASON));
    let long = format!("began {} ended", "é".repeat(REASON));
    let short = shortened(&long);
    assert!(short.starts_with("began é") && short.ends_with("é ended") && short.contains(" … "), "{short}");
    assert_eq!(short.chars().count(), REASON + 3);
}
