//! Rows that are alike.

use candor_check::compare::Rule;
use candor_json::{Value, json};

use crate::identity::Identities;
use crate::path::ColumnPath;
use crate::rows::Content;

#[test]
fn what_is_alike() {
    let columns = [ColumnPath::column("a")];
    let alike = |a: Value, b: Value, rules: &[Rule]| {
        let rows = [Content::Typed(json!({"a": a})), Content::Typed(json!({"a": b}))];
        let identities = Identities::new(&columns, rules, rows.iter());
        identities.of(&rows[0]) == identities.of(&rows[1])
    };
    let (big, small): (Value, Value) = (candor_json::from_str("1E2").unwrap(), candor_json::from_str("100.0").unwrap());
    let money: Value = candor_json::from_str("120.50").unwrap();
    for (a, b, expected) in [
        (json!(1), json!("1"), true),
        (candor_json::from_str("1.0").unwrap(), json!(1), true),
        (big, small, true),
        (money.clone(), json!("120.50"), true),
        (json!("120.5"), money, true),
        (json!("1.0"), json!(1), true),
        (json!("1.0"), json!("1"), false),
        (json!("-0.10"), json!(-0.1), true),
        (json!("01"), json!(1), false),
        (json!("+1"), json!(1), false),
        (json!(["1.0", "b"]), json!([1, "b"]), true),
        (json!("a"), json!("A"), false),
        (json!(["a", "b"]), json!(["a", "b"]), true),
        (json!(["a", "b"]), json!(["ab"]), false),
        (json!({"x": 1}), json!("{\"x\":1}"), false),
        (json!(true), json!("true"), true),
    ] {
        assert_eq!(alike(a.clone(), b.clone(), &[]), expected, "{a} {b}");
        assert_eq!(alike(b.clone(), a.clone(), &[]), expected, "{b} {a}");
    }
    let null = Content::Typed(json!({"a": null}));
    assert_eq!(Identities::new(&columns, &[], [&null].into_iter()).of(&null).whole(), None);
    assert!(alike(json!("a"), json!("A"), &[Rule::Case]));
}
