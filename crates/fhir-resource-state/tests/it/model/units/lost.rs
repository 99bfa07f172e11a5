//! Tests of the members that a model does not keep.

use candor_json::{Value, json};

use crate::model::lost::lost;

#[test]
fn what_is_lost_is_named() {
    let source = json!({"a": [{"b": 1.50, "at": "2026-11-20T09:00:00.000+01:00"}], "none": []});
    let model = |b: &str, at: &str| candor_json::from_str::<Value>(&format!(r#"{{"a": [{{{b} "at": {at:?}}}]}}"#));
    for (b, at, expected) in [
        (r#""b": 1.5,"#, "2026-11-20T08:00:00Z", None),
        (r#""b": 1.51,"#, "2026-11-20T08:00:00Z", Some("a.0.b")),
        ("", "2026-11-20T08:00:00Z", Some("a.0.b")),
        (r#""b": 1.5,"#, "2026-11-20T08:00:00.001Z", Some("a.0.at")),
    ] {
        assert_eq!(lost(&source, &model(b, at).unwrap(), "").as_deref(), expected);
    }
}
