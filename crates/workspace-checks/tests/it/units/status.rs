//! The statuses that an endpoint may answer with.

use candor_json::{Value, json};

use crate::status::Statuses;

#[test]
fn a_status_is_a_code_a_class_or_several() {
    let read = |value: Value| candor_json::from_value::<Statuses>(value);
    assert!(read(json!(404)).unwrap().allow(404) && !read(json!(404)).unwrap().allow(403));
    assert!(read(json!("2xx")).unwrap().allow(204) && !read(json!("2xx")).unwrap().allow(301));
    assert!(read(json!([200, "3xx"])).unwrap().allow(302));
    for wrong in [json!([]), json!(99), json!(600), json!("6xx"), json!("200"), json!(null), json!(2.5)] {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
}
