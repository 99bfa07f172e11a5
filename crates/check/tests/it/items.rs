//! Item groups over JSON: what each `match`, `count` and `where` means, and what is invalid.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a helper of a test fails it by panicking")]

use candor_check::compare::References;
use candor_check::field::{Field, FieldEntry, FieldResult, ItemGroup, Items, Location, ReadFrom, Thing, judge_entries};
use candor_check::json_path::{DottedPath, JsonItem, joined};
use candor_check::records::RecordRules;
use candor_check::review::{RecordReview, WeaknessKind};
use candor_check::settings::read_settings;
use candor_check::{Share, evidence};
use candor_json::{Value, json};
use proptest::prelude::*;

struct Of<'a> {
    item: JsonItem<'a>,
    open: bool,
}

impl Thing<DottedPath> for Of<'_> {
    type Note = ();

    fn items(&self, group: &ItemGroup<DottedPath>) -> Items<Self> {
        let found = self.item.items(&group.item, false);
        Items {
            items: found.items.into_iter().map(|item| Of { item, open: false }).collect(),
            place: joined(&self.item.place, &group.item_text),
            open: found.open || self.open,
        }
    }

    fn judge(&self, field: &Field<DottedPath>) -> (FieldResult, ()) {
        let reading = ReadFrom { locator: "a.json", span: None, references: &References::default() };
        let result = field.evaluate(field.path.select(&self.item.value), reading);
        (FieldResult { path: joined(&self.item.place, &field.path_text), ..result }, ())
    }

    fn place(&self) -> String {
        self.item.place.clone()
    }

    fn source(&self) -> Location {
        Location::whole("a.json")
    }
}

#[derive(Debug, serde::Deserialize)]
struct Settings {
    fields: Vec<FieldEntry<DottedPath>>,
}

fn entries(fields: Value) -> Vec<FieldEntry<DottedPath>> {
    read_settings::<Settings>(json!({ "fields": fields })).unwrap().fields
}

struct Came {
    results: Vec<FieldResult>,
    explained: Vec<String>,
}

impl Came {
    fn passed(&self) -> bool {
        self.results.iter().all(|result| result.passed)
    }

    fn undecided(&self) -> bool {
        !self.passed() && self.results.iter().filter(|result| !result.passed).all(FieldResult::is_undecidable)
    }

    fn share(&self) -> Share {
        evidence::share(&self.results.iter().cloned().map(evidence::Entry::Field).collect::<Vec<_>>())
    }

    /// `+ path`, `- path (reason)`.
    fn lines(&self) -> Vec<String> {
        let line = |result: &FieldResult| {
            let reason = result.reason.map(|reason| format!(" ({})", reason.name())).unwrap_or_default();
            format!("{} {}{reason}", if result.passed { '+' } else { '-' }, result.path)
        };
        self.results.iter().map(line).collect()
    }
}

fn came(fields: Value, data: &Value) -> Came {
    came_of(&entries(fields), &Of { item: JsonItem::document(data), open: false })
}

fn came_of(entries: &[FieldEntry<DottedPath>], thing: &Of<'_>) -> Came {
    let judged = judge_entries(entries, thing);
    let explained = judged.iter().filter_map(|one| one.explained.clone()).collect();
    Came { results: judged.into_iter().flat_map(|one| one.results).collect(), explained }
}

fn dosages() -> Value {
    json!({"dosage": [
        {"route": "oral", "rate": [{"value": 60, "unit": "mg"}]},
        {"route": "IV", "rate": [{"value": 2, "unit": "g"}, {"value": 5, "unit": "mg"}]}
    ]})
}

fn dose(value: u8, unit: &str, route: &str) -> Value {
    json!([{"item": "dosage", "fields": [
        {"path": "route", "expected": route},
        {"item": "rate", "fields": [{"path": "value", "expected": value}, {"path": "unit", "expected": unit}]}
    ]}])
}

