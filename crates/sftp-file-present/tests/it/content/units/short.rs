//! Rows with fewer cells than the header.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use candor_check::records::Completeness;

use crate::content::rows::{RowPath, Shape, Table};

fn ends(text: &str, path: &str, header: bool) -> Option<String> {
    let shape = Shape { header, ..Shape::default() };
    let table = Table::delimited(text, &shape).unwrap();
    match table.ends_before(&RowPath::parse(path).unwrap()) {
        Completeness::Cut(cut) => Some(format!("{}: {}", cut.offset, cut.what)),
        _ => None,
    }
}

#[test]
fn a_row_matters_where_it_lacks_what_is_read() {
    let text = "id,member,amount\nC1,W1,9.50\nC2,W2\nC3,W3,\n";
    assert_eq!(
        ends(text, "amount", true).as_deref(),
        Some("28: a row of 2 cells, where the header has 3: it ends before `amount`")
    );
    for (path, cut) in [
        ("id", false),
        ("member", false),
        ("nothing", false),
        ("1.amount", false),
        ("2.amount", true),
        ("3.amount", false),
        ("row[id=C1].amount", false),
        ("row[id=C2].amount", true),
        ("row[id=C].amount", false),
        ("row[amount=].id", true),
        ("row[member=W1][amount=9.50].id", false),
        ("row[id=C3][2].amount", false),
        ("row[id=C2][2].amount", true),
    ] {
        assert_eq!(ends(text, path, true).is_some(), cut, "{path}");
    }
    assert_eq!(ends(text, "3", false), None);
}

#[test]
fn the_last_cell_of_a_file_may_go_on() {
    let text = "id,amount\nC1,9.50\nC1";
    assert!(ends(text, "row[id=C12].amount", true).is_some());
    assert!(ends(text, "row[id=C2].amount", true).is_none());
    assert!(ends(&format!("{text}\n"), "row[id=C12].amount", true).is_none());
    assert!(ends("id,amount\nC1,9.50\nC2,", "amount", true).is_none());
}
