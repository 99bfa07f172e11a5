//! Paths as an author would write them.

use candor_json::{Value, json};
use proptest::prelude::*;

use crate::paths::{growth, is_of_another, spellings};

fn fields(all: &[(&str, &str)]) -> Vec<(String, Value)> {
    all.iter().map(|(path, value)| ((*path).to_owned(), json!(value))).collect()
}

#[test]
fn a_segment_is_selected_by_its_own_value() {
    let fields = fields(&[
        ("OBX.1.1", "1"),
        ("OBX.3.1", "A"),
        ("OBX.5.1", "7"),
        ("OBX[2].1.1", "2"),
        ("OBX[2].3.1", "B"),
        ("OBX[2].5.1", "7"),
    ]);
    assert_eq!(spellings("OBX[2].5.1", &fields), ["OBX[3.1=B].5.1", "OBX[1.1=2].5.1", "OBX[2].5.1"]);
    assert_eq!(spellings("OBX.5.1", &fields)[0], "OBX[3.1=A].5.1");
    assert_eq!(spellings("PID.3.1", &fields), ["PID.3.1"]);
    assert_eq!(spellings("a.0.b", &[]), ["a.b", "a.0.b"]);
    assert_eq!(spellings("$rows.17.amount", &[]), ["17.amount", "$rows.17.amount"]);
}

#[test]
fn a_segment_that_is_not_meant_is_told_from_the_one_that_is() {
    let fields = fields(&[
        ("CLP.1", "C1001"),
        ("CLP.2", "1"),
        ("CLP.7", "PC77"),
        ("CLP[2].1", "C1003"),
        ("CLP[2].2", "1"),
        ("CLP[2].7", "PC77"),
        ("TRN.2", "EFT-1"),
    ]);
    for (path, assertion, expected) in [
        ("CLP[2].2", "CLP[1=C1001].4", true),
        ("CLP.2", "CLP[1=C1001].4", false),
        ("CLP.2", "CLP[1=C1003].4", true),
        ("CLP[2].2", "CLP[1=C1001].4 CLP[1=C1003].4", false),
        // Neither is named, or both are.
        ("CLP[2].2", "CLP[1=C10010].4 PC77", false),
        ("CLP[2].2", "BPR.2", false),
        ("TRN.2", "CLP[1=C1001].4", false),
        ("status", "C1001", false),
    ] {
        assert_eq!(is_of_another(path, &fields, assertion), expected, "{path} {assertion}");
    }
}

#[test]
fn what_came_is_counted_or_empty() {
    let own = fields(&[
        ("code.coding.0.system", "s"),
        ("code.coding.0.code", "1"),
        ("code.coding.1.system", "t"),
        ("status", "x"),
    ]);
    let (system, code) = (json!("s"), json!("2"));
    let added = [("code.coding.2.system", &system), ("code.coding.2.code", &code)];
    let all = growth("code.coding.2.system", &added, &own);
    assert_eq!(all[0], json!({"path": "code.coding", "op": "count", "expected": 2}));
    assert_eq!(all[1], json!({"item": "code.coding", "where": [{"path": "system", "expected": "s"}], "count": 1}));
    assert_eq!(growth("note.0.text", &[], &own), [json!({"path": "note", "op": "empty"})]);
    assert_eq!(growth("deep.flag", &[], &own), [json!({"path": "deep", "op": "empty"})]);
    let set = fields(&[("EB.1", "1"), ("EB.3", "30")]);
    let (active, other) = (json!("1"), json!("6"));
    let all = growth("EB[2].1", &[("EB[2].1", &other), ("EB[2].3", &json!("30"))], &set);
    assert_eq!(all[0], json!({"item": "EB", "count": 1}));
    assert_eq!(all[1], json!({"item": "EB", "where": [{"path": "EB.3", "expected": "30"}], "count": 1}));
    assert_eq!(growth("AAA.3", &[("AAA.3", &active)], &set), [json!({"path": "AAA", "op": "empty"})]);
    assert_eq!(growth("EB.9", &[], &set), [json!({"path": "EB.9", "op": "empty"})]);
}

proptest! {
    #[test]
    fn no_path_makes_it_panic(paths in prop::collection::vec("[A-Za\\[\\]0-9.$é]{0,9}", 1..6)) {
        let fields: Vec<(String, Value)> = paths.iter().map(|path| (path.clone(), json!("x"))).collect();
        let x = json!("x");
        for path in &paths {
            let added: Vec<(&str, &Value)> = paths.iter().map(|path| (path.as_str(), &x)).collect();
            let _ = (spellings(path, &fields), growth(path, &added, &fields));
            let _ = is_of_another(path, &fields, path);
        }
    }
}
