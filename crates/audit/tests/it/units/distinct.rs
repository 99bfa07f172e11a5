//! Changes that count once.

use std::collections::BTreeMap;

use candor_check::operators::Change;
use candor_check::strict_json::Edit;

use crate::distinct::Distinct;

#[test]
fn one_change_counts_once() {
    let change = |with: &str, sentence: &str| {
        Change::new("fhir/a.json", vec![Edit { span: 1..2, with: with.to_owned() }], sentence)
    };
    let mut distinct = Distinct::default();
    distinct.add("harm", &change("a", "one"));
    distinct.add("harm", &change("a", "the same, said otherwise"));
    distinct.add("harm", &change("b", "another"));
    distinct.add("harm", &change("b", "another").with_file("fhir/b.json", None));
    distinct.add("leaf", &change("a", "one"));
    assert_eq!(distinct.counts(), BTreeMap::from([("harm", 3), ("leaf", 1)]));
}
