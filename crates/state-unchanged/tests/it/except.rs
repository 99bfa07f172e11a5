//! Exceptions: which records they cover, and which are refused.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use candor_json::json;
use proptest::prelude::*;

use crate::exceptions::{Exception, NewRecord, matches};

fn exception(text: &str) -> Exception {
    candor_json::from_value(json!(text)).unwrap()
}

#[test]
fn a_pattern_covers_records_and_what_is_below_its_path() {
    for (pattern, record, path, covered) in [
        ("fhir:Appointment/*", "Appointment/a.1", Some("status"), true),
        ("fhir:Appointment/*", "Appointment/a.1", None, true),
        ("fhir:Appointment/*", "Task/1", None, false),
        ("portal:orders/*.status", "orders/77", Some("status"), true),
        ("portal:orders/*.status", "orders/77", Some("status.code"), true),
        ("portal:orders/*.status", "orders/77", Some("statuses"), false),
        ("portal:orders/*.status", "orders/77", None, false),
        ("portal:orders/*.*", "orders/77", Some("a.b"), true),
        ("portal:orders/*.*.b", "orders/77", Some("a.b"), true),
        ("portal:orders/*.*.b", "orders/77", Some("a.c.b"), false),
        ("portal:orders/*.**.b", "orders/77", Some("a.c.b"), true),
        ("portal:orders/7?", "orders/77", None, true),
        ("portal:orders/7?", "orders/7", None, false),
        ("files:outbound/*.csv", "outbound/a.csv", None, true),
        ("files:outbound/*.csv", "outbound/b/a.csv", None, false),
        ("files:outbound/**.csv", "outbound/b/a.csv", None, true),
        ("files:outbound/*", "outbound/b/a.csv", None, false),
        ("files:outbound", "outbound/a.csv", None, false),
        ("portal:orders", "orders/77", None, true),
        ("portal:orders", "orders/77", Some("status"), true),
        ("portal:ord*", "orders/a/b", None, true),
        ("portal:orders", "orders_2/77", None, false),
        ("portal:orders", "a/orders", None, false),
        ("fhir:Appointment", "Appointment/a.1", None, true),
        ("hl7:LAB", "LAB/H/42", None, true),
        ("files:outbound/a.csv.$rows.1", "outbound/a.csv", Some("$rows.1.amount"), true),
        ("files:outbound/a.csv.$rows.1", "outbound/a.csv", Some("$rows.12.amount"), false),
        ("hl7:LAB/*/*", "LAB/H/42", None, true),
        ("hl7:LAB/*/*.PID.3", "LAB/H/42", Some("PID.3[2].1"), true),
        ("fhir:Appointment/*", "Appointment/", None, true),
    ] {
        let (part, _) = pattern.split_once(':').unwrap();
        let exception = exception(pattern);
        let is = path.map_or_else(
            || exception.covers(part, record),
            |path| exception.covers(part, record) || exception.covers_field(part, record, path),
        );
        assert_eq!(is, covered, "{pattern} {record} {path:?}");
        assert!(!exception.covers("other", record));
    }
}

#[test]
fn what_excepts_everything_or_nothing_is_refused() {
    let error = |value: candor_json::Value| candor_json::from_value::<Exception>(value).unwrap_err().to_string();
    for text in ["fhir:**", "fhir:*/*", "hl7:*/*/*", "files:*", "portal:**.*", "fhir:", "Appointment/*", ":x", "fhir"] {
        assert!(error(json!(text)).contains(text), "{text}");
    }
    assert!(error(json!("fhir:*/*")).contains("excepts everything"));
    assert!(error(json!("Appointment/*")).contains("names no part"));
    assert!(error(json!({"added": "fhir:Appointment", "maximum": 1})).contains("`maximum`"));
    assert!(error(json!(3)).contains("an exception is 3; expected part:record"));
}

#[test]
fn names_that_no_sandbox_has_are_refused() {
    let parts = [candor_fhir_resource_state::PART, candor_portal_state_match::PART];
    let said = |exception: candor_json::Value| {
        candor_json::from_value::<Exception>(exception).unwrap().check_names(&parts).err().unwrap_or_default()
    };
    for (exception, expected) in [
        (
            json!("fhir:Slots/s1.status"),
            "`fhir:Slots/s1.status` names `Slots`, which `fhir` does not have; did you mean `Slot`?",
        ),
        (json!("fhir:slot/*"), "did you mean `Slot`?"),
        (json!("fhir:Slots"), "did you mean `Slot`?"),
        (json!("fhir:Slots*/*"), "names `Slots*`"),
        (json!({"added": "fhir:Appointments", "max": 1}), "`added: fhir:Appointments` names `Appointments`"),
        (json!({"added": "fhir:Appointments/*"}), "did you mean `Appointment`?"),
        (json!({"added": "fihr"}), "names the part `fihr`, which does not exist; did you mean `fhir`?"),
        (json!("portals:orders/*"), "did you mean `portal`?"),
        (json!("elsewhere:orders/*"), "known are fhir, portal"),
    ] {
        assert!(said(exception.clone()).contains(expected), "{exception}: {}", said(exception.clone()));
    }
    for exception in [
        json!("fhir:Slot/s1.status"),
        json!("fhir:S*/s1.status"),
        json!("fhir:**/s1"),
        json!("fhir:*/*.meta"),
        json!("fhir:broken.json"),
        json!("fhir:exports/broken.ndjson"),
        json!({"added": "fhir"}),
        json!({"added": "fhir:Appointment"}),
        json!("portal:any_table/*"),
    ] {
        assert_eq!(said(exception.clone()), "", "{exception}");
    }
}

#[test]
fn new_records_are_counted_by_kind() {
    let added: Exception = candor_json::from_value(json!({"added": "fhir:Appointment", "max": 1})).unwrap();
    let new = |collection, record| NewRecord { part: "fhir", collection, record };
    assert_eq!(added.allows_new(&new("Appointment", "Appointment/9")), Some(Some(1)));
    assert_eq!(added.allows_new(&new("Task", "Task/9")), None);
    let any: Exception = candor_json::from_value(json!({"added": "fhir"})).unwrap();
    assert_eq!(any.allows_new(&new("Task", "Task/9")), Some(None));
    assert!(!added.covers("fhir", "Appointment/9"));
}

proptest! {
    /// The same as a regular expression of the same meaning.
    #[test]
    fn wildcards_mean_what_they_say(pattern in "[ab/.*?]{0,7}", text in "[ab/.]{0,7}") {
        let mut regex = String::from("^");
        let mut rest = pattern.as_str();
        while let Some(c) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix("**") {
                regex.push_str("(?s:.*)");
                rest = after;
                continue;
            }
            match c {
                '*' => regex.push_str("[^/]*"),
                '?' => regex.push_str("[^/]"),
                c => regex.push_str(&format!("\\x{:02x}", u32::from(c))),
            }
            rest = &rest[c.len_utf8()..];
        }
        regex.push('$');
        let chars = |text: &str| text.chars().collect::<Vec<char>>();
        let expected = regex::Regex::new(&regex).unwrap().is_match(&text);
        prop_assert_eq!(matches(&chars(&pattern), &chars(&text), &['/']), expected);
    }
}
