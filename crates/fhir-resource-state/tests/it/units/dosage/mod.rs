//! Dosages in all their forms.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers outside of test functions may panic too")]

mod amount;
mod frequency;
mod route;
mod sig;

use candor_check::meaning::{Meaning as _, Understanding};
use candor_json::{Value, json};
use proptest::prelude::*;

use crate::dosage::amount::Amount;
use crate::dosage::frequency::Frequency;
use crate::dosage::{Dosage, amount as amounts, frequency as frequencies, route as routes, rows};

fn enoxaparin() -> Dosage {
    Dosage::read(&json!({"dose": "40 mg", "frequency": "once daily", "route": ["subcutaneous"], "days": 5})).unwrap()
}

fn written() -> Value {
    json!({
        "doseAndRate": [{"doseQuantity": {"value": 40, "unit": "mg", "system": "http://unitsofmeasure.org", "code": "mg"}}],
        "timing": {"repeat": {"frequency": 1, "period": 1, "periodUnit": "d", "boundsDuration": {"value": 5, "code": "d"}}},
        "route": {"coding": [{"system": "http://snomed.info/sct", "code": "34206005"}]},
    })
}

fn with(member: &str, value: Value) -> Value {
    let mut dosage = written();
    dosage[member] = value;
    dosage
}

#[test]
fn one_dosage_in_its_forms() {
    let timing = |code: &str| json!({"code": {"coding": [{"code": code}]}, "repeat": {"boundsDuration": {"value": 5, "unit": "days"}}});
    for (dosage, state, contradicts) in [
        (written(), Understanding::Holds, false),
        (with("timing", timing("QD")), Understanding::Holds, false),
        (with("route", json!({"text": "SQ"})), Understanding::Holds, false),
        (with("doseAndRate", json!([{"doseQuantity": {"value": 0.04, "unit": "g"}}])), Understanding::Holds, false),
        (with("text", json!("Inject 40 mg under the skin once daily for 5 days")), Understanding::Holds, false),
        (json!({"text": "Inject 40 mg subcutaneously once daily for 5 days"}), Understanding::Holds, false),
        (with("asNeededBoolean", json!(false)), Understanding::Holds, false),
        (with("text", json!("80 mg")), Understanding::Holds, true),
        (with("text", json!("twice daily")), Understanding::Holds, true),
        (with("text", json!("1 syringe by mouth")), Understanding::Holds, true),
        (with("text", json!("as directed")), Understanding::Holds, false),
        (with("asNeededBoolean", json!(true)), Understanding::Fails, false),
        (with("text", json!("PRN pain")), Understanding::Fails, false),
        (with("timing", timing("BID")), Understanding::Fails, false),
        (with("timing", timing("XYZ")), Understanding::Unknown, false),
        (with("route", json!({"text": "oral"})), Understanding::Fails, false),
        (with("route", json!({"text": "somehow"})), Understanding::Unknown, false),
        (with("doseAndRate", json!([{"doseQuantity": {"value": 30, "unit": "mg"}}])), Understanding::Fails, false),
        (with("doseAndRate", json!([{}, {}])), Understanding::Several, false),
        (with("doseAndRate", json!([])), Understanding::Fails, false),
        (json!({"text": "as directed"}), Understanding::Unknown, false),
    ] {
        let understood = enoxaparin().understood(std::slice::from_ref(&dosage));
        assert_eq!(
            (understood.state, understood.contradiction.is_some()),
            (state, contradicts),
            "{dosage} {understood:?}"
        );
    }
    assert_eq!(enoxaparin().understood(&[]).state, Understanding::Absent);
    assert_eq!(enoxaparin().understood(&[json!([written(), written()])]).state, Understanding::Several);
    assert_eq!(enoxaparin().understood(&[json!("40 mg")]).state, Understanding::Mismatch);
}

