//! JSONPath over exact numbers.

use std::borrow::Cow;

use candor_check::compare::Datum;
use candor_check::field::FieldPath as _;
use candor_check::json_path::DottedPath;
use candor_json::Value;

use crate::json_path::plain::Reading;

const LONG: &str = "1234567890123456789012345678901234567890";

fn read(text: &str) -> Value {
    candor_json::from_str(text).unwrap()
}

fn selected(path: &str, document: &Value) -> Option<Vec<String>> {
    let path = DottedPath::parse(path).unwrap();
    let selection = path.select(document);
    let items = path.items(document, "", false);
    assert_eq!(selection.open, items.open);
    assert!(selection.values.iter().all(|found| matches!(&found.datum, Datum::Json(Cow::Borrowed(_)))));
    let texts = selection.values.iter().map(|found| found.datum.to_value().to_string()).collect();
    (!selection.open).then_some(texts)
}

fn some(texts: &[&str]) -> Option<Vec<String>> {
    Some(texts.iter().map(|text| (*text).to_owned()).collect())
}

#[test]
fn values_keep_their_digits() {
    let document = read(&format!(r#"{{"a": [{{"n": 1.10}}, {{"n": {LONG}}}, {{"n": 1e400}}]}}"#));
    assert_eq!(selected("$.a[*].n", &document), some(&["1.10", LONG, "1e+400"]));
    assert_eq!(selected("$.a[0].n", &document), some(&["1.10"]));
    assert_eq!(selected("$..n", &document), some(&["1.10", LONG, "1e+400"]));
}

#[test]
fn a_filter_decides_only_by_numbers_that_it_can_hold() {
    let exact = read(r#"[{"n": 1.10, "id": 9007199254740992}, {"n": 2, "id": 3}]"#);
    assert_eq!(selected("$[?@.n == 1.1].n", &exact), some(&["1.10"]));
    assert_eq!(selected("$[?@.n > 1.10].n", &exact), some(&["2"]));
    assert_eq!(selected("$[?@.id == 9007199254740993].n", &exact), None);
    assert_eq!(selected("$[?@.id == 9007199254740992].n", &exact), some(&["1.10"]));
    let zeros = read(r#"[{"a": [0, 1], "b": [-0.0, 1.0], "n": 1}]"#);
    assert_eq!(selected("$[?@.a == @.b].n", &zeros), some(&["1"]));
    for number in [LONG, "9007199254740993", "1e400", "1e-400", "0.1000000000000000055511151231257827"] {
        let inexact = read(&format!(r#"[{{"n": {number}}}, {{"n": 1}}]"#));
        assert_eq!(selected("$[?@.n == 1].n", &inexact), None, "{number}");
        assert_eq!(selected("$[1].n", &inexact), some(&["1"]));
    }
    let texts = read(&format!(r#"[{{"t": "x", "n": {LONG}}}, {{"n": 1}}, {{"t": 1e400, "n": 2}}]"#));
    assert_eq!(selected("$[?@.t == 'x'].n", &texts), some(&[LONG]));
    assert_eq!(selected("$[?@.t != \"x\" && @.t != true].n", &texts), some(&["1", "2"]));
    assert_eq!(selected("$[?@.t].n", &texts), some(&[LONG, "2"]));
    assert_eq!(selected("$[?@.t == null].n", &texts), None);
    assert_eq!(selected("$[?@.t == 'x' && @.n > 1].n", &texts), None);
}

#[test]
fn a_number_that_no_filter_compares_decides_nothing() {
    let document = read(&format!(r#"[{{"n": 1, "id": {LONG}, "in": {{"id": {LONG}, "m": [2]}}}}]"#));
    for filter in ["@.n == 1", "@['n'] == 1 && @..n", "@.in.m[0] == 2", "@.n < @.in['m'][0]"] {
        assert_eq!(selected(&format!("$[?{filter}].n"), &document), some(&["1"]), "{filter}");
    }
    for filter in ["@.id == 1", "@['in'].id == 1", "@.in == 1", "@[ 'id' ] == 1", "@.in[?@ == 1]", "@.n == $.x"] {
        assert_eq!(selected(&format!("$[?{filter}].n"), &document), None, "{filter}");
    }
}

#[test]
fn comparisons_that_the_library_misreads_decide_nothing() {
    let document = read(r#"[{"c": ["x", "y"], "n": 1, "b": false}, {"n": 2}]"#);
    for filter in ["?@.c[-1] == 'y'", "?@.c[ -1 ] != 'y'", "?@.n == 1 && @['c'][-2] == 'x'"] {
        assert_eq!(selected(&format!("$[{filter}].n"), &document), None, "{filter}");
    }
    assert_eq!(selected("$[?@.n == 1].c[-1]", &document), some(&["\"y\""]));
    for filter in ["?@.n<=1", "?@.n > -1 && @.c[1] == 'y'", "?@['c'][0] == 'x'"] {
        assert_eq!(selected(&format!("$[{filter}].n"), &document), some(&["1"]), "{filter}");
    }
}

#[test]
fn members_are_selected_in_their_order() {
    let document = read(r#"{"z": {"b": 1, "a": 2}, "y": {"b": 3, "a": [4, 5]}}"#);
    assert_eq!(selected("$.*.b", &document), some(&["1", "3"]));
    assert_eq!(selected("$.z.*", &document), some(&["1", "2"]));
    assert_eq!(selected("$.z[?@ > 0]", &document), some(&["1", "2"]));
    assert_eq!(selected("$['y', 'z'].b", &document), some(&["3", "1"]));
    assert_eq!(selected("$.y.a[::-1]", &document), some(&["5", "4"]));
}

#[test]
fn numbers_are_found_outside_of_names_and_texts() {
    let of = |compares_numbers, has_inexact, has_slice| Reading {
        compares_numbers,
        has_inexact,
        is_misread: false,
        has_slice,
    };
    assert_eq!(Reading::of("$.a[0]['?:9007199254740993']"), of(false, false, false));
    assert_eq!(Reading::of("$.a9007199254740993[1:2]"), of(false, false, true));
    assert_eq!(Reading::of("$[?@.a1 == -1.5e3 && @.b == '9007199254740993']"), of(true, false, false));
    assert_eq!(Reading::of("$[?@.a<=9007199254740993]"), of(true, true, false));
    for path in ["$[?@.a == 'x' && @.b != \"y\"]", "$[?'x' == @.a || !@.b]", "$[?!(@.a == true)]", "$[?@.a]"] {
        assert_eq!(Reading::of(path), of(false, false, false), "{path}");
    }
    for path in ["$[?@.a == null]", "$[?@.a == @.b]", "$[?@['a'] < @['b']]", "$[?length(@.a) > 1]"] {
        assert_eq!(Reading::of(path), of(true, false, false), "{path}");
    }
}
