//! Fields next to the others of their list.

use candor_check::compare::DateForm;
use candor_check::field::{FieldEntry, FieldPath, PathProblem};
use candor_check::records::RecordRules;
use candor_check::review::{RecordReview, Shape, Weakness, WeaknessKind};
use candor_json::{Value, json};

#[derive(Clone, Debug)]
struct AnyPath;

impl FieldPath for AnyPath {
    const DATES: &'static [DateForm] = &[];

    fn parse(_: &str) -> Result<Self, PathProblem> {
        Ok(Self)
    }

    fn parse_item(_: &str, _: &[Self]) -> Result<Self, PathProblem> {
        Ok(Self)
    }
}

/// In these tests `items` repeats, a path without brackets to `SEG` or `OBX` takes the first, and every other name is
/// single.
fn shape(inside: &[&str], path: &str) -> Shape {
    if path.starts_with("SEG") || path.starts_with("OBX") {
        return Shape::of_segments(path);
    }
    let every = path.match_indices("items.").map(|(at, _)| path[..at + "items".len()].to_owned()).collect();
    let single = !path.contains("items") && inside.len() < 2;
    Shape { single, every, ..Shape::default() }
}

/// The weaknesses of fields next to each other, without those of each alone.
fn weaknesses(fields: Value) -> Vec<Weakness> {
    let fields: Vec<FieldEntry<AnyPath>> = candor_json::from_value(fields).unwrap();
    let review = RecordReview {
        one: "message",
        member: "fields",
        fields: &fields,
        rules: RecordRules::default(),
        selected: true,
        select_by: "correlate_by",
        beside: true,
        whole: false,
    };
    let alone = review.review().weaknesses.len();
    review.review_shaped(&[], &shape).weaknesses.split_off(alone)
}

fn found(fields: Value) -> Vec<(WeaknessKind, String)> {
    weaknesses(fields).into_iter().map(|weakness| (weakness.kind, weakness.place)).collect()
}

fn equals(path: &str, value: &str) -> Value {
    json!({"path": path, "expected": value})
}

#[test]
fn contradictions_need_one_value_and_two_that_differ() {
    let at = |place: &str| vec![(WeaknessKind::Contradiction, place.to_owned())];
    assert_eq!(found(json!([equals("a", "x"), equals("a", "y")])), at("fields[1]"));
    assert_eq!(found(json!([equals("items", "x"), equals("items", "y")])), []);
    assert_eq!(found(json!([equals("a", "x"), equals("b", "y")])), []);
    let group = json!([{"item": "items", "where": [equals("a", "x")], "fields": [equals("a", "y")]}]);
    assert_eq!(found(group), at("fields[0].fields[0]"));
}

#[test]
fn two_fields_through_one_array_want_a_group() {
    let fields = json!([equals("items.a", "x"), equals("b", "x"), equals("items.c", "y"), equals("items.d", "y")]);
    assert_eq!(found(fields), [(WeaknessKind::TwoItems, "fields[2]".to_owned())]);
    for bound in [
        json!([equals("items.a", "x"), equals("items.a", "y")]),
        json!([equals("items.a", "x"), {"path": "items.b", "op": "notEmpty"}]),
        json!([equals("items.a", "x"), {"path": "items.b", "expected": "y", "quantifier": "all"}]),
        json!([{"item": "items", "fields": [equals("a", "x"), equals("b", "y")]}]),
    ] {
        assert_eq!(found(bound.clone()), [], "{bound}");
    }
    let nested = json!([{"item": "outer", "fields": [equals("items.a", "x"), equals("items.b", "y")]}]);
    assert_eq!(found(nested), [(WeaknessKind::TwoItems, "fields[0].fields[1]".to_owned())]);
    let segments = json!([equals("SEG[*].3", "x"), equals("SEG[*].5", "y")]);
    assert_eq!(found(segments), [(WeaknessKind::TwoItems, "fields[1]".to_owned())]);
}

#[test]
fn what_takes_the_first_counts_no_others() {
    let count = |path: &str, expected: u64| json!({"path": path, "op": "count", "expected": expected});
    let first = |place: &str| vec![(WeaknessKind::FirstOnly, format!("{place}.path"))];
    assert_eq!(found(json!([count("SEG", 1)])), first("fields[0]"));
    assert_eq!(found(json!([count("SEG[*]", 1)])), []);
    assert_eq!(found(json!([count("SEG", 0)])), []);
    assert_eq!(found(json!([count("SEG[*]", 3), equals("SEG.5", "x")])), first("fields[1]"));
    assert_eq!(found(json!([count("SEG[*]", 1), equals("SEG.5", "x")])), []);
    assert_eq!(found(json!([{"item": "SEG", "count": 2}, equals("SEG.5", "x")])), first("fields[1]"));
}

#[test]
fn the_group_is_shown_as_it_is_written() {
    for (one, other, written) in [
        ("items.a", "items.b.c", ": `{item: items, fields: [{path: a, …}, {path: b.c, …}]}`"),
        ("OBX[*].3", "OBX[*].5", ": `{item: OBX, fields: [{path: OBX.3, …}, {path: OBX.5, …}]}`"),
    ] {
        let weaknesses = weaknesses(json!([equals(one, "x"), equals(other, "x")]));
        assert!(weaknesses[0].message.ends_with(written), "{weaknesses:?}");
    }
}