/// The same text alone, and next to elements that hold.
#[test]
fn a_text_decides_only_where_it_is_read_whole() {
    use Understanding::{Fails, Holds, Unknown};
    let elements = |text: &str| with("text", json!(text));
    for (text, alone, contradicts, beside) in [
        ("40 mg subcutaneously once daily for 5 days", Holds, false, Holds),
        ("2 x 20 mg subcut 1x/day for 5 days", Holds, false, Holds),
        ("Inject 40 mg (two 20 mg vials) SC q24h x 5 days", Holds, false, Holds),
        ("20 mg subcutaneously once daily for 5 days", Fails, true, Holds),
        ("20 mg SC once daily for 5 days instead of 40 mg", Unknown, true, Holds),
        ("40 mg or 60 mg SC once daily for 5 days", Unknown, true, Holds),
        ("was 20 mg SC, 40 mg SC once daily for 5 days", Unknown, true, Holds),
        ("Do not give 40 mg SC once daily for 5 days", Unknown, false, Unknown),
        ("40 mg SC once daily for 5 days. Hold if bleeding", Unknown, false, Unknown),
        ("40 mg SC once daily for 5 days, max 80 mg", Unknown, false, Holds),
        ("up to 40 mg SC once daily for 5 days", Unknown, false, Holds),
        ("40 mg SC once daily for 5 days unless discharged", Unknown, false, Holds),
        ("40 mg SC once daily for 5 days. Avoid alcohol, call if bleeding", Unknown, false, Holds),
        ("40 mg SC once daily for 5 days. Change position slowly", Unknown, false, Holds),
        ("40 mg, not 60 mg, SC once daily for 5 days", Unknown, false, Unknown),
        ("not 40 mg SC once daily for 5 days", Unknown, false, Unknown),
        ("40 mg SC once daily for 5 days. Previously by mouth", Unknown, false, Unknown),
        ("40 mg (half of an 80 mg vial) SC once daily for 5 days", Holds, false, Holds),
        ("enoxaparin 20 mg vial: inject 2 vials (40 mg) SC once daily for 5 days", Unknown, false, Holds),
        ("enoxaparin 40 mg daily and 20 mg weekly SC for 5 days", Unknown, false, Unknown),
        ("40 mg, then 60 mg SC once daily for 5 days", Unknown, true, Holds),
        ("40 mg SC daily for 5 days. Check blood pressure weekly", Unknown, false, Holds),
        ("40 mg SC once daily as a single dose for 5 days", Unknown, false, Holds),
        ("40 mg SC daily or twice daily for 5 days", Unknown, false, Unknown),
        (".4 mg SC once daily for 5 days", Fails, true, Holds),
        ("0,040 g SC once daily for 5 days", Unknown, false, Holds),
        ("1 vial(s) (40 mg total) SC daily for 5 days. Rotate sites", Holds, false, Holds),
        ("40 mg SC in the morning and at bedtime for 5 days", Unknown, false, Unknown),
        ("40 mg daily SC in the morning for 5 days", Holds, false, Holds),
        ("40 mg enoxaparin SC once daily for 5 days", Unknown, false, Holds),
        ("80 mg enoxaparin SC once daily for 5 days", Unknown, true, Holds),
        ("half of 80 mg SC once daily for 5 days", Holds, false, Holds),
        ("1/2 of an 80 mg vial SC once daily for 5 days", Holds, false, Holds),
        ("half of a 40 mg vial SC once daily for 5 days", Fails, true, Holds),
        ("forty milligrams SC once daily for 5 days", Holds, false, Holds),
        ("eighty milligrams SC once daily for 5 days", Fails, true, Holds),
        ("0,4 g SC once daily for 5 days", Unknown, true, Holds),
        ("2 vials of 0,02 g SC once daily for 5 days", Unknown, false, Holds),
        ("40 mg SC once daily for 5 days. Do not crush", Holds, false, Holds),
        ("as directed", Unknown, false, Holds),
    ] {
        let told = |dosage: Value| enoxaparin().understood(&[dosage]);
        assert_eq!(told(json!({"text": text})).state, alone, "{text} {:?}", told(json!({"text": text})));
        let next_to = told(elements(text));
        assert_eq!((next_to.state, next_to.contradiction.is_some()), (beside, contradicts), "{text} {next_to:?}");
    }
}

