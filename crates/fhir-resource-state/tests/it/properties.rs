//! Laws of reading and of unsafe modifiers.

use candor_check::field::Location;
use candor_check::records::{Asserting, RecordRules};
use candor_check::sandbox::Environment;
use candor_fhir_resource_state::store::Builder;
use candor_fhir_resource_state::unsafe_match::{Asserted, find};
use candor_json::{Value, json};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(300)))]

    #[test]
    fn any_bytes_are_read_or_named(bytes in prop::collection::vec(any::<u8>(), 0..200), lines in any::<bool>()) {
        let mut builder = Builder::default();
        builder.file(if lines { "a.ndjson" } else { "a.json" }, bytes.as_slice());
        let store = builder.finish();
        let blank = bytes.trim_ascii().is_empty() && lines;
        prop_assert!(blank || !store.resources().is_empty() || !store.unreadable().is_empty());
        prop_assert!(store.unreadable().iter().all(|place| place.offset <= bytes.len() && place.line >= 1));
    }

    #[test]
    fn a_cut_bundle_is_never_a_smaller_bundle(cut in 1..400_usize) {
        let bundle = json!({"resourceType": "Bundle", "type": "collection", "entry": (0..10).map(|id|
            json!({"resource": {"resourceType": "Task", "id": id.to_string()}})).collect::<Vec<_>>()}).to_string();
        let mut builder = Builder::default();
        builder.file("a.json", &bundle.as_bytes()[..bundle.len() - cut.min(bundle.len())]);
        let store = builder.finish();
        prop_assert_eq!((store.resources().len(), store.unreadable().len()), (0, 1));
    }

    #[test]
    fn the_span_of_a_resource_is_its_text(ids in prop::collection::vec("[a-zé]{1,5}", 1..5), space in "[ \n]{0,3}", bom in any::<bool>()) {
        let entry = |id: &String| format!("{{{space}\"resource\":{space}{{\"resourceType\":\"Task\",\"id\":\"{id}\",\"description\":\"{id}\"}}}}");
        let entries = ids.iter().map(entry).collect::<Vec<_>>().join(",");
        let bom = if bom { "\u{feff}" } else { "" };
        let text = format!("{bom}{space}{{\"resourceType\":\"Bundle\",\"type\":\"searchset\",\"entry\":[{entries}]}}");
        let mut builder = Builder::default();
        builder.file("a.json", text.as_bytes());
        for resource in builder.finish().resources() {
            let read: Value = candor_json::from_str(&text[resource.span()]).unwrap();
            prop_assert_eq!(&read, resource.value());
        }
    }

    #[test]
    fn what_is_named_is_never_unsafe(at in 0..3_usize) {
        let mut list = json!({"resourceType": "List", "status": "entered-in-error", "entry": [{}, {}, {}]});
        list["entry"][at]["deleted"] = json!(true);
        let status = (&list["status"], &list["status"]);
        for other in 0..3_usize {
            let selected = vec![&list["status"], &list["entry"][other]];
            let asserted = Asserted { selected, named: vec![status], ..Asserted::default() };
            let found = unsafe_path(&list, &asserted);
            prop_assert_eq!(found, (other == at).then(|| format!("entry.{at}.deleted")));
        }
        let whole = Asserted { named: vec![status, (&list["entry"], &list["entry"])], ..Asserted::default() };
        prop_assert_eq!(unsafe_path(&list, &whole), None);
    }

    /// No resource with an unsafe value is safe unless that very value was named: not by what else is there, and not by
    /// another value that was named.
    #[test]
    fn an_unsafe_value_is_safe_only_when_it_is_named(row in 0..ROWS.len(), other in "[a-z]{3,8}", noise in "[a-z]{1,5}") {
        let (resource_type, element, value) = ROWS[row];
        let mut resource = json!({"resourceType": resource_type, "description": noise, "code": {"text": "x"}});
        resource[element] = json!(value);
        let selected = vec![&resource[element], &resource["description"]];
        let found = unsafe_path(&resource, &Asserted { selected: selected.clone(), ..Asserted::default() });
        prop_assert_eq!(found.as_deref(), Some(element));
        let other = json!(other);
        let elsewhere = vec![(&resource["description"], &resource["description"])];
        let found = unsafe_path(&resource, &Asserted { selected: selected.clone(), named: elsewhere, ..Asserted::default() });
        prop_assert_eq!(found.as_deref(), Some(element));
        let named = vec![(&resource[element], &resource[element])];
        prop_assert_eq!(unsafe_path(&resource, &Asserted { named, ..Asserted::default() }), None);
        let searched = [(vec![element], value.to_owned())];
        prop_assert_eq!(unsafe_path(&resource, &Asserted { searched: &searched, ..Asserted::default() }), None);
        let searched = [(vec![element], other.as_str().unwrap().to_owned())];
        let found = unsafe_path(&resource, &Asserted { searched: &searched, ..Asserted::default() });
        prop_assert_eq!(found.as_deref(), Some(element));
    }
}

/// Rows of the table, as the contract has them.
const ROWS: &[(&str, &str, &str)] = &[
    ("Appointment", "status", "cancelled"),
    ("Appointment", "status", "entered-in-error"),
    ("ServiceRequest", "status", "revoked"),
    ("ServiceRequest", "status", "draft"),
    ("ServiceRequest", "status", "stopped"),
    ("Communication", "status", "stopped"),
    ("Task", "status", "rejected"),
    ("MedicationDispense", "status", "declined"),
    ("SupplyDelivery", "status", "abandoned"),
    ("Consent", "status", "rejected"),
    ("Task", "intent", "proposal"),
    ("CarePlan", "intent", "option"),
    ("MedicationRequest", "intent", "plan"),
    ("Procedure", "status", "not-done"),
];

fn unsafe_path(resource: &Value, asserted: &Asserted<'_>) -> Option<String> {
    let asserting = Asserting::new(false, RecordRules::default(), true, Environment::Test);
    find(resource, asserted, &asserting, &Location::whole("fhir/a.json")).map(|found| found.result.path)
}
