//! The fields of a record that a draft asserts.

use std::collections::BTreeSet;

use candor_check::draft::{MadeUpTable, Selection};
use candor_json::{Value, json};

use crate::additions::Rules;
use crate::fields::{Fields, Known, fields_of};

fn of(fields: &[(&str, Value)], by: &[&str]) -> Fields {
    let fields: Vec<(String, Value)> = fields.iter().map(|(path, value)| ((*path).to_owned(), value.clone())).collect();
    let rules = Rules { made_up: MadeUpTable::new("id  id  given\nissued  clock  when"), days: false };
    let new_names = BTreeSet::from(["Encounter/9".to_owned()]);
    let known = Known { fields: &fields, changed: None, gone: &[], new_names: &new_names, rules };
    fields_of(&known, &Selection::new(json!({}), "fields", "It", by))
}

#[test]
fn what_the_work_set_is_asserted() {
    let found = of(
        &[
            ("id", json!("7")),
            ("status", json!("active")),
            ("subject.reference", json!("Patient/1")),
            ("encounter.reference", json!("Encounter/9")),
            ("issued", json!("2026-11-20T09:00:00Z")),
            ("start", json!("2026-11-20T09:00:00-05:00")),
            ("end", json!("2026-11-20T09:20:13-05:00")),
            ("dose.0.value", json!(2)),
            ("part.0.who", json!("a")),
            ("part.0.role", json!("x")),
            ("part.1.who", json!("b")),
            ("name.given.0", json!("Ada")),
            ("name.given.1", json!("Maja")),
        ],
        &["subject.reference"],
    );
    assert_eq!(
        json!(found.asserted),
        json!([
            {"path": "status", "expected": "active"},
            {"path": "start", "expected": "2026-11-20T09:00:00-05:00"},
            {"path": "dose.value", "expected": 2},
            {"item": "part", "fields": [{"path": "who", "expected": "a"}, {"path": "role", "expected": "x"}]},
            {"item": "part", "fields": [{"path": "who", "expected": "b"}]},
            {"path": "name.given", "expected": "Ada"},
            {"path": "name.given", "expected": "Maja"},
        ])
    );
    let reasons: Vec<&str> = found.left_out.keys().map(String::as_str).collect();
    assert_eq!(
        reasons,
        [
            "given",
            "it is a time to the second, as a clock gives it",
            "it refers to a record whose id a system gave",
            "when"
        ]
    );
}