/// A patch on the skin is topical or transdermal, half a tablet is half a tablet.
#[test]
fn a_text_alone_names_parts_and_patches() {
    use Understanding::{Fails, Holds, Unknown};
    let patch = json!({"dose": "1 patch", "route": "transdermal"});
    let half = json!({"dose": "0.5 tablets", "frequency": "once daily"});
    let small = json!({"dose": "0.5 mg", "frequency": "once daily"});
    for (asserted, text, state) in [
        (&patch, "Apply 1 patch on the skin", Holds),
        (&patch, "Apply 1 patch to the skin", Holds),
        (&patch, "Apply 1 patch topically", Fails),
        (&json!({"dose": "1 patch", "route": "topical"}), "Apply 1 patch on the skin", Holds),
        (&json!({"dose": "1 application", "route": "transdermal"}), "1 application to the skin", Fails),
        (&half, "Take 1/2 tablet daily", Holds),
        (&half, "Take 1 1/2 tablets daily", Unknown),
        (&json!({"dose": "2 tablets", "frequency": "once daily"}), "Take 1/2 tablet daily", Fails),
        (&small, ".5 mg PO daily", Holds),
        (&small, "Take PO.5 mg daily", Unknown),
        (&json!({"dose": "5 mg"}), ".5 mg PO daily", Fails),
        (&json!({"dose": "125 mg"}), "0,125 mg daily", Unknown),
        (&json!({"dose": "10 mg"}), "Take 2 tablets (10 mg total) by mouth daily", Holds),
        (&json!({"as_needed": true}), "1 tablet as needed for pain or fever", Unknown),
    ] {
        let understood = Dosage::read(asserted).unwrap().understood(&[json!({"text": text})]);
        assert_eq!(understood.state, state, "{text} {understood:?}");
    }
}

/// Once in the morning is once a day; once with breakfast may be either.
#[test]
fn once_at_a_time_of_day_is_not_once_ever() {
    use Understanding::{Fails, Holds, Unknown};
    for (text, daily, only_once) in [
        ("1 tablet once", Fails, Holds),
        ("1 tablet by mouth once for pain", Fails, Holds),
        ("1 tablet once in the morning", Holds, Fails),
        ("1 tablet once at night", Holds, Fails),
        ("1 tablet once before bed", Holds, Fails),
        ("1 tablet once nightly", Holds, Fails),
        ("1 tablet once daily with breakfast", Holds, Fails),
        ("1 tablet once with breakfast", Unknown, Unknown),
        ("1 tablet once after dinner", Unknown, Unknown),
        ("1 tablet once before meals", Unknown, Unknown),
        ("1 tablet once for 5 days", Unknown, Unknown),
        ("1 tablet once for 1 day", Fails, Holds),
        ("1 tablet as a single dose at bedtime", Unknown, Unknown),
    ] {
        for (frequency, state) in [("once daily", daily), ("once", only_once)] {
            let asserted = Dosage::read(&json!({"frequency": frequency})).unwrap();
            let understood = asserted.understood(&[json!({"text": text})]);
            assert_eq!(understood.state, state, "{frequency}: {text} {understood:?}");
        }
    }
}

#[test]
fn a_member_that_differs_is_named() {
    let because =
        |dosage: Value| enoxaparin().understood(&[dosage]).actual["because"].as_str().unwrap_or_default().to_owned();
    let other = json!([{"doseQuantity": {"value": 30, "unit": "mg"}}]);
    assert_eq!(because(with("doseAndRate", other)), "dose is \"30 mg\", expected \"40 mg\"");
    assert_eq!(because(with("route", json!({"text": "oral"}))), "route is \"oral\", expected [\"subcutaneous\"]");
    assert_eq!(
        because(json!({"text": "40 mg SC daily for 5 days, then stop"})),
        "the text \"40 mg SC daily for 5 days, then stop\" says \"then\", which may change the dosage"
    );
    assert_eq!(because(written()), "");
}

