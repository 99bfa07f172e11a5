//! When a file arrived.

use candor_json::{Value, json};

use crate::hygiene::arrived::Arrived;

fn arrived(value: Value) -> Result<Arrived, String> {
    candor_json::from_value(value).map_err(|error| error.to_string())
}

#[test]
fn a_window_is_one_of_instants_of_a_zone_or_of_every_day() {
    let holds = |value: Value, at: &str| arrived(value).unwrap().result(Some(at)).passed;
    let offsets = json!({"between": ["2026-11-20T06:00:00-05:00", "2026-11-20T07:00:00-05:00"]});
    assert!(holds(offsets.clone(), "2026-11-20T11:00:00Z") && !holds(offsets, "2026-11-20T06:30:00Z"));
    let local = json!({"between": ["2026-11-20T06:00:00", "2026-11-20T07:00:00"], "zone": "-05:00"});
    assert!(holds(local.clone(), "2026-11-20T12:00:00Z") && !holds(local, "2026-11-20T12:00:01Z"));
    let night = json!({"between": ["22:00", "02:00"], "zone": "+01:00"});
    assert!(holds(night.clone(), "2026-11-20T21:00:00Z") && holds(night.clone(), "2026-11-20T01:00:00Z"));
    assert!(!holds(night, "2026-11-20T12:00:00Z"));
}

#[test]
fn a_window_without_a_zone_is_none() {
    for (value, why) in [
        (json!({"between": ["2026-11-20T06:00:00", "2026-11-20T07:00:00"]}), "`zone` is missing"),
        (json!({"between": ["06:00", "07:00"]}), "`zone` is missing"),
        (
            json!({"between": ["2026-11-20T06:00:00Z", "2026-11-20T07:00:00"], "zone": "Z"}),
            "both with an offset or neither",
        ),
        (json!({"between": ["2026-11-20T07:00:00Z", "2026-11-20T06:00:00Z"]}), "ends (2026-11-20T06:00:00Z) before"),
        (json!({"between": ["early", "late"], "zone": "Z"}), "expected two times"),
        (json!({"between": ["06:00", "07:00"], "zone": "Europe/Nowhere"}), "`zone`: "),
    ] {
        let error = arrived(value).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
}