#[test]
fn fields_of_a_group_are_met_by_one_item() {
    let right = came(dose(2, "g", "IV"), &dosages());
    assert!(right.passed());
    assert_eq!(right.lines(), ["+ dosage.1.route", "+ dosage.1.rate.0.value", "+ dosage.1.rate.0.unit"]);
    let wrong = came(dose(2, "mg", "IV"), &dosages());
    assert_eq!(wrong.lines(), ["+ dosage.1.route", "+ dosage.1.rate.0.value", "- dosage.1.rate.0.unit"]);
    assert_eq!(wrong.explained, ["Of the 2 items at `dosage`, dosage.1 came closest: dosage.1.rate.0.unit differs."]);
    // The route, and half of the nested group, which weighs as one field.
    assert_eq!(wrong.share(), Share::of(3, 4).unwrap());
    let crossed = came(dose(60, "mg", "IV"), &dosages());
    assert!(!crossed.passed() && !crossed.undecided());
}

#[test]
fn where_selects_and_count_counts_what_is_left() {
    let group = |condition: &str, more: Value| {
        let mut group = json!({"item": "dosage", "where": [{"path": "route", "expected": condition}]});
        group.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!([group])
    };
    let lines = |condition: &str, more: Value| came(group(condition, more), &dosages()).lines();
    assert_eq!(lines("IV", json!({})), ["+ dosage.$count"]);
    assert_eq!(lines("IV", json!({"count": 1})), ["+ dosage.$count"]);
    assert_eq!(lines("IV", json!({"count": 2})), ["- dosage.$count (count_mismatch)"]);
    assert_eq!(lines("IV", json!({"count": 0})), ["- dosage.$count (count_mismatch)"]);
    assert_eq!(lines("IM", json!({"count": 0})), ["+ dosage.$count"]);
    assert_eq!(lines("IM", json!({"count": {"max": 1}})), ["+ dosage.$count"]);
    assert_eq!(lines("IM", json!({})), ["- dosage.$count (absent)"]);
    let fields = json!([{"path": "rate.value", "expected": 60}]);
    assert_eq!(lines("IV", json!({"fields": fields})), ["- dosage.1.rate.value"]);
    assert_eq!(lines("oral", json!({"fields": fields, "count": 1})), ["+ dosage.$count", "+ dosage.0.rate.value"]);
    assert_eq!(
        lines("oral", json!({"fields": fields, "count": 2})),
        ["- dosage.$count (count_mismatch)", "+ dosage.0.rate.value"]
    );
    // What may be missing is still not what was asserted to be there.
    assert_eq!(
        lines("IM", json!({"fields": fields, "count": {"max": 1}})),
        ["+ dosage.$count", "- dosage.$count (absent)"]
    );
    let none = came(group("IM", json!({"fields": fields})), &dosages());
    assert_eq!(
        none.explained,
        [
            "`where` leaves out all 2 items at `dosage`; dosage.0 came closest: dosage.0.route is \"oral\", expected \"IM\"."
        ]
    );
}

#[test]
fn match_says_how_many_items_satisfy_the_fields() {
    let data = json!({"a": [{"x": 1, "y": 1}, {"x": 1, "y": 2}, {"x": 2, "y": 2}]});
    let group = |matching: &str, path: &str, expected: u8| {
        came(json!([{"item": "a", "match": matching, "fields": [{"path": path, "expected": expected}]}]), &data)
    };
    assert_eq!(group("any", "x", 1).lines(), ["+ a.0.x"]);
    assert_eq!(group("any", "x", 3).lines(), ["- a.0.x"]);
    assert_eq!(group("all", "x", 1).lines(), ["+ a.0.x", "+ a.1.x", "- a.2.x"]);
    assert_eq!(group("all", "x", 1).explained, ["1 of the 3 items at `a` fails: a.2.x differs."]);
    assert_eq!(group("all", "x", 1).share(), Share::of(2, 3).unwrap());
    assert_eq!(group("none", "x", 3).lines(), ["+ a.$matches"]);
    assert_eq!(group("none", "x", 2).lines(), ["- a.$matches", "+ a.2.x"]);
    assert_eq!(group("none", "x", 2).share(), Share::zero());
    assert_eq!(group("exactly_one", "y", 1).lines(), ["+ a.0.y"]);
    assert_eq!(group("exactly_one", "y", 2).lines(), ["- a.$matches (ambiguous_match)", "+ a.1.y", "+ a.2.y"]);
    assert_eq!(group("exactly_one", "y", 2).share(), Share::zero());
    assert_eq!(group("exactly_one", "y", 3).lines(), ["- a.0.y"]);
    for matching in ["any", "all", "none", "exactly_one"] {
        let over = |data: Value, count: Option<u8>| {
            let mut group = json!({"item": "a", "match": matching, "fields": [{"path": "x", "expected": 1}]});
            count.into_iter().for_each(|count| group["count"] = json!(count));
            came(json!([group]), &data)
        };
        assert_eq!(over(json!({"a": []}), None).lines(), ["- a.$count (absent)"], "{matching}");
        assert_eq!(over(json!({"b": 1}), None).lines(), ["- a.$count (absent)"], "{matching}");
        assert!(over(json!({"a": null}), Some(0)).passed(), "{matching}");
        assert_eq!(over(json!({"a": {"x": 1}}), Some(0)).lines(), ["- a.$count (count_mismatch)"], "{matching}");
        assert_eq!(over(json!({"a": {"x": 1}}), None).passed(), matching != "none");
    }
}

