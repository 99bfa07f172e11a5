//! Elements found by their address.

use candor_fhirpath::{ElementPaths, Item};
use candor_json::json;

#[test]
fn finds_elements_by_address() {
    let document = json!({"name": [{"given": ["A", "B"]}, {"given": ["A", "B"]}], "_birthDate": {"id": "x"}});
    let paths = ElementPaths::of(&document);
    let find = |pointer: &str| paths.find(&Item::of_element(document.pointer(pointer).unwrap()));
    assert_eq!(find("/name/1/given/1").unwrap(), "name[1].given[1]");
    assert_eq!(find("/_birthDate").unwrap(), "birthDate");
    assert_eq!(find("").unwrap(), "");
    assert_eq!(paths.find(&Item::of_element(&json!("A"))), None);
}
