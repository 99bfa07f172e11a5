//! Tables of what makes a record unsafe.

use candor_check::records::SafetyTable;
use candor_json::json;

#[test]
fn a_cell_says_which_values_are_unsafe() {
    for (cell, value, expected) in [
        ("*", json!({"url": "x"}), true),
        ("*", json!([]), false),
        ("*", json!(""), false),
        ("-", json!("x"), false),
        ("D W", json!("W"), true),
        ("D W", json!("w"), false),
        ("~ true 1 y", json!("TRUE"), true),
        ("~ true 1 y", json!(true), true),
        ("~ true 1 y", json!(1), true),
        ("~ true 1 y", json!(false), false),
        ("! 22", json!("1"), true),
        ("! 22", json!("22"), false),
        ("! 22", json!(null), false),
    ] {
        let row = format!("a\tb\t{cell}\twork\t-\t-\t-\ts\n");
        let text = format!("at\telement\tvalues\tmatters\tundoes\tkey\tuntil\tsource\n{row}");
        let table = SafetyTable::read(text.leak());
        assert_eq!(table.rows()[0].values.hold(&value), expected, "{cell} {value}");
    }
}

#[test]
fn what_is_not_a_row_is_a_fault() {
    for (text, fault) in [
        ("at\telement\n", "the first line is not the header"),
        (concat!("at\telement\tvalues\tmatters\tundoes\tkey\tuntil\tsource\n", "a\tb\n"), "2 cells, expected 8"),
        (
            concat!("at\telement\tvalues\tmatters\tundoes\tkey\tuntil\tsource\n", "a\tb\tc\tsometimes\t-\t-\t-\ts\n"),
            "`sometimes` in the column",
        ),
        (
            concat!("at\telement\tvalues\tmatters\tundoes\tkey\tuntil\tsource\n", "a\tb\tc\twork\td=e\t-\t-\ts\n"),
            "there is no key",
        ),
        (
            concat!("at\telement\tvalues\tmatters\tundoes\tkey\tuntil\tsource\n", "a\tb\tc\twork\t-\t-\td=e\ts\n"),
            "`until` says nothing",
        ),
    ] {
        let table = SafetyTable::read(text);
        assert!(table.faults().iter().any(|found| found.starts_with(fault)), "{text}: {:?}", table.faults());
        assert!(table.rows().is_empty());
    }
}