#[test]
fn what_cannot_be_compared_is_not_seen_to_be_otherwise() {
    let none = |data: Value| {
        let field = json!({"path": "x", "op": "lessThan", "expected": 5});
        came(json!([{"item": "a", "match": "none", "fields": [field, {"path": "y", "expected": 1}]}]), &data).lines()
    };
    assert_eq!(none(json!({"a": [{"x": "4", "y": 1}]})), ["- a.$matches (type_mismatch)"]);
    assert_eq!(none(json!({"a": [{"x": "4", "y": 2}, {"x": 6, "y": 1}]})), ["+ a.$matches"]);
}

#[test]
fn groups_are_reviewed_with_their_places() {
    let found = |group: Value| {
        let fields = entries(json!([group]));
        let review = RecordReview {
            one: "row",
            member: "fields",
            fields: &fields,
            rules: RecordRules::default(),
            selected: false,
            select_by: "search",
            beside: false,
            whole: false,
        };
        review.review().weaknesses.into_iter().map(|weakness| (weakness.kind, weakness.place)).collect::<Vec<_>>()
    };
    let at = |kind, place: &str| vec![(kind, place.to_owned())];
    let field = json!({"path": "x", "expected": 1});
    assert_eq!(found(json!({"item": "a", "fields": [field]})), []);
    assert_eq!(found(json!({"item": "a"})), []);
    assert_eq!(found(json!({"item": "a", "count": 0})), at(WeaknessKind::PassesOnAbsence, "fields"));
    let nothing = found(json!({"item": "a", "count": {"min": 0}}));
    assert!(nothing.contains(&(WeaknessKind::AlwaysHolds, "fields[0].count".to_owned())));
    let inner =
        json!({"item": "a", "fields": [{"item": "b", "where": [{"path": "x", "op": "matches", "expected": ".*"}]}]});
    assert_eq!(found(inner), at(WeaknessKind::AlwaysHolds, "fields[0].fields[0].where[0].expected"));
    let needless = json!({"item": "a", "count": 0, "fields": [field]});
    assert!(found(needless).contains(&(WeaknessKind::AlwaysHolds, "fields[0].fields".to_owned())));
    let dead = json!({"item": "a", "fields": [{"path": "x", "expected": 1, "weight": 0}]});
    assert_eq!(found(dead), at(WeaknessKind::NoFieldWeight, "fields[0].fields"));
    let light = json!({"item": "a", "weight": 0, "fields": [field]});
    assert_eq!(found(light), at(WeaknessKind::NoFieldWeight, "fields"));
}

