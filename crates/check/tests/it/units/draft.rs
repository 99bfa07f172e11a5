//! Paths and tables of made-up values.

use candor_check::draft::{MadeUp, MadeUpTable, is_segment_path, is_uuid, without_positions};
use proptest::prelude::*;

#[test]
fn positions_are_left_out() {
    for (path, plain) in [
        ("a.0.b.12.c", "a.b.c"),
        ("PID.3[2].1", "PID.3.1"),
        ("OBX[3.1=2345-7].5", "OBX.5"),
        ("CLM.5.3", "CLM.5.3"),
        ("status", "status"),
        ("$rows.17.amount", "$rows.amount"),
    ] {
        assert_eq!(without_positions(path), plain, "{path}");
    }
}

#[test]
fn a_row_covers_what_is_below_its_path() {
    let table = MadeUpTable::new(
        "# comment\nid  id  a server gives it\nMSH.7  clock  when\n**.reference.display  words  people",
    );
    assert_eq!(table.of("id").map(|row| row.why), Some("a server gives it"));
    assert_eq!(table.of("MSH.7.1").map(|row| row.kind), Some(MadeUp::Clock));
    assert_eq!(table.of("a.1.reference.display").map(|row| row.kind), Some(MadeUp::Words));
    assert_eq!((table.of("identifier.0.value"), table.of("MSH.70"), table.of("a.id")), (None, None, None));
    assert!(is_uuid("urn:uuid:0198c5f0-0000-7000-8000-00000000000a") && !is_uuid("72148"));
}

proptest! {
    #[test]
    fn no_path_makes_it_panic(path in "[A-Zé\\[\\]0-9.=$]{0,20}", row in "[a-z.*é]{0,8} (id|clock)? ?[a-z]{0,3}") {
        let _ = (without_positions(&path), is_segment_path(&path), MadeUpTable::new(&row).of(&path));
    }
}
