//! Rows of fixed width.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use proptest::prelude::*;

use crate::content::rows::{Align, Column, RowPath, Shape, Table};

fn shape(columns: &str, record_length: Option<usize>) -> Shape {
    let columns: Vec<Column> = candor_json::from_str(columns).unwrap();
    assert_eq!(Column::problem(&columns), None);
    Shape { columns, record_length, ..Shape::default() }
}

fn values(text: &str, path: &str, shape: &Shape) -> Vec<String> {
    let table = Table::fixed(text, shape).unwrap();
    let selected = table.select(&RowPath::parse(path).unwrap());
    for found in &selected.values {
        let span = found.span.clone().unwrap();
        assert_eq!(text.get(span.start as usize..span.end as usize), found.datum.string());
    }
    selected.values.iter().map(|f| f.datum.string().unwrap().to_owned()).collect()
}

const COLUMNS: &str = r#"[{"name": "type", "start": 1, "length": 3}, {"name": "id", "start": 4, "length": 5},
    {"name": "amount", "start": 9, "length": 6, "align": "right"}, {"name": "all", "start": 1, "length": 14}]"#;

#[test]
fn columns_are_cut_out_and_their_padding_is_dropped() {
    let shape = shape(COLUMNS, None);
    let text = "HDR2026 \r\nCLMA1    10.50\n\nCLMÄ2   112.00\rTRL\0\0\n\u{1a}\0\0";
    assert_eq!(values(text, "type", &shape), ["HDR", "CLM", "CLM", "TRL"]);
    assert_eq!(values(text, "id", &shape), ["2026", "A1", "Ä2", ""]);
    assert_eq!(values(text, "amount", &shape), ["10.50", "112.00"], "a line that ends before it has no such column");
    assert_eq!(values(text, "row[type=CLM].amount", &shape), ["10.50", "112.00"]);
    assert_eq!(values(text, "row[type=CLM][2].all", &shape), ["CLMÄ2   112.00"]);
    assert_eq!(values(text, "1.id", &shape), ["2026"]);
    assert!(values(text, "nothing", &shape).is_empty() && values("", "id", &shape).is_empty());
}

#[test]
fn records_need_no_line_ends() {
    let shape = shape(COLUMNS, Some(14));
    let text = "HDR2026       CLMA1    10.50TRL           ";
    assert_eq!(values(text, "type", &shape), ["HDR", "CLM", "TRL"]);
    assert_eq!(values(&format!("{text}\u{1a}\0\0\0"), "amount", &shape), ["", "10.50", ""]);
    assert_eq!(values("HDR2026\0\0\0\0\0\0\0\0\0\0", "id", &shape), ["2026"]);
    let error = Table::fixed("HDR2026       CLM", &shape).unwrap_err();
    assert!(error.offset == 14 && error.what.contains("3 characters where a record has 14"), "{error:?}");
}

#[test]
fn layouts_that_cannot_be_are_refused() {
    for (columns, problem) in [
        ("[]", "0 columns"),
        (r#"[{"name": "", "start": 1, "length": 1}]"#, "columns[0] has no name"),
        (r#"[{"name": "a", "start": 0, "length": 1}]"#, "count from 1"),
        (r#"[{"name": "a", "start": 1, "length": 0}]"#, "no length"),
        (r#"[{"name": "a", "start": 1, "length": 18446744073709551615}]"#, "no record has"),
        (r#"[{"name": "a", "start": 1, "length": 1}, {"name": "a", "start": 2, "length": 1}]"#, "as another one is"),
    ] {
        let columns: Vec<Column> = candor_json::from_str(columns).unwrap();
        assert!(Column::problem(&columns).unwrap().contains(problem), "{columns:?}");
    }
}

proptest! {
    #[test]
    fn never_panics(text in "[aé \0\n\r\u{1a}]{0,40}", start in 1usize..9, length in 1usize..9, record in prop::option::of(1usize..9)) {
        let columns = vec![Column { name: "a".to_owned(), start, length, align: Align::Right }];
        let shape = Shape { columns, record_length: record, ..Shape::default() };
        if let Ok(table) = Table::fixed(&text, &shape) {
            for path in ["a", "row[a=a].a", "2.a"] {
                for found in table.select(&RowPath::parse(path).unwrap()).values {
                    prop_assert!(found.datum.string().unwrap().chars().count() <= length);
                }
            }
        }
    }

    #[test]
    fn what_is_laid_out_is_read(rows in prop::collection::vec(("[a-zé]{0,5}", "[a-z]{1,4}"), 1..5)) {
        let text: String = rows.iter().map(|(a, b)| format!("{a:<5}{b:>4}\n")).collect();
        let shape = shape(r#"[{"name": "a", "start": 1, "length": 5}, {"name": "b", "start": 6, "length": 4, "align": "right"}]"#, None);
        prop_assert_eq!(values(&text, "a", &shape), rows.iter().map(|(a, _)| a.clone()).collect::<Vec<_>>());
        prop_assert_eq!(values(&text, "b", &shape), rows.iter().map(|(_, b)| b.clone()).collect::<Vec<_>>());
    }
}
