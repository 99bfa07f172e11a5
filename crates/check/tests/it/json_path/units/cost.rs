//! The cost of a JSONPath over a document.

use candor_json::{Value, json};
use serde_json_path::JsonPath;

use crate::json_path::cost::{Cost, steps};

fn cost(path: &str) -> Cost {
    JsonPath::parse(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    Cost::of(path).unwrap_or_else(|problem| panic!("{path}: {problem:?}"))
}

#[test]
fn what_multiplies_is_counted_outside_of_texts() {
    let of = |descents, copies, whole| Cost { descents, copies, whole };
    assert_eq!(cost("$.a.b[0].c"), of(0, 1, 0));
    assert_eq!(cost("$..a..b"), of(2, 1, 0));
    assert_eq!(cost("$['..', \"a,'\", 'it\\'s, [..]']"), of(0, 3, 0));
    assert_eq!(cost("$[0,0]['a','b','c']"), of(0, 6, 0));
    assert_eq!(cost("$.a[?@..b]"), of(1, 1, 0));
    assert_eq!(cost("$.a[?@.id == $.current['id']]"), of(0, 1, 0));
    assert_eq!(cost("$.a[?count($.b[*]) > 1 && $..c]"), of(1, 1, 2));
    assert_eq!(cost("$.a[?$['x'] == 1 && @.b[1:2]]"), of(0, 1, 0));
    assert_eq!(cost("$.a[?$..b && $['x'] == 1]"), of(1, 1, 1));
    assert_eq!(cost("$[?match(@.a, 'x')]['b', 'c']"), of(0, 2, 0));
}

#[test]
fn a_third_descent_is_a_problem_with_its_place() {
    for (path, third) in [("$..a..a..a", Some(7)), ("$..a[?@..b || $..c]", Some(15)), ("$..a..['..']", None)] {
        assert_eq!(Cost::of(path).err().map(|(offset, _)| offset), third, "{path}");
    }
}

#[test]
fn a_small_document_can_be_too_much_and_a_large_one_is_not() {
    let nested = (0..120).fold(json!(1), |inner, _| json!({"a": inner}));
    assert!(!cost("$..a").is_too_much(&nested));
    assert!(!cost("$..a..a").is_too_much(&nested));
    let deep = (0..120).fold(json!(vec![1; 4000]), |inner, _| json!({"a": inner}));
    assert!(!cost("$..a").is_too_much(&deep));
    assert!(cost("$..a..a").is_too_much(&deep));
    assert!(cost(&format!("$.a{}", "[0,0]".repeat(30))).is_too_much(&nested));
    let rows: Value = (0..100_000).map(|n| json!({"id": n, "of": {"id": n}})).collect();
    assert!(!cost("$[*].of.id").is_too_much(&rows));
    assert!(!cost("$..of..id").is_too_much(&rows));
    assert!(cost("$[?count($[?@.id == 1]) == 1]").is_too_much(&rows));
}

/// The bound is one: it is not below the number of values that the library selects.
#[test]
fn no_path_selects_more_than_was_counted() {
    let tree = (0..6).fold(json!([1]), |inner, _| json!({"a": inner, "b": [inner]}));
    let plain = serde_json::to_value(&tree).unwrap();
    for path in ["$.*", "$..*", "$..a..*", "$..*..*", "$..[*, *]..*", "$..[?@..a]"] {
        let cost = cost(path);
        let steps = steps(&tree, cost.descents, 0);
        let selected = JsonPath::parse(path).unwrap().query(&plain).len() as u64;
        assert!(selected > 0 && selected <= steps * cost.copies, "{path}: {selected} > {steps}");
    }
}