#[test]
fn what_is_not_decided_of_an_item_neither_proves_nor_disproves() {
    let date = |at: &str, more: Value| {
        let mut item = json!({ "at": at });
        item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        item
    };
    let (month, day, other) = ("2026-11", "2026-11-20", "2026-10");
    let on_day = json!({"path": "at", "as": "date", "expected": day});
    let of = |items: Value, group: Value| {
        let mut group = group;
        group["item"] = json!("a");
        came(json!([group]), &json!({ "a": items }))
    };
    let fields = |matching: &str| json!({"match": matching, "fields": [on_day]});
    for (items, any, all, none, one) in [
        // 1 for what passes, 0 for what fails, 2 for what is not decided
        (json!([date(day, json!({})), date(month, json!({}))]), 1, 2, 0, 2),
        (json!([date(other, json!({})), date(month, json!({}))]), 2, 0, 2, 2),
        (json!([date(month, json!({}))]), 2, 2, 2, 2),
        (json!([date(day, json!({})), date(day, json!({})), date(month, json!({}))]), 1, 2, 0, 0),
    ] {
        for (matching, expected) in [("any", any), ("all", all), ("none", none), ("exactly_one", one)] {
            let came = of(items.clone(), fields(matching));
            let state = if came.passed() {
                1
            } else if came.undecided() {
                2
            } else {
                0
            };
            assert_eq!(state, expected, "{matching} over {items}: {:?}", came.lines());
        }
    }
    // The same for `where`: such an item may be one of those that are meant, or not.
    let chosen = |more: Value| {
        let mut group = json!({ "where": [on_day] });
        group.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let came = of(json!([date(month, json!({"x": 1}))]), group);
        if came.passed() {
            1
        } else if came.undecided() {
            2
        } else {
            0
        }
    };
    let x = |expected: u8| json!([{"path": "x", "expected": expected}]);
    assert_eq!(chosen(json!({})), 2);
    assert_eq!(chosen(json!({"count": 1})), 2);
    assert_eq!(chosen(json!({"count": 2})), 0);
    assert_eq!(chosen(json!({"count": {"max": 1}})), 1);
    assert_eq!(chosen(json!({"fields": x(1)})), 2);
    assert_eq!(chosen(json!({"fields": x(2)})), 0);
    assert_eq!(chosen(json!({"fields": x(2), "match": "all"})), 2);
    assert_eq!(chosen(json!({"fields": x(2), "match": "none"})), 2);
}

#[test]
fn items_that_could_not_be_read_may_be_anything() {
    let data = json!({"a": [{"x": 1}, {"x": 2}]});
    let state = |group: Value| {
        let thing = Of { item: JsonItem::document(&data), open: true };
        let came = came_of(&entries(json!([group])), &thing);
        if came.passed() {
            1
        } else if came.undecided() {
            2
        } else {
            0
        }
    };
    let x = |expected: u8, matching: &str| json!({"item": "a", "match": matching, "fields": [{"path": "x", "expected": expected}]});
    assert_eq!(state(x(1, "any")), 1);
    assert_eq!(state(x(3, "any")), 2);
    assert_eq!(state(x(1, "all")), 0);
    assert_eq!(state(x(1, "none")), 0);
    assert_eq!(state(x(3, "none")), 2);
    assert_eq!(state(x(1, "exactly_one")), 2);
    assert_eq!(state(json!({"item": "a"})), 1);
    assert_eq!(state(json!({"item": "a", "count": 2})), 2);
    assert_eq!(state(json!({"item": "a", "count": 1})), 0);
    assert_eq!(state(json!({"item": "a", "count": {"min": 2}})), 1);
    assert_eq!(state(json!({"item": "b"})), 2);
    assert_eq!(state(json!({"item": "b", "count": 0})), 2);
}

#[test]
fn a_group_weighs_as_one_field() {
    let data = json!({"s": 1, "a": [{"x": 1, "y": 1, "z": 1}]});
    let fields = |weight: u8| {
        json!([{"path": "s", "expected": 2}, {"item": "a", "weight": weight, "fields": [
            {"path": "x", "expected": 1}, {"path": "y", "expected": 1}, {"path": "z", "expected": 2, "weight": 2}
        ]}])
    };
    // Half of the group, which is one of two.
    assert_eq!(came(fields(1), &data).share(), Share::of(1, 4).unwrap());
    assert_eq!(came(fields(3), &data).share(), Share::of(3, 8).unwrap());
    assert_eq!(came(fields(0), &data).share(), Share::zero());
}