/// A unit that no table has is another doubt.
#[test]
fn a_quantity_without_its_unit_is_vague() {
    let asserted = json!({"dosage": {"dose": "40 mg", "days": 5}});
    let dose = |quantity: Value| with("doseAndRate", json!([{"doseQuantity": quantity}]));
    let bounds = |duration: Value| with("timing", json!({"repeat": {"boundsDuration": duration}}));
    let range = json!([{"doseRange": {"low": {"value": 30}, "high": {"value": 40}}}]);
    let mut fails = dose(json!({"value": 40}));
    fails["timing"] = json!({"repeat": {"boundsDuration": {"value": 10, "code": "d"}}});
    for (dosage, vague) in [
        (dose(json!({"value": 40})), true),
        (dose(json!({"value": 40, "unit": " "})), true),
        (with("doseAndRate", range), true),
        (bounds(json!({"value": 5})), true),
        (dose(json!({"value": 40, "unit": "scoops"})), false),
        (dose(json!({"value": 40, "unit": "mg"})), false),
        (dose(json!({"value": 50, "unit": "mg"})), false),
        (bounds(json!({"value": 5, "unit": "fortnights"})), false),
        (fails, false),
    ] {
        assert_eq!(Dosage::is_vague(&asserted, std::slice::from_ref(&dosage)), vague, "{dosage}");
    }
    assert!(!Dosage::is_vague(&json!({"concept": {"any": ["http://loinc.org|1-8"]}}), &[dose(json!({"value": 40}))]));
}

#[test]
fn what_no_table_knows_is_refused() {
    for (written, expected) in [
        (json!({"dose": "40 mgg"}), "no unit is known as `mgg`; did you mean `mg`?"),
        (json!({"dose": "forty"}), "expected a number with a unit"),
        (json!({"dose": {"between": ["40 mg", "30 mg"]}}), "the smaller first"),
        (json!({"dose": {"between": ["40 mg", "1 tablet"]}}), "of one kind"),
        (json!({"frequency": "twice dayly"}), "did you mean `twice daily`?"),
        (json!({"route": "subcutanous"}), "did you mean `subcutaneous`?"),
        (json!({"days": 0}), "from 1 on"),
        (json!({}), "says nothing"),
        (json!({"doze": "1 mg"}), "unknown field `doze`"),
        (candor_json::from_str(r#"{"dose": 1.10}"#).unwrap(), "`dosage.dose`: expected an amount with its unit"),
        (candor_json::from_str(r#"{"dose": 1.10}"#).unwrap(), ", found `1.10`"),
        (json!({"route": {}}), "`dosage.route`: expected a route, or an array of routes, found `{}`"),
        (json!([]), "`dosage`: expected an object, found a list"),
    ] {
        let error = Dosage::read(&written).unwrap_err();
        assert!(error.contains(expected), "{written}: {error}");
    }
    assert!(Dosage::read(&json!({"dose": {"between": ["30 mg", "40 mg"]}, "match": "any"})).is_ok());
}

#[test]
fn every_row_of_the_tables_is_read() {
    for (table, columns) in [
        (include_str!("../../../../src/dosage/units.txt"), 2),
        (include_str!("../../../../src/dosage/routes.txt"), 4),
        (include_str!("../../../../src/dosage/frequencies.txt"), 3),
        (include_str!("../../../../src/dosage/sig-words.txt"), 2),
    ] {
        assert!(rows(table).all(|row| row.len() == columns), "{table}");
    }
    assert!(frequencies::names().iter().all(|name| Frequency::parse(name).is_some()));
    assert!(routes::names().iter().all(|name| routes::named(name) == Some(*name)));
    let unknown: Vec<&str> =
        amounts::names().into_iter().filter(|name| Amount::parse(&format!("1 {name}")).is_err()).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

proptest! {
    #[test]
    fn never_panics(text in ".{0,40}", number in any::<f64>()) {
        let dosage = json!({
            "text": text, "route": {"text": text}, "timing": {"code": {"text": text}, "repeat": {"count": number, "period": number}},
            "doseAndRate": [{"doseQuantity": {"value": number, "unit": text}}],
        });
        let _ = enoxaparin().understood(&[dosage]);
        let _ = Dosage::read(&json!({"dose": text, "frequency": text, "route": text}));
    }
}
