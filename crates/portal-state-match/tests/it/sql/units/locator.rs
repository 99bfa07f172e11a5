//! The place of a row in a database, and the order of rows.

use candor_json::json;

use crate::sql::locator::{by_key, locator};

#[test]
fn by_key_by_number_and_escaped() {
    let table = "sqlite:portal.db#claims";
    assert_eq!(locator(table, &[("id", &json!("PA-1001"))], 7), "sqlite:portal.db#claims[id=PA-1001]");
    assert_eq!(
        locator(table, &[("a", &json!(1)), ("b", &json!("x]#y"))], 7),
        "sqlite:portal.db#claims[a=1,b=x%5D%23y]"
    );
    assert_eq!(locator(table, &[], 7), "sqlite:portal.db#claims[7]");
    let long = "x".repeat(100);
    assert!(locator(table, &[("id", &json!(long))], 7).ends_with("x…]"));
}

#[test]
fn keys_are_ordered_by_value() {
    let key = ["id".to_owned(), "line".to_owned()];
    let mut rows = [
        json!({"id": "b", "line": 1}),
        json!({"id": 10, "line": 2}),
        json!({"id": 9, "line": 2}),
        json!({"id": 9, "line": 1.5}),
        json!({"id": "a"}),
    ];
    rows.sort_by(|a, b| by_key(&key, a, b));
    let ids: Vec<String> = rows.iter().map(|row| row["id"].to_string()).collect();
    assert_eq!(ids, ["9", "9", "10", "\"a\"", "\"b\""]);
    assert_eq!(rows[0]["line"], json!(1.5));
}
