//! Numbers of a database in JSON.

use candor_json::json;

use crate::sql::engine::{number, real};

#[test]
fn numbers_stay_as_they_are_written() {
    assert_eq!(number("120.50").to_string(), "120.50");
    assert_eq!(number("NaN"), json!("NaN"));
    assert_eq!(real(0.1).to_string(), "0.1");
    assert_eq!(real(f64::NEG_INFINITY), json!("-Infinity"));
}
