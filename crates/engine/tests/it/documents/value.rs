//! Documents that a program made.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use candor_engine::{Document, Task};
use candor_json::{Value, json};

/// The deepest nesting that is taken.
const MAX_DEPTH: usize = 127;

fn errors(value: Value) -> Vec<String> {
    let document = Document::from_value(value).unwrap();
    Task::from_document(document).unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn errors_name_the_member_in_place_of_a_line() {
    let task = json!({"id": "t", "criteria": [{"id": "a", "wieght": 2, "assertion": {}}]});
    let message = "criteria[0].wieght: unknown key `wieght` in criterion 1; did you mean `weight`?";
    assert_eq!(errors(task), [message]);
    assert_eq!(errors(json!([])), ["the task is an array; expected an object"]);
}

#[test]
fn a_value_is_as_deep_as_a_file_may_be() {
    let nested = |depth| (0..depth).fold(json!(1), |inner, _| json!([inner]));
    assert!(Document::from_value(nested(MAX_DEPTH)).is_ok());
    let error = Document::from_value(nested(MAX_DEPTH + 1)).unwrap_err();
    assert_eq!(error.to_string(), "it is nested deeper than 127 levels");
}
