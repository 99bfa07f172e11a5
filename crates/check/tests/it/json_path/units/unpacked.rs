//! Paths that go on into text.

use candor_check::field::FieldPath as _;
use candor_check::json_path::DottedPath;
use candor_json::{Value, json};

fn selected(path: &str, document: &Value) -> Option<Vec<String>> {
    let path = DottedPath::parse(path).unwrap();
    let selection = path.select_into_text(document);
    let items = path.items(document, "", true);
    assert!(!selection.open || items.open);
    let texts = selection.values.iter().map(|found| found.datum.to_value().to_string()).collect();
    (!selection.open).then_some(texts)
}

fn some(texts: &[&str]) -> Option<Vec<String>> {
    Some(texts.iter().map(|text| (*text).to_owned()).collect())
}

#[test]
fn a_path_goes_on_into_text() {
    let row = json!({"id": 1, "lines": r#"[{"n": 1.10, "st": "paid"}, {"n": 2, "st": "denied"}]"#, "note": "[x]"});
    for path in ["$.lines[?@.st=='denied'].n", "$['lines'][1].n", "$.lines[-1].n", "$[\"lines\"][?@.n > 1.5].n"] {
        assert_eq!(selected(path, &row), some(&["2"]), "{path}");
    }
    assert_eq!(selected("$.lines[*].n", &row), some(&["1.10", "2"]));
    assert_eq!(selected("$..n", &row), some(&["1.10", "2"]));
    assert_eq!(selected("$.lines[?@.st=='void']", &row), some(&[]));
    assert_eq!(selected("$.id", &row), some(&["1"]));
    assert_eq!(selected("$.note[0]", &row), some(&[]));
    assert_eq!(selected("$.none[0]", &row), some(&[]));
    // A path that ends on the text selects the text.
    assert_eq!(selected("$.note", &row), some(&["\"[x]\""]));
    assert_eq!(selected("$.lines", &row).unwrap().first().unwrap().chars().next(), Some('"'));
}

#[test]
fn text_that_can_be_read_in_two_ways_is_open_where_it_is_in_the_way() {
    let row = json!({"lines": r#"[{"st": "denied", "st": "paid"}]"#, "status": "open"});
    assert_eq!(selected("$.lines[?@.st=='denied']", &row), None);
    assert_eq!(selected("$..st", &row), None);
    assert_eq!(selected("$.status", &row), some(&["\"open\""]));
}

#[test]
fn a_filter_outside_of_the_text_that_depends_on_it_is_open() {
    let row = json!({"claims": [{"id": 1, "detail": r#"{"st": "denied"}"#}, {"id": 2, "detail": "{}"}]});
    assert_eq!(selected("$.claims[?@.detail.st=='denied'].id", &row), None);
    assert_eq!(selected("$.claims[?@.detail=='{}'].id", &row), None);
    assert_eq!(selected("$.claims[?@.id==2].id", &row), some(&["2"]));
    assert_eq!(selected("$.claims[*].detail.st", &row), some(&["\"denied\""]));
    assert_eq!(selected("$.claims[?@.id==1].detail.st", &row), some(&["\"denied\""]));
    assert_eq!(selected("$.claims[?@.id==2].detail.st", &row), some(&[]));
    assert_eq!(selected("$.claims[?@.id==1].detail[?@=='denied']", &row), some(&["\"denied\""]));
    assert_eq!(selected("$.claims[?@.detail.st].detail[?@=='denied']", &row), None);
    assert_eq!(selected("$.claims[?@.id==$.claims[0].id].id", &row), some(&["1"]));
    assert_eq!(selected("$.claims[?@.id==$.claims[0].id].detail.st", &row), None);
}

#[test]
fn text_that_is_not_read_is_open_where_the_path_goes_on_into_it() {
    let twice = r#"{"n": 1, "raw": "{\"st\": 1}", "list": [{"n": 2, "raw": "[{\"st\": 1}]"}]}"#;
    let row = json!({"cut": r#"[{"st": "paid"}, {"st": "de"#, "twice": twice, "rows": [{"id": 1, "cut": "[{"}]});
    for path in [
        "$.cut[0].st",
        "$.cut[?@.st=='void']",
        "$['cut'][*]",
        "$..st",
        "$.*.st",
        "$.rows[*].cut[0]",
        "$.rows[?@.cut[0]].id",
        "$.rows[?@.id==1].cut.st",
        "$.rows[?!(@.id==1 || @.cut[?@.st=='x'])].id",
        "$.twice.raw.st",
        "$.twice.list[?@.raw[0].st==1].n",
        "$.twice.list[?@..st].n",
        "$.cut[?@.st==$.id]",
    ] {
        assert_eq!(selected(path, &row), None, "{path}");
    }
    for (path, found) in [
        ("$.rows[0].id", "1"),
        ("$.rows[?@.id==1].id", "1"),
        ("$.rows[?@.cut].id", "1"),
        ("$.twice.n", "1"),
        ("$.twice.list[0].n", "2"),
        ("$.twice.list[?@.n==2].n", "2"),
        ("$.twice['raw']", r#""{\"st\": 1}""#),
        ("$.rows[*].cut", "\"[{\""),
    ] {
        assert_eq!(selected(path, &row), some(&[found]), "{path}");
    }
    assert_eq!(selected("$.rows[?@.id==2].cut[0]", &row), some(&[]));
}

#[test]
fn dotted_paths_leave_the_same_open() {
    let row = json!({"cut": r#"[{"st": "paid"}, {"st": "de"#, "twice": r#"{"n": 1, "raw": "[1]"}"#, "note": "[x]"});
    for (path, is_open) in
        [("cut.0.st", true), ("twice.raw.0", true), ("cut", false), ("twice.n", false), ("note.0", false)]
    {
        let path_read = DottedPath::parse(path).unwrap();
        assert_eq!(path_read.select_into_text(&row).open, is_open, "{path}");
        assert_eq!(path_read.items(&row, "", true).open, is_open || path == "cut", "{path}");
    }
}
