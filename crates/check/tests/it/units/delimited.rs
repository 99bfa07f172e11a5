//! Records and cells of delimited text.

use candor_check::delimited::{Flaw, records};
use proptest::prelude::*;

#[test]
fn a_flaw_ends_with_its_record() {
    let rows: Vec<_> = records(b"\n\"a\"b,c\r\n\r\n\"d\"\"\",\n\"e\n", 0, ',').collect();
    let flaws: Vec<_> = rows.iter().map(|row| (row.len, row.flaw)).collect();
    assert_eq!(flaws, [(2, Some(Flaw::Behind(4))), (2, None), (1, Some(Flaw::Unclosed(18)))]);
    assert_eq!(rows[1].cells().collect::<Vec<_>>(), ["d\"", ""]);
}

proptest! {
    #[test]
    fn line_ends_alone_are_between_records(
        bytes in prop::collection::vec(prop::sample::select(b"a,\"\n\r\xE9\xC2\xA7".to_vec()), 0..40),
        delimiter in prop::sample::select(vec![',', '\u{a7}']),
    ) {
        let mut at = 0;
        for record in records(&bytes, 0, delimiter) {
            prop_assert!(bytes[at..record.span.start].iter().all(|byte| b"\r\n".contains(byte)));
            prop_assert!(!record.raw().is_empty());
            prop_assert_eq!(record.cells().count(), record.len);
            at = record.span.end;
        }
        prop_assert!(bytes[at..].iter().all(|byte| b"\r\n".contains(byte)));
    }
}
