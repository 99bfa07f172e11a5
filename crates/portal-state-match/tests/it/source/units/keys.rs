//! The columns that may be the key of a table.

use std::collections::BTreeMap;

use candor_check::sandbox::{RecordKey, keys_of_both};
use candor_json::{Value, json};

use crate::source::keys::Keys;

fn keys(table: &str, rows: &[Value]) -> BTreeMap<String, Vec<RecordKey>> {
    let mut keys = Keys { table, columns: None };
    let _ = rows.iter().try_for_each(|row| keys.take(row));
    keys.all().map(|all| (table.to_owned(), all)).into_iter().collect()
}

fn key(table: &str, rows: &[Value]) -> String {
    keys_of_both(BTreeMap::new(), keys(table, rows)).remove(table).unwrap_or_default().join(",")
}

#[test]
fn a_table_without_id_has_the_key_that_tells_its_rows_apart() {
    let rows = |column: &str| [json!({column: "a", "n": 1}), json!({column: "b", "n": 1})];
    for column in ["id", "ID", "_id", "uuid", "Guid", "key", "prescription_id", "prescriptionId", "member_id", "RowID"]
    {
        assert_eq!(key("prescriptions", &rows(column)), column);
    }
    assert_eq!(key("entries", &[json!({"entry_id": 1, "member_id": 2})]), "entry_id");
    // Two that may be, one value twice, a row without one, and an empty table: the content names the rows.
    assert_eq!(key("rx", &[json!({"a_id": 1, "b_id": 2})]), "");
    assert_eq!(key("rx", &[json!({"a_id": 1}), json!({"a_id": 1})]), "");
    assert_eq!(key("rx", &[json!({"a_id": 1}), json!({"b": 1})]), "");
    assert_eq!(key("rx", &[]), "");
    // Of two, the one with a value twice is not the key.
    assert_eq!(key("rx", &[json!({"member_id": 1, "rx_id": 1}), json!({"member_id": 1, "rx_id": 2})]), "rx_id");
}

#[test]
fn the_key_is_one_of_both_states() {
    let row = |a: u32, b: u32| json!({"a_id": a, "b_id": b});
    let chosen = |before: &[Value], after: &[Value]| keys_of_both(keys("t", before), keys("t", after)).remove("t");
    // Alone, the states have different keys, and every row would differ.
    assert_eq!(chosen(&[row(1, 1), row(2, 1)], &[row(1, 1), row(1, 2)]), None);
    assert_eq!(chosen(&[row(1, 1), row(2, 1)], &[row(1, 1), row(2, 2)]), Some(vec!["a_id".to_owned()]));
    assert_eq!(chosen(&[], &[row(1, 1), row(2, 1)]), Some(vec!["a_id".to_owned()]));
    let said = BTreeMap::from([("t".to_owned(), vec![RecordKey { rank: 0, fields: vec!["n".to_owned()] }])]);
    let found = keys("t", &[row(1, 1), row(2, 1)]);
    for (before, after) in [(said.clone(), found.clone()), (found, said)] {
        assert_eq!(keys_of_both(before, after).remove("t"), Some(vec!["n".to_owned()]));
    }
}
