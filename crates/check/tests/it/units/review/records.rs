//! A selection, fields and `count`.

use candor_check::field::Field;
use candor_check::json_path::DottedPath;
use candor_check::records::RecordRules;
use candor_check::review::{RecordReview, WeaknessKind};
use candor_check::settings::Cardinality;
use candor_json::{Value, json};

fn found(fields: Value, count: Option<Value>, selected: bool, beside: bool) -> Vec<(WeaknessKind, String)> {
    let fields: Vec<Field<DottedPath>> = candor_json::from_value(fields).unwrap();
    let count = count.map(|count| Cardinality::from_value(&count).unwrap());
    let rules = RecordRules { count, ..RecordRules::default() };
    let review = RecordReview {
        one: "row",
        member: "fields",
        fields: &fields,
        rules,
        selected,
        select_by: "search",
        beside,
        whole: false,
    };
    review.review().weaknesses.into_iter().map(|weakness| (weakness.kind, weakness.place)).collect()
}

/// Of fields, the first of which may be weak.
fn of_fields(fields: Value) -> Vec<(WeaknessKind, String)> {
    found(fields, None, true, false)
}

#[test]
fn what_asserts_nothing_is_told_from_what_asserts_existence() {
    use WeaknessKind::{AlwaysHolds, AssertsNothing, PassesOnAbsence};
    let at = |kind, place: &str| vec![(kind, place.to_owned())];
    assert_eq!(found(json!([]), None, false, false), at(AssertsNothing, ""));
    assert_eq!(found(json!([]), Some(json!({"min": 1})), false, false), at(AssertsNothing, ""));
    assert_eq!(found(json!([]), Some(json!({"min": 0})), true, false), at(AlwaysHolds, "count"));
    let field = json!([{"path": "a", "expected": 1}]);
    assert_eq!(found(field.clone(), Some(json!({"max": 1})), true, false), at(PassesOnAbsence, "count"));
    assert_eq!(found(json!([]), Some(json!(0)), true, true), at(PassesOnAbsence, "count"));
    for (fields, count, selected, beside) in [
        (json!([]), None, true, false),
        (json!([]), None, false, true),
        (json!([]), Some(json!(2)), false, false),
        (json!([]), Some(json!(0)), true, false),
        (json!([]), Some(json!({"max": 1})), true, false),
        (json!([]), Some(json!({"min": 2})), false, false),
        (field.clone(), None, false, false),
        (field, Some(json!({"min": 1, "max": 1})), true, false),
    ] {
        assert_eq!(found(fields.clone(), count.clone(), selected, beside), [], "{fields} {count:?}");
    }
}

#[test]
fn what_passes_where_nothing_is_there_needs_something_beside_it() {
    let negative = json!({"path": "a", "op": "notEquals", "expected": 1, "absent": "pass"});
    let positive = json!({"path": "b", "expected": 2});
    let weak = vec![(WeaknessKind::PassesOnAbsence, "fields".to_owned())];
    assert_eq!(of_fields(json!([negative])), weak);
    assert_eq!(of_fields(json!([negative, {"path": "c", "op": "empty"}])), weak);
    assert_eq!(found(json!([{"path": "c", "expected": null}]), None, false, false), weak);
    for green in [
        json!([negative, positive]),
        json!([{"path": "a", "op": "notEquals", "expected": 1}]),
        json!([{"path": "c", "op": "empty"}]),
        json!([{"path": "c", "op": "count", "expected": 0}]),
    ] {
        assert_eq!(of_fields(green.clone()), [], "{green}");
    }
    assert_eq!(found(json!([negative]), None, true, true), []);
}

#[test]
fn comparisons_that_tell_nothing_stand_beside_ones_that_do() {
    let field = |op: &str, expected: Value, more: Value| {
        let mut field = json!({"path": "a", "op": op, "expected": expected});
        field.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        of_fields(json!([field]))
    };
    let at = |kind| vec![(kind, "fields[0].expected".to_owned())];
    let (always, never) = (at(WeaknessKind::AlwaysHolds), at(WeaknessKind::NeverHolds));
    for (op, weak, sound) in [
        ("matches", json!(".*"), json!(".*x")),
        ("contains", json!(""), json!("x")),
        ("notIn", json!([]), json!(["x"])),
        ("count", json!({"min": 0}), json!({"min": 1})),
    ] {
        assert_eq!(field(op, weak, json!({})), always, "{op}");
        assert_eq!(field(op, sound, json!({})), [], "{op}");
    }
    assert_eq!(field("contains", json!("-"), json!({"using": ["punctuation"]})), always);
    assert_eq!(field("contains", json!("-1"), json!({"using": ["punctuation"]})), []);
    for (op, weak, sound) in [
        ("in", json!([]), json!([1])),
        ("notContains", json!(""), json!("x")),
        ("between", json!([2, 1]), json!([1, 1])),
        ("between", json!(["2026-11-21", "2026-11-20"]), json!(["2026-11", "2026-11-20"])),
    ] {
        assert_eq!(field(op, weak.clone(), json!({})), never, "{op}");
        assert_eq!(field(op, weak, json!({"quantifier": "none"})), always, "{op}");
        assert_eq!(field(op, sound, json!({})), [], "{op}");
    }
    assert_eq!(field("between", json!(["2026-11-21", "2026-11-20"]), json!({"as": "date"})), never);
    assert_eq!(field("matches", json!(".+"), json!({"quantifier": "none"})), never);
    // That there is exactly one value is something.
    assert_eq!(field("matches", json!(".+"), json!({"quantifier": "exactly_one"})), []);
}

#[test]
fn weights_of_fields_count_for_something() {
    let fields = |weights: [u8; 2]| json!([{"path": "a", "expected": 1, "weight": weights[0]}, {"path": "b", "expected": 1, "weight": weights[1]}]);
    assert_eq!(of_fields(fields([0, 1])), [(WeaknessKind::DeadField, "fields[0].weight".to_owned())]);
    assert_eq!(of_fields(fields([0, 0])), [(WeaknessKind::NoFieldWeight, "fields".to_owned())]);
    assert_eq!(of_fields(fields([2, 1])), []);
}