#[test]
fn places_are_those_of_the_items() {
    let data = json!({"o": {"list": [["a"], {"b": [1, 2]}]}, "s": "text"});
    let lines = |item: &str, path: &str, expected: Value| {
        came(json!([{"item": item, "fields": [{"path": path, "expected": expected}]}]), &data).lines()
    };
    assert_eq!(lines("o", "list.1.b", json!(2)), ["+ o.list.1.b"]);
    assert_eq!(lines("o.list", "b", json!(2)), ["+ o.list.1.b"]);
    assert_eq!(lines("o.list.1.b", "$", json!(2)), ["+ o.list.1.b.1"]);
    assert_eq!(lines("$.o.list[1].b", "$", json!(2)), ["+ $['o']['list'][1]['b'][1]"]);
    assert_eq!(lines("$..[?@.b]", "b", json!(2)), ["+ $['o']['list'][1].b"]);
    assert_eq!(lines("$", "s", json!("text")), ["+ $.s"]);
    assert_eq!(lines("s", "$", json!("text")), ["+ s"]);
    assert_eq!(lines("s", "x", json!("text")), ["- s.x (absent)"]);
    let nested = json!([{"item": "$.o", "fields": [{"item": "list", "fields": [{"path": "$.b[0]", "expected": 1}]}]}]);
    assert_eq!(came(nested, &data).lines(), ["+ $['o'].list[1].b[0]"]);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let field = json!({"path": "x", "expected": 1});
    for (group, place, part) in [
        (json!({"item": "a", "fields": [{"item": "b", "wher": []}]}), "fields[0].fields[0].wher", "`where`"),
        (json!({"item": "a", "fields": [{"path": "x", "op": "equal", "expected": 1}]}), "fields[0].fields[0]", "equal"),
        (json!({"item": "a", "where": [{"path": "x..y", "expected": 1}]}), "fields[0].where[0]", "x..y"),
        (json!({"item": "a..b"}), "fields[0].item", "a..b"),
        (json!({"item": "$.a["}), "fields[0].item", "JSONPath"),
        (json!({"item": true}), "fields[0].item", "expected a path"),
        (json!({"item": {"fhirpath": "a"}}), "fields[0].item.fhirpath", "FHIR resources"),
        (json!({"item": {"xpath": "a"}}), "fields[0].item", "expected a path"),
        (json!({"item": "a", "expected": 1}), "fields[0]", "`expected`"),
        (json!({"item": "a", "path": "b"}), "fields[0]", "`path`"),
        (json!({"item": "a", "count": -1}), "fields[0].count", "not a count"),
        (json!({"item": "a", "match": "first", "fields": [field]}), "fields[0].match", "`exactly_one`"),
        (json!({"item": "a", "match": "all"}), "fields[0].match", "`fields`"),
        (json!({"item": "a", "weight": -1}), "fields[0]", "`weight`"),
        (json!({"item": "a", "zone": "Nowhere/At"}), "fields[0]", "`zone`"),
        (json!({"where": [field], "path": "a", "expected": 1}), "fields[0]", "`item`"),
        (json!({"path": "a", "count": 1}), "fields[0]", "`op: count`"),
        (json!({"path": "a"}), "fields[0]", "`expected` is missing"),
        (json!({}), "fields[0]", "`path` is missing"),
    ] {
        let error = read_settings::<Settings>(json!({ "fields": [group] })).unwrap_err();
        assert_eq!(error.place, place, "{group}: {error}");
        assert!(error.message.contains(part), "{group}: {error}");
    }
    let deep =
        |levels: usize| (1..levels).fold(json!({"item": "a"}), |inner, _| json!({"item": "a", "fields": [inner]}));
    assert!(read_settings::<Settings>(json!({ "fields": [deep(8)] })).is_ok());
    let error = read_settings::<Settings>(json!({ "fields": [deep(9)] })).unwrap_err();
    assert!(error.message.contains("deeper"), "{error}");
}

#[test]
fn what_is_kept_does_not_grow_with_the_items() {
    let data = json!({"a": (0..30_000).map(|n| json!({"x": n, "y": 0})).collect::<Vec<_>>()});
    for matching in ["any", "all", "none", "exactly_one"] {
        let group = json!([{"item": "a", "match": matching, "fields": [{"path": "x", "expected": 29_999}]}]);
        let came = came(group, &data);
        assert!(came.results.len() <= 21, "{matching}");
        assert_eq!(came.passed(), matches!(matching, "any" | "exactly_one"));
    }
    let last = came(
        json!([{"item": "a", "match": "all", "fields": [{"path": "x", "op": "lessThan", "expected": 29_999}]}]),
        &data,
    );
    assert!(last.lines().contains(&"- a.29999.x".to_owned()), "{:?}", last.lines());
    // Items of items of items are more than are compared.
    let twice = json!([{"item": "a", "match": "all", "fields": [{"item": "$.b[*]", "fields": [{"path": "x", "expected": 1}]}]}]);
    let many: Value = json!({"a": (0..300).map(|_| json!({"b": vec![json!({}); 300]})).collect::<Vec<_>>()});
    assert!(!came(twice, &many).passed());
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (0..3u8).prop_map(Value::from),
        "[ab]?".prop_map(Value::from)
    ]
}

