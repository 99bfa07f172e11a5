//! Quantities with comparators and units.

use std::borrow::Cow;

use candor_check::compare::{CompareAs, Comparison, Datum, MatchMode, Order, References, Rule, equal, order};
use candor_json::{Value, json};
use candor_ucum::SYSTEM;
use proptest::prelude::*;

fn judged(actual: &Value, expected: &Value, asserted: Option<Order>, rules: &[Rule]) -> Comparison {
    let references = References::default();
    let manner = MatchMode { read_as: Some(CompareAs::Quantity), ..MatchMode::new(rules, &[], &references) };
    let actual = Datum::Json(Cow::Borrowed(actual));
    match asserted {
        Some(asserted) => order(&actual, expected, asserted, &manner),
        None => equal(&actual, expected, &manner),
    }
}

/// Says if the values that a comparator leaves open, in halves, all satisfy what is asserted, or none of them.
fn by_hand(comparator: &str, limit: i64, asserted: Option<Order>, expected: i64) -> Comparison {
    let satisfies = |halves: i64| match asserted {
        None => halves == 2 * expected,
        Some(Order::Less) => halves < 2 * expected,
        Some(Order::LessOrEqual) => halves <= 2 * expected,
        Some(Order::Greater) => halves > 2 * expected,
        Some(Order::GreaterOrEqual) => halves >= 2 * expected,
    };
    let possible = |halves: &i64| match comparator {
        "<" => *halves < 2 * limit,
        "<=" => *halves <= 2 * limit,
        ">" => *halves > 2 * limit,
        ">=" => *halves >= 2 * limit,
        _ => *halves == 2 * limit,
    };
    let open: Vec<bool> = (-60..=60).filter(possible).map(satisfies).collect();
    match (open.iter().all(|one| *one), open.iter().any(|one| *one)) {
        (true, _) => Comparison::Holds,
        (_, false) => Comparison::Fails,
        _ => Comparison::Vague,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(512)))]

    #[test]
    fn a_comparator_is_an_interval(
        comparator in prop::sample::select(vec!["", "<", "<=", ">", ">="]),
        limit in -10_i64..10,
        expected in -10_i64..10,
        asserted in prop::sample::select(vec![None, Some(Order::Less), Some(Order::LessOrEqual), Some(Order::Greater), Some(Order::GreaterOrEqual)]),
    ) {
        let mut actual = json!({"value": limit, "code": "g"});
        if !comparator.is_empty() {
            actual["comparator"] = json!(comparator);
        }
        let hand = by_hand(comparator, limit, asserted, expected);
        let grams = json!({"value": expected, "code": "g"});
        prop_assert_eq!(judged(&actual, &grams, asserted, &[]), hand);
        let milligrams = json!({"value": expected * 1000, "unit": "mg"});
        prop_assert_eq!(judged(&actual, &milligrams, asserted, &[Rule::Ucum]), hand);
    }
}

proptest! {
    #[test]
    fn units_are_the_same_both_ways_round(
        units in prop::array::uniform2((0usize..4, prop::sample::select(vec!["mg", "g", "ml", "mL", "mmol", "meq", "{tablet}", "tablet", "U", "[iU]", ""]))),
        values in prop::array::uniform2(1i64..3),
    ) {
        let made = |(form, unit): (usize, &str), value: i64| match form {
            0 => json!({"value": value, "unit": unit}),
            1 => json!({"value": value, "code": unit}),
            2 => json!({"value": value, "unit": "any", "code": unit}),
            _ => json!({"value": value, "unit": unit, "system": SYSTEM, "code": unit}),
        };
        let [a, b] = [made(units[0], values[0]), made(units[1], values[1])];
        prop_assert_eq!(judged(&a, &a, None, &[]), Comparison::Holds);
        let named = |quantity: &Value| {
            let is_text = |name: &str| quantity[name].as_str().is_some_and(|text| !text.is_empty());
            is_text("code") || is_text("unit")
        };
        for rules in [&[][..], &[Rule::Ucum]] {
            let (there, back) = (judged(&a, &b, None, rules), judged(&b, &a, None, rules));
            if named(&a) && named(&b) {
                prop_assert_eq!(there, back, "{} {}", a, b);
            }
            // Another value of the same unit never passes, and no order contradicts equality.
            if there == Comparison::Holds {
                prop_assert_eq!(judged(&a, &b, Some(Order::Less), rules), Comparison::Fails);
                prop_assert_eq!(judged(&a, &b, Some(Order::Greater), rules), Comparison::Fails);
            }
        }
    }
}

#[test]
fn a_number_beyond_every_use_is_no_guess() {
    let huge: Value = candor_json::from_str(r#"{"value": 1e5000, "code": "g"}"#).unwrap();
    let small = json!({"value": 1, "code": "mg"});
    assert_eq!(judged(&huge, &small, Some(Order::Greater), &[Rule::Ucum]), Comparison::Undecidable);
    assert_eq!(judged(&huge, &json!({"value": 1, "code": "g"}), Some(Order::Greater), &[]), Comparison::Holds);
}
