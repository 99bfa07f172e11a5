//! Differences as a person would tell them.

use candor_check::difference::{CONTENT, Change, Difference, FieldChange};
use candor_check::field::Location;
use candor_json::{Value, json};

fn told(change: Change) -> String {
    let (part, collection, record) = ("portal".to_owned(), "orders".to_owned(), "orders/77".to_owned());
    let place = Location::whole("portal/orders.json");
    Difference { part, collection, record, number: 1, change, place }.told()
}

#[test]
fn a_colleague_would_say_it_so() {
    let field =
        |path: &str, before: Option<Value>, after: Option<Value>| FieldChange { path: path.into(), before, after };
    assert_eq!(told(Change::Added), "orders/77 was added");
    assert_eq!(told(Change::Removed), "orders/77 was removed");
    let fields = vec![
        field("status", Some(json!("open")), Some(json!("cancelled"))),
        field("note", None, Some(json!("by hand, today"))),
        field("units", Some(json!(2)), None),
    ];
    assert_eq!(
        told(Change::Changed { fields }),
        "orders/77: status changed from open to cancelled, note was added (\"by hand, today\"), units was removed (it was 2)"
    );
    let fields = vec![field(CONTENT, Some(json!("sound")), Some(json!("empty")))];
    assert_eq!(told(Change::Changed { fields }), "orders/77: it was sound, and is empty now");
    let fields = vec![field(CONTENT, None, None)];
    assert_eq!(told(Change::Changed { fields }), "orders/77: it is ordered or nested in another way now");
    let long = |end: &str| Some(json!(format!("{}{end}", "said and said again, ".repeat(9))));
    assert_eq!(
        told(Change::Changed { fields: vec![field("text", long("approved"), long("denied"))] }),
        "orders/77: text changed from \"…said and said again, approved\" to \"…said and said again, denied\""
    );
    let many = (0..9).map(|n| field(&n.to_string(), Some(json!(n)), Some(json!("")))).collect();
    assert!(told(Change::Changed { fields: many }).ends_with("5 changed from 5 to \"\", and 3 more fields"));
}