fn value() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[abx]", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    proptest::collection::btree_map("[bx]", leaf(), 0..3)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn path() -> impl Strategy<Value = String> {
    prop_oneof!["[abx](\\.[abx01])?", Just("$..a".to_owned()), Just("$.a[0]".to_owned())]
}

fn field() -> impl Strategy<Value = Value> {
    (path(), leaf(), 0..4u8, 0..3u8).prop_map(|(path, expected, kind, weight)| match kind {
        0 => json!({"path": path, "op": "notEmpty", "weight": weight}),
        1 => json!({"path": path, "op": "notEquals", "expected": expected, "absent": "pass", "weight": weight}),
        _ => json!({"path": path, "expected": expected, "weight": weight}),
    })
}

fn group() -> impl Strategy<Value = Value> {
    let lists = || (proptest::collection::vec(field(), 0..2), proptest::collection::vec(field(), 1..3));
    let matching = prop_oneof![Just("any"), Just("all"), Just("none"), Just("exactly_one")];
    (path(), lists(), matching, proptest::option::of(0..3u8)).prop_map(
        |(item, (conditions, fields), matching, count)| {
            let mut group = json!({"item": item, "where": conditions, "match": matching, "fields": fields});
            count.into_iter().for_each(|count| group["count"] = json!(count));
            group
        },
    )
}

proptest! {
    /// Any group over any data comes to an end, and a pass has something that was seen.
    #[test]
    fn any_group_over_any_data(outer in group(), inner in group(), data in value()) {
        let mut outer = outer;
        outer["fields"].as_array_mut().unwrap().push(inner);
        let came = came(json!([outer]), &data);
        prop_assert!(!came.results.is_empty());
        let weight: Share = came.results.iter().map(|result| result.weight.clone()).sum();
        prop_assert!(weight <= Share::one());
    }

    /// Over one object, a group says what its fields say written plainly.
    #[test]
    fn a_group_over_one_item_is_its_fields(fields in proptest::collection::vec(field(), 1..4), data in value(), matching in 0..3usize) {
        prop_assume!(data.is_object());
        let document = json!({ "o": data });
        let matching = ["any", "all", "exactly_one"][matching];
        let grouped = came(json!([{"item": "o", "match": matching, "fields": fields}]), &document);
        let plain = came(Value::from(fields), &data);
        prop_assert_eq!(grouped.passed(), plain.passed());
        prop_assert_eq!(grouped.share(), plain.share());
        for (grouped, plain) in grouped.results.iter().zip(&plain.results) {
            prop_assert_eq!(&grouped.path, &joined("o", &plain.path));
            prop_assert_eq!((&grouped.actual, grouped.passed, grouped.reason), (&plain.actual, plain.passed, plain.reason));
        }
    }

    /// `all` is that every item alone satisfies the fields, `any` that one does, `none` that none does.
    #[test]
    fn all_any_and_none_are_of_each_item(items in proptest::collection::vec(object(), 1..5), expected in "[ab]?") {
        let data = json!({ "a": items });
        let field = json!({"path": "x", "expected": expected});
        let alone = items.iter().map(|item| came(json!([field]), item).passed()).collect::<Vec<_>>();
        let number = alone.iter().filter(|passed| **passed).count();
        for (matching, expected) in [
            ("all", number == items.len()), ("any", number > 0), ("none", number == 0), ("exactly_one", number == 1),
        ] {
            let group = came(json!([{"item": "a", "match": matching, "fields": [field]}]), &data);
            prop_assert_eq!(group.passed(), expected, "{}", matching);
        }
        // Where the field only selects, its number is counted.
        let counted = came(json!([{"item": "a", "where": [field], "count": number}]), &data).passed();
        prop_assert!(counted);
    }
}
