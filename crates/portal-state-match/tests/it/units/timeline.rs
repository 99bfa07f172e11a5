//! The order of the rows of a log.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers outside of test functions may panic too")]

use std::borrow::Cow;

use candor_check::compare::{CompareAs, Comparison, Datum};
use candor_json::{Value, json};
use proptest::prelude::*;

use crate::history::timeline::{Span, Timeline};

fn line(values: &[Value], read_as: Option<CompareAs>) -> Timeline {
    let data: Vec<Option<Datum<'_>>> =
        values.iter().map(|value| (!value.is_null()).then_some(Datum::Json(Cow::Borrowed(value)))).collect();
    Timeline::new(&data, read_as)
}

fn order(values: Value) -> (Vec<usize>, bool) {
    let line = line(values.as_array().unwrap(), None);
    (line.rows().collect(), line.tie().is_none())
}

#[test]
fn kinds_of_values() {
    assert_eq!(order(json!([10, 9, 9.5])), (vec![1, 2, 0], true));
    assert_eq!(order(json!(["10", "9", 1])), (vec![2, 1, 0], true));
    assert_eq!(order(json!(["2026-11-20T10:00:00Z", "2026-11-20T11:30:00+02:00"])), (vec![1, 0], true));
    assert_eq!(order(json!(["2026-11-20 10:00:01", "2026-11-20 10:00:00"])), (vec![1, 0], true));
    assert_eq!(order(json!(["2026", "2025"])), (vec![1, 0], true));
    // A day against a time of that day, a local time against one with a zone, the same twice, text, nothing.
    assert!(!order(json!(["2026-11-20", "2026-11-20T10:00:00Z"])).1);
    assert!(!order(json!(["2026-11-20T10:00:00", "2026-11-20T11:00:00Z"])).1);
    assert!(order(json!(["2026-11-20T10:00:00", "2026-11-22T11:00:00Z"])).1);
    assert!(!order(json!(["2026-11-20T10:00:00Z", "2026-11-20T11:00:00+01:00"])).1);
    assert!(!order(json!([1, 1])).1);
    assert!(!order(json!(["11/20/2025", "01/02/2026"])).1);
    assert!(!order(json!([1, null])).1);
    assert!(!order(json!([1, "2026-11-20"])).1);
    assert!(order(json!([null])).1);
    let texts = line(&[json!("EV-2"), json!("EV-10")], Some(CompareAs::String));
    assert_eq!((texts.rows().collect::<Vec<_>>(), texts.tie()), (vec![1, 0], None));
}

fn extensions(spans: &[Span]) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(so_far) = open.pop() {
        let left: Vec<usize> = (0..spans.len()).filter(|row| !so_far.contains(row)).collect();
        if left.is_empty() {
            all.push(so_far);
            continue;
        }
        for &row in &left {
            if left.iter().all(|&other| other == row || spans[other].1 > spans[row].0) {
                open.push([so_far.clone(), vec![row]].concat());
            }
        }
    }
    all
}

fn holds(order: &[usize], states: &[u8], steps: &[u8]) -> bool {
    let mut rows = order.iter();
    steps.iter().all(|step| rows.any(|&row| states[row] == *step))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: candor_test_size::cases(400), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_said_holds_in_every_order_there_may_be(
        rows in prop::collection::vec((0i128..6, 1i128..4, 0u8..3), 1..6),
        steps in prop::collection::vec(0u8..3, 1..4),
    ) {
        let spans: Vec<Span> = rows.iter().map(|(start, length, _)| (*start, start + length)).collect();
        let states: Vec<u8> = rows.iter().map(|row| row.2).collect();
        let line = Timeline::of(spans.clone());
        let orders = extensions(&spans);
        prop_assert_eq!(line.tie().is_none(), orders.len() == 1);
        let mut lasts: Vec<usize> = orders.iter().map(|order| order[order.len() - 1]).collect();
        lasts.sort_unstable();
        lasts.dedup();
        let mut last = line.last();
        last.sort_unstable();
        prop_assert_eq!(last, lasts);
        let outcomes: Vec<bool> = orders.iter().map(|order| holds(order, &states, &steps)).collect();
        match line.has(steps.len(), |row, step| states[row] == steps[step]) {
            Comparison::Holds => prop_assert!(outcomes.iter().all(|&held| held)),
            Comparison::Fails => prop_assert!(outcomes.iter().all(|&held| !held)),
            _ => prop_assert!(orders.len() > 1),
        }
    }

    #[test]
    fn the_order_of_the_file_changes_nothing(
        values in prop::collection::vec(prop_oneof![
            (0u8..4).prop_map(|n| json!(n)),
            (1u8..4).prop_map(|n| json!(format!("2026-11-0{n}"))),
            Just(json!("2026-11-02T10:00:00Z")),
            Just(Value::Null),
            Just(json!("soon")),
        ], 0..7),
    ) {
        let (forward, backward) = (line(&values, None), line(&values.iter().rev().cloned().collect::<Vec<_>>(), None));
        prop_assert_eq!(forward.tie().is_some(), backward.tie().is_some());
        let mut there: Vec<usize> = forward.last();
        let mut back: Vec<usize> = backward.last().into_iter().map(|row| values.len() - 1 - row).collect();
        there.sort_unstable();
        back.sort_unstable();
        prop_assert_eq!(there, back);
    }
}
