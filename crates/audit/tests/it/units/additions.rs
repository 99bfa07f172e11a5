//! Additions to an assertion that may kill a survivor.

use candor_check::difference::{Change, Difference};
use candor_check::draft::MadeUpTable;
use candor_json::{Value, json};

use crate::additions::{RecordChange, Rules, additions, day_of, dose, merged};

#[test]
fn the_day_of_a_time_stamp() {
    for (text, day) in [
        ("2026-11-20T09:05:00-05:00", Some("2026-11-20")),
        ("20261120090500", Some("2026-11-20")),
        ("202611200905-0500", Some("2026-11-20")),
        ("2026-11-20", None),
        ("20261120", None),
        ("20269920090500", None),
        ("193456789012", None),
        ("é026-11-20T", None),
    ] {
        assert_eq!(day_of(text).as_deref(), day, "{text}");
    }
}

#[test]
fn an_addition_is_merged() {
    let addition = json!({"fields": [{"path": "b"}], "match": "all", "contains": ["x"]});
    let merged = merged(&json!({"fields": [{"path": "a"}], "match": "any"}), addition.as_object().unwrap());
    assert_eq!(merged, json!({"fields": [{"path": "a"}, {"path": "b"}], "match": "all", "contains": ["x"]}));
}

#[test]
fn what_came_may_have_to_differ() {
    let schema = json!({"properties": {"unique": {"oneOf": [{"$ref": "#/$defs/columns"}, {"type": "object"}]}},
        "$defs": {"columns": {"type": "array", "items": {"type": "string"}}}});
    let fields = [("id", json!("R1-again")), ("cpt", json!("72148")), ("note", json!(null)), ("member", json!("W1"))];
    let fields = fields.map(|(path, value)| (path.to_owned(), value)).to_vec();
    let difference = Difference {
        part: "portal".to_owned(),
        collection: "requests".to_owned(),
        record: "requests/R1-again".to_owned(),
        number: 1,
        place: candor_check::field::Location::whole("portal/requests.json"),
        change: Change::Added,
    };
    let came = RecordChange { difference, key: String::new(), fields };
    let rules = Rules { made_up: MadeUpTable::new(""), days: true };
    let of = |assertion: Value| json!(additions(&schema, &assertion, std::slice::from_ref(&came), 2, rules));
    let all = of(json!({}));
    assert_eq!(
        all,
        json!([{"unique": ["id"]}, {"unique": ["cpt"]}, {"unique": ["member"]}, {"unique": ["id", "cpt", "member"]}])
    );
    assert_eq!(of(json!({"unique": ["cpt"]})), json!([]));
}

#[test]
fn a_dose_is_compared_as_a_whole() {
    let fields = [
        ("id", json!("o1")),
        ("dosageInstruction.0.doseAndRate.0.doseQuantity.value", json!(0.5)),
        ("dosageInstruction.0.doseAndRate.0.doseQuantity.unit", json!("mg")),
    ];
    let fields = fields.map(|(path, value)| (path.to_owned(), value)).to_vec();
    let one = json!({});
    for (path, expected) in [
        ("dosageInstruction.0.text", Some(json!("0.5 mg"))),
        ("dosageInstruction.1.doseAndRate.0.doseQuantity.value", Some(json!("0.5 mg"))),
        ("note.0.text", None),
        ("dosageInstruction", None),
    ] {
        assert_eq!(dose(path, &fields, &one), expected, "{path}");
    }
    let text = "dosageInstruction.0.text";
    assert_eq!(dose(text, &fields[..2], &one), None);
    let asserted = |op: &str, expected: Value| {
        let number = json!({"path": "doseQuantity.value", "op": op, "expected": expected});
        dose(text, &fields, &json!({"fields": [{"item": "dosageInstruction.doseAndRate", "fields": [number]}]}))
    };
    assert_eq!(asserted("between", json!([0.4, 0.5])), Some(json!({"between": ["0.4 mg", "0.5 mg"]})));
    assert_eq!(asserted("lessThan", json!(1)), None);
}

#[test]
fn switches_come_from_the_schema() {
    let schema = json!({
        "properties": {
            "assert": {"const": "x"}, "fields": {"$ref": "#/$defs/fields"}, "format": {"enum": ["json"]},
            "strict": {"type": "boolean"}, "contains": {"items": {"$ref": "#/$defs/phrase"}},
        },
        "$defs": {"phrase": {"oneOf": [{"type": "string"}, {"properties": {"phrase": {"type": "string"}, "stated": {"type": "boolean"}}}]}},
    });
    let rules = Rules { made_up: MadeUpTable::new(""), days: true };
    let all = additions(&schema, &json!({"contains": ["yes"]}), &[], 1, rules);
    assert_eq!(json!(all), json!([{"strict": true}, {"contains": [{"phrase": "yes", "stated": true}]}]));
}
