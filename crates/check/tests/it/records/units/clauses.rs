//! Results that did not pass, in a sentence.

use candor_check::compare::Operator;
use candor_check::field::FieldResult;
use candor_check::records::described;
use candor_json::{Value, json};
use proptest::prelude::*;

use crate::records::clauses::{NAMED, clause, described_each};

fn result(path: &str) -> FieldResult {
    FieldResult::constraint(path, json!("good"), json!("bad"), false)
}

#[test]
fn every_failed_result_is_named_up_to_ten() {
    let all: Vec<FieldResult> = (0..13).map(|n| result(&format!("f{n}"))).collect();
    let all: Vec<&FieldResult> = all.iter().collect();
    let told = described_each([(&all[..4], " (row 1)"), (&all[4..], " (row 2)")].into_iter(), 0);
    for n in 0..10 {
        assert!(told.contains(&format!("f{n} is \"bad\", expected \"good\"")), "{told}");
    }
    assert!(!told.contains("f10") && told.contains("f3 is \"bad\", expected \"good\" (row 1)"), "{told}");
    assert!(told.ends_with("(row 2); and 3 more"), "{told}");
}

#[test]
fn a_number_of_candidates_is_told_without_its_path() {
    let count = |expected| FieldResult::constraint("$count", expected, json!(3), false);
    for (expected, told) in [
        (json!(0), "found 3, expected none"),
        (json!(1), "found 3, expected 1"),
        (json!({"min": 5}), "found 3, expected at least 5"),
        (json!({"max": 2}), "found 3, expected at most 2"),
        (json!({"min": 5, "max": 8}), "found 3, expected 5 to 8"),
        (json!({"min": 0, "max": 0}), "found 3, expected none"),
    ] {
        assert_eq!(clause(&count(expected)), told);
    }
}

#[test]
fn nothing_where_a_value_was_expected() {
    let mut result = FieldResult::constraint("x", Value::Null, Value::Null, false);
    result.operator = Operator::NotEquals;
    assert_eq!(described(&result), "x is nothing, expected a value");
}

proptest! {
    #[test]
    fn whatever_failed_is_named_or_counted(sizes in prop::collection::vec(0usize..9, 0..6)) {
        let results: Vec<FieldResult> = (0..9).map(|n| result(&format!("<{n}>"))).collect();
        let results: Vec<&FieldResult> = results.iter().collect();
        let told = described_each(sizes.iter().map(|size| (&results[..*size], " (x)")), 0);
        let all: usize = sizes.iter().sum();
        prop_assert_eq!(told.matches('<').count(), all.min(NAMED));
        prop_assert_eq!(told.contains(" more"), all > NAMED);
    }
}
